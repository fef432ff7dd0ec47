"""Which of the open items stand nearest to the request: what shares its months, then what shares its words."""

from __future__ import annotations

from functools import lru_cache

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.task_state import Item, TaskState, open_items, whole_goal
from memory_secretary.nodes.periods import months_in


def nearest_open(state: TaskState) -> list[Item]:
    """The open items, those first that the request speaks of; the order of equals is that of their discovery.

    A month outweighs any other word; of one item, each word counts once.
    """
    request = whole_goal(state)
    words, months = set(tokens(request)) - STOPWORDS, months_in(request)

    def distance(item: Item) -> tuple[int, int]:
        own_months, own_words = _said(_name(item))
        return -len(months & own_months), -len(words & own_words)

    return sorted(open_items(state), key=distance)


@lru_cache(maxsize=4096)
def _said(name: str) -> tuple[frozenset[int], frozenset[str]]:
    """The months and words of a name; the items of a task are compared again at each of its steps."""
    return frozenset(months_in(name)), frozenset(tokens(name))


def months_shared(item: Item, request: str) -> int:
    """How many months of the request an item's arguments name."""
    return len(months_in(request) & months_in(_name(item)))


def _name(item: Item) -> str:
    return " ".join(str(value) for value in item["arguments"].values()).replace("_", " ")
