"""Reminders and brakes: deterministic, each naming the step and its result, in the order of design section 6.5.

A step that is refused comes back unchanged at temperature 0 unless its prompt changes, so each brake changes the
prompt more than the one before: a reminder with the earlier result, then the tool off the menu for one step, then
one last step without tools, then an honest partial answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory_secretary.memory.records import RECORD_TOOLS
from memory_secretary.memory.task_state import Item, TaskState, closed_items
from memory_secretary.nodes.calls import call_key, call_text
from memory_secretary.nodes.menu import Brakes
from memory_secretary.nodes.wording import Wording
from memory_secretary.tools.effects import Effect

_OFF_AFTER = 2
_LAST_AFTER = 4
_FEW_STEPS = 3
_CYCLE = 4
_UNFINISHED = re.compile(
    r"\b(?:running|pending|queued|waiting|processing|in progress|not (?:yet )?(?:ready|done|finished|complete)|"
    r"started|scheduled)\b|\b\d{1,2} ?%|进行中|处理中|运行中|排队|等待|未完成|尚未|还没|\d{1,2}％",
    re.IGNORECASE,
)
"""What a result says while something is still going on, so that asking again makes sense."""
_FAILURES = 2
"""A call that failed so often is not run again; a read only where it failed in the same words."""


def done_before(
    state: TaskState, action: str, arguments: Mapping[str, Any], effects: Mapping[str, Effect]
) -> Item | None:
    """The item that already did this very call, so that it is not to be run again, or None.

    A read is made again once something was changed, or where its result said that something was still going on; one
    that failed, until it fails with the same words again. A call that changes something is the same only to the letter
    (``AB-1`` is not ``ab-1``); one that failed twice is not tried a third time, since what it did before it failed is
    not known.
    """
    reads = effects.get(action) is Effect.READ_ONLY
    same = same_calls(state, action, arguments, exact=not reads)
    done = [item for item in same if item["status"] == "done"]
    last = done[-1] if done else _given_up(same, reads=reads)
    if last is None or not reads:
        return last
    changed = any(
        item["step"] > last["step"] and effects.get(item["action"] or action) is not Effect.READ_ONLY
        for item in closed_items(state)
    )
    return None if changed or _UNFINISHED.search(last["result"]) else last


def _given_up(failed: Sequence[Item], *, reads: bool) -> Item | None:
    """The last failure of a call that failed too often, or None."""
    last = failed[-_FAILURES:]
    if len(last) < _FAILURES or (reads and len({item["result"] for item in last}) > 1):
        return None
    return last[-1]


def same_calls(state: TaskState, action: str, arguments: Mapping[str, Any], *, exact: bool = False) -> list[Item]:
    """The closed items of this call, in the order in which they were closed; see :func:`call_key` for ``exact``."""
    key = call_key(action, arguments, exact=exact)
    same = (
        item
        for item in closed_items(state)
        if item["action"] and call_key(item["action"], item["arguments"], exact=exact) == key
    )
    return sorted(same, key=lambda item: item["step"])


def refused(brakes: Brakes, action: str, reason: str = "no_progress") -> Brakes:
    """The brakes after a step that was not run (repeated, unpaired or unusable); ``reason`` is the last one's.

    Looking into the records again brings nothing new, whichever of the two tools does it: both go off the menu at once.
    """
    repeats = brakes["repeats"] + 1
    off = RECORD_TOOLS if action in RECORD_TOOLS else [action] if action and repeats >= _OFF_AFTER else []
    return Brakes(
        repeats=repeats,
        off=[*off],
        escapes=brakes["escapes"],
        free=False,
        last=brakes["last"] or repeats >= _LAST_AFTER,
        reason=reason if repeats >= _LAST_AFTER else brakes["reason"],
    )


def moved_on(brakes: Brakes, *, item: bool) -> Brakes:
    """The brakes after a step that was run; doing an open item forgives earlier escapes."""
    return Brakes(
        repeats=0,
        off=[],
        escapes=0 if item else brakes["escapes"],
        free=False,
        last=brakes["last"],
        reason=brakes["reason"],
    )


def escaped(brakes: Brakes) -> Brakes:
    """The brakes after ``something_else``: the free menu once."""
    return Brakes(**{**brakes, "escapes": brakes["escapes"] + 1, "free": True})


def near_limit(brakes: Brakes, steps_left: int) -> Brakes:
    """With the last step of the run (or of the caller's recursion limit) only the answer is left."""
    if steps_left > 1 or brakes["last"]:
        return brakes
    return Brakes(**{**brakes, "last": True, "reason": "step_limit"})


def notices(state: TaskState, brakes: Brakes, steps_left: int, words: Wording) -> list[str]:
    """What the coming step is to be reminded of besides the last step's own reminder."""
    found = [words.tool_off.format(tool=name) for name in brakes["off"]]
    cycle = cycle_of([item for item in closed_items(state) if item["action"]])
    if cycle:
        found.append(words.cycle.format(a=cycle[0], b=cycle[1]))
    if 1 < steps_left <= _FEW_STEPS:
        found.append(words.steps_left.format(n=steps_left))
    return found


def cycle_of(items: Sequence[Item]) -> tuple[str, str] | None:
    """Two different calls that have taken turns for the last four steps (A-B-A-B), or None."""
    last = sorted(items, key=lambda item: item["step"])[-_CYCLE:]
    keys = [call_key(item["action"] or "", item["arguments"]) for item in last]
    if len(keys) == _CYCLE and keys[0] == keys[2] != keys[1] == keys[3]:
        first, second = (call_text(item["action"] or "", item["arguments"]) for item in last[:2])
        return first, second
    return None
