"""The tables of a comparison, the same for a page of Markdown and of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from memory_secretary.graph.evaluation.comparison import Comparison
from memory_secretary.graph.evaluation.comparison_words import (
    about_rows,
    arm_words,
    cost_text,
    difference_text,
    head,
    kind_words,
    notes,
    share_text,
    title,
    token_words,
    verdict,
)
from memory_secretary.graph.evaluation.error_kinds import KINDS


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; ``name`` is one of the words' headings."""

    name: str
    head: list[str]
    rows: list[list[str]]


def tables(comparison: Comparison) -> Iterator[Table]:
    """Every table that has something to show, in the order in which it is told."""
    arms, lengths = comparison.arms, comparison.lengths
    yield Table(
        "success",
        [head("arm"), head("right"), head("what")],
        [[arm.name, share_text(arm.success), arm_words(arm.name)] for arm in arms],
    )
    yield Table(
        "by_length",
        [head("arm"), *lengths],
        [
            [arm.name, *(share_text(arm.by_length[length]) if length in arm.by_length else "–" for length in lengths)]
            for arm in arms
        ],
    )
    yield Table(
        "errors",
        [head("arm"), *map(kind_words, KINDS)],
        [[arm.name, *(str(arm.errors[kind]) for kind in KINDS)] for arm in arms],
    )
    yield Table(
        "effects",
        [head("arm"), head("done_twice"), head("wrong_effects")],
        [[arm.name, str(arm.done_twice), str(arm.wrong_effects)] for arm in arms],
    )
    yield _effort(comparison)
    yield Table(
        "tokens",
        [head("arm"), *(token_words(name) for name in _TOKENS)],
        [[arm.name, *(f"{value:,.0f}" for value in asdict(arm.tokens).values())] for arm in arms],
    )
    yield _nodes(comparison)


_TOKENS = ("executor_prompt", "executor_reply", "secretary_prompt", "secretary_reply")


def nodes(comparison: Comparison) -> list[str]:
    """Every node that took time in any arm."""
    return list(dict.fromkeys(node for arm in comparison.arms for node in arm.seconds_by_node))


def _effort(comparison: Comparison) -> Table:
    priced = any(arm.cost is not None for arm in comparison.arms)
    currency = comparison.about.get("currency", "")
    heads = ["arm", "steps", "tool_calls", "seconds", *(["cost"] if priced else [])]
    rows = []
    for arm in comparison.arms:
        figures = [f"{value:,.1f}" for value in (arm.steps, arm.tool_calls, arm.seconds)]
        rows.append([arm.name, *figures, *([cost_text(arm, currency)] if priced else [])])
    return Table("effort", list(map(head, heads)), rows)


def _nodes(comparison: Comparison) -> Table:
    names = nodes(comparison)
    rows = []
    for arm in comparison.arms:
        shown = (f"{arm.seconds_by_node[node]:,.1f} s" if node in arm.seconds_by_node else "–" for node in names)
        rows.append([arm.name, *shown])
    return Table("nodes", [head("arm"), *names], rows)


def markdown(comparison: Comparison) -> str:
    """The whole report as Markdown."""
    parts = [f"# {title()}", f"**{verdict(comparison)}**"]
    others = [f"- {difference_text(each)}" for each in comparison.differences[1:]]
    parts += [f"## {head('differences')}", "\n".join(others)] if others else []
    for table in tables(comparison):
        parts += [f"## {head(table.name)}", _markdown_table(table)]
    parts += [f"## {head('about')}", "\n".join(f"- {name}: {value}" for name, value in about_rows(comparison))]
    return "\n\n".join([*parts, *notes(comparison)]) + "\n"


def _markdown_table(table: Table) -> str:
    lines = [table.head, ["---"] * len(table.head), *table.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
