"""Weeks of a simulated user: what of that stands in the long-term memory, and is it what is true?

    python benchmarks/history.py                                  # 20 days of development, both languages
    python benchmarks/history.py --set reported                   # 60 days in each language: 600 turns
    python benchmarks/history.py --set development --days 60 --scripted   # without a model: the rules alone
    python benchmarks/history.py --report                         # the tables of what has been run

Each session is closed and made into cards by the model; each night the memory is consolidated and inspected, with every
proposal approved. The memory lies in benchmarks/out/history_…, beside it a file of JSON lines with one row for each
session and each day; stopped at any moment, the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from history_report import report

from memory_secretary.graph.evaluation.history import development, reported
from memory_secretary.graph.evaluation.history.perfect import PerfectSettler
from memory_secretary.graph.evaluation.history.truth import History
from memory_secretary.graph.evaluation.history.walk import MovingClock, Row, Walk
from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.settling import Settled, Settler

OUT = Path(__file__).parent / "out"
WINDOW = 4096
CALLS = 1000
SETS: dict[str, Callable[..., History]] = {"development": development, "reported": reported}
DAYS = {"development": 20, "reported": 60}


def main() -> None:
    options = parsed()
    days = options.days or DAYS[options.set]
    for lang in options.lang.split(","):
        history = SETS[options.set](lang, days)
        place = options.out / f"history_{name_of(options, history)}"
        if not options.report:
            live(history, place, options)
        print(report(history, list(rows(place).values())), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="development", choices=list(SETS))
    parser.add_argument("--days", type=int, help="20 of the set for development, 60 of the reported one")
    parser.add_argument("--lang", default="en,zh")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--embedder", default="embedded", help="as the package takes it; none searches by words")
    parser.add_argument("--scripted", action="store_true", help="cards from the truth in place of a model's")
    parser.add_argument("--no-inspection", action="store_true", help="only consolidate at night")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--report", action="store_true", help="only print the tables")
    return parser.parse_args()


def name_of(options: argparse.Namespace, history: History) -> str:
    model = "scripted" if options.scripted else options.model.replace(":", "-").replace("/", "-")
    parts = [history.name, f"{history.days}d", model, *(["uninspected"] if options.no_inspection else [])]
    return "_".join(parts)


def live(history: History, place: Path, options: argparse.Namespace) -> None:
    """Go on with a history, or begin it."""
    done, clock = rows(place), MovingClock(history.turns[0].at)
    if "end" in done:
        return
    place.mkdir(parents=True, exist_ok=True)
    with (
        TieredMemory.open(place, embedder=options.embedder, clock=clock) as memory,
        settling(options, memory) as settle_with,
    ):
        walk = Walk(
            history, memory, clock, lambda scope: settle_with(walk, scope), size=lambda: size(place),
            timer=time.perf_counter, inspecting=not options.no_inspection,
        )  # fmt: skip
        walk.run(done, lambda row: keep(place, row))


@contextmanager
def settling(options: argparse.Namespace, memory: TieredMemory) -> Iterator[Callable[[Walk, Scope], Settled]]:
    """What makes cards: the truth, or a model that is closed afterwards."""
    if options.scripted:
        yield lambda walk, scope: PerfectSettler(lambda s: memory.view(Role.PRECIPITATOR, s), walk.fact_of).settle(
            scope
        )
        return
    model = resolve_model(options.model, window=WINDOW, slots=1)

    def settle(_: Walk, scope: Scope) -> Settled:
        done = Settler(lambda s: memory.view(Role.PRECIPITATOR, s), lambda: model, window=WINDOW, calls=CALLS).settle(
            scope
        )
        if done.stopped:
            sys.exit(f"stopped: {done.stopped}; the same command goes on from here")
        return done

    try:
        yield settle
    finally:
        model.close()


def rows(place: Path) -> dict[str, Row]:
    """What has been measured so far, by key; a line that a broken-off run left half written is made again."""
    path = place.with_suffix(".jsonl")
    found: dict[str, Row] = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        try:
            row: dict[str, Any] = json.loads(line)
        except ValueError:
            continue
        found[row["key"]] = row
    return found


def keep(place: Path, row: Row) -> None:
    with place.with_suffix(".jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{place.name} {row['key']}: {told(row)}", file=sys.stderr, flush=True)


def told(row: Row) -> str:
    """One row in one line."""
    if row["kind"] == "session":
        settled = row["settled"]
        return f"{settled['cards']} cards, {settled['known']} known, {settled['calls']} calls in {row['seconds']} s"
    if row["kind"] == "day":
        return f"{row['cards']} cards, {row['after']['found']} of {row['after']['asked']} found"
    return f"{len(row['not_right'])} cards are not right"


def size(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
