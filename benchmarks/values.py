"""How often code alone finds the asked value in a record: every measure of every report of the example workspace.

python benchmarks/values.py        # half a minute, no model
"""

from __future__ import annotations

from collections import Counter
from importlib import resources
from pathlib import Path

from memory_secretary.graph.evaluation.example_task import variant
from memory_secretary.nodes.digest import rank
from memory_secretary.nodes.fields import plain_field, shared_phrases
from memory_secretary.nodes.noting import candidates, clear, joined, spelled
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.passages import passages

MEASURES = 7
LINES = 6
OPTIONS = 6


def main() -> None:
    print("| language | values | field plain | best is right | plain without a model | of these right | offered |")
    print("|---|---|---|---|---|---|---|")
    with resources.as_file(resources.files("memory_secretary.tools") / "example") as root:
        for lang in ("en", "zh"):
            found = sum((counted(root, seed, lang) for seed in range(1, MEASURES + 1)), Counter[str]())
            names = ("values", "named", "best", "plain", "plain_right", "offered")
            print(f"| {lang} | {' | '.join(str(found[name]) for name in names)} |")


def counted(root: Path, seed: int, lang: str) -> Counter[str]:
    """One measure over its twelve reports, as the secretary meets them one after another."""
    task, found, known = variant(seed, lang), Counter[str](), set[str]()
    for path, truth in zip(task.depot.reports, task.measure.months, strict=True):
        text = (root / path).read_text("utf-8")
        ranked = [
            (score, p.text)
            for score, p in rank(joined(passages(text), task.measure.name, task.goal), [task.goal, task.measure.name])[
                :LINES
            ]
            if score > 0
        ]
        options = candidates(ranked, task.measure.name, task.goal, label=f"{path}\n{text[:80]}", known=known)
        values = [numbers_in(option.value)[0].value for option in options]
        best = clear(options)
        known |= {number for option in options[:1] for number in spelled(option.value)}
        found["values"] += 1
        found["named"] += plain_field(shared_phrases(task.goal, text)) == task.measure.name
        found["best"] += values[:1] == [truth]
        found["plain"] += best is not None
        found["plain_right"] += best is not None and numbers_in(best.value)[0].value == truth
        found["offered"] += truth in list(dict.fromkeys(values))[:OPTIONS]
    return found


if __name__ == "__main__":
    main()
