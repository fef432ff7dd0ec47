"""Carrying a choice through: the executor that chose to read one record of a group is not asked for each sibling."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_secretary.memory.task_state import Item, TaskState, whole_goal
from memory_secretary.nodes.calls import call_key
from memory_secretary.nodes.candidates import ToolShape
from memory_secretary.nodes.nearness import months_shared, nearest_open

AT_ONCE = 12
"""Siblings that are done in a row before the executor is asked again."""


def next_sibling(state: TaskState, last: str, shapes: Sequence[ToolShape]) -> Item | None:
    """The open item to go on with after item ``last``, or None when the executor is to be asked.

    A sibling is a call of the same read-only tool, found in the same event, alike but for its digits
    (``reports/2025-03.md``, ``reports/2025-04.md``). The executor is asked when the last item failed or is not
    closed, when what it brought opened something else to read, and when the request speaks of the last one's month but
    not of the next one's.
    """
    done = next((item for item in state["items"] if item["id"] == last), None)
    reads = {shape.name for shape in shapes if shape.read_only}
    if done is None or done["status"] != "done" or done["action"] not in reads:
        return None
    waiting = nearest_open(state)
    if any(item["source"] == done["evidence"] and item["action"] in reads for item in waiting):
        return None
    alike = (item for item in waiting if item["source"] == done["source"] and _pattern(item) == _pattern(done))
    found, request = next(alike, None), whole_goal(state)
    return None if found and months_shared(found, request) < months_shared(done, request) else found


def _pattern(item: Item) -> str:
    return re.sub(r"\d+", "#", call_key(item["action"] or "", item["arguments"]))
