"""Reminders and brakes: deterministic, each naming the step and its result, in the order of design section 6.5.

A step that is refused comes back unchanged at temperature 0 unless its prompt changes, so each brake changes the
prompt more than the one before: a reminder with the earlier result, then the tool off the menu for one step, then
one last step without tools, then an honest partial answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memory_secretary.memory.records import ASK, RECORD_TOOLS
from memory_secretary.memory.task_state import Item, TaskState, closed_items
from memory_secretary.nodes.brakes import Brakes
from memory_secretary.nodes.calls import call_key, call_text
from memory_secretary.nodes.constraints import asks_to_remember
from memory_secretary.nodes.sayings import shared_words
from memory_secretary.nodes.wording import Wording
from memory_secretary.tools.effects import Effect

_OFF_AFTER = 2
_LAST_AFTER = 4
_FEW_STEPS = 3
_SHORT = 300
"""Characters of a request that can hold no file's text."""
_CYCLE = 4
UNFINISHED = re.compile(
    r"\b(?:running|pending|queued|waiting|processing|in progress|not (?:yet )?(?:ready|done|finished|complete)|"
    r"started|scheduled)\b|\b\d{1,2} ?%|进行中|处理中|运行中|排队|等待|未完成|尚未|还没|\d{1,2}％",
    re.IGNORECASE,
)
"""What a result says while something is still going on, so that asking again makes sense."""
_FILE = re.compile(
    r"(?<![\w:/.])(?:[\w\u3400-\u9fff.-]+/)*(?:[A-Za-z0-9_.-]+/(?![A-Za-z0-9])"
    r"|[\w\u3400-\u9fff-]+\.(?:md|txt|csv|json|yaml|yml|toml|pdf|docx?|xlsx?|html?|log|py)(?![A-Za-z0-9]))",
    re.ASCII,
)
_READS = re.compile(
    r"\b(?:in|from|inside|within|read|open|summari[sz]e|review|check|look at|go through|add up|count|translate)\b"
    r"(?: (?:the|my|our|this|that|all|file|folder|of))*\s*[\"'`]?$"
    r"|(?:读|打开|看看?|查看|总结|概括|汇总|统计|翻译)(?:一下)?\s*[“《]?$",
    re.IGNORECASE,
)
"""Words right before a file's name that say that it is to be read."""
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
    return None if changed or UNFINISHED.search(last["result"]) else last


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


def notices(
    state: TaskState, brakes: Brakes, steps_left: int, words: Wording, *, tools: Collection[str] | None = None
) -> list[str]:
    """What the coming step is to be reminded of besides the last step's own reminder.

    Args:
        state: the task.
        brakes: what is off the menu.
        steps_left: of the run, this one included.
        words: the user's language.
        tools: the names of the tools there are, if it matters that none of them opens a file.
    """
    found = [words.tool_off.format(tool=name) for name in brakes["off"]]
    files = named_files(state["goal"])
    if files and tools is not None and not opens_files(tools):
        found.append(words.no_files.format(names=", ".join(files)))
    cycle = cycle_of([item for item in closed_items(state) if item["action"]])
    if cycle:
        found.append(words.cycle.format(a=cycle[0], b=cycle[1]))
    if 1 < steps_left <= _FEW_STEPS:
        found.append(words.steps_left.format(n=steps_left))
    return found


def named_files(text: str) -> list[str]:
    """The files and folders that a text names by an ending or a closing slash (``notes/``, ``a/b.md``)."""
    return list(dict.fromkeys(_FILE.findall(text)))


def opens_files(tools: Collection[str]) -> bool:
    """Whether there is a tool, by its name, that may open a file: any but those for the memory's own records."""
    return bool(set(tools) - {*RECORD_TOOLS, ASK})


def unseen_files(request: str, tools: Collection[str], known: Sequence[str]) -> list[str]:
    """The files that a short request is about, where nobody can open them and nothing that is known speaks of them.

    A small model makes up what stands in them, whatever it is reminded of.

    Args:
        request: the user's words; in a long one the file's text may stand itself.
        tools: the names of the tools there are.
        known: what is remembered.
    """
    if opens_files(tools) or len(request) > _SHORT or "\n" in request.strip() or asks_to_remember(request):
        return []
    files = [name for name in named_files(request) if _asks_what_is_in(request, name)]
    return [] if any(shared_words(text, request) for text in known) else files


def _asks_what_is_in(request: str, name: str) -> bool:
    """Whether a request wants to know what stands in a file, and not that one is written or explained."""
    before, _, after = request.partition(name)
    return re.match(r"\s*(?:文件夹?)?\s*(?:[里中上内]|的)", after) is not None or _READS.search(before) is not None


def cycle_of(items: Sequence[Item]) -> tuple[str, str] | None:
    """Two different calls that have taken turns for the last four steps (A-B-A-B), or None."""
    last = sorted(items, key=lambda item: item["step"])[-_CYCLE:]
    keys = [call_key(item["action"] or "", item["arguments"]) for item in last]
    if len(keys) == _CYCLE and keys[0] == keys[2] != keys[1] == keys[3]:
        first, second = (call_text(item["action"] or "", item["arguments"]) for item in last[:2])
        return first, second
    return None
