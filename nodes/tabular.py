"""Tables and lists in a text: what stands in which column of which row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from memory_secretary.memory.periods import dates_in, months_in
from memory_secretary.nodes.noting import values_in
from memory_secretary.tools.tables import number

_LEAST = 3
"""Lines with a label and a value that make a list; fewer, or such lines without a title, are a form."""
_LONGEST = 60
"""Characters of a label, and of a value."""
_ENTRY = re.compile(
    r"\s*(?:[-*•·+]|\d{1,2}[.)、])?\s*(?P<label>[^:：|\t\d][^:：|\t]*?)"
    r"(?:\s*[:：\t]\s*|\s*\.{3,}\s*|\s{2,}|\s+[-–—=]\s+)(?P<value>\S.*)"
)
_UNIT = re.compile(r"\s*[(（\[](?P<unit>[^()（）\[\]]{1,12})[)）\]]\s*$")
_NUMBER = re.compile(r"\s*[-+]?[$€£¥]?\s?\d")
_RULE = re.compile(r":?-*:?")
"""A cell of the line under a table's head."""
_EMPTY = frozenset({"", "-", "–", "—", "n/a", "none", "无", "/"})
_NO_FIGURE = re.compile(r"\b(?:id|no|nr|number|code|key|year|phone|zip)\b|编号|序号|单号|号码|年份|电话", re.IGNORECASE)
"""Names of columns whose numbers are not counted with."""
_PROSE = re.compile(r", |[.!?。！？]\s*$")
_SUM = re.compile(r"\b(?:total|sum|subtotal|average|mean|all)\b|合计|总计|小计|共计|平均", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its texts and its figures by their column; a figure word for word, with its column's unit."""

    texts: Mapping[str, str]
    figures: Mapping[str, str]

    @property
    def label(self) -> str:
        """All that it says of itself in words."""
        return " ".join(self.texts.values())


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with the same columns; ``is_list`` where it was a list of labels with a value each."""

    lines: tuple[Line, ...]
    is_list: bool = False

    @property
    def figures(self) -> list[str]:
        """The columns of figures."""
        return list(dict.fromkeys(name for line in self.lines for name in line.figures))

    @property
    def texts(self) -> list[str]:
        """The columns of words, dates and numbers that only name something."""
        return list(dict.fromkeys(name for line in self.lines for name in line.texts))


def tables_in(text: str) -> list[Table]:
    """The tables (between bars, commas, semicolons or tabs) and lists of a text, without their lines of sums."""
    found = [*map(_table, _blocks(text)), _list(text)]
    return [table for table in found if table.lines]


def _blocks(text: str) -> Iterator[list[list[str]]]:
    """The cells of lines that follow each other and have as many cells each."""
    rows = (_cells(line) for line in text.splitlines())
    for width, block in groupby(rows, key=len):
        lines = [cells for cells in block if not all(_RULE.fullmatch(cell) for cell in cells)]
        if width > 1 and len(lines) > 1:
            yield lines


def _cells(line: str) -> list[str]:
    """The cells of a line; none where it is no row."""
    if line.lstrip().startswith("|"):
        return [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
    sign = max(",;\t", key=line.count)
    if sign not in line or _PROSE.search(line):
        return []
    return [cell.strip() for cell in next(csv.reader([line.strip()], delimiter=sign), [])]


def _table(block: Sequence[Sequence[str]]) -> Table:
    head, *rows = block
    places = [place for place in range(len(head)) if _counts(head[place], [row[place] for row in rows])]
    lines = (_line(row, head, places) for row in rows)
    return Table(tuple(line for line in lines if line.figures and not _SUM.search(line.label)))


def _counts(name: str, cells: Sequence[str]) -> bool:
    """Whether a column holds figures: a number in each cell that is not empty, and no key, year or day."""
    told = [cell for cell in cells if cell.casefold() not in _EMPTY]
    return bool(told) and not _NO_FIGURE.search(name.replace("_", " ")) and all(map(_is_figure, told))


def _is_figure(cell: str) -> bool:
    dated = dates_in(cell) or months_in(cell)
    return not dated and (number(cell) is not None or (_NUMBER.match(cell) is not None and len(values_in(cell)) == 1))


def _line(row: Sequence[str], head: Sequence[str], places: Sequence[int]) -> Line:
    texts, figures = dict[str, str](), dict[str, str]()
    for place, (name, cell) in enumerate(zip(head, row, strict=True)):
        if cell.casefold() in _EMPTY:
            continue
        unit = _UNIT.search(name) if place in places else None
        if place in places:
            figures[_UNIT.sub("", name)] = f"{cell} {unit['unit']}" if unit and not cell[-1:].isalpha() else cell
        else:
            texts[name or f"#{place}"] = cell
    return Line(texts, figures)


def _list(text: str) -> Table:
    """The lines with a label and a value (``- Oil change: 79.00``); their column is called as the text is titled."""
    lines = [line for line in text.splitlines() if line.strip()]
    entries = [match for line in lines if (match := _ENTRY.fullmatch(line)) and _is_entry(match)]
    if len(entries) < _LEAST or entries[0].string == lines[0]:
        return Table(())
    title = lines[0].strip("#* \t")
    named = ((match["label"].strip(" *`"), match["value"].strip()) for match in entries)
    return Table(tuple(Line({"": label}, {title: value}) for label, value in named if not _SUM.search(label)), True)


def _is_entry(match: re.Match[str]) -> bool:
    value = match["value"]
    short = max(len(match["label"]), len(value)) <= _LONGEST
    return short and _NUMBER.match(value) is not None and len(values_in(value)) == 1
