"""Which of the open items stand nearest to the request, and which are of another month than it asks about."""

from __future__ import annotations

from functools import lru_cache

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import months_asked, months_in
from memory_secretary.memory.task_state import Item, TaskState, open_items, whole_goal
from memory_secretary.nodes.figures import superlatives


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


def kept_to_months(state: TaskState) -> TaskState:
    """The task with the reads of other months than the request's laid aside, and those of its months taken up again.

    Only where the request is about certain months and there is something to read of one of them: of twelve monthly
    reports a question about June needs one. What the user asks for later is taken up then.
    """
    goal = whole_goal(state)
    asked = set() if superlatives(goal) else months_asked(goal)
    if not asked and not any(item["status"] == "aside" for item in state["items"]):
        return state
    found = [_said(_name(item))[0] for item in state["items"]]
    reads = {item["action"] for item, own in zip(state["items"], found, strict=True) if own & asked}
    items = [
        _placed(item, aside=bool(own and not own & asked and item["action"] in reads and not item["subject"]))
        for item, own in zip(state["items"], found, strict=True)
    ]
    return state if items == state["items"] else TaskState(**{**state, "items": items})


def _placed(item: Item, *, aside: bool) -> Item:
    if item["status"] not in ("open", "aside"):
        return item
    return Item(**{**item, "status": "aside" if aside else "open"})


def months_shared(item: Item, request: str) -> int:
    """How many months of the request an item's arguments name."""
    return len(months_in(request) & months_in(_name(item)))


def _name(item: Item) -> str:
    return " ".join(map(str, item["arguments"].values())).replace("_", " ")
