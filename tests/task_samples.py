"""Items, tasks, tools and events in few words, for the tests of the nodes' pure functions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_secretary.memory.records import Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import Item, KeyValue, TaskState, new_task
from memory_secretary.nodes.candidates import ToolShape

GOALS = {
    "en": "Find the month with the highest rainfall in the reports under reports/harwick.",
    "zh": "请查出 reports/harwick 下各份月报里降雨量最高的是哪个月。",
}


def item(number: int, **changes: Any) -> Item:
    """An open call ``read_file(path=notes/<number>.md)``, found in another event than it is done in."""
    call = {"path": f"notes/{number}.md"}
    fresh = Item(
        id=f"i{number}", text=f"read_file(path=notes/{number}.md)", action="read_file", arguments=call, status="open",
        source="evt_listing", subject="", evidence=None, result="", step=-1, tries=0,
    )  # fmt: skip
    return Item(**{**fresh, **changes})


def done(number: int, **changes: Any) -> Item:
    """The same call, carried out at the step of its number."""
    closed = {"status": "done", "evidence": f"evt_{number}", "result": f"rainfall: {number} mm", "step": number}
    return item(number, **{**closed, **changes})


def task(*items: Item, goal: str = GOALS["en"], **changes: Any) -> TaskState:
    return TaskState(**{**new_task(task_id="task_1", goal=goal, goal_ref="evt_goal"), "items": list(items), **changes})


def value(subject: str, said: str, name: str = "rainfall", ref: str = "evt_1") -> KeyValue:
    return KeyValue(name=name, subject=subject, value=said, ref=ref)


def shape(
    name: str, *parameters: str, read_only: bool = True, kind: str = "string", description: str = ""
) -> ToolShape:
    """A tool whose parameters are all required and of one type."""
    schema = {
        "type": "object",
        "properties": {parameter: {"type": kind} for parameter in parameters},
        "required": list(parameters),
    }
    return ToolShape(name, schema, read_only, description)


READ_FILE = shape("read_file", "path", description="Read a text file.")
LIST_FOLDER = shape("list_folder", "folder", description="List what lies in a folder.")
ORDER = shape("get_order", "order_id", description="Look up one order.")
SEARCH = shape("search", "query", description="Search the notes.")
PAY = shape("pay", "order_id", "amount", read_only=False, description="Pay an order.")


def event(
    action: str = "read_file",
    arguments: dict[str, Any] | None = None,
    observation: str = "",
    *,
    phase: Phase | None = Phase.RESULT,
    step: int = 1,
    event_id: str = "evt_new",
) -> Event:
    return Event(
        event_id=event_id, scope=Scope(user="u1", thread="t1"), parent=None, step=step, actor="tool", action=action,
        phase=phase, thought="", arguments=arguments, observation=observation,
        at=datetime(2026, 3, 1, tzinfo=UTC), zone="UTC", seq=1,
    )  # fmt: skip
