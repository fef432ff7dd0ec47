"""Which of the open items stand nearest to the request, and which are of another month than it asks about."""

from __future__ import annotations

from functools import lru_cache

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import months_asked, months_in
from memory_secretary.memory.task_state import Item, TaskState, open_items, whole_goal
from memory_secretary.nodes.fields import asks_by_state
from memory_secretary.nodes.figures import superlatives

ROWS = "rows"
"""Stands among the considered shapes once rows of one record answer that has all names of the goal."""


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


def kept_to_request(state: TaskState) -> TaskState:
    """The task with the reads that its request does not need laid aside, and those that it needs taken up again.

    Of twelve monthly reports a question about June needs one. Once rows of one record have answered, or where a
    question about a state names its records (*which bills are not paid?* of ``bills/…``), what the request does not
    speak of is not read. What the user asks for later is taken up then.
    """
    goal = whole_goal(state)
    asked = set() if superlatives(goal) else months_asked(goal)
    words = _words_that_choose(state, goal)
    if not asked and not words and not any(item["status"] == "aside" for item in state["items"]):
        return state
    reads = {item["action"] for item in state["items"] if _said(_name(item))[0] & asked}

    def needless(item: Item) -> bool:
        months, named = _said(_name(item))
        of_others = bool(months and not months & asked and item["action"] in reads)
        return not item["subject"] and (of_others or bool(words and not named & words))

    items = [_placed(item, aside=needless(item)) for item in state["items"]]
    return state if items == state["items"] else TaskState(**{**state, "items": items})


def _words_that_choose(state: TaskState, goal: str) -> set[str]:
    """The request's words where no other records than those named by them are needed; else none."""
    words = set(tokens(goal)) - STOPWORDS
    if ROWS in state["considered"]:
        return words
    named = any(words & _said(_name(item))[1] for item in state["items"] if item["arguments"])
    return words if named and asks_by_state(goal) else set()


def _placed(item: Item, *, aside: bool) -> Item:
    if item["status"] not in ("open", "aside"):
        return item
    return Item(**{**item, "status": "aside" if aside else "open"})


def months_shared(item: Item, request: str) -> int:
    """How many months of the request an item's arguments name."""
    return len(months_in(request) & months_in(_name(item)))


def _name(item: Item) -> str:
    return " ".join(map(str, item["arguments"].values())).replace("_", " ")
