"""Whether an answer tells the figure that its goal asks for and that code has computed.

A 1.5B that was shown *highest 14 (March)* beside the table answered with the table's last row.
"""

from __future__ import annotations

import re
from decimal import Decimal

from memory_secretary.memory.periods import months_in
from memory_secretary.memory.task_state import TaskState, closed_items, open_items, whole_goal
from memory_secretary.nodes.figures import asks_for_each, asks_for_part, figures_of, superlatives
from memory_secretary.nodes.numbers import numbers_in


def tells_figures(task: TaskState, answer: str) -> bool:
    """Whether an answer has the total, the difference or the end of the range that its goal asks for, as computed.

    Only where the goal asks for one of them of one field and nothing was done to the world with it; where more is
    asked, or records are held against a limit, nobody could tell by the numbers alone.
    """
    goal, figures = whole_goal(task), figures_of(task["values"], task["adjustments"])
    acted = any(item["subject"] for item in closed_items(task))
    if len(figures) != 1 or figures[0].limits or acted or open_items(task) or asks_for_each(goal) or task["states"]:
        return True
    figure, ends = figures[0], superlatives(goal)
    asked = [part for part in ("total", "spread", "mean") if asks_for_part(goal, part)]
    if ends in ({"high"}, {"low"}) and not asked:
        value = figure.high if "high" in ends else figure.low
        records = [name for name, other in figure.values.items() if other == value]
        return _has(answer, value) or any(_names(answer, record) for record in records)
    if ends or asked not in (["total"], ["spread"]):
        return True
    return _has(answer, figure.total if asked == ["total"] else figure.high - figure.low)


def _has(answer: str, value: Decimal) -> bool:
    return any(number.value == value for number in numbers_in(answer))


def _names(answer: str, record: str) -> bool:
    """Whether an answer names a record, by its name, its month or the number at its end."""
    if record.casefold() in answer.casefold() or months_in(record) & months_in(answer):
        return True
    ending = re.search(r"(\d{2,})$", record)
    return ending is not None and re.search(rf"(?<!\d){ending[1]}(?!\d)", answer) is not None
