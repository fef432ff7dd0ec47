"""Plain text, Markdown, tables and JSON as documents."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from memory_secretary.nodes.distill.document import Block, Document, Unreadable, row

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_RULER = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_UNDERLINE = re.compile(r"\s*(=+|-{3,})\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•·]|\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[）)、.])\s*\S")
_CHAPTER = re.compile(
    r"第[一二三四五六七八九十百\d]+[章节条编部篇]|[一二三四五六七八九十]{1,3}、|(?:chapter|section|part|article)\s+\w+|"
    r"\d+(?:\.\d+)*\.?\s+(?=\S)", re.IGNORECASE,
)  # fmt: skip
_END = re.compile(r"[.!?。！？；;:：,，、]\W*$")
_WRAPPED = 45
"""Columns (a Chinese sign has two) that a line has at least if its paragraph goes on in the next one."""
_TITLE = 80
"""Bytes of a line that can be a heading of plain text."""
_HAN_ENDS = re.compile(r"[\u3000-\u9fff\uff00-\uffef]$")


def read_text(text: str) -> Document:
    """Paragraphs between empty lines; a short line without a stop, alone between them, is a heading."""
    paragraphs = [part.split("\n") for part in re.split(r"\n\s*\n", text) if part.strip()]
    title, heading, blocks = "", "", list[Block]()
    for place, lines in enumerate(paragraphs):
        only = lines[0].strip() if len([line for line in lines if line.strip()]) == 1 else ""
        if only and place + 1 < len(paragraphs) and is_title(only):
            heading = only
            title = title or (only if not blocks else "")
        else:
            above = (heading,) if heading and heading != title else ()
            blocks += [Block(line, above) for line in unwrapped(lines)]
    return Document(title, tuple(blocks))


def is_title(line: str) -> bool:
    """Whether a line alone can be a heading: short, and without a stop."""
    chapter = _CHAPTER.match(line) is not None
    return len(line.encode()) <= _TITLE and not _END.search(line) and (chapter or not _ITEM.match(line))


def unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a paragraph, those joined again that were only broken to a width."""
    held = last = ""
    for line in (line.strip() for line in lines):
        if not line:
            continue
        if held and _width(last) >= _WRAPPED and not _END.search(last) and not _ITEM.match(line):
            held += ("" if _HAN_ENDS.search(held) else " ") + line
        else:
            if held:
                yield held
            held = line
        last = line
    if held:
        yield held


def _width(line: str) -> int:
    return sum(2 if char > "\u2e80" else 1 for char in line)


def read_markdown(text: str) -> Document:
    """Headings, paragraphs, list items, code and the rows of tables."""
    title, heads, blocks = "", dict[int, str](), list[Block]()
    for level, part in _parts(text):
        if level:
            heads = {deep: words for deep, words in heads.items() if deep < level} | {level: part[0]}
            title = title or (part[0] if level == 1 else "")
            continue
        above = tuple(words for words in heads.values() if words != title)
        blocks += _table(part, above) if _is_table(part) else [Block(line, above) for line in unwrapped(part)]
    return Document(title, tuple(blocks))


