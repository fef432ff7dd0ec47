"""Which of the things found stand nearest to the request: what shares its months, then what shares its words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.nodes.periods import months_in

Found = TypeVar("Found")


def nearest_first(found: Iterable[tuple[str, Found]], request: str) -> list[tuple[str, Found]]:
    """Things with their names, those first that the request speaks of; the order of equals stays.

    Args:
        found: names (``reports/2025-06.md``, ``ORD-17``), each with what it names.
        request: the user's words. A month in them outweighs any other word; of one name, each word counts once.
    """
    months, words = months_in(request), set(tokens(request)) - STOPWORDS

    def distance(pair: tuple[str, Found]) -> tuple[int, int]:
        name = pair[0].replace("_", " ")
        return -len(months & months_in(name)), -len(words & set(tokens(name)))

    return sorted(found, key=distance)
