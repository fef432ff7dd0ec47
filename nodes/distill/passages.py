"""A document in passages that a teacher reads one at a time, and a passage in the statements that cards rest on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import PurePath

from memory_secretary.memory.chunks import chunks
from memory_secretary.memory.lexical import STOPWORDS
from memory_secretary.memory.lexical import tokens as tokens_of
from memory_secretary.memory.records import Event
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.distill.document import CELL, Document
from memory_secretary.nodes.own_words import POINTS_BACK, Line
from memory_secretary.nodes.passages import SENTENCE

STATEMENTS, TOKENS = 8, 600
"""Of one passage at most: of many statements a small model passes over some."""
_LONGEST = 400
"""Characters of a statement; a longer run without a stop is cut."""
_HEAD = 80
"""Characters of one heading."""
_UNDER = " › "
"""Between the headings that a passage stands under."""
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|No|Nos|Nr|approx|ca|e\.g|i\.e|etc|vs|Art|Sec|Fig|Inc|Ltd|Co|pp?|[A-Z])\.\s*$"
)
_SAYS = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document under one heading.

    Attributes:
        heading: the document's title and the headings it stands under.
        columns: of the rows that it holds; empty for prose.
        lines: paragraphs, or rows.
    """

    heading: str
    columns: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """As it is recorded: the headings, the names of the columns, and the lines."""
        return "\n".join([self.heading, *([CELL.join(self.columns)] if self.columns else []), *self.lines])

    @property
    def digest(self) -> str:
        """Tells whether two versions of a document hold the same passage."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Statement(Line):
    """One sentence or row of a passage; its ``text`` says it together with the headings it stands under.

    Attributes:
        quote: the sentence or row, word for word as in the event.
        bare: the same for a reader who sees the headings: of a row, each cell behind the name of its column.
        cells: of a row.
        headed: whether the document has headings of its own, beside the file's name.
    """

    quote: str
    bare: str
    cells: tuple[str, ...]
    headed: bool

    def whole(self, subject: str) -> str:
        """The statement in the document's words, as it is understood alone.

        Its headings stand before it; the bare name of a file does so only where the statement does not say what it is
        about.

        Args:
            subject: what it is about, or empty.
        """
        dangles = POINTS_BACK.match(self.bare) or not names(subject, self.bare)
        return self.text if self.headed or dangles else self.bare


def names(subject: str, text: str) -> bool:
    """Whether a text says what it is about, in whatever form of its words."""
    return set(tokens_of(subject)) - STOPWORDS <= set(tokens_of(text))


def passages_of(document: Document, window: int) -> list[Passage]:
    """A document in passages, the same ones for every teacher but those with a very small window.

    A passage never goes across a heading, so that an edit changes those of its own section only; one that stands twice
    in the document is one.

    Args:
        document: what a file says.
        window: tokens that the teacher reads and writes in one call.
    """
    tokens = min(TOKENS, window // 8)
    statements = min(STATEMENTS, window // 512)
    made: list[Passage] = []
    for (above, columns), blocks in groupby(document.blocks, lambda block: (block.heading, block.columns)):
        heading = _UNDER.join(part[:_HEAD] for part in dict.fromkeys((document.title, *above)))
        texts = [block.text for block in blocks]
        made += [Passage(heading, columns, lines) for lines in _packed(texts, bool(columns), tokens, statements)]
    return list(dict.fromkeys(made))


def _packed(texts: Sequence[str], is_table: bool, tokens: int, statements: int) -> Iterator[tuple[str, ...]]:
    """Lines together as long as they fit; a paragraph is parted between two statements only."""
    lines, count, cost = list[str](), 0, 0
    for text in texts:
        places = [(0, len(text))] if is_table else _places(text)
        first = 0
        for place, (start, end) in enumerate(places):
            size = estimate_tokens(text[start:end])
            if count and (count == statements or cost + size > tokens):
                lines += [text[places[first][0] : places[place - 1][1]]] if place > first else []
                yield tuple(lines)
                lines, count, cost, first = [], 0, 0, place
            count, cost = count + 1, cost + size
        lines += [text[places[first][0] : places[-1][1]]] if places else []
    if lines:
        yield tuple(lines)


def statements_of(event: Event) -> list[Statement]:
    """The statements of a recorded passage, in order."""
    heading, *lines = event.observation.split("\n")
    if _is_table(lines):
        columns, *rows = (line.split(CELL) for line in lines)
        return [_statement(event, heading, CELL.join(cells), _labelled(columns, cells), cells) for cells in rows]
    parts = [line[start:end] for line in lines for start, end in _places(line)]
    return [_statement(event, heading, part, part) for part in parts]


def _statement(event: Event, heading: str, quote: str, bare: str, cells: Sequence[str] = ()) -> Statement:
    name = str((event.arguments or {}).get("file", ""))
    return Statement(event, f"{heading}: {bare}", "", quote, bare, tuple(cells), heading != PurePath(name).stem)


def _is_table(lines: Sequence[str]) -> bool:
    """Whether lines are the names of columns and rows below them: each has as many cells, and more than one."""
    cells = {line.count(CELL) for line in lines}
    return len(lines) > 1 and len(cells) == 1 and cells != {0}


def _labelled(columns: Sequence[str], cells: Sequence[str]) -> str:
    named = zip(columns, cells, strict=True)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell.strip())


_ASIDE = re.compile(r"(?:\s*(?:\([^()]*\)|（[^（）]*）|【[^【】]*】)[.。;；]?)?\s*")
"""Brackets after a sentence belong to it: ``路灯不亮。（未完成）``."""


def _places(text: str) -> list[tuple[int, int]]:
    """Where the statements of a paragraph stand: its sentences, one that only points back with the one before it."""
    asides = (_ASIDE.match(text, match.end()) for match in SENTENCE.finditer(text))
    cuts = sorted({0, *(aside.end() for aside in asides if aside), len(text)})
    found: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        part = text[start:end]
        joins = found and (
            _ASIDE.fullmatch(part) or _ABBREVIATED.search(text[: found[-1][1]]) or POINTS_BACK.search(part)
        )
        if joins and end - found[-1][0] <= _LONGEST:
            found[-1] = (found[-1][0], end)
        elif part.strip():
            found += [
                (start + piece.start, start + piece.start + len(piece.text)) for piece in chunks(part, _LONGEST, 0)
            ]
    return [_tight(text, start, end) for start, end in found if _SAYS.search(text[start:end])]


def _tight(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the blanks at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def statements_in(document: Document) -> Iterator[str]:
    """The statements of a document's prose."""
    for block in document.blocks:
        if not block.columns:
            yield from (block.text[start:end] for start, end in _places(block.text))


def count_of(passage: Passage) -> int:
    """How many statements a passage has."""
    return len(passage.lines) if passage.columns else sum(len(_places(line)) for line in passage.lines)
