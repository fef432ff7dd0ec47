"""Rows of one record, a table's or a list's, that a goal is about: noted one by one, so that code can add them up.

A 1.5B that was asked what three things of a price list cost together added two of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import TIME, dates_in, months_in
from memory_secretary.memory.task_state import KeyValue
from memory_secretary.nodes.fields import asks_by_state, asks_for_values
from memory_secretary.nodes.figures import OF, asks_for_part, asks_to_compute
from memory_secretary.nodes.follow_up import said_and_meant
from memory_secretary.nodes.states import states_of
from memory_secretary.nodes.tabular import Line, Table, tables_in

_RANGE = re.compile(
    r"(?P<first>[A-Za-z]{3,9}|[一二三四五六七八九十\d]{1,2}月)\s*(?:to|through|thru|until|till|[-–—~]|到|至)\s*"
    r"(?P<last>[A-Za-z]{3,9}|[一二三四五六七八九十\d]{1,2}月)",
    re.IGNORECASE,
)
"""From which month to which."""
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LEAST_ZH = 2
"""Characters of a Chinese cell, and of a beginning that stands for it (城西 for 城西店)."""
_DENIED = re.compile(
    r"\b(?:not|never|no|except|without)(?: \w+){0,2} $|n['’]t(?: \w+){0,2} $|(?:[没未不]有?|除了?).{0,2}$"
)
"""Before what a row must not say."""


@dataclass(frozen=True, slots=True)
class Row:
    """One value of a record: in which column it stands, of what, and word for word with its unit."""

    column: str
    label: str
    value: str


def asked_rows(record: str, goal: str) -> list[Row]:
    """The values that a goal is about, where those stand in rows of one record.

    Those are the rows that say what it names (*Mara*, *April*, *not paid*); or all, where it names none, but a column,
    and speaks of what they come to. Of a list, two at least. Empty where the record has no such rows.

    Args:
        record: what was read.
        goal: the user's words.
    """
    text = unicodedata.normalize("NFKC", record)
    goal = unicodedata.normalize("NFKC", goal)
    return [row for table in tables_in(text) for row in _asked_of(table, goal)]


def as_values(rows: Sequence[Row], subject: str, ref: str) -> list[KeyValue]:
    """Rows of the record ``subject`` as noted values; several columns of one row are told apart by their names."""
    columns, labels = ({getattr(row, name) for row in rows} for name in ("column", "label"))
    if len(labels) == 1 < len(columns):
        rows = [Row(row.label, row.column, row.value) for row in rows]
    return [KeyValue(name=row.column, subject=f"{subject}{OF}{row.label}", value=row.value, ref=ref) for row in rows]


def _asked_of(table: Table, goal: str) -> list[Row]:
    lines = _named_lines(table, goal)
    named = len(lines) < len(table.lines) or _names_any(table, goal)
    parts = said_and_meant(goal)
    columns = _first([column for column in table.figures if _has(column, part)] for part in parts)
    if table.is_list:
        return _rows(lines, table.figures) if named and len(lines) > 1 else []
    if len(table.figures) == 1 or (len(table.figures) == 2 and len(lines) == 1 and asks_for_part(goal, "spread")):
        columns = table.figures
    counted = asks_for_values(goal) or asks_to_compute(goal)
    if named and counted and (_has_any(table.figures, goal) or not _by_month_only(table, goal)):
        return _rows(lines, columns)
    whole = asks_to_compute(goal) and _has_any(table.figures, goal) and len(lines) > 1
    return _rows(lines, columns) if whole else []


def _has_any(columns: Sequence[str], goal: str) -> bool:
    return any(_has(column, goal) for column in columns)


def _by_month_only(table: Table, goal: str) -> bool:
    """Whether all that chose the rows is a month, which the rows of any table may be of."""
    plain = TIME.sub(" ", goal)
    return not _names_any(table, plain)


def _rows(lines: Sequence[Line], columns: Sequence[str]) -> list[Row]:
    return [
        Row(column, label, line.figures[column])
        for label, line in zip(_labels(lines), lines, strict=True)
        for column in columns
        if column in line.figures
    ]


def _labels(lines: Sequence[Line]) -> list[str]:
    """What tells the lines apart, or all that they say; two of the same words are numbered, so that both count."""
    names = dict.fromkeys(name for line in lines for name in line.texts)
    telling = [name for name in names if len({line.texts.get(name) for line in lines}) > 1] or list(names)
    labels = [" ".join(line.texts[name] for name in telling if name in line.texts) for line in lines]
    labels = [label or line.label or "#" for label, line in zip(labels, lines, strict=True)]
    seen = [labels[:place].count(label) for place, label in enumerate(labels)]
    return [f"{label} ({count + 1})" if count else label for label, count in zip(labels, seen, strict=True)]


def _named_lines(table: Table, goal: str) -> list[Line]:
    """The lines that say all that a goal names in each column of words; all where it names nothing."""
    lines = list(table.lines)
    if asks_by_state(goal) and not table.is_list:
        states = states_of(goal, {str(place): _form(line) for place, line in enumerate(lines)})
        lines = [line for place, line in enumerate(lines) if states.get(str(place), not states)]
    for column in table.texts:
        wanted = set(_first(_named_in(table, column, part) for part in said_and_meant(goal)))
        denied = {value for value in wanted if _is_denied(value, goal)}
        lines = [line for line in lines if not wanted or _fits(line.texts.get(column, ""), wanted - denied, denied)]
    return lines


def _fits(value: str, wanted: Collection[str], denied: Collection[str]) -> bool:
    return value in wanted if wanted else value not in denied


def _names_any(table: Table, goal: str) -> bool:
    """Whether a goal names what stands in some row; where all rows are left, it names each of them."""
    return any(_named_in(table, column, goal) for column in table.texts)


def _named_in(table: Table, column: str, goal: str) -> list[str]:
    return _named(list(dict.fromkeys(line.texts[column] for line in table.lines if column in line.texts)), goal)


def _form(line: Line) -> str:
    return "\n".join(f"{name}: {cell}" for name, cell in line.texts.items())


def _first(found: Iterable[list[str]]) -> list[str]:
    return next(filter(None, found), [])


def _named(values: Sequence[str], goal: str) -> list[str]:
    """Those of a column's values that a goal names: word for word, by their month, or by what only one begins with."""
    if days := {day for value in values for day in dates_in(value)} & dates_in(goal):
        return [value for value in values if dates_in(value) & days]
    found = [value for value in values if _has(value, goal)]
    if not found:
        found = [value for value in values if _is_begun(value, [v for v in values if v != value], goal)]
    return [value for value in found if not any(value != other and value in other for other in found)]


