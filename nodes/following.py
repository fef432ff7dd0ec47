"""Following a matter from record to record: each one says which is to be opened next, and only the newest knows."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memory_secretary.memory.records import Event
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.nodes.call_arguments import subject_of
from memory_secretary.nodes.candidates import Group, ToolShape, find_groups, key_parameter
from memory_secretary.nodes.discovery import typed, with_item
from memory_secretary.nodes.leads import Lead, leads_in, phrase_before, pursues, start_of
from memory_secretary.nodes.secretary import Secretary

_LISTED, _LED = "listed", "led by "
_OFFERED = 8
"""Records that the model may choose from."""


def as_listed(task: TaskState, groups: Sequence[Group]) -> TaskState:
    """The task that knows: all records that these tools have to open stood in a listing."""
    marks = [f"{_LISTED} {group.tool}" for group in groups]
    return TaskState(**{**task, "considered": list(dict.fromkeys([*task["considered"], *marks]))})


def begun(task: TaskState, shapes: Sequence[ToolShape], source: str) -> TaskState:
    """The task with the record that a matter is to be followed from, where goal and tools leave no choice.

    Args:
        task: one without any items.
        shapes: the user's tools; one of them reads records by a single key.
        source: the event that the goal stands in.
    """
    start = start_of(whole_goal(task))
    reading = [(tool, key) for tool in shapes if tool.read_only and (key := key_parameter(tool))]
    if not start or task["items"] or len(reading) != 1:
        return task
    ((tool, key),) = reading
    return with_item(task, tool.name, {key: typed(start, tool.schema["properties"][key])}, source=source)


def followed(task: TaskState, event: Event, shapes: Sequence[ToolShape], secretary: Secretary) -> TaskState:
    """The task with the record that the one just read leads to, where the goal asks for that and none is listed.

    The one record to which words of the way lead is next; where there is none or several of them, the secretary's
    model chooses, and the words before its choice decide from then on.

    Args:
        task: the task.
        event: the record, as it was read.
        shapes: the user's tools.
        secretary: asked which of the records named there comes next; it may be none of them.
    """
    tool = next((shape for shape in shapes if shape.name == event.action), None)
    parameter = key_parameter(tool) if tool else None
    goal = whole_goal(task)
    if tool is None or parameter is None or f"{_LISTED} {tool.name}" in task["considered"] or not pursues(goal):
        return task
    known = {str(item["arguments"].get(parameter)) for item in task["items"] if item["action"] == tool.name}
    leads = [lead for lead in leads_in(event.observation, tool, known, goal) if _passed(lead) not in task["considered"]]
    sure = [lead for lead in leads if lead.onward or _led(lead) in task["considered"]]
    on_its_way = any(mark.startswith(_LED) for mark in task["considered"])
    doubtful = [] if on_its_way and not _telling(known) else leads[:_OFFERED]
    chosen = sure[0] if len(sure) == 1 else _asked(goal, event, sure or doubtful, secretary)
    if chosen is None:
        return task
    passed = [lead for lead in leads if lead is not chosen] if _telling(known) else []
    marks = [_led(chosen), *map(_passed, passed)]
    task = TaskState(**{**task, "considered": list(dict.fromkeys([*task["considered"], *marks]))})
    value = typed(chosen.value, tool.schema["properties"][parameter])
    return with_item(task, tool.name, {parameter: value}, source=event.event_id)


def _asked(goal: str, event: Event, leads: Sequence[Lead], secretary: Secretary) -> Lead | None:
    lines = list(dict.fromkeys(lead.sentence for lead in leads))
    options = [lead.value for lead in leads]
    choice = secretary.next(goal, subject_of(event.arguments or {}), lines, options) if leads else None
    return None if choice is None else leads[choice]


def _telling(keys: Collection[str]) -> bool:
    """Whether a mere mention of such a key tells something; people's names stand in any record."""
    return any(re.search(r"[\d/.]", key) for key in keys)


def _led(lead: Lead) -> str:
    return f"{_LED}{phrase_before(lead) or lead.value}"


def _passed(lead: Lead) -> str:
    return f"passed over {lead.value}"


def _namesakes(asked: str, named: Collection[str], said: str) -> set[str]:
    """Of several paths those that end like the one asked for and lie in a folder that was spoken of."""
    same = {path for path in named if path.endswith(f"/{asked}")}
    spoken_of = {path for path in same if path.removesuffix(asked) in said}
    return spoken_of or same


def moved(task: TaskState, event: Event, shapes: Sequence[ToolShape]) -> TaskState:
    """The task with the record that an error names in place of the one asked for.

    It names just one, or one of that very name in a folder that the task is about (``2025-07.md`` was asked for, and
    ``reports/harwick/2025-06.md`` is on the list).
    """
    tool = next((shape for shape in shapes if shape.name == event.action), None)
    parameter = key_parameter(tool) if tool else None
    if tool is None or parameter is None:
        return task
    known = {str(item["arguments"].get(parameter)) for item in task["items"] if item["action"] == tool.name}
    named = {value for group in find_groups(event.observation, [tool], known) for value in group.values}
    asked = str((event.arguments or {}).get(parameter, ""))
    if len(named) > 1:
        named = _namesakes(asked, named, "\n".join([*known, whole_goal(task)]))
    if len(named) != 1:
        return task
    value = typed(named.pop(), tool.schema["properties"][parameter])
    return with_item(task, tool.name, {parameter: value}, source=event.event_id)
