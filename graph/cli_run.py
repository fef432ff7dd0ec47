"""The command ``run``: one task from its first step to its answer, shown as it goes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, cast

import typer
from rich.console import Console

from memory_secretary.graph import cli_runs
from memory_secretary.graph.cli_chat_turn import Turn
from memory_secretary.graph.cli_fetch import make_ready
from memory_secretary.graph.cli_interrupt import INTERRUPTED, prompt_ctrl_c
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import (
    LOCAL_USER,
    AsJson,
    Embedder,
    Executor,
    MaxSteps,
    MemoryFolder,
    Secretary,
    Thread,
    TraceTo,
    User,
    Window,
    memory_folder,
    whose,
)
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.cli_screen import (
    answer_of,
    lang_of,
    print_end,
    print_head,
    print_json,
    print_result,
    print_way_on,
)
from memory_secretary.graph.cli_start import (
    RunOptions,
    check,
    check_memory,
    check_task,
    known_task,
    planned,
    resumed,
    settings_with,
    started,
    user_of_thread,
)
from memory_secretary.graph.live import ChatView, LiveView, make_console, print_notices, print_refusal, working
from memory_secretary.graph.moments import speakers_zone
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.thread_lock import at_work
from memory_secretary.graph.words import say
from memory_secretary.memory.errors import MemorySecretaryError

if TYPE_CHECKING:
    from memory_secretary.graph.evaluation.example_task import Verdict
    from memory_secretary.memory import TieredMemory

RIGHT, NOT_RIGHT, REFUSED = 0, 1, 2
"""Exit status: answered (and right, where that is known); not so; an error of ours."""


def run(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="What to do; with --resume, the thread to continue (default: the newest)."),
    ] = None,
    example: Annotated[bool, typer.Option("--example", help="Solve the example task in a copy of its files.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", min=1, help="Which variant of the example task.")] = None,
    lang: Language = None,
    executor: Executor = None,
    secretary: Secretary = None,
    window: Window = None,
    workspace: Annotated[
        Path | None,
        typer.Option(metavar="DIR", file_okay=False, help="What the tools see and may write (default: this folder)."),
    ] = None,
    memory: MemoryFolder = None,
    user: User = LOCAL_USER,
    thread: Thread = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that has not ended.")] = False,
    max_steps: MaxSteps = None,
    embedder: Embedder = "embedded",
    trace: TraceTo = None,
    as_json: AsJson = False,
) -> None:
    """Run a task and show every step; exit status 0 when it is done (and, for the example, right)."""
    options = RunOptions(
        task=task, example=example, seed=seed, lang=lang, executor=executor, secretary=secretary, window=window,
        workspace=workspace, memory=memory, user=whose(user, example=example or seed is not None), thread=thread,
        resume=resume, max_steps=max_steps, embedder=embedder, trace=trace, as_json=as_json,
    )  # fmt: skip
    spoken(lang, task or "")
    raise typer.Exit(execute(options, make_console()))


class StepGraph(Protocol):
    """What ``run`` needs of a compiled graph."""

    def stream(self, given: Any, config: Any, /, **options: Any) -> Iterator[Any]:
        """Yield ``(mode, data)`` pairs."""

    def get_state(self, config: Any, /) -> Any:
        """The thread's state; its ``values`` hold everything that passes between the nodes."""

    def update_state(self, config: Any, values: Any, /, as_node: str) -> Any:
        """Write to the thread's state as if a node had."""


@contextmanager
def assembled(record: RunRecord, memory: TieredMemory, folder: Path, trace: Path | None = None) -> Iterator[StepGraph]:
    """The graph of a run with the workspace's tools and a checkpointer, which is closed again at the end."""
    from memory_secretary.graph.builder import build_graph
    from memory_secretary.graph.checkpoints import open_checkpointer
    from memory_secretary.graph.toolset import tools_for

    settings = settings_with(window=record.window, max_steps=record.max_steps, lang=record.lang)
    with open_checkpointer(folder / "checkpoints.sqlite") as checkpointer:
        graph = build_graph(
            executor=record.executor,
            secretary=record.secretary,
            memory=memory,
            tools=tools_for(Path(record.workspace)) if record.workspace else [],
            settings=settings,
            checkpointer=checkpointer,
            trace=trace,
        )
        yield cast(StepGraph, graph)


@contextmanager
def started_graph(
    record: RunRecord,
    memory: TieredMemory,
    folder: Path,
    console: Console,
    *,
    shown: bool,
    trace: Path | None = None,
) -> Iterator[StepGraph]:
    """As :func:`assembled`; the console says meanwhile that a model is being started, unless not ``shown``."""
    with ExitStack() as opened:
        with busy(console, say(lang_of(record), "starting"), shown=shown):
            graph = opened.enter_context(assembled(record, memory, folder, trace))
        yield graph


