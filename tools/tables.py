"""Small CSV tables of the workspace as tools: rows that fit a condition, figures of a column."""

from __future__ import annotations

import csv
import io
import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from langchain_core.tools import BaseTool, StructuredTool

from memory_secretary.memory.bilingual import said
from memory_secretary.tools.effects import Effect, mark
from memory_secretary.tools.refusal import told
from memory_secretary.tools.sandbox import Sandbox, WorkspaceError

MAX_ROWS = 50
"""Rows in one answer; more are counted."""

Row = dict[str, str]
Test = Callable[[Row], bool]

_CONDITION = re.compile(r"^(?P<column>.+?)\s*(?P<sign>>=|<=|!=|≥|≤|≠|=|>|<|~)\s*(?P<value>.*)$")
_ORDERS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_SPELLED = {"≥": ">=", "≤": "<=", "≠": "!="}
_FIGURE = re.compile(r"^[£$€¥]?\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?)\s*(?:元|%|[A-Za-z]{1,4})?$")


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table in their order, and its rows by column."""

    columns: list[str]
    rows: list[Row]


def table_tools(root: Path) -> list[BaseTool]:
    """``read_table`` and ``table_stats`` over the CSV files of one folder.

    Raises:
        WorkspaceError: ``root`` is no folder.
    """
    box = Sandbox(root)

    def read_table(path: str, where: str = "", columns: str = "") -> str:
        """Read rows of a CSV file. where: "COLUMN=VALUE; COLUMN>NUMBER" (= != > < >= <= ~), columns: "COLUMN, …"."""
        table = load(box, path)
        return rendered(Table(chosen(table, columns), filtered(table, where)))

    def table_stats(path: str, column: str, where: str = "", by: str = "") -> str:
        """Count, sum, mean, least and greatest value of a CSV column, for each value of the column in by."""
        table = load(box, path)
        return statistics(Table(table.columns, filtered(table, where)), column, by)

    return [
        mark(StructuredTool.from_function(job, handle_tool_error=told), Effect.READ_ONLY)
        for job in (read_table, table_stats)
    ]


def load(box: Sandbox, name: str) -> Table:
    """The table in a CSV file, parted by commas, semicolons, tabs or bars; its first line names the columns.

    Raises:
        WorkspaceError: there is no such file, or it is no table.
    """
    text = box.text(box.file(name))
    lines = [line for line in csv.reader(io.StringIO(text), delimiter=_delimiter(text)) if any(map(str.strip, line))]
    if len(lines) < 2 or len(lines[0]) < 2:
        msg = f'"{name}" is not a table with a line of column names and rows; call read_file instead.'
        raise WorkspaceError(msg, zh=f"“{name}”不是带列名行和数据行的表格；请改用 read_file。")
    columns = _names(lines[0], max(len(line) for line in lines))
    cells = ([cell.strip() for cell in line] + [""] * (len(columns) - len(line)) for line in lines[1:])
    return Table(columns, [dict(zip(columns, row, strict=True)) for row in cells])


def chosen(table: Table, columns: str) -> list[str]:
    """The columns named in ``columns`` (parted by commas); all when it is empty.

    Raises:
        WorkspaceError: the table has no such column.
    """
    names = [name for name in re.split(r"[,，、;；]", columns) if name.strip()]
    return [_column(table, name) for name in names] or table.columns


def filtered(table: Table, where: str) -> list[Row]:
    """The rows that fit every condition in ``where`` (parted by ``;``).

    Raises:
        WorkspaceError: a condition cannot be read, or names no column.
    """
    tests = [_test(table, part) for part in re.split(r"[;；]|\band\b", where) if part.strip()]
    return [row for row in table.rows if all(test(row) for test in tests)]


def statistics(table: Table, column: str, by: str = "") -> str:
    """One line of figures of ``column``, or one for each value of ``by``.

    Raises:
        WorkspaceError: the table has no such column.
    """
    name = _column(table, column)
    if not by.strip():
        return f"{name}: {_figures(name, table.rows)}"
    key = _column(table, by)
    groups: dict[str, list[Row]] = {}
    for row in table.rows:
        groups.setdefault(row[key], []).append(row)
    lines = [f"{key}={value}: {_figures(name, rows)}" for value, rows in groups.items()]
    return "\n".join(_cut(lines)) or said("No row fits.", "没有符合的行。")


def rendered(table: Table) -> str:
    """The rows as CSV with their column names, at most :data:`MAX_ROWS`."""
    if not table.rows:
        return said(
            f"No row fits. Columns: {', '.join(table.columns)}.", f"没有符合的行。各列为：{'、'.join(table.columns)}。"
        )
    lines = [_line(row[name] for name in table.columns) for row in table.rows]
    return "\n".join([_line(table.columns), *_cut(lines)])


def number(cell: str) -> Decimal | None:
    """A cell as a number (``1,284.50``, ``£18``, ``26元``), or None."""
    match = _FIGURE.match(unicodedata.normalize("NFKC", cell).strip())
    try:
        return Decimal(match[1].replace(",", "")) if match else None
    except InvalidOperation:  # a sign or a unit alone
        return None


def _delimiter(text: str) -> str:
    first = text.lstrip().split("\n", 1)[0]
    return max(",;\t|", key=first.count)


def _names(first: Sequence[str], width: int) -> list[str]:
    names: list[str] = []
    for position in range(width):
        name = (first[position].strip() if position < len(first) else "") or f"column {position + 1}"
        names.append(name if name not in names else f"{name} ({position + 1})")
    return names


def _column(table: Table, wanted: str) -> str:
    folded = {_folded(name): name for name in table.columns}
    found = folded.get(_folded(wanted))
    if found is None:
        msg = f'There is no column "{wanted.strip()}"; the columns are: {", ".join(table.columns)}.'
        raise WorkspaceError(msg, zh=f"没有名为“{wanted.strip()}”的列；各列为：{'、'.join(table.columns)}。")
    return found


def _test(table: Table, condition: str) -> Test:
    match = _CONDITION.match(condition.strip())
    if match is None:
        first, second = table.columns[:2]
        msg = f'The condition "{condition.strip()}" cannot be read; write e.g. {first}=… or {second}>….'
        zh = f"条件“{condition.strip()}”无法理解；请写成例如 {first}=… 或 {second}>…。"
        raise WorkspaceError(msg, zh=zh)
    name, sign = _column(table, match["column"]), _SPELLED.get(match["sign"], match["sign"])
    value = match["value"].strip().strip("\"'")
    if sign in _ORDERS:
        return _ordered(name, sign, value)
    if sign == "~":
        return lambda row: _folded(value) in _folded(row[name])
    return lambda row: _same(row[name], value) == (sign == "=")


def _ordered(name: str, sign: str, value: str) -> Test:
    """Numbers by size; everything else (dates written year first) by its letters."""
    limit, compare = number(value), _ORDERS[sign]

    def test(row: Row) -> bool:
        cell = number(row[name])
        if cell is not None and limit is not None:
            return compare(cell, limit)
        if not row[name] or limit is not None:
            return False
        return compare(Decimal((row[name] > value) - (row[name] < value)), Decimal(0))

    return test


def _same(cell: str, value: str) -> bool:
    left, right = number(cell), number(value)
    return left == right if left is not None and right is not None else _folded(cell) == _folded(value)


def _figures(name: str, rows: Sequence[Row]) -> str:
    values = [value for value in (number(row[name]) for row in rows) if value is not None]
    if not values:
        return said(f"{len(rows)} rows, no numbers", f"{len(rows)} 行，没有数值")
    total = sum(values, Decimal(0))
    mean = round(total / len(values), 4).normalize()
    left_out = len(rows) - len(values)
    low, high, count = min(values), max(values), len(values)
    note = said(f", {left_out} cells without a number left out", f"，另有 {left_out} 格没有数值") if left_out else ""
    return said(
        f"count {count}, sum {total}, mean {mean:f}, min {low}, max {high}{note}",
        f"个数 {count}，合计 {total}，平均 {mean:f}，最小 {low}，最大 {high}{note}",
    )


def _cut(lines: list[str]) -> list[str]:
    left = len(lines) - MAX_ROWS
    rest = said(f"… and {left} more rows; narrow them with where.", f"……还有 {left} 行；请用 where 缩小范围。")
    return [*lines[:MAX_ROWS], rest] if left > 0 else lines


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(list(cells))
    return out.getvalue()


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
