"""What code can compute from the noted values, so that the small model need not count or compare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from memory_secretary.memory.task_state import Adjustment, KeyValue, Relation
from memory_secretary.nodes.candidates import pattern_of
from memory_secretary.nodes.limits import HOLDS
from memory_secretary.nodes.numbers import numbers_in

PARTS = ("total", "high", "low", "spread", "mean")
"""What is computed of a series, in the order in which it is shown."""

_HIGH = r"highest|(?<!at )most|largest|biggest|greatest|maximum|max|peak(?:s|ed)?|top|busiest"
_LOW = r"lowest|(?<!at )least|fewest|smallest|minimum|min|bottom|quietest"
_SUPERLATIVE = re.compile(
    rf"(?P<high>\b(?:{_HIGH})\b|最[高多大忙]|峰)|(?P<low>\b(?:{_LOW})\b|最[低少小闲])|\b[a-z]{{3,}}est\b|最[\u3400-\u9fff]",
    re.IGNORECASE,
)
_SPREAD = re.compile(
    r"\b(?:difference|differs?|gap|spread|range|apart|minus|compared)\b|"
    r"\b(?:more|less|fewer|higher|lower|cheaper|dearer|longer|shorter|larger|smaller|bigger|heavier|lighter)\b"
    r".*\bthan\b|(?<!最)差|减|(?:[多少高低贵长短大小重轻]|便宜)了?多少",
    re.IGNORECASE | re.DOTALL,
)
_MEAN = re.compile(r"\b(?:average|mean|typical(?:ly)?|per (?:month|week|day))\b|平均|均值|[月周日]均", re.IGNORECASE)
_TOTAL = re.compile(
    r"\b(?:total|sum(?:s|med|ming)?|add(?:ed)? up|add them|adding|altogether|overall|in all|combined|"
    r"together(?! with))\b"
    r"|合计|总|一共|加起来|相加",
    re.IGNORECASE,
)
OF = " › "
"""Between a record's name and the label of one of its rows."""
_FEW = 4
"""Values that are shown beside each other where a goal does not say which of them it wants."""
_MOST_DIGITS = 15
"""A number with more digits before its point is a code, and nothing is computed from codes."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a series is compared with, and the records that lie on the named side of it.

    Attributes:
        value: the limit.
        relation: which side is named.
        records: the short names of the records on that side.
        subject: the record of another kind that the limit stands in; empty when the user said it.
        name: how the user calls the records on that side; or empty.
        said: the user's sentence; or empty.
    """

    value: Decimal
    relation: Relation
    records: tuple[str, ...]
    subject: str = ""
    name: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Records that do not count, by their short names, and the user's sentence that says so."""

    records: tuple[str, ...]
    said: str


@dataclass(frozen=True, slots=True)
class Added:
    """A number of the user's that belongs to the total (below zero: is taken off), and the sentence that says so."""

    value: Decimal
    said: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One field over the records of one kind (``reports/#.md``).

    Attributes:
        name: the field.
        unit: as most of the values have it, or empty.
        values: the number of each record, in the order of noting, by the record's short name (by its whole name
            where two records have the same short one); without those that do not count.
        limits: single values of the same field from records of another kind, and what the user set as one.
        left_out: the records that do not count, as far as they have a value.
        added: what the user adds to the total.
    """

    name: str
    unit: str
    values: Mapping[str, Decimal]
    limits: tuple[Limit, ...]
    left_out: tuple[LeftOut, ...] = ()
    added: tuple[Added, ...] = ()

    @property
    def sum(self) -> Decimal:
        """Of the records alone."""
        return sum(self.values.values(), Decimal(0))

    @property
    def total(self) -> Decimal:
        """The records' sum with what the user adds to it."""
        return sum((added.value for added in self.added), self.sum)

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
        """The records' sum by their count, rounded half up to two decimals."""
        return (self.sum / len(self.values)).quantize(Decimal("0.01"), ROUND_HALF_UP)

    def records_of(self, value: Decimal) -> str:
        """The records that have this value, by their short names."""
        return ", ".join(name for name, other in self.values.items() if other == value)