def execute(options: RunOptions, console: Console) -> int:
    """Do what the options say and print it; gives the exit status.

    Raises:
        MemorySecretaryError: for anything that is seen to be wrong before the run's head is printed.
    """
    shown = not options.as_json
    with ExitStack() as opened:
        with busy(console, say(spoken(options.lang, options.task or ""), "opening"), shown=shown):
            from memory_secretary.memory import TieredMemory

            check(options)
            check_task(options)
            folder = memory_folder(options.memory)
            check_memory(options, folder)
        begun: list[RunRecord] = []
        way_on = partial(_print_way_on, begun, options)
        if not options.resume:
            with prompt_ctrl_c(way_on):
                make_ready(planned(options))
        with busy(console, say(spoken(options.lang, options.task or ""), "opening"), shown=shown):
            memory = opened.enter_context(TieredMemory.open(folder, embedder=options.embedder, zone=speakers_zone()))
            memory.warm_up()
            if options.resume:
                options = replace(options, user=user_of_thread(options, memory))
            record = resumed(options, folder, memory) if options.resume else started(options, folder)
            opened.enter_context(at_work(folder, record.user, record.thread))
        if options.resume:
            with prompt_ctrl_c(way_on):
                make_ready(record)
        if shown:
            print_head(record, folder, console)
        try:
            with prompt_ctrl_c(way_on):
                state = _carried_out(record, begun, memory, folder, console, options)
        except KeyboardInterrupt:
            way_on()
            return INTERRUPTED
        except MemorySecretaryError as error:
            print_refusal(error.sentence(lang_of(record)))
            way_on()
            return REFUSED
        print_notices(memory.notices, lang_of(record))
    return conclude(state, record, console, as_json=options.as_json)


def _carried_out(
    record: RunRecord,
    begun: list[RunRecord],
    memory: TieredMemory,
    folder: Path,
    console: Console,
    options: RunOptions,
) -> dict[str, Any]:
    """Run to the end; the record is kept, and put into ``begun``, once nothing stands in the way of the first step."""
    fresh = not options.resume or known_task(memory, record.user, record.thread) is None
    shown = not options.as_json
    with started_graph(record, memory, folder, console, shown=shown, trace=options.trace) as graph:
        cli_runs.save(folder, record)
        begun.append(record)
        first = "" if fresh else next_of(graph, record)
        view = None if options.as_json else LiveView(console, lang_of(record), first)
        return _followed(Turn(lambda: parts_of(graph, record, fresh=fresh)), view, console)


def parts_of(graph: StepGraph, record: RunRecord, *, fresh: bool) -> Iterator[tuple[str, Any]]:
    """Run the graph: what each node tells (``custom``), and the state after it (``values``).

    Args:
        graph: the compiled graph.
        record: what is run.
        fresh: hand in the goal; otherwise the thread's open task goes on, where one was broken off from its checkpoint.
    """
    config = {"configurable": {"thread_id": record.thread}}
    given = {"messages": [("user", record.goal)] if fresh else []}
    return graph.stream(
        given if fresh or not graph.get_state(config).next else None,
        config,
        context={"user_id": record.user},
        stream_mode=["custom", "values"],
        durability="sync",
    )


def next_of(graph: StepGraph, record: RunRecord) -> str:
    """What a thread that was broken off goes on with, as the moving line says it; empty where its task begins anew."""
    from memory_secretary.nodes.turns import step_of

    kept = graph.get_state({"configurable": {"thread_id": record.thread}})
    return working(kept.next[0], step_of(kept.values), lang_of(record)) if kept.next else ""


def watched(turn: Turn, view: LiveView | ChatView | None, console: Console) -> dict[str, Any]:
    """Show a run's parts as they come, without a view as one JSON line each; gives the state after the last."""
    state: dict[str, Any] = {}
    with view or nullcontext():
        for mode, data in turn:
            if mode == "values":
                state = data
            elif view:
                view.show(data)
            else:
                print_json(data, console)
    return state


def _followed(turn: Turn, view: LiveView | None, console: Console) -> dict[str, Any]:
    """As :func:`watched`; Ctrl-C ends the step at work, within the time that :func:`prompt_ctrl_c` gives it."""
    try:
        return watched(turn, view, console)
    except KeyboardInterrupt:
        turn.stop()
        turn.wait()
        raise


def conclude(state: dict[str, Any], record: RunRecord, console: Console, *, as_json: bool) -> int:
    """Print answer, verdict and figures; gives the exit status."""
    verdict = _verdict(record, answer_of(state))
    (print_result if as_json else print_end)(state, record, verdict, console)
    return RIGHT if state["status"] == "done" and (verdict is None or verdict.right) else NOT_RIGHT


def _verdict(record: RunRecord, answer: str) -> Verdict | None:
    """The judgement of an example's answer; None for a task whose answer nobody knows."""
    if record.seed is None:
        return None
    from memory_secretary.graph.evaluation.example_task import check, variant

    return check(variant(record.seed, lang_of(record)), answer, Path(record.workspace))


def _print_way_on(begun: list[RunRecord], options: RunOptions) -> None:
    """Say, once, how to go on with what was begun."""
    if begun:
        print_way_on(begun.pop(), options, "run", "--resume")
