"""Do methods help? Long tasks whose like was done before, with the method of those shown to the executor and without.

    python benchmarks/methods.py --dry-run              # which of the frozen tasks a method fits; no model
    python benchmarks/methods.py                        # those of the frozen tasks in both arms; about 4 hours
    python benchmarks/methods.py --tasks development --family collect_report,act_on_condition --length short,medium
    python benchmarks/methods.py --scripted --tasks development --out /tmp/methods.jsonl   # no model; six minutes
    python benchmarks/methods.py --report               # the tables of what has been run

For each task a few others of its family, with the same tools and in its language, are done first, by the copyist of
``benchmarks/ceiling.py``; no model is needed for that, and only what ends right is learned from. The teacher (by
default the executor's model) then writes the method, which is kept in benchmarks/out/methods/ and asked for once. Both
arms begin with that method in their memory and nothing else; they differ in the switch alone. A task that no method
fits is not run: the two arms would be the same. Every run is kept in benchmarks/out/methods.jsonl and never made twice
under one --label, so the command can be stopped and started again.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from ceiling import SECRETARY_WINDOW, WINDOW, Copyist
from longtask import TASK, keep, key_of, origin

from memory_secretary.graph import Settings, build_methods_graph
from memory_secretary.graph.evaluation.arms import OURS, secretary
from memory_secretary.graph.evaluation.longtask import (
    FAMILIES,
    LENGTHS,
    LongTask,
    development_tasks,
    frozen_tasks,
    make_task,
)
from memory_secretary.graph.evaluation.longtask.run import as_task, run_task
from memory_secretary.graph.evaluation.report import arms_table, difference_line, groups_table
from memory_secretary.graph.evaluation.rows import read_rows
from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.methods.apply import applicable
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.tools.registry import as_tools

OUT = Path(__file__).parent / "out" / "methods.jsonl"
USER = "benchmark"
WITH = f"{OURS} with methods"
ARMS = (OURS, WITH)
LESSONS = 3
SEEDS = range(20_000, 20_400)
"""Of the tasks that are learned from; none of them is measured on."""
_MANY_STEPS = 60


class Scripted(Copyist):
    """The copyist in all three roles: as a teacher it calls each tool a step."""

    def reply(self, prompt: str) -> dict[str, Any]:
        """What is said to a prompt of any of the roles."""
        if not prompt.startswith("These tasks were done"):
            return super().reply(prompt)
        zh = language_of(prompt.partition("Write down how")[0]) == "zh"
        step, check = ("下一步", "全部都读过") if zh else ("the next step", "all of them were read")
        tools = dict.fromkeys(re.findall(r"^(\w+)\(", prompt, re.MULTILINE))
        steps = [{"text": step, "tool": tool} for tool in tools]
        return {"sub_goals": steps, "note": [], "look_up": [], "check": [check]}


Models = Callable[[LongTask], tuple[ModelHandle, ModelHandle]]
"""Gives the executor, which is the secretary as well, and the teacher for a task."""


def scripted(task: LongTask) -> tuple[ModelHandle, ModelHandle]:
    """A new copyist, who has begun nothing yet."""
    call = task.oracle.calls[0]
    model = Scripted(first={"action": call.tool, "input": dict(call.arguments)})
    handle = resolve_model(model, window=SECRETARY_WINDOW)
    return handle, handle


def main() -> None:
    options = parsed()
    done = {key_of(row): row for row in read_rows(options.out)}
    if options.dry_run:
        for task in wanted(options):
            print(", ".join(str(getattr(task, name)) for name in TASK), f"{len(lessons_for(task))} lessons", flush=True)
        return
    if options.scripted and not options.report:
        measure(options, scripted, done)
    elif not options.report:
        windows = max(options.window, options.secretary_window)
        handle = resolve_model(options.executor, window=windows)
        teacher = handle if options.teacher is None else resolve_model(options.teacher, window=windows, slots=1)
        try:
            measure(options, lambda _: (handle, teacher), done)
        finally:
            handle.close()
            if teacher is not handle:
                teacher.close()
    chosen = [row for row in done.values() if (row["tasks"], row["label"]) == (options.tasks, options.label)]
    print(report(chosen))


def measure(options: argparse.Namespace, models: Models, done: dict[tuple[Any, ...], dict[str, Any]]) -> None:
    """Make the runs that are not made yet; each is kept at once."""
    settings = Settings(user_id=USER, executor_window=options.window, secretary_window=options.secretary_window)
    about = {name: getattr(options, name) for name in ("tasks", "label", "executor", "window")}
    for task in wanted(options):
        fresh = {arm: {**about, "arm": arm, **{name: getattr(task, name) for name in TASK}} for arm in ARMS}
        left = [arm for arm in ARMS if key_of(fresh[arm]) not in done]
        cards = method_of(task, models(task)[1], settings, options) if left else None
        if left and not (cards and fits(task, cards)):
            print(", ".join(str(getattr(task, name)) for name in TASK), ": no method fits", flush=True)
            continue
        for arm in left:
            row = run_task(task, arm, models(task)[0], settings, prepare=knowing(cards)) if cards else {}
            row = {**about, **origin(), **row, "teacher": options.teacher or options.executor}
            done[key_of(row)] = keep(options.out, row)


def wanted(options: argparse.Namespace) -> Iterator[LongTask]:
    """The tasks, short ones first."""
    made = frozen_tasks() if options.tasks == "frozen" else development_tasks()
    kinds = {name: getattr(options, name).split(",") for name in ("family", "length", "lang")}
    tasks = [task for task in made if all(getattr(task, name) in chosen for name, chosen in kinds.items())]
    yield from sorted(tasks, key=lambda task: task.needed_steps)


# --- what is learned ------------------------------------------------------------------------------------------------


def used_tools(task: LongTask) -> tuple[str, ...]:
    """The tools that the task needs."""
    return tuple(sorted({call.tool for call in task.oracle.calls}))


def lessons_for(task: LongTask) -> list[LongTask]:
    """Some other tasks of its family, with the same tools and in its language; of medium length if there are any."""
    for length in ("medium", "short"):
        others = (make_task(task.family, seed, task.lang, length) for seed in SEEDS)  # type: ignore[arg-type]
        same = [other for other in others if used_tools(other) == used_tools(task)]
        if same:
            return same[: 2 * LESSONS]
    return []


def method_of(task: LongTask, teacher: ModelHandle, settings: Settings, options: argparse.Namespace) -> Path | None:
    """The file of the cards that were learned for tasks like this one; None where nothing could be learned."""
    name = "-".join([task.family, task.lang, *used_tools(task), options.teacher or options.executor, options.label])
    path = options.out.parent / "methods" / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}.jsonl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            learn(lessons_for(task), teacher, settings, Path(folder), path)
    return path if path.read_text("utf-8").strip() else None


def learn(lessons: Sequence[LongTask], teacher: ModelHandle, settings: Settings, folder: Path, path: Path) -> None:
    """Do the lessons, have the teacher write the methods, and keep the cards alone."""
    with TieredMemory.open(folder / "memory", embedder=None) as memory:
        right = (lesson for lesson in lessons if is_done_right(lesson, settings))
        for lesson in islice(right, LESSONS):
            do(lesson, memory, settings)
        out = build_methods_graph(teacher, memory, settings).invoke({})
        for failure in out["failures"]:
            print(f"not learned: {failure['kind']}: {failure['reason']}", flush=True)
        if out["status"] == "stopped":
            raise SystemExit(out["stop_reason"])
        memory.export(Scope(user=USER), folder / "all.jsonl")
    lines = (folder / "all.jsonl").read_text("utf-8").splitlines()
    kept = [line for line in lines if is_method(json.loads(line))]
    path.write_text("".join(f"{line}\n" for line in kept), "utf-8")


def is_method(record: dict[str, Any]) -> bool:
    return (record["record"], record.get("type"), record.get("status")) == ("card", "method", "active")


def is_done_right(lesson: LongTask, settings: Settings) -> bool:
    """Whether the copyist does it right; it does the same each time."""
    with TieredMemory.open(":memory:", embedder=None) as memory:
        return do(lesson, memory, settings)


def do(lesson: LongTask, memory: TieredMemory, settings: Settings) -> bool:
    """Let the copyist do a lesson; whether it is right."""
    call, world = lesson.oracle.calls[0], as_task(lesson).environment()
    model = resolve_model(Copyist(first={"action": call.tool, "input": dict(call.arguments)}), window=SECRETARY_WINDOW)
    own = replace(settings, executor_window=WINDOW, secretary_window=SECRETARY_WINDOW, max_steps=_MANY_STEPS)
    turns = [(f"{thread}-{lesson.seed}", text) for thread, text in lesson.turns]
    result = secretary(turns, executor=model, tools=as_tools(world.tools()), settings=own, memory=memory)
    return bool(lesson.check(result.answer, world.world).right)


def knowing(cards: Path) -> Callable[[TieredMemory], object]:
    """Puts the learned methods into an empty memory."""
    return lambda memory: memory.import_(Scope(user=USER), cards)


def fits(task: LongTask, cards: Path) -> bool:
    """Whether one of the methods is shown for the task at all."""
    with TieredMemory.open(":memory:", embedder=None) as memory:
        knowing(cards)(memory)
        tools = [spec.name for spec in task.specs]
        return bool(applicable(memory.list(Scope(user=USER)), task.turns[-1][1], tools))


# --- what came of it ------------------------------------------------------------------------------------------------


def report(found: list[dict[str, Any]]) -> str:
    """All tables, and how much more often the arm with methods is right."""
    parts = [arms_table(found, ARMS)]
    groups = {"family": FAMILIES, "length": LENGTHS, "lang": ("en", "zh")}
    parts += [groups_table(found, ARMS, name, names) for name, names in groups.items()]
    return "\n\n".join([*parts, difference_line(found, WITH, OURS, TASK)])


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default="frozen", choices=["frozen", "development"])
    parser.add_argument("--family", default=",".join(FAMILIES))
    parser.add_argument("--length", default=",".join(LENGTHS))
    parser.add_argument("--lang", default="en,zh")
    parser.add_argument("--executor", default="embedded")
    parser.add_argument("--teacher", help="writes the methods; left out, the executor's model")
    parser.add_argument("--window", type=int, default=2048)
    parser.add_argument("--secretary-window", type=int, default=4096)
    parser.add_argument("--label", default="", help="names a state of the code; runs are made once under each")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--scripted", action="store_true", help="the copyist in all roles: can a method do harm?")
    parser.add_argument("--dry-run", action="store_true", help="only tell what there is to learn from; no model")
    parser.add_argument("--report", action="store_true", help="only print the tables")
    return parser.parse_args()


if __name__ == "__main__":
    main()
