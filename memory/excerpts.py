"""The part of a text that a question is about: where most of its words stand together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memory_secretary.memory.lexical import STOPWORDS, tokens


def telling_part(text: str, query: str, fits: Callable[[int, int], bool]) -> tuple[int, int]:
    """Where the part begins and ends in which most of the query's words stand together.

    Args:
        text: any text.
        query: what is asked.
        fits: whether the part between two places is short enough.

    Returns:
        The places; those of the whole text where it fits, or has none of the words.
    """
    words = set(tokens(query)) - STOPWORDS
    found = sorted((match.start(), word) for word in words for match in re.finditer(re.escape(word), text.lower()))
    start, end, width = 0, len(text), len(text)
    while found and width and not fits(start, end):
        width = width * 3 // 4
        start = max(0, _densest(found, width // 2) - width // 4)
        end = min(len(text), start + width)
    return start, end


def _densest(found: Sequence[tuple[int, str]], within: int) -> int:
    """The place after which most different words stand within so many characters."""
    places = (place for place, _ in found)
    return max(places, key=lambda at: len({word for place, word in found if 0 <= place - at < within}))
