"""What code can compute from the noted values, so that the small model need not count or compare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from memory_secretary.memory.task_state import KeyValue
from memory_secretary.nodes.numbers import numbers_in

PARTS = ("total", "high", "low", "spread", "mean")
"""What is computed of a series, in the order in which it is shown."""

_HIGH = r"highest|most|largest|biggest|greatest|maximum|max|peak|top|busiest"
_LOW = r"lowest|least|fewest|smallest|minimum|min|bottom|quietest"
_SUPERLATIVE = re.compile(
    rf"(?P<high>\b(?:{_HIGH})\b|最[高多大忙])|(?P<low>\b(?:{_LOW})\b|最[低少小闲])|\b[a-z]{{3,}}est\b|最[\u3400-\u9fff]",
    re.IGNORECASE,
)
_SPREAD = re.compile(
    r"\b(?:difference|differs?|gap|spread|range|apart|minus|compared)\b|\b(?:more|less|fewer|higher|lower)\b.*\bthan\b|"
    r"(?<!最)差|减|[多少高低]多少",
    re.IGNORECASE | re.DOTALL,
)
_MEAN = re.compile(r"\b(?:average|mean|typical(?:ly)?|per (?:month|week|day))\b|平均|均值|[月周日]均", re.IGNORECASE)
_MOST_DIGITS = 15
"""A number with more digits before its point is a code, and nothing is computed from codes."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A single value of the same field that a series is compared with, and the records that lie above it."""

    value: Decimal
    subject: str
    above: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One field over the records of one kind (``reports/#.md``).

    Attributes:
        name: the field.
        unit: as most of the values have it, or empty.
        values: the number of each record, in the order of noting, by the record's short name (by its whole name
            where two records have the same short one).
        limits: single values of the same field from records of another kind.
    """

    name: str
    unit: str
    values: Mapping[str, Decimal]
    limits: tuple[Limit, ...]

    @property
    def total(self) -> Decimal:
        """The sum."""
        return sum(self.values.values(), Decimal(0))

    @property
    def high(self) -> Decimal:
        """The highest value."""
        return max(self.values.values())

    @property
    def low(self) -> Decimal:
        """The lowest value."""
        return min(self.values.values())

    @property
    def mean(self) -> Decimal:
        """Total by count, rounded half up to two decimals."""
        return (self.total / len(self.values)).quantize(Decimal("0.01"), ROUND_HALF_UP)

    def records_of(self, value: Decimal) -> str:
        """The records that have this value, by their short names."""
        return ", ".join(name for name, other in self.values.items() if other == value)


def figures_of(values: Sequence[KeyValue]) -> list[Figure]:
    """One figure for each field and kind of record that has numbers from at least two records.

    A record's latest value counts. A field's value from a record that is alone of its kind (a limit in a note) does
    not enter the sums; the series is compared with it.
    """
    latest = {(value["name"], value["subject"]): value for value in values if _countable(value["value"])}
    kinds: dict[tuple[str, str], list[KeyValue]] = {}
    for value in latest.values():
        kinds.setdefault((value["name"], _kind(value["subject"])), []).append(value)
    alone = [group[0] for group in kinds.values() if len(group) == 1]
    return [
        _figure(name, group, [v for v in alone if v["name"] == name])
        for (name, _), group in kinds.items()
        if len(group) > 1
    ]


def asked_for(goal: str) -> tuple[str, ...]:
    """Which :data:`PARTS` a goal could be after. A small model copies what it is shown, asked for or not.

    The total always could; difference and mean only where the goal speaks of such a thing; the highest and the lowest
    unless all its superlatives are of the other kind.
    """
    found = [match.lastgroup for match in _SUPERLATIVE.finditer(goal)]
    spread = _SPREAD.search(goal) is not None
    wanted = {
        "total": True,
        "high": spread or set(found) != {"low"},
        "low": spread or set(found) != {"high"},
        "spread": spread,
        "mean": _MEAN.search(goal) is not None,
    }
    return tuple(part for part in PARTS if wanted[part])


def shown(value: Decimal) -> str:
    """A number for a reader: thousands separated, no needless decimals."""
    plain = value.normalize() if value != value.to_integral_value() else value.quantize(Decimal(1))
    return f"{plain:,f}"


def _countable(text: str) -> bool:
    found = numbers_in(text)
    return bool(found) and found[0].value.adjusted() < _MOST_DIGITS


def _kind(subject: str) -> str:
    return re.sub(r"\d+", "#", subject)


def _number(value: KeyValue) -> Decimal:
    return numbers_in(value["value"])[0].value


def _figure(name: str, group: Sequence[KeyValue], alone: Sequence[KeyValue]) -> Figure:
    subjects = [value["subject"] for value in group]
    short = [_short(subject) for subject in subjects]
    names = short if len(set(short)) == len(short) else subjects
    values = dict(zip(names, map(_number, group), strict=True))
    limits = tuple(
        Limit(_number(limit), limit["subject"], tuple(record for record, v in values.items() if v > _number(limit)))
        for limit in alone
    )
    units = Counter(_unit(value["value"]) for value in group)
    return Figure(name=name, unit=units.most_common(1)[0][0], values=values, limits=limits)


def _unit(text: str) -> str:
    number = numbers_in(text)[0]
    return text[number.start + len(number.text) :].strip()


def _short(subject: str) -> str:
    """A record's name without its folder and ending: ``reports/harwick/2025-03.md`` → ``2025-03``."""
    return re.sub(r"\.\w{1,5}$", "", subject.rsplit("/", 1)[-1])
