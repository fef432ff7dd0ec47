"""The command ``run``: one task from its first step to its answer, shown as it goes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, cast

import typer
from rich.console import Console
from rich.text import Text

from memory_secretary.graph import cli_runs
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
    User,
    Window,
    memory_folder,
)
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.cli_start import RunOptions, check, check_task, known_task, resumed, settings_with, started
from memory_secretary.graph.live import LiveView, figures_line, make_console, print_notices, print_refusal
from memory_secretary.graph.palette import BAD, GOOD, NAME, QUIET, WARNING
from memory_secretary.graph.words import Lang, colon, say
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.program import program

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
        Path | None, typer.Option(metavar="DIR", file_okay=False, help="What the tools see (default: this folder).")
    ] = None,
    memory: MemoryFolder = None,
    user: User = LOCAL_USER,
    thread: Thread = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that has not ended.")] = False,
    max_steps: MaxSteps = None,
    embedder: Embedder = "embedded",
    as_json: AsJson = False,
) -> None:
    """Run a task and show every step; exit status 0 when it is done (and, for the example, right)."""
    options = RunOptions(
        task=task, example=example, seed=seed, lang=lang, executor=executor, secretary=secretary, window=window,
        workspace=workspace, memory=memory, user=user, thread=thread, resume=resume, max_steps=max_steps,
        embedder=embedder, as_json=as_json,
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
def assembled(record: RunRecord, memory: TieredMemory, folder: Path) -> Iterator[StepGraph]:
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
        )
        yield cast(StepGraph, graph)


def execute(options: RunOptions, console: Console) -> int:
    """Do what the options say and print it; gives the exit status.

    Raises:
        MemorySecretaryError: for anything that is seen to be wrong before the run's head is printed.
    """
    from memory_secretary.memory import TieredMemory

    check(options)
    check_task(options)
    folder = memory_folder(options.memory)
    with TieredMemory.open(folder, embedder=options.embedder) as memory:
        memory.warm_up()
        record = resumed(options, folder, memory) if options.resume else started(options, folder)
        begun: list[RunRecord] = []
        way_on = partial(_print_way_on, begun, options, console)
        with prompt_ctrl_c(way_on):
            make_ready(record)
        if not options.as_json:
            print_head(record, folder, console)
        try:
            with prompt_ctrl_c(way_on):
                state = _carried_out(record, begun, memory, folder, console, options)
        except KeyboardInterrupt:
            way_on()
            return INTERRUPTED
        except MemorySecretaryError as error:
            print_refusal(error.sentence(_lang(record)))
            way_on()
            return REFUSED
        print_notices(memory.notices, _lang(record))
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
    with assembled(record, memory, folder) as graph:
        cli_runs.save(folder, record)
        begun.append(record)
        return follow(graph, record, console, fresh=fresh, as_json=options.as_json)


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


def follow(graph: StepGraph, record: RunRecord, console: Console, *, fresh: bool, as_json: bool) -> dict[str, Any]:
    """Run the graph to its end, showing each finished node; gives the final state.

    Args:
        graph: the compiled graph.
        record: what is run.
        console: where to show it.
        fresh: hand in the goal; otherwise the thread's open task goes on.
        as_json: print each node's report as one JSON line.
    """
    view = None if as_json else LiveView(console, _lang(record))
    state: dict[str, Any] = {}
    with view or nullcontext():
        for mode, data in parts_of(graph, record, fresh=fresh):
            if mode == "values":
                state = data
            elif view:
                view.show(data)
            else:
                print_json(data, console)
    return state


def conclude(state: dict[str, Any], record: RunRecord, console: Console, *, as_json: bool) -> int:
    """Print answer, verdict and figures; gives the exit status."""
    verdict = _verdict(record, answer_of(state))
    (print_result if as_json else _print_end)(state, record, verdict, console)
    return RIGHT if state["status"] == "done" and (verdict is None or verdict.right) else NOT_RIGHT


def print_result(state: dict[str, Any], record: RunRecord, verdict: Verdict | None, console: Console) -> None:
    """The last line of ``--json``: status, figures, answer."""
    result = {name: state[name] for name in ("status", "stop_reason", "figures")}
    result |= {"answer": answer_of(state), "thread": record.thread}
    result |= {"right": verdict.right, "missing": verdict.missing} if verdict else {}
    print_json({"result": result}, console)


def _print_end(state: dict[str, Any], record: RunRecord, verdict: Verdict | None, console: Console) -> None:
    lang = _lang(record)
    head = Text(f"\n{say(lang, 'answer')}{colon(lang)}", "bold")
    console.print(head.append(answer_of(state) or say(lang, "none"), "default"))
    if state["status"] != "done":
        console.print(Text(f"{say(lang, state['status'])}{colon(lang)}{state['stop_reason']}", WARNING))
    if verdict and verdict.right:
        console.print(Text(say(lang, "right"), GOOD))
    elif verdict:
        console.print(Text(say(lang, "wrong", reason="; ".join(verdict.missing)), BAD))
    console.print(Text(figures_line(state["figures"], lang), QUIET))


def answer_of(state: dict[str, Any]) -> str:
    """The last message's text when it is the assistant's, else nothing."""
    messages = state["messages"]
    return str(messages[-1].text) if messages and messages[-1].type == "ai" else ""


def _verdict(record: RunRecord, answer: str) -> Verdict | None:
    """The judgement of an example's answer; None for a task whose answer nobody knows."""
    if record.seed is None:
        return None
    from memory_secretary.graph.evaluation.example_task import check, variant

    return check(variant(record.seed, _lang(record)), answer, Path(record.workspace))


def print_head(record: RunRecord, folder: Path, console: Console) -> None:
    """What is run with what, one line each."""
    lang = _lang(record)
    rows = {
        "task": record.goal,
        "executor": record.executor,
        "secretary": record.secretary or record.executor,
        "workspace": record.workspace,
        "memory": str(folder),
        "user": record.user,
        "thread": record.thread,
    }
    for key, value in rows.items():
        if value:
            console.print(Text(f"{say(lang, key)}{colon(lang)}", NAME).append(value, "default"), soft_wrap=True)
    console.print()


def _print_way_on(begun: list[RunRecord], options: RunOptions, console: Console) -> None:
    """Say, once, how to go on with what was begun."""
    if begun:
        print_way_on(begun.pop(), options, console, "run", "--resume")


def print_way_on(record: RunRecord, options: RunOptions, console: Console, *first: str) -> None:
    """Say on the error stream how to go on with a thread.

    Args:
        record: the thread's.
        options: what was typed.
        console: where the run was shown.
        first: the words before the thread's name.
    """
    words = [*first, record.thread]
    words += ["--memory", str(options.memory)] if options.memory else []
    words += ["--user", record.user] if record.user != LOCAL_USER else []
    if console.is_terminal:
        console.show_cursor()  # the moving line hides it
    command = f"{program()} {shlex.join(words)}"
    make_console(stderr=True).print(say(_lang(record), "resume", command=command), soft_wrap=True)


def _lang(record: RunRecord) -> Lang:
    return spoken(record.lang, record.goal)


def print_json(data: Any, console: Console) -> None:
    """One line of JSON, as it is."""
    console.out(json.dumps(data, ensure_ascii=False, default=str), highlight=False)
