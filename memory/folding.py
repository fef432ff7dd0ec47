"""Long lists of a task state folded into parts that are written once, so that a checkpoint stays small.

A part is named by its content: it never changes, whoever holds its name can read it, and so forks need no care.
"""

from __future__ import annotations

import copy
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, cast

from memory_secretary.memory.task_state import TaskState

PART = 8
"""Entries of a part."""
_WHOLE = 16
"""A list of no more entries than this stays as it is."""
_LISTS = ("items", "values")

Part = list[dict[str, Any]]


class PartNames:
    """The names of the parts of tasks; one that is as it was is known again, which takes a tenth of naming it.

    What is compared with is a copy, so that nobody who changes an entry in place is taken for one who did not.
    """

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._named: OrderedDict[tuple[str, str, int], tuple[Part, str]] = OrderedDict()
        self._lock = threading.Lock()

    def name(self, part: Part, place: tuple[str, str, int]) -> str:
        """The name of a part that stands in a task (its id), in a list (its name), from an entry on."""
        with self._lock:
            before = self._named.get(place)
        if before is not None and before[0] == part:
            return before[1]
        name = _name(part)
        with self._lock:
            self._named[place] = copy.deepcopy(part), name
            while len(self._named) > self._most:
                self._named.popitem(last=False)
        return name


def folded(
    state: TaskState, name: Callable[[Part, tuple[str, str, int]], str] = lambda part, _: _name(part)
) -> tuple[TaskState, dict[str, Part]]:
    """The state with its long lists folded, and the parts that it names then; see :class:`PartNames` for ``name``.

    A part holds neighbours that are all settled or all open. What is in between, where the work goes on, stays.
    """
    short: dict[str, Any] = {**state, "folded": {}}
    parts: dict[str, Part] = {}
    for kind in _LISTS:
        entries: Part = short[kind]
        places = {at: entries[at : at + PART] for at in _places(kind, entries)}
        named = {at: name(part, (state["task_id"], kind, at)) for at, part in places.items()}
        parts |= {named[at]: part for at, part in places.items()}
        if named:
            short["folded"][kind] = {str(at): ref for at, ref in named.items()}
            short[kind] = [entry for at, entry in enumerate(entries) if at - at % PART not in named]
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
