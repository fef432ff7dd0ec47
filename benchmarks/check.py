"""Has anything become much worse? A fixed part of the benchmarks, each figure held against a wide bound.

    python benchmarks/check.py      # 80 s of processor time, no chat model; exit status 1 when a bound is broken

Only counts, sizes and ratios are held, each ratio of two figures of the same run: seconds are those of the machine.
The bounds are far from what benchmarks/RESULTS.md has, so that one that breaks means something.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import mean

import ceiling
import memory_scale
import recall
import steps
from recall_data import load
from recall_measures import any_at

from memory_secretary.graph.evaluation.longtask import development_tasks
from memory_secretary.memory.embedders import resolve_embedder

STEPS = 300
MEMORIES = 1_000


@dataclass(frozen=True, kw_only=True)
class Bound:
    """What a figure may be, the command that measures the whole of it, what it gave, and what the bound is for."""

    figure: str
    command: str
    seen: float
    least: float = -inf
    most: float = inf
    reason: str

    def holds(self, value: float) -> bool:
        """Whether the figure is within; what is not a number is not."""
        return self.least <= value <= self.most

    def said(self) -> str:
        return f"at most {self.most:,g}" if self.least == -inf else f"at least {self.least:,g}"


RECALL_EN, RECALL_ZH = "any@10 / plain Chroma's, English", "any@10 / plain Chroma's, Chinese"
RECALL_P50, INDEXING = "recall p50 / bare Chroma's", "indexing rate / Chroma's with our settings"
OWN_FOUND = "own memory found, of 200"
SCALE = "memory_scale.py --sizes 1000"
GROWTH, PROMPT, CHECKPOINT = "time of step 300 / step 10", "prompt at step 300 / step 20", "largest checkpoint, bytes"
RIGHT = "tasks the brief alone carries, of 12"

BOUNDS: Sequence[Bound] = (
    Bound(figure=GROWTH, command="steps.py", seen=1.39, most=2.5, reason="a step does not grow with the task"),
    Bound(figure=PROMPT, command="steps.py", seen=1.03, most=1.1, reason="the prompt has one size for all of a task"),
    Bound(figure=CHECKPOINT, command="steps.py", seen=11_600, most=16 * 1024, reason="the state holds no history"),
    Bound(figure=RIGHT, command="ceiling.py", seen=11, least=9, reason="code puts into the brief what the task needs"),
    Bound(figure=OWN_FOUND, command=SCALE, seen=200, least=198, reason="the index loses nothing"),
    Bound(figure=RECALL_P50, command=SCALE, seen=6.8, most=25, reason="two legs, a ranking and the ledger's reading"),
    Bound(figure=INDEXING, command=SCALE, seen=0.66, least=0.3, reason="records go to Chroma in batches"),
    Bound(figure=RECALL_EN, command="recall.py", seen=1.11, least=1.0, reason="both legs find more than vectors alone"),
    Bound(figure=RECALL_ZH, command="recall.py", seen=1.08, least=1.0, reason="both legs find more than vectors alone"),
)


def step_figures() -> dict[str, float]:
    """Of one scripted run of 300 steps; the time is the processor's."""
    reading, sizes = steps.measured(STEPS)
    at = steps.around
    return {
        GROWTH: at(reading.processor, STEPS) / at(reading.processor, 10),
        PROMPT: at(reading.prompts, STEPS) / at(reading.prompts, 20),
        CHECKPOINT: max(sizes),
    }


def ceiling_figures() -> dict[str, float]:
    """Every fifth development task: all families, three of each length, six in each language."""
    return {RIGHT: sum(ceiling.copied_through(task)["right"] for task in development_tasks()[4::5])}


def scale_figures() -> dict[str, float]:
    """Of 1,000 memories, each arm in a process of its own; the rates are of processor time."""
    ours, bare, same = (memory_scale.alone(name, MEMORIES) for name in ("memory", "bare", "same"))
    return {
        OWN_FOUND: int(ours["its own found"].split()[0]),
        RECALL_P50: ours["p50"] / bare["p50"],
        INDEXING: ours["indexed/cpu s"] / same["indexed/cpu s"],
    }


def recall_figures() -> dict[str, float]:
    """Of the two sets of our own, with the embedded embedder."""
    embedder = resolve_embedder("embedded")
    assert embedder is not None
    vectors = recall.KeptVectors(embedder, ":memory:")
    return {name: recall_ratio(path, vectors) for name, path in zip((RECALL_EN, RECALL_ZH), recall.OWN, strict=True)}


def recall_ratio(path: Path, vectors: recall.KeptVectors) -> float:
    """How often recall brings one of the right turns, by how often plain Chroma does."""
    asked = [one for conversation in load(path) for one in recall.searched(conversation, vectors)]
    found = {
        arm: mean(any_at(recall.K, one.ranked, one.question.evidence) for one in asked
                  if one.arm == arm and one.question.evidence)
        for arm in (recall.OURS, recall.PLAIN)
    }  # fmt: skip
    return found[recall.OURS] / found[recall.PLAIN]


MEASURES: Sequence[Callable[[], Mapping[str, float]]] = (
    step_figures, ceiling_figures, scale_figures, recall_figures,
)  # fmt: skip


def main() -> None:
    figures = {name: value for measure in MEASURES for name, value in measure().items()}
    print("\n".join(table(figures)))
    if bad := broken(figures):
        sys.exit(f"worse than it may be: {'; '.join(bound.figure for bound in bad)}")


def broken(figures: Mapping[str, float]) -> list[Bound]:
    """The bounds that do not hold.

    Raises:
        KeyError: a figure was not measured.
    """
    return [bound for bound in BOUNDS if not bound.holds(figures[bound.figure])]


def table(figures: Mapping[str, float]) -> Iterator[str]:
    """One line a bound."""
    yield "| figure | now | before | bound | holds | since | all of it |"
    yield "|---|---|---|---|---|---|---|"
    for bound in BOUNDS:
        value = figures[bound.figure]
        said = "yes" if bound.holds(value) else "**no**"
        cells = (bound.figure, f"{value:,.5g}", f"{bound.seen:,g}", bound.said(), said, bound.reason, bound.command)
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
