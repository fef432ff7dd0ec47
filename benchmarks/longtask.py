"""Long tasks of eight families in two languages with a real small model: who finishes them?

    python benchmarks/longtask.py                    # the frozen tasks in three arms; about 3 hours
    python benchmarks/longtask.py --ablate           # and the secretary without each mechanism, on 8 of them
    python benchmarks/longtask.py --tasks development --family follow_chain --arms secretary
    python benchmarks/longtask.py --report           # the tables of what has been run

Every run is kept in benchmarks/out/longtask.jsonl with the commit it was made on, and never made twice under one
--label, so the command can be stopped and started again.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS, ROLLING, SLIDING, arm_names, switched_arms
from memory_secretary.graph.evaluation.longtask import FAMILIES, LENGTHS, LongTask, development_tasks, frozen_tasks
from memory_secretary.graph.evaluation.longtask.run import run_task
from memory_secretary.graph.evaluation.report import arms_table, difference_line, groups_table
from memory_secretary.graph.evaluation.rows import append_row, read_rows
from memory_secretary.nodes.models.resolve import resolve_model

OUT = Path(__file__).parent / "out" / "longtask.jsonl"
TASK = ("family", "seed", "lang", "length")
KEY = ("tasks", "label", "executor", "window", "arm", *TASK)
ABLATED_LENGTH = {family: LENGTHS[place % 3] for place, family in enumerate(FAMILIES)}
"""One task of each family is run without each mechanism; short to long, since the longest take half an hour each."""


def main() -> None:
    options = parsed()
    done = {key_of(row): row for row in read_rows(options.out)}
    if not options.report:
        settings = Settings(
            user_id="benchmark", executor_window=options.window, secretary_window=options.secretary_window
        )
        handle = resolve_model(options.executor, window=max(options.window, options.secretary_window))
        about = {name: getattr(options, name) for name in ("tasks", "label", "executor", "window")}
        try:
            for arm, task in wanted(options):
                fresh = {**about, "arm": arm, **{name: getattr(task, name) for name in TASK}}
                if key_of(fresh) not in done:
                    row = {**about, **origin(), **run_task(task, arm, handle, settings)}
                    done[key_of(row)] = keep(options.out, row)
        finally:
            handle.close()
    chosen = [row for row in done.values() if (row["tasks"], row["label"]) == (options.tasks, options.label)]
    print(report(chosen))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default="frozen", choices=["frozen", "development"])
    parser.add_argument("--arms", default=f"{SLIDING},{ROLLING},{OURS}")
    parser.add_argument("--ablate", action="store_true", help="also run the secretary without each mechanism")
    parser.add_argument("--family", default=",".join(FAMILIES))
    parser.add_argument("--length", default=",".join(LENGTHS))
    parser.add_argument("--lang", default="en,zh")
    parser.add_argument("--executor", default="embedded")
    parser.add_argument("--window", type=int, default=2048)
    parser.add_argument("--secretary-window", type=int, default=4096)
    parser.add_argument("--label", default="", help="names a state of the code; runs are made once under each")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--report", action="store_true", help="only print the tables")
    return parser.parse_args()


def wanted(options: argparse.Namespace) -> Iterator[tuple[str, LongTask]]:
    """Every run in the order in which it is made: task by task in all arms, then the ablations."""
    made = frozen_tasks() if options.tasks == "frozen" else development_tasks()
    kinds = {name: getattr(options, name).split(",") for name in ("family", "length", "lang")}
    tasks = [task for task in made if all(getattr(task, name) in chosen for name, chosen in kinds.items())]
    for task in sorted(tasks, key=lambda task: task.needed_steps):
        for arm in options.arms.split(","):
            yield arm, task
    if options.ablate:
        for task in ablated(tasks):
            for arm in switched_arms():
                yield arm, task


def ablated(tasks: list[LongTask]) -> Iterator[LongTask]:
    """One task of each family: of the wanted length, or the shortest."""
    for family in FAMILIES:
        mine = sorted((task for task in tasks if task.family == family), key=lambda task: task.needed_steps)
        if mine:
            yield next((task for task in mine if task.length == ABLATED_LENGTH[family]), mine[0])


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)


def origin() -> dict[str, str]:
    """The commit, and the machine."""
    asked = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return {"commit": commit or "unknown", "machine": f"{platform.system()} {platform.machine()}"}


def keep(path: Path, row: dict[str, Any]) -> dict[str, Any]:
    append_row(path, row)
    verdict = "right" if row["right"] else f"wrong ({'; '.join(row['missing'])[:150]})"
    task = ", ".join(str(row[name]) for name in TASK)
    print(f"{row['arm']}: {task}: {verdict}, {row['steps']} steps in {row['seconds']:.0f} s", flush=True)
    return row


def report(found: list[dict[str, Any]]) -> str:
    """All tables, and ours against each plain arm."""
    arms = arm_names()
    parts = [arms_table(found, arms)]
    groups = {"family": FAMILIES, "length": LENGTHS, "lang": ("en", "zh")}
    parts += [groups_table(found, arms, name, names) for name, names in groups.items()]
    parts += [difference_line(found, OURS, plain, TASK) for plain in (SLIDING, ROLLING)]
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
