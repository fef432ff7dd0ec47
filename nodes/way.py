"""The way that a followed matter took, computed from the record: a small model takes the first record for the last."""

from __future__ import annotations

import re

from memory_secretary.memory.task_state import Item, TaskState, closed_items, whole_goal
from memory_secretary.nodes.call_arguments import subject_of
from memory_secretary.nodes.leads import pursues
from memory_secretary.nodes.wording import Wording

_OF_FIRST = re.compile(
    r"\b(?:in|of|at|from) the (?:first|start|beginning)\b|\bset out\b|\bstood in\b|第一份里|出发|起初|最初|里写的",
    re.IGNORECASE,
)
"""How users ask for what the first record says; the last one's is then only in the way."""
_LEAST, _SHOWN = 2, 5
"""Records of a way at least, and how many of it are shown one by one."""


def way_of(task: TaskState) -> list[Item]:
    """The reads of a matter that was followed, each found in the one before; empty where the goal follows none."""
    if not pursues(whole_goal(task)):
        return []
    done = [item for item in closed_items(task) if item["status"] == "done" and item["evidence"]]
    found_in = {item["source"]: item for item in reversed(done) if item["source"] != item["evidence"]}
    begun = [item for item in done if item["evidence"] in found_in and not _found_in_any(item, done)]
    way = begun[:1]
    while way and (after := found_in.get(way[-1]["evidence"] or "")) and after not in way:
        way.append(after)
    return way if len(way) >= _LEAST else []


def way_lines(task: TaskState, words: Wording) -> tuple[str, ...]:
    """What the executor is told of it: the records in order, the last by itself, and what the ends say."""
    way = way_of(task)
    if not way:
        return ()
    names = [subject_of(item["arguments"]) for item in way]
    shown = names if len(names) <= _SHOWN else [*names[:2], "…", *names[-2:]]
    line = words.way.format(way=" → ".join(shown), n=len(names), last=names[-1])
    ends = [(words.way_first, way[0])]
    if not _OF_FIRST.search(whole_goal(task)):
        ends.append((words.way_last, way[-1]))
    told = (
        words.way_end.format(end=end, name=subject_of(item["arguments"]), result=item["result"]) for end, item in ends
    )
    return (f"- {line}", *(f"- {text}" for text in told))


def _found_in_any(item: Item, others: list[Item]) -> bool:
    return any(item["source"] == other["evidence"] for other in others if other is not item)
