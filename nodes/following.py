"""Following a matter from record to record: each one says which is to be opened next, and only the newest knows."""

from __future__ import annotations

from collections.abc import Sequence

from memory_secretary.memory.records import Event
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.nodes.call_arguments import own_lines, subject_of
from memory_secretary.nodes.candidates import Group, ToolShape, find_groups, key_parameter, pattern_of
from memory_secretary.nodes.discovery import typed, with_item
from memory_secretary.nodes.passages import passages
from memory_secretary.nodes.secretary import Secretary

_LISTED = "listed"


def as_listed(task: TaskState, groups: Sequence[Group]) -> TaskState:
    """The task that knows: all records that these tools have to open stood in a listing."""
    marks = [f"{_LISTED} {group.tool}" for group in groups]
    return TaskState(**{**task, "considered": list(dict.fromkeys([*task["considered"], *marks]))})


def followed(task: TaskState, event: Event, shapes: Sequence[ToolShape], secretary: Secretary) -> TaskState:
    """The task with the record that the one just read leads to, where its records do not come from a listing.

    Args:
        task: the task.
        event: the record, as it was read.
        shapes: the user's tools.
        secretary: asked which of the records named there comes next; the goal may want none of them.
    """
    tool = next((shape for shape in shapes if shape.name == event.action), None)
    parameter = key_parameter(tool) if tool else None
    if tool is None or parameter is None or f"{_LISTED} {tool.name}" in task["considered"]:
        return task
    subject = subject_of(event.arguments or {})
    known = {str(item["arguments"].get(parameter)) for item in task["items"] if item["action"] == tool.name}
    groups = [group for group in find_groups(event.observation, [tool], known) if _alike(group, known)]
    options = [value for group in groups for value in group.values]
    if not options:
        return task
    lines = _naming(options, event.observation) or own_lines(event.observation, whole_goal(task), subject)
    choice = secretary.next(whole_goal(task), subject, lines, options)
    if choice is None:
        return task
    value = typed(options[choice], tool.schema["properties"][parameter])
    return with_item(task, tool.name, {parameter: value}, source=event.event_id)


def moved(task: TaskState, event: Event, shapes: Sequence[ToolShape]) -> TaskState:
    """The task with the record that an error names in place of the one asked for, where it names just one."""
    tool = next((shape for shape in shapes if shape.name == event.action), None)
    parameter = key_parameter(tool) if tool else None
    if tool is None or parameter is None:
        return task
    known = {str(item["arguments"].get(parameter)) for item in task["items"] if item["action"] == tool.name}
    named = {value for group in find_groups(event.observation, [tool], known) for value in group.values}
    if len(named) != 1:
        return task
    value = typed(named.pop(), tool.schema["properties"][parameter])
    return with_item(task, tool.name, {parameter: value}, source=event.event_id)


def _alike(group: Group, known: set[str]) -> bool:
    """Whether a group's values have the form of those that were opened already."""
    return group.pattern in {pattern_of(value) for value in known}


def _naming(options: Sequence[str], record: str) -> list[str]:
    """The lines of a record that name one of these, in its own order."""
    return [piece.text for piece in passages(record) if any(option in piece.text for option in options)]
