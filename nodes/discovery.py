"""What a new observation adds to the task state: items closed, items found, values noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory_secretary.memory.records import Event, Phase
from memory_secretary.memory.task_state import Item, ItemStatus, KeyValue, TaskState
from memory_secretary.nodes.call_arguments import subject_of as named_by
from memory_secretary.nodes.calls import call_key, call_text
from memory_secretary.nodes.candidates import Group, ToolShape, key_parameter

_TRIES = 2
"""A call that failed so often is closed as failed."""
_DOCUMENT = re.compile(r"\s*(?:\{|<(?:!doctype|html|\?xml)\b)", re.IGNORECASE)
_FORM_LINE = re.compile(r"[^\d:：/\\]{1,30}[:：]\s*\S")
_LISTING_LINE = 160
"""Characters; a text whose lines are mostly shorter and end without a full stop is a listing."""


def is_listing(text: str) -> bool:
    """Whether a text lists things and is no prose: three lines or more, nine in ten short and unpunctuated.

    An object of JSON, a page of HTML and a form (``Status: paid``) tell of one thing, however short their lines are.
    """
    if _DOCUMENT.match(text):
        return False
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 3:
        return False
    if sum(_FORM_LINE.match(line) is not None for line in lines) * 2 >= len(lines):
        return False
    plain = sum(len(line) <= _LISTING_LINE and line[-1] not in ".!?。！？" for line in lines)
    return plain * 10 >= len(lines) * 9 and not any(line.startswith("#") for line in lines)


def closed(state: TaskState, event: Event, result: str, *, final: bool = False) -> TaskState:
    """The state after a call came back: its open item closed with evidence, or, for a free call, a closed one added.

    A call that failed stays open once more; the second failure, or a ``final`` first one, closes its item as failed.
    """
    arguments = event.arguments or {}
    failed = event.phase is not Phase.RESULT
    items: list[Item] = []
    found = False
    for item in state["items"]:
        if not found and item["status"] in ("open", "aside") and _is_call(item, event.action, arguments):
            found = True
            item = _settled(item, event, result, failed=failed, tries=_TRIES if final else 0)
        items.append(item)
    if not found:
        items.append(
            _settled(
                _item(items, event.action, arguments, source=event.event_id), event, result, failed=failed, tries=_TRIES
            )
        )
    return TaskState(**{**state, "items": items})


def _is_call(item: Item, action: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call is the one that an item asks for; of a duty, the executor has worded what it leaves open."""
    if item["action"] != action:
        return False
    asked = item["arguments"]
    given = {name: arguments[name] for name in asked if name in arguments} if item["subject"] else arguments
    return call_key(action, asked) == call_key(action, given)


def _settled(item: Item, event: Event, result: str, *, failed: bool, tries: int = 0) -> Item:
    tries = max(tries, item["tries"] + failed)
    status: ItemStatus = "done" if not failed else "failed" if tries >= _TRIES else "open"
    if status == "open":
        return Item(**{**item, "tries": tries})
    return Item(
        **{**item, "status": status, "evidence": event.event_id, "result": result, "step": event.step, "tries": tries}
    )


def _item(items: Sequence[Item], action: str, arguments: Mapping[str, Any], *, source: str, subject: str = "") -> Item:
    return Item(
        id=f"i{len(items) + 1}",
        text=call_text(action, arguments),
        action=action,
        arguments=dict(arguments),
        status="open",
        source=source,
        subject=subject,
        evidence=None,
        result="",
        step=-1,
        tries=0,
    )


def with_items(state: TaskState, groups: Sequence[Group], shapes: Sequence[ToolShape], source: str) -> TaskState:
    """The state with one open item per value of the chosen groups; a call is never listed twice."""
    kinds = {shape.name: shape for shape in shapes}
    items = list(state["items"])
    known = {call_key(item["action"], item["arguments"]) for item in items if item["action"]}
    for group in groups:
        for value in group.values:
            arguments = {group.parameter: typed(value, kinds[group.tool].schema["properties"][group.parameter])}
            key = call_key(group.tool, arguments)
            if key not in known:
                known.add(key)
                items.append(_item(items, group.tool, arguments, source=source))
    return TaskState(**{**state, "items": items})


def with_item(
    state: TaskState, action: str, arguments: Mapping[str, Any], *, source: str, subject: str = ""
) -> TaskState:
    """The state with one more open item, unless this very call is listed already."""
    key = call_key(action, arguments, exact=True)
    if any(
        item["action"] and call_key(item["action"], item["arguments"], exact=True) == key for item in state["items"]
    ):
        return state
    new = _item(state["items"], action, arguments, source=source, subject=subject)
    return TaskState(**{**state, "items": [*state["items"], new]})


def typed(value: str, schema: Mapping[str, Any]) -> Any:
    """A value found in a text, in the type its parameter wants."""
    return int(value) if schema.get("type") == "integer" and re.fullmatch(r"-?\d{1,18}", value) else value


def noted(state: TaskState, subject: str, notes: Mapping[str, str], ref: str) -> TaskState:
    """The state with the values of one record."""
    values = [KeyValue(name=name, subject=subject, value=value, ref=ref) for name, value in notes.items()]
    return TaskState(**{**state, "values": [*state["values"], *values]})


def is_record(event: Event, shapes: Sequence[ToolShape]) -> bool:
    """Whether an event is a record that was read by its key (and not a search, a listing or a calculation)."""
    return is_read(event, shapes) and not is_listing(event.observation)


def is_read(event: Event, shapes: Sequence[ToolShape]) -> bool:
    """Whether an event is what a tool gave for a key, be it a record or a table whose rows list many."""
    shape = next((shape for shape in shapes if shape.name == event.action), None)
    return event.phase is Phase.RESULT and shape is not None and key_parameter(shape) is not None


def records_read(done: Sequence[Item], shapes: Sequence[ToolShape], read: Callable[[str], Event]) -> dict[str, Event]:
    """The records that were read by calls that are done, by their names."""
    events = [read(item["evidence"] or "") for item in done]
    return {subject_of(event): event for event in events if is_record(event, shapes)}


def subject_of(event: Event) -> str:
    """What a record is about, for a reader: its call's arguments."""
    return named_by(event.arguments or {})
