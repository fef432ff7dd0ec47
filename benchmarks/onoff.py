"""Does the secretary help? The seeded example tasks with a sliding window, with the secretary, and without each part.

    python benchmarks/onoff.py                          # 6 variants: sliding window and secretary; about 40 minutes
    python benchmarks/onoff.py --ablate 1,3             # and each mechanism off on two of them; about 70 minutes more
    python benchmarks/onoff.py --report                 # the table of what has been run

Every run is kept in benchmarks/out/onoff.jsonl and never made twice, so the command can be stopped and started again.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS, SLIDING, arm_names, run_arm, switched_arms
from memory_secretary.graph.evaluation.example_task import check, variant
from memory_secretary.graph.toolset import tools_for
from memory_secretary.memory import TieredMemory
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.tools.example_workspace import copy_example

OUT = Path(__file__).parent / "out" / "onoff.jsonl"
KEY = ("arm", "seed", "lang", "executor", "window", "max_steps")


def main() -> None:
    options = parsed()
    done = {tuple(row[name] for name in KEY): row for row in rows(options.out)}
    if not options.report:
        handle = resolve_model(options.executor, window=max(options.window, options.secretary_window))
        try:
            for arm, seed in wanted(options):
                key = (arm, seed, options.lang, options.executor, options.window, options.max_steps)
                if key not in done:
                    done[key] = keep(options.out, dict(zip(KEY, key, strict=True)), one(arm, seed, options, handle))
        finally:
            handle.close()
    print(table([row for row in done.values() if row["lang"] == options.lang]))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1,2,3,4,5,6", help="variants to run")
    parser.add_argument("--ablate", default="", help="variants on which each mechanism is switched off in turn")
    parser.add_argument("--arms", default=f"{SLIDING},{OURS}", help="arms to run on --seeds")
    parser.add_argument("--lang", default="en", choices=["en", "zh"])
    parser.add_argument("--executor", default="embedded")
    parser.add_argument("--window", type=int, default=2048)
    parser.add_argument("--secretary-window", type=int, default=4096)
    parser.add_argument("--max-steps", type=int, default=24)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--report", action="store_true", help="only print the table")
    return parser.parse_args()


def wanted(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """Every run in the order in which it is made: first all variants, then the ablations."""
    for seed in numbers(options.seeds):
        for arm in options.arms.split(","):
            yield arm, seed
    for seed in numbers(options.ablate):
        for arm in switched_arms():
            yield arm, seed


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part.strip()]


def one(arm: str, seed: int, options: argparse.Namespace, handle: ModelHandle) -> dict[str, Any]:
    """Run one variant in one arm on a fresh workspace and an empty memory."""
    task = variant(seed, options.lang)
    settings = Settings(
        executor_window=options.window,
        secretary_window=options.secretary_window,
        max_steps=options.max_steps,
        user_id="benchmark",
    )
    with tempfile.TemporaryDirectory() as folder:
        workspace = copy_example(Path(folder) / "workspace")
        result = run_arm(
            arm,
            [("task", task.goal)],
            executor=handle,
            tools=tools_for(workspace),
            settings=settings,
            open_memory=lambda: TieredMemory.open(Path(folder) / "memory"),
        )
        verdict = check(task, result.answer, workspace)
    print(f"{arm}, variant {seed}: {'right' if verdict.right else 'wrong'} in {result.seconds:.0f} s", flush=True)
    return {"right": verdict.right, "missing": list(verdict.missing), **result.as_dict()}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def keep(path: Path, key: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    path.parent.mkdir(parents=True, exist_ok=True)
    row = {**key, "machine": f"{platform.system()} {platform.machine()}", **result}
    with path.open("a") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return row


def table(found: list[dict[str, Any]]) -> str:
    """One line per arm: right of all, then means over the runs."""
    lines = [
        "| arm | right | steps | repeats | prompt tokens | of them read | largest prompt | secretary calls | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for arm in arm_names():
        group = [row for row in found if row["arm"] == arm]
        if group:
            columns = ("steps", "repeats", "prompt_tokens", "read_tokens")
            means = " | ".join(f"{mean(row[name] for row in group):,.1f}" for name in columns)
            rest = f"{mean(row['secretary_calls'] for row in group):.1f} | {mean(row['seconds'] for row in group):.0f}"
            largest = max(row["largest_prompt"] for row in group)
            right = sum(row["right"] for row in group)
            lines.append(f"| {arm} | {right} of {len(group)} | {means} | {largest} | {rest} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
