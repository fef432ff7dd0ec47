"""Whether an answer tells the figure that its goal asks for and that code has computed.

A 1.5B that was shown *highest 14 (March)* beside the table answered with the table's last row.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

from memory_secretary.memory.periods import months_in
from memory_secretary.memory.task_state import TaskState, closed_items, open_items, whole_goal
from memory_secretary.nodes.figures import Figure, asks_for_each, asks_for_part, figures_of, superlatives
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.way import way_of

Part = Literal["total", "high", "low", "spread"]
Asked = tuple[Figure, Part]
"""A figure, and which part of it is asked for."""


def asked_figure(task: TaskState) -> Asked | None:
    """The one figure that a goal asks for, and which part of it; None where it asks for none, or for more.

    Where something was done to the world with the figures, where records are held against a limit, where a matter was
    followed and where each value is wanted, nobody could tell by one number alone.
    """
    goal, figures = whole_goal(task), figures_of(task["values"], task["adjustments"])
    acted = any(item["subject"] for item in closed_items(task))
    if len(figures) != 1 or figures[0].limits or asks_for_each(goal):
        return None
    if acted or open_items(task) or task["states"] or way_of(task):
        return None
    ends = superlatives(goal)
    spoken_of = [part for part in ("total", "spread", "mean") if asks_for_part(goal, part)]
    asked: dict[tuple[frozenset[str], tuple[str, ...]], Part] = {
        (frozenset({"high"}), ()): "high",
        (frozenset({"low"}), ()): "low",
        (frozenset(), ("total",)): "total",
        (frozenset(), ("spread",)): "spread",
    }
    part = asked.get((frozenset(ends), tuple(spoken_of)))
    return (figures[0], part) if part else None


def tells_figure(asked: Asked | None, answer: str) -> bool:
    """Whether an answer has the figure that is asked for (:func:`asked_figure`), or names the record of it."""
    if asked is None:
        return True
    figure, part = asked
    value = {"total": figure.total, "high": figure.high, "low": figure.low, "spread": figure.high - figure.low}[part]
    records = [name for name, other in figure.values.items() if other == value] if part in ("high", "low") else []
    return _has(answer, value) or any(_names(answer, record) for record in records)


def _has(answer: str, value: Decimal) -> bool:
    return any(number.value == value for number in numbers_in(answer))


def _names(answer: str, record: str) -> bool:
    """Whether an answer names a record, by its name, its month or the number at its end."""
    if record.casefold() in answer.casefold() or months_in(record) & months_in(answer):
        return True
    ending = re.search(r"(\d{2,})$", record)
    return ending is not None and re.search(rf"(?<!\d){ending[1]}(?!\d)", answer) is not None
