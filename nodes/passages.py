"""Long observations cut into passages that can be chosen from: sentences, lines, rows, JSON leaves."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[^\sa-z])|(?<=[。！？；])")
_TAG = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]+>", re.DOTALL | re.IGNORECASE)
_BLOCK = re.compile(r"</(?:p|div|li|tr|h\d|section|table)\s*>|<br\s*/?>", re.IGNORECASE)
_CELL = re.compile(r"</t[dh]\s*>\s*(?=<t[dh]\b)", re.IGNORECASE)
"""Between two cells of a row; the row stays one passage, since a value means nothing without its label."""
_FIGURE = re.compile(r"-?\d+(?:[.,]\d+)*")
_RULER = re.compile(r"[|:\s-]+")
"""The line below the names of a table's columns."""
_ROW_COMMAS = 2
_MAX_PASSAGE = 600
"""Characters; a longer run without a sentence end is cut at this length, or before a word or number standing there."""
_SHORT_LINE = 40
"""Bytes; a shorter line stays whole. A Chinese character has three, and says about as much as three letters."""
_WORD = 40
"""Characters by which such a cut moves at most."""
_IN_WORD = re.compile(r"[A-Za-z0-9.,][A-Za-z0-9]|[A-Za-z0-9][.,]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of an observation that can stand alone.

    ``start`` is its offset in the observation, in characters, or -1 where the text was rewritten (JSON, HTML).
    """

    start: int
    text: str


def passages(text: str) -> list[Passage]:
    """Cut an observation by its own structure; nothing of its content is dropped.

    JSON gives one passage per leaf object or scalar with its path, HTML is read as text, everything else
    is cut at line and sentence ends.
    """
    return list(_cut_again(text) if len(text) <= _KEPT else _cut(text))


_KEPT = 50_000
"""Characters; a record is cut up for its digest, its values and its title."""


def _cut(text: str) -> tuple[Passage, ...]:
    stripped = text.lstrip()
    if stripped[:1] in "{[":
        try:
            return tuple(Passage(-1, line) for line in _json_lines(json.loads(stripped)))
        except (ValueError, RecursionError):  # no JSON, or nested too deep to be read as such
            pass
    if stripped[:1] == "<" and re.match(r"<(?:!doctype|html|\w+[\s>])", stripped, re.IGNORECASE):
        plain = html.unescape(_TAG.sub(" ", _BLOCK.sub("\n", _CELL.sub(" | ", text))))
        return tuple(Passage(-1, piece.text) for piece in _prose(plain))
    return tuple(_prose(text))


_cut_again = lru_cache(maxsize=4)(_cut)


def _prose(text: str) -> Iterator[Passage]:
    offset, header = 0, list[str]()
    for line in text.splitlines(keepends=True):
        start, cells = offset, _cells(line)
        header = _header(line, cells, header)
        named = _labelled(cells, header)
        if cells and (named or not _is_marked(line)):
            yield Passage(-1, " | ".join(named or cells))
            offset += len(line)
            continue
        for sentence in _sentences(line):
            body = sentence.strip()
            if body:
                yield Passage(start + sentence.index(body[0]), body)
            start += len(sentence)
        offset += len(line)


def _cells(line: str) -> list[str]:
    """The cells of a row with several figures, between bars or commas that group no thousands; else nothing."""
    cells = _split(line)
    names = [cell for cell in cells if not _FIGURE.fullmatch(cell)]
    is_row = names and len(cells) - len(names) >= _ROW_COMMAS and all(re.search(r"[^\W\d]", name) for name in names)
    return cells if is_row else []


def _split(line: str) -> list[str]:
    """What may be the cells of a line; nothing where it has none."""
    if _is_marked(line):
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    if line.count(",") < _ROW_COMMAS or ", " in line:
        return []
    return [cell.strip() for cell in next(csv.reader([line.strip()]), [])]


def _is_marked(line: str) -> bool:
    return line.lstrip().startswith("|")


def _header(line: str, cells: Sequence[str], before: list[str]) -> list[str]:
    """The names of the columns for the lines to come: this line's, where it is a row of names, else as before."""
    if cells or (_is_marked(line) and _RULER.fullmatch(line.strip())):
        return before
    names = _split(line)
    return names if sum(1 for name in names if name) > 1 and not re.search(r"\d", line) else []


def _labelled(cells: Sequence[str], header: Sequence[str]) -> list[str]:
    """The cells, each figure with the name of its column; nothing where the columns have none."""
    if len(header) != len(cells):
        return []
    named = zip(header, cells, strict=True)
    return [f"{name}: {cell}" if name and _FIGURE.fullmatch(cell) else cell for name, cell in named]


def _sentences(line: str) -> Iterator[str]:
    if line.lstrip().startswith("|") or len(line.encode("utf-8", "replace")) < _SHORT_LINE:
        yield line
        return
    cuts = [match.end() for match in SENTENCE.finditer(line)]
    start = 0
    for end in [*cuts, len(line)]:
        while end - start > _MAX_PASSAGE:
            stop = _before_word(line, start + _MAX_PASSAGE)
            yield line[start:stop]
            start = stop
        if end > start:
            yield line[start:end]
        start = end


def _before_word(line: str, index: int) -> int:
    """The nearest place before an index that parts no word or number; the index itself if that is far."""
    place = index
    while index - place < _WORD and _IN_WORD.match(line, place - 1):
        place -= 1
    return place if index - place < _WORD else index


def _json_lines(value: Any, path: str = "") -> Iterator[str]:
    """One line per object without nested objects, so that values of one record stay together."""
    if isinstance(value, dict):
        flat = {k: v for k, v in value.items() if not isinstance(v, dict | list)}
        if flat:
            body = ", ".join(f"{k}: {v}" for k, v in flat.items())
            yield f"{path}: {body}" if path else body
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _json_lines(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _json_lines(inner, f"{path}[{position}]")
    else:
        yield f"{path}: {value}" if path else str(value)
