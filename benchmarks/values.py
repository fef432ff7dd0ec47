"""How often code alone finds the asked value in a record: of the example workspace, and of the long tasks.

python benchmarks/values.py        # a minute, no model
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from importlib import resources
from pathlib import Path

from memory_secretary.graph.evaluation.example_task import variant
from memory_secretary.graph.evaluation.longtask import LongTask, make_task
from memory_secretary.graph.toolset import tools_for
from memory_secretary.nodes.candidates import shape_of
from memory_secretary.nodes.digest import rank
from memory_secretary.nodes.fields import shared_phrases
from memory_secretary.nodes.noting import candidates, joined, spelled
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.passages import passages
from memory_secretary.nodes.reading import said_of_records
from memory_secretary.tools.registry import as_tools

LANGS = ("en", "zh")
MEASURES = 7
LONG_SEEDS = range(5_000, 5_012)
LINES = 6
OPTIONS = 6


def main() -> None:
    print("| records | language | values | field right | best is right | among the first six |")
    print("|---|---|---|---|---|---|")
    with resources.as_file(resources.files("memory_secretary.tools") / "example") as root:
        for lang in LANGS:
            line("example", lang, (of_example(root, seed, lang) for seed in range(1, MEASURES + 1)))
    for lang in LANGS:
        line("long tasks", lang, map(of_long_task, reports(lang)))


def line(records: str, lang: str, counts: Iterable[Counter[str]]) -> None:
    found = sum(counts, Counter[str]())
    names = ("values", "named", "best", "offered")
    print(f"| {records} | {lang} | {' | '.join(str(found[name]) for name in names)} |")


def of_example(root: Path, seed: int, lang: str) -> Counter[str]:
    """One measure over its twelve reports."""
    task, tools = variant(seed, lang), as_tools(tools_for(root))
    texts = [(path, (root / path).read_text("utf-8")) for path in task.depot.reports]
    return counted(
        task.goal, task.measure.name, texts, task.measure.months, said_of_records(list(map(shape_of, tools)))
    )


def reports(lang: str) -> list[LongTask]:
    """Tasks that ask for the figure of each record, made from seeds of neither set of tasks."""
    kinds = [(seed, length) for seed in LONG_SEEDS for length in ("medium", "long")]
    made = [make_task("collect_report", seed, lang, length) for seed, length in kinds]
    return [task for task in made if task.outcome.pairs]


def of_long_task(task: LongTask) -> Counter[str]:
    """The figures of a long task; its measure is the one that its goal names."""
    goal, shapes = task.turns[-1][1], list(map(shape_of, as_tools(task.environment().tools())))
    texts = [(ref, task.records[ref]) for ref, _ in task.outcome.pairs]
    truths = [Decimal(value) for _, value in task.outcome.pairs]
    return counted(goal, "", texts, truths, said_of_records(shapes))


def counted(
    goal: str, name: str, texts: Sequence[tuple[str, str]], truths: Sequence[Decimal], tools: str
) -> Counter[str]:
    """Records as the secretary meets them, one after another; without a name, the field that code finds is taken."""
    found, known = Counter[str](), set[str]()
    phrases = shared_phrases(goal, texts[0][1], tools)
    field = name or phrases[0].text
    for (path, text), truth in zip(texts, truths, strict=True):
        best_lines = rank(joined(passages(text), field, goal), [goal, field])[:LINES]
        ranked = [(score, piece.text) for score, piece in best_lines if score > 0]
        options = candidates(ranked, field, goal, label=f"{path}\n{text[:80]}", known=known)
        values = [numbers_in(option.value)[0].value for option in options]
        known |= {number for option in options[:1] for number in spelled(option.value)}
        found["values"] += 1
        found["named"] += phrases[0].text == field
        found["best"] += values[:1] == [truth]
        found["offered"] += truth in list(dict.fromkeys(values))[:OPTIONS]
    return found


if __name__ == "__main__":
    main()
