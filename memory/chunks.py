"""Long texts in pieces that an embedder can read, each with its place in the whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_secretary.memory import graphemes


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text.

    Attributes:
        start: offset of its first character in the text.
        text: the piece itself, unchanged.
    """

    start: int
    text: str


_ENDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n\s*\n|\n",  # lines
        r"[。！？；…]+[”’」』）]*|[.!?;][\"'”’)\]]*(?=\s)",  # sentences
        r"[，、,:：](?=[^0-9])|\s",  # clauses and words
    )
)
_SOONEST = 0.5
"""A break before this share of the chunk would make too many small chunks; the next kind of break is tried."""


def chunks(text: str, max_chars: int, overlap: int) -> list[Chunk]:
    """Cut ``text`` into chunks that overlap.

    Args:
        text: the whole text.
        max_chars: the most characters of a chunk, at least 1. Only a single grapheme may be longer.
        overlap: characters that a chunk repeats from the one before, fewer than ``max_chars``; what is repeated begins
            at a word where that is possible.

    Returns:
        Chunks in order that hold every character of the text; none for the empty text. They end at a line, a sentence
        or a word where there is one, and never inside a grapheme. Time grows with the length of the text only.

    Raises:
        ValueError: when ``overlap`` is not smaller than ``max_chars``, or one of them is out of range.
    """
    if max_chars < 1 or not 0 <= overlap < max_chars:
        msg = f"overlap {overlap} must be 0 or more and smaller than max_chars {max_chars}, which must be 1 or more"
        raise ValueError(msg)
    found: list[Chunk] = []
    start = end = 0
    while end < len(text):
        end = _end(text, start, end, max_chars)
        found.append(Chunk(start, text[start:end]))
        start = _next_start(text, start, end, overlap)
    return found


def _end(text: str, start: int, covered: int, max_chars: int) -> int:
    """Where the chunk from ``start`` ends: after ``covered``, the end of the one before, or nothing would be gained."""
    limit = start + max_chars
    if limit >= len(text):
        return len(text)
    soonest = max(start + int(max_chars * _SOONEST), covered + 1)
    for ends in _ENDS:
        places = [match.end() for match in ends.finditer(text, soonest, limit)]
        if places:
            return _between_graphemes(text, covered, places[-1])
    return _between_graphemes(text, covered, limit)


def _between_graphemes(text: str, after: int, end: int) -> int:
    """A place to cut later than ``after``; a grapheme longer than the chunk is kept whole."""
    cut = graphemes.floor(text, end, after)
    return cut if cut > after else graphemes.ceiling(text, end, after)


def _next_start(text: str, start: int, end: int, overlap: int) -> int:
    wished = max(end - overlap, start + 1)
    blank = text.find(" ", wished, end)
    begin = blank + 1 if 0 <= blank < end - overlap // 2 else wished
    cut = graphemes.ceiling(text, begin, start)
    return cut if start < cut <= end else end
