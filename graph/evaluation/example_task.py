"""Task variants over the example workspace with known answers, and the judge of an answer.

Each task needs one figure out of each of twelve monthly reports, so that what was read first is needed at the end,
more than ten thousand tokens later. The truth is in ``truth.json``, outside the workspace.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from memory_secretary.graph.evaluation import answers
from memory_secretary.graph.evaluation.example_truth import Depot, Lang, Measure, depot
from memory_secretary.graph.evaluation.example_wording import (
    ANSWERS,
    DEMANDS,
    EXTREMES,
    MAX_CHARACTERS,
    MAX_WORDS,
    REQUESTS,
    Constraint,
    Kind,
)
from memory_secretary.tools.calculator import calculate
from memory_secretary.tools.example_workspace import changed_files

Choice = TypeVar("Choice")
_SAID_BY_NAME = ("pallets", "hours", "parcels", "deliveries", "km")
"""Units that the English measures have in their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVariant:
    """One task.

    Attributes:
        seed: what it was made from; the same seed gives the same task.
        lang: language of goal and reports.
        goal: the request as a person would write it.
        kind: what is asked.
        constraint: what the goal demands beside that.
        measure: what it is asked about, with the true values.
        depot: whose reports are to be read.
    """

    seed: int
    lang: Lang
    goal: str
    kind: Kind
    constraint: Constraint
    measure: Measure
    depot: Depot


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is right, and what it lacks or has too much of, in words."""

    right: bool
    missing: list[str]


def variant(seed: int, lang: Lang = "en") -> TaskVariant:
    """The task of a seed (any integer): measures, kinds and constraints rotate, the wording is drawn."""
    place = depot(lang)
    kind, constraint = _turn(list(Kind), seed), _turn(list(Constraint), seed)
    measure = _turn(place.measures, seed)
    wording = random.Random(f"{lang}-{seed}").choice(REQUESTS[lang][kind])
    request = wording.format(folder=place.folder, note=place.note, depot=place.name, measure=_label(measure, lang))
    goal = f"{request}{'' if lang == 'zh' else ' '}{DEMANDS[lang][constraint]}"
    return TaskVariant(seed=seed, lang=lang, goal=goal, kind=kind, constraint=constraint, measure=measure, depot=place)


def check(task: TaskVariant, answer: str, workspace: Path) -> Verdict:
    """Judge an answer.

    It is right when it names each asked value and the asked month, no other value or month in their place, and keeps
    the goal's constraint. The monthly values may stand beside them as working.

    Args:
        task: what was asked.
        answer: the final answer's text.
        workspace: the copy of the example that was worked in.
    """
    missing = [*_wrong_values(task, answer), *_wrong_months(task, answer), *_broken(task, answer, workspace)]
    return Verdict(not missing, missing)


def perfect_calls(task: TaskVariant) -> list[tuple[str, dict[str, Any]]]:
    """The tool calls of an executor that makes no mistake: (tool, arguments), at least fourteen."""
    first = [("list_files", {"folder": task.depot.folder})]
    note = [("read_file", {"path": task.depot.note})] if task.kind is Kind.MONTHS_ABOVE else []
    reads = [("read_file", {"path": path}) for path in task.depot.reports]
    return [*first, *note, *reads, ("calculator", {"expression": _expression(task)})]


def perfect_answer(task: TaskVariant) -> str:
    """An answer that is right and keeps every constraint."""
    measure = task.measure
    return ANSWERS[task.lang][task.kind].format(
        measure=_label(measure, task.lang),
        depot=task.depot.name,
        value=f"{asked_value(task):,}",
        month=_month(asked_month(task), task.lang),
    )


def asked_value(task: TaskVariant) -> Decimal:
    """The number that answers the task."""
    return Decimal(calculate(_expression(task)))


def asked_month(task: TaskVariant) -> int | None:
    """The month (1 to 12) that answers the task, or None when none is asked."""
    asked = {Kind.TOTAL_HIGHEST: task.measure.highest, Kind.TOTAL_LOWEST: task.measure.lowest}
    return asked.get(task.kind)


def _turn(choices: Sequence[Choice], seed: int) -> Choice:
    return choices[(seed - 1) % len(choices)]


def _expression(task: TaskVariant) -> str:
    measure = task.measure
    values = [str(value) for value in measure.months]
    if task.kind is Kind.SPREAD:
        return f"max({', '.join(values)}) - min({', '.join(values)})"
    if task.kind is Kind.MONTHS_ABOVE:
        return " + ".join(f"({value} > {measure.limit})" for value in values)
    return " + ".join(values)


def _wrong_values(task: TaskVariant, answer: str) -> list[str]:
    said = answers.numbers(answer)
    value = asked_value(task)
    working = {*task.measure.months, task.measure.limit, Decimal(2025), Decimal(12)} - {value}
    lacking = [] if value in said else [f"the value {value:,}"]
    return lacking + [f"not the value {extra:,}" for extra in sorted(said - working - {value})]


def _wrong_months(task: TaskVariant, answer: str) -> list[str]:
    said = answers.months(answer)
    month = asked_month(task)
    lacking = [f"the month {month}"] if month and month not in said else []
    strayed = (said - _fitting(task) - _shown_as_working(task, answer)) | _claimed(task, answer)
    return lacking + [f"not the month {extra}" for extra in sorted(strayed)]


def _fitting(task: TaskVariant) -> set[int]:
    """The months that an answer may name without giving their value."""
    measure = task.measure
    if task.kind is Kind.MONTHS_ABOVE:
        return set(measure.above)
    if task.kind is Kind.SPREAD:
        return {measure.highest, measure.lowest}
    return {asked_month(task) or 0}


def _shown_as_working(task: TaskVariant, answer: str) -> set[int]:
    if task.kind is Kind.MONTHS_ABOVE and not answers.numbers(answer) >= set(task.measure.months):
        return set()  # a list of some months is a claim about which they are
    said = answers.numbers(answer)
    return {month for month, value in enumerate(task.measure.months, start=1) if value in said}


def _claimed(task: TaskVariant, answer: str) -> set[int]:
    """Other months that a clause calls the highest (or lowest) one."""
    month, word = asked_month(task), EXTREMES.get(task.kind)
    if month is None or word is None:
        return set()
    named = [answers.months(clause) for clause in answers.clauses(answer) if re.search(word, clause, re.IGNORECASE)]
    return {other for found in named if month not in found for other in found}


def _broken(task: TaskVariant, answer: str, workspace: Path) -> list[str]:
    kept = _keeps(task, answer, workspace)
    return [] if kept else [f"the demand: {DEMANDS[task.lang][task.constraint]}"]


def _keeps(task: TaskVariant, answer: str, workspace: Path) -> bool:
    if task.constraint is Constraint.ONE_SENTENCE:
        return answers.sentences(answer) == 1
    if task.constraint is Constraint.SHORT:
        return answers.length(answer, task.lang) <= (MAX_CHARACTERS if task.lang == "zh" else MAX_WORDS)
    return not changed_files(workspace)


def _label(measure: Measure, lang: Lang) -> str:
    """The measure with its unit, where its name does not say it."""
    if lang == "zh":
        return f"{measure.name}（{measure.unit}）"
    return measure.name if measure.unit in _SAID_BY_NAME else f"{measure.name} ({measure.unit})"


def _month(month: int | None, lang: Lang) -> str:
    if month is None:
        return ""
    return f"{month}月" if lang == "zh" else answers.MONTH_NAMES[month - 1]