def figures_of(values: Sequence[KeyValue], adjustments: Sequence[Adjustment] = ()) -> list[Figure]:
    """One figure for each field and kind of record that has numbers from at least two records.

    A record's latest value counts. A field's value from a record that is alone of its kind (a limit in a note) does
    not enter the sums; the series is compared with it.

    Args:
        values: what was noted.
        adjustments: what the user's words change. Where no record is left that counts, there is no figure.
    """
    latest = {(value["name"], value["subject"]): value for value in values if _countable(value["value"])}
    kinds: dict[tuple[str, str], list[KeyValue]] = {}
    for value in latest.values():
        kinds.setdefault((value["name"], _kind(value["subject"])), []).append(value)
    alone = [group[0] for group in kinds.values() if len(group) == 1]
    figures = (
        _figure(name, group, [v for v in alone if v["name"] == name], adjustments)
        for (name, _), group in kinds.items()
        if len(group) > 1
    )
    return [figure for figure in figures if figure.values]


def superlatives(goal: str) -> set[str]:
    """Which ends a goal names: ``high``, ``low``, and ``other`` for a superlative that could be either."""
    return {match.lastgroup or "other" for match in _SUPERLATIVE.finditer(goal)}


def asked_for(goal: str, *, limited: bool = False) -> tuple[str, ...]:
    """Which :data:`PARTS` a goal could be after. A small model copies what it is shown, asked for or not.

    The total always could; difference and mean only where the goal speaks of such a thing; the highest and the lowest
    unless all its superlatives are of the other kind. Where the records are held against a limit (``limited``), total,
    highest and lowest, too, only where the goal speaks of them.
    """
    found, spread = superlatives(goal), _SPREAD.search(goal) is not None
    ends = bool(found) or not limited
    wanted = {
        "total": not limited or _TOTAL.search(goal) is not None,
        "high": spread or (ends and found != {"low"}),
        "low": spread or (ends and found != {"high"}),
        "spread": spread,
        "mean": _MEAN.search(goal) is not None,
    }
    return tuple(part for part in PARTS if wanted[part])


def asks_to_compute(goal: str) -> bool:
    """Whether a goal speaks of what several values come to: their sum, mean, difference or extremes."""
    return bool(superlatives(goal)) or any(part.search(goal) for part in (_TOTAL, _SPREAD, _MEAN))


def asks_for_part(goal: str, part: str) -> bool:
    """Whether a goal speaks of a sum, of how far two values are apart, or of a mean."""
    return {"total": _TOTAL, "spread": _SPREAD, "mean": _MEAN}[part].search(goal) is not None


_EACH = re.compile(
    r"\b(?:one line each|lines? of (?:its|their) own|line by line|"
    r"(?:number|name|record|file) ?: ?(?:figure|value|amount)|"
    r"(?:give|write|list|name|report) (?:down )?(?:each|every|all|them)\b)"
    r"|一行一[个份条]|每行|逐[行条]|编号 ?[：:] ?数[字值]|分别(?:写|列|给)|列出",
    re.IGNORECASE,
)


def asks_for_each(goal: str) -> bool:
    """Whether a goal wants every record's value in the answer, and not only what they come to."""
    return _EACH.search(goal) is not None


def rivals(goal: str, values: Sequence[KeyValue]) -> list[KeyValue]:
    """The few values that answer a goal alike, since it names none of their records: two depots' figures of one month.

    Empty where there is one value, where they are many, or where the goal names what only some of the records have in
    their names.

    Args:
        goal: what the user said in this task.
        values: what was noted.
    """
    latest = list({(value["name"], value["subject"]): value for value in values}.values())
    if len({value["name"] for value in latest}) != 1 or not 2 <= len(latest) <= _FEW:
        return []
    parts = [frozenset(re.findall(r"[^\W_]+", value["subject"].casefold())) for value in latest]
    telling = frozenset[str]().union(*parts) - frozenset.intersection(*parts)
    said = goal.casefold()
    return [] if any(part in said for part in telling) else latest


