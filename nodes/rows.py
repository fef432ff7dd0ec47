"""Rows of one record, a table's or a list's, that a goal is about: noted one by one, so that code can add them up.

A 1.5B that was asked what three things of a price list cost together added two of them.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import months_in
from memory_secretary.memory.task_state import KeyValue
from memory_secretary.nodes.figures import OF, asks_to_compute
from memory_secretary.nodes.noting import values_in

_LEAST = 3
"""Lines with a label and a value that make a list; fewer, or such lines without a title, are a form."""
_LONGEST = 60
"""Characters of a label, and of a value."""
_ENTRY = re.compile(
    r"\s*(?:[-*•·+]|\d{1,2}[.)、])?\s*(?P<label>[^:：|\t\d][^:：|\t]*?)"
    r"(?:\s*[:：\t]\s*|\s*\.{3,}\s*|\s{2,}|\s+[-–—=]\s+)(?P<value>\S.*)"
)
_UNIT = re.compile(r"\s*[(（\[](?P<unit>[^()（）\[\]]{1,12})[)）\]]\s*$")
_SUM = re.compile(r"\b(?:total|sum|subtotal|average|mean|all)\b|合计|总计|小计|共计|平均", re.IGNORECASE)
_RANGE = re.compile(
    r"(?P<first>[A-Za-z]{3,9}|[一二三四五六七八九十\d]{1,2}月)\s*(?:to|through|thru|until|till|[-–—~]|到|至)\s*"
    r"(?P<last>[A-Za-z]{3,9}|[一二三四五六七八九十\d]{1,2}月)",
    re.IGNORECASE,
)
"""From which month to which."""
_NUMBER = re.compile(r"\s*[-+]?[$€£¥]?\s?\d")


@dataclass(frozen=True, slots=True)
class Row:
    """One value of a record: in which column it stands, of what, and word for word with its unit."""

    column: str
    label: str
    value: str


def asked_rows(record: str, goal: str) -> list[Row]:
    """The values that a goal is about, where those are several rows of one record.

    Those are the rows whose labels it names, two at least; or all, where it names none, but a column, and speaks of
    what they come to. Empty where the record has no such rows.

    Args:
        record: what was read.
        goal: the user's words.
    """
    text = unicodedata.normalize("NFKC", record)
    goal = unicodedata.normalize("NFKC", goal)
    rows = [row for row in [*_of_tables(text), *_of_lists(text)] if not _SUM.search(row.label)]
    columns = list(dict.fromkeys(row.column for row in rows))
    named = [column for column in columns if _is_named(column, goal)]
    wanted = named or (columns if len(columns) == 1 else [])
    rows = [row for row in rows if row.column in wanted]
    found = [row for row in rows if _is_named(row.label, goal)]
    if len({row.label for row in found}) > 1:
        return found
    return rows if named and not found and asks_to_compute(goal) and len(rows) > 1 else []


def as_values(rows: Sequence[Row], subject: str, ref: str) -> list[KeyValue]:
    """Rows of the record ``subject`` as noted values."""
    return [KeyValue(name=row.column, subject=f"{subject}{OF}{row.label}", value=row.value, ref=ref) for row in rows]


def _is_named(label: str, goal: str) -> bool:
    """Whether a goal has all words of a label, or names its month."""
    if months := months_in(label):
        return bool(months & _months_of(goal))
    if re.search(r"[\u3400-\u9fff]", label):
        return label in goal
    words = set(tokens(label)) - STOPWORDS
    return bool(words) and words <= set(tokens(goal))


def _months_of(goal: str) -> set[int]:
    """The months that a goal names, with those between where it says from which to which."""
    found = set(months_in(goal))
    for match in _RANGE.finditer(goal):
        first, last = months_in(match["first"]), months_in(match["last"])
        if len(first) == len(last) == 1 and max(first) < max(last):
            found |= set(range(max(first), max(last) + 1))
    return found


def _of_tables(text: str) -> Iterator[Row]:
    """The figures of tables, between bars or commas, each with its column's name and unit."""
    header: list[str] = []
    for line in text.splitlines():
        cells = _cells(line)
        if not any(cells) or all(re.fullmatch(r":?-*:?", cell) for cell in cells):
            header = header if cells else []
        elif not any(_NUMBER.match(cell) for cell in cells):
            header = cells
        elif len(cells) == len(header):
            yield from _figures_of(cells, header)


def _cells(line: str) -> list[str]:
    """The cells of a line; none where it is no row."""
    if line.lstrip().startswith("|"):
        return [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
    if "," not in line or re.search(r", |[.!?。！？]\s*$", line):
        return []
    return [cell.strip() for cell in next(csv.reader([line.strip()]), [])]


def _figures_of(cells: Sequence[str], header: Sequence[str]) -> Iterator[Row]:
    label = " ".join(cell for cell in cells if cell and not _NUMBER.match(cell)) or cells[0]
    for name, cell in zip(header, cells, strict=True):
        if _NUMBER.match(cell) and cell != label and len(values_in(cell)) == 1:
            unit = _UNIT.search(name)
            value = f"{cell} {unit['unit']}" if unit and not cell[-1:].isalpha() else cell
            yield Row(_UNIT.sub("", name), label, value)


def _of_lists(text: str) -> list[Row]:
    """The values of a list's lines (``- Oil change: 79.00``); its column is called as the text is titled."""
    lines = [line for line in text.splitlines() if line.strip()]
    entries = [match for line in lines if (match := _ENTRY.fullmatch(line)) and _is_entry(match)]
    title = lines[0].strip("#* \t") if lines else ""
    rows = [Row(title, match["label"].strip(" *`"), match["value"].strip()) for match in entries]
    form = entries and entries[0].string == lines[0]
    return rows if len(rows) >= _LEAST and not form else []


def _is_entry(match: re.Match[str]) -> bool:
    value = match["value"]
    short = max(len(match["label"]), len(value)) <= _LONGEST
    return short and _NUMBER.match(value) is not None and len(values_in(value)) == 1