def _parts(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each heading with its level, and between them the runs of lines, with level 0; code is one line a line."""
    run, fence = list[str](), ""
    lines = _without_front_matter(text).split("\n")
    for line in (*lines, ""):
        mark = _FENCE.match(line)
        heading = None if fence else _HEADING.match(line)
        underlined = _UNDERLINE.fullmatch(line) if len(run) == 1 and not fence and not _is_row(run[0]) else None
        if underlined:
            yield (1 if underlined[1][0] == "=" else 2), run
            run = []
        elif heading or mark or fence or not line.strip():
            if run:
                yield 0, run
            run = []
            if heading and heading[2]:
                yield len(heading[1]), [heading[2]]
            elif fence and not mark and line.strip():
                yield 0, [line]
            if mark and fence in ("", mark[1]):
                fence = "" if fence else mark[1]
        else:
            run.append(re.sub(r"^\s*>\s?", "", line))
    if run:
        yield 0, run


def _without_front_matter(text: str) -> str:
    """Without the marks around what stands before a page's text, such as its date."""
    return re.sub(r"\A---\n(.*?)\n---\n", lambda match: re.sub(r"\n", "\n\n", match[1]) + "\n\n", text, flags=re.DOTALL)


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|") or line.count("|") > 1


def _is_table(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and _is_row(lines[0]) and _RULER.match(lines[1]) is not None


def _table(lines: Sequence[str], above: tuple[str, ...]) -> Iterator[Block]:
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    yield from rows([cells[0], *cells[2:]], above)


def rows(cells: Sequence[Sequence[str]], heading: tuple[str, ...] = ()) -> Iterator[Block]:
    """The rows of a table below the names of its columns, which its first row holds."""
    if not cells:
        return
    first, *others = [list(line) for line in cells]
    named = bool(others) and len(first) > 1
    columns = tuple(row([cell]) for cell in first) if named else ()
    for line in others if named else [first, *others]:
        if any(cell.strip() for cell in line):
            yield Block(row(line), heading, columns if len(line) == len(columns) else ())


def read_table(text: str) -> Document:
    """Values between commas, semicolons or tabs.

    Raises:
        Unreadable: it is no such table.
    """
    line = text.lstrip().split("\n", 1)[0]
    separator = max(",;\t|", key=line.count)
    try:
        found = [cells for cells in csv.reader(io.StringIO(text.strip()), delimiter=separator) if any(cells)]
    except csv.Error as error:
        raise Unreadable(
            f"it is no table ({error}): save it as CSV anew", zh=f"它不是表格（{error}）：请重新存为 CSV"
        ) from error
    return Document("", tuple(rows(found)))


def read_json(text: str) -> Document:
    """Objects that are alike as the rows of a table, else a line for each, under its path; JSON Lines likewise.

    Raises:
        Unreadable: it is no JSON.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if not _are_json(lines):
            raise Unreadable(f"it is no JSON ({error}): mend it", zh=f"它不是 JSON（{error}）：请修正") from error
        value = [json.loads(line) for line in lines]
    return Document("", tuple(_of_json(value, "")))


def _of_json(value: Any, path: str) -> Iterator[Block]:
    above = (path,) if path else ()
    if isinstance(value, list) and _are_alike(value):
        yield from rows([list(value[0]), *([_shown(each) for each in one.values()] for one in value)], above)
        return
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = {name: each for name, each in entries if isinstance(each, dict | list)}
    flat = {name: each for name, each in value.items() if name not in inner} if isinstance(value, dict) else {}
    if flat:
        yield Block(", ".join(f"{name}: {_shown(each)}" for name, each in flat.items()), above)
    if isinstance(value, list):
        yield from (Block(_shown(each), above) for each in value if not isinstance(each, dict | list))
    elif not isinstance(value, dict):
        yield Block(_shown(value), above)
    for name, each in inner.items():
        place = f"{path}[{name}]" if isinstance(value, list) else f"{path}.{name}" if path else str(name)
        yield from _of_json(each, place)


def _are_alike(value: Sequence[Any]) -> bool:
    """Whether these are objects with the same names, more than one, and none of them holds another object."""
    if not all(isinstance(one, dict) and len(one) > 1 for one in value):
        return False
    return len({tuple(one) for one in value}) == 1 and not any(
        isinstance(each, dict | list) for one in value for each in one.values()
    )


def _shown(value: Any) -> str:
    return " ".join(("" if value is None else str(value)).split())


def _are_json(lines: Sequence[str]) -> bool:
    try:
        return len(lines) > 1 and all(isinstance(json.loads(line), dict | list) for line in lines)
    except (ValueError, RecursionError):
        return False
