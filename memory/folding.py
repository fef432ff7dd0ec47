"""Long lists of a task state folded into parts that are written once, so that a checkpoint stays small.

A part is named by its content: it never changes, whoever holds its name can read it, and so forks need no care.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

from memory_secretary.memory.task_state import TaskState

PART = 8
"""Entries of a part."""
_WHOLE = 16
"""A list of no more entries than this stays as it is."""
_LISTS = ("items", "values")

Part = list[dict[str, Any]]


def folded(state: TaskState) -> tuple[TaskState, dict[str, Part]]:
    """The state with its long lists folded, and the parts that it names then.

    A part holds neighbours that are all settled or all open. What is in between, where the work goes on, stays.
    """
    short: dict[str, Any] = {**state, "folded": {}}
    parts: dict[str, Part] = {}
    for name in _LISTS:
        entries: Part = short[name]
        places = {at: entries[at : at + PART] for at in _places(name, entries)}
        named = {at: _name(part) for at, part in places.items()}
        parts |= {named[at]: part for at, part in places.items()}
        if named:
            short["folded"][name] = {str(at): ref for at, ref in named.items()}
            short[name] = [entry for at, entry in enumerate(entries) if at - at % PART not in named]
    return cast(TaskState, short), parts


def unfolded(state: TaskState, parts: Mapping[str, Part]) -> TaskState:
    """The state as it was before it was folded.

    Args:
        state: a state, folded or not.
        parts: at least those of :func:`refs_of`.
    """
    whole: dict[str, Any] = {**state, "folded": {}}
    for name, named in state.get("folded", {}).items():
        left = iter(whole[name])
        entries: Part = []
        for at in sorted(map(int, named)):
            entries += (next(left) for _ in range(at - len(entries)))
            entries += parts[named[str(at)]]
        whole[name] = [*entries, *left]
    return cast(TaskState, whole)


def refs_of(state: TaskState) -> set[str]:
    """The parts that a folded state names."""
    return {ref for named in state.get("folded", {}).values() for ref in named.values()}


def _places(name: str, entries: Part) -> list[int]:
    """Where the parts begin."""
    if len(entries) <= _WHOLE:
        return []
    starts = range(0, len(entries) - PART + 1, PART)
    return [at for at in starts if name != "items" or _alike(entries[at : at + PART])]


def _alike(items: Part) -> bool:
    """Whether the items are all open or all settled."""
    return len({item["status"] == "open" for item in items}) == 1


def _name(part: Part) -> str:
    return hashlib.sha256(json.dumps(part, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:24]