def _has(label: str, goal: str) -> bool:
    """Whether a goal has all words of a label, or names its month."""
    if months := months_in(label):
        return bool(months & _months_of(goal))
    if _CHINESE.search(label):
        return label in goal
    words = set(tokens(label)) - STOPWORDS
    return bool(words) and words <= set(tokens(goal))


def _is_begun(value: str, others: Sequence[str], goal: str) -> bool:
    """Whether a goal has a name's beginning that begins no other one: *Harper* for *Harper Ltd*, 城西 for 城西店."""
    if _CHINESE.match(value):
        starts = [value[:size] for size in range(_LEAST_ZH, len(value))]
    else:
        starts = [word for word in re.findall(r"\w+", value)[:1] if word[:1].isupper() and len(word) > 2]
    told = (start for start in starts if not any(other.startswith(start) for other in others))
    return any(re.search(rf"\b{re.escape(start)}\b" if start.isascii() else start, goal) for start in told)


def _is_denied(value: str, goal: str) -> bool:
    places = [goal[: match.start()] for match in re.finditer(re.escape(value), goal, re.IGNORECASE)]
    return bool(places) and all(_DENIED.search(before) for before in places)


def _months_of(goal: str) -> set[int]:
    """The months that a goal names, with those between where it says from which to which."""
    found = set(months_in(goal))
    for match in _RANGE.finditer(goal):
        first, last = months_in(match["first"]), months_in(match["last"])
        if len(first) == len(last) == 1 and max(first) < max(last):
            found |= set(range(max(first), max(last) + 1))
    return found