def shown(value: Decimal) -> str:
    """A number for a reader: thousands separated, no needless decimals."""
    plain = value.normalize() if value != value.to_integral_value() else value.quantize(Decimal(1))
    return f"{plain:,f}"


def number_of(value: KeyValue) -> Decimal | None:
    """The number of a noted value, or None where there is none to calculate with."""
    return _number(value) if _countable(value["value"]) else None


def total_of(values: Sequence[KeyValue]) -> str:
    """The sum of values with their unit, as a reader writes it; empty where they have several units, or are none."""
    units = {_unit(value["value"]) for value in values}
    if len(units) != 1 or any(number_of(value) is None for value in values):
        return ""
    unit = units.pop()
    total = shown(sum((_number(value) for value in values), Decimal(0)))
    return f"{total} {unit}" if unit[:1].isascii() and unit else f"{total}{unit}"


def short_name(subject: str) -> str:
    """A record's name without its folder and ending, ``reports/harwick/2025-03.md`` → ``2025-03``; a row's label."""
    if OF in subject:
        return subject.partition(OF)[2]
    return re.sub(r"\.\w{1,5}$", "", subject.rsplit("/", 1)[-1])


def _kind(subject: str) -> str:
    """What records have in common whose values are of one kind; rows of one record are."""
    record, of, _ = subject.partition(OF)
    return f"{record}{of}" if of else pattern_of(subject)


def _countable(text: str) -> bool:
    found = numbers_in(text)
    return bool(found) and found[0].value.adjusted() < _MOST_DIGITS


def _number(value: KeyValue) -> Decimal:
    return numbers_in(value["value"])[0].value


def _figure(
    name: str, group: Sequence[KeyValue], alone: Sequence[KeyValue], adjustments: Sequence[Adjustment]
) -> Figure:
    subjects = [value["subject"] for value in group]
    short = [short_name(subject) for subject in subjects]
    names = dict(zip(subjects, short if len(set(short)) == len(short) else subjects, strict=True))
    changes = [change for change in adjustments if change["field"] in ("", name)]
    left_out = _left_out(names, changes)
    gone = {record for part in left_out for record in part.records}
    gone |= {names[s] for change in changes if change["kind"] == "limit" for s in change["subjects"] if s in names}
    values = {names[value["subject"]]: _number(value) for value in group if names[value["subject"]] not in gone}
    noted = (Limit(_number(limit), "over", (), subject=limit["subject"]) for limit in alone)
    limits = (*noted, *(_own_limit(change) for change in changes if change["kind"] == "limit"))
    units = Counter(_unit(value["value"]) for value in group)
    return Figure(
        name=name,
        unit=units.most_common(1)[0][0],
        values=values,
        limits=tuple(replace(limit, records=_beyond(limit, values)) for limit in limits),
        left_out=left_out,
        added=tuple(Added(Decimal(c["number"]), c["said"]) for c in changes if c["kind"] == "plus"),
    )


def _left_out(names: Mapping[str, str], changes: Sequence[Adjustment]) -> tuple[LeftOut, ...]:
    parts = (
        LeftOut(tuple(name for subject, name in names.items() if subject in change["subjects"]), change["said"])
        for change in changes
        if change["kind"] == "without"
    )
    return tuple(part for part in parts if part.records)


def _own_limit(change: Adjustment) -> Limit:
    return Limit(Decimal(change["number"]), change["relation"], (), name=change["name"], said=change["said"])


def _beyond(limit: Limit, values: Mapping[str, Decimal]) -> tuple[str, ...]:
    return tuple(record for record, value in values.items() if HOLDS[limit.relation](value, limit.value))


def _unit(text: str) -> str:
    number = numbers_in(text)[0]
    return text[number.start + len(number.text) :].strip()
