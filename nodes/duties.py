"""What a record makes necessary: calls that change something, for each record that meets the task's condition.

Code decides by the words that goal and record share; the secretary's model only copies what code cannot find. The call
is made of the record's own words and stands among the open items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.records import Event
from memory_secretary.memory.task_state import EACH, NO, ONCE, Item, TaskState, whole_goal
from memory_secretary.nodes.act_words import asks_for
from memory_secretary.nodes.call_arguments import (
    as_argument,
    cells_of,
    exact_parameters,
    known_arguments,
    money_lines,
    own_lines,
    subject_of,
)
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.candidates import ToolShape, key_parameter
from memory_secretary.nodes.conditions import condition_in, marks, statements
from memory_secretary.nodes.discovery import records_read, with_item
from memory_secretary.nodes.figures import figures_of, short_name, superlatives
from memory_secretary.nodes.forbidden import forbidden_tools
from memory_secretary.nodes.lateness import asks_for_late, is_late
from memory_secretary.nodes.naming import person_in, person_in_role, without_requests
from memory_secretary.nodes.pairing import paired
from memory_secretary.nodes.secretary import Secretary

_SEVERAL = re.compile(
    r"\b(?:each|every|all|any|whoever|whatever|everybody|everyone|those|people|some|among)\b|凡是|每|各|都|所有|全部|哪些|有些",
    re.IGNORECASE,
)
"""How a user speaks of several records."""
_SOUGHT = "duties sought in "
"""Stands among the considered shapes with the number of calls whose results were searched for duties."""


def with_effects(task: TaskState, shapes: Sequence[ToolShape]) -> TaskState:
    """The task with what is known of when each tool that changes something is wanted; each is judged once.

    A tool that the user's words ask for is wanted for each record that meets their condition, where they set one for
    several records; else once all is known.
    """
    barred = forbidden_tools(task["constraints"], [tool.name for tool in shapes])
    new = [tool for tool in shapes if not tool.read_only and tool.name not in {*task["effects"], *barred}]
    if not new:
        return task
    goal = whole_goal(task)
    once = bool(superlatives(goal) & {"high", "low"}) or not _SEVERAL.search(goal)
    judged = {tool.name: _when(goal, tool, shapes, once=once) for tool in new}
    return TaskState(**{**task, "effects": {**task["effects"], **judged}})


def _when(goal: str, tool: ToolShape, shapes: Sequence[ToolShape], *, once: bool) -> str:
    if not asks_for(goal, tool):
        return NO
    return ONCE if once or not condition_in(goal, tool, _said_of(shapes)).wanted else EACH


def _said_of(shapes: Sequence[ToolShape]) -> str:
    return " ".join(f"{shape.name} {shape.description}" for shape in shapes)


def with_closing_duties(
    task: TaskState, shapes: Sequence[ToolShape], secretary: Secretary, read: Callable[[str], Event]
) -> TaskState:
    """The task with the calls that are due once all is known.

    Those are for the highest or lowest records that the goal is after, or for each record that meets its condition.

    Args:
        task: the task, of which nothing is open.
        shapes: the user's tools.
        secretary: copies what code cannot find, and is told what nobody can decide.
        read: gives a recorded event.
    """
    keyed = {shape.name for shape in shapes if key_parameter(shape)}
    done = [item for item in task["items"] if item["status"] == "done" and item["evidence"] and item["action"] in keyed]
    mark = f"{_SOUGHT}{len(done)}"
    if not done or mark in task["considered"]:
        return task
    judged = with_effects(task, shapes)
    own_accord = {item["action"] for item in task["items"] if not item["subject"]}
    due = [tool for tool in shapes if judged["effects"].get(tool.name, NO) != NO and tool.name not in own_accord]
    if not due:
        return judged
    kept = [entry for entry in task["considered"] if not entry.startswith(_SOUGHT)]
    records = records_read(done, shapes, read)
    if not records:
        return TaskState(**{**task, "considered": [*kept, mark]})
    task = TaskState(**{**judged, "considered": [*kept, mark]})
    for tool in due:
        once, acted = task["effects"][tool.name] == ONCE, _acted_on(task, tool)
        if once and acted:
            continue
        subjects = _singled_out(task) if once else _meeting(task, records, tool, shapes, secretary)
        for subject in subjects:
            if subject in records and subject not in acted:
                task = _with_duty(task, records[subject], tool, secretary)
    return task


def _acted_on(task: TaskState, tool: ToolShape) -> set[str]:
    return {item["subject"] for item in task["items"] if item["action"] == tool.name}


def _meeting(
    task: TaskState, records: Mapping[str, Event], tool: ToolShape, shapes: Sequence[ToolShape], secretary: Secretary
) -> list[str]:
    """The records that meet the goal's condition for a tool; those of which nobody knows are told to the user."""
    goal, said_of = whole_goal(task), _said_of(shapes)
    condition = condition_in(goal, tool, said_of)
    told = {key: " ".join(statements(event.observation, key)).replace(key, " ") for key, event in records.items()}
    verdicts = {key: condition.met(marks(state, tool, said_of)) for key, state in told.items()}
    if asks_for_late(goal):
        verdicts = {key: is_late(told[key]) if met is None else met for key, met in verdicts.items()}
    if doubtful := [key for key, met in verdicts.items() if met is None]:
        names = ", ".join(doubtful)
        secretary.note(said(f"{tool.name}: not decided for {names}", f"{tool.name}：{names} 未能判断"))
    return [key for key, met in verdicts.items() if met]


def _singled_out(task: TaskState) -> list[str]:
    """The subjects of the highest and the lowest values, as far as the goal names such ones in so many words."""
    parts = [part for part in ("high", "low") if part in superlatives(whole_goal(task))]
    subjects = {short_name(value["subject"]): value["subject"] for value in task["values"]}
    figures = figures_of(task["values"], task["adjustments"])
    names = (figure.records_of(getattr(figure, part)) for figure in figures for part in parts)
    return list(dict.fromkeys(subjects.get(name, name) for name in names))


def _with_duty(task: TaskState, event: Event, tool: ToolShape, secretary: Secretary) -> TaskState:
    """The task with one more duty, if its arguments stand together in the record."""
    goal, read_by = whole_goal(task), event.arguments or {}
    subject = subject_of(read_by)
    lines = own_lines(event.observation, goal, subject)
    own = statements(event.observation, subject)
    person = person_in_role(event.observation, goal)
    person = person or person_in(without_requests(own), cells_of(event.observation))
    known = known_arguments(tool, read_by, [*lines, *money_lines(event.observation)], goal, person)
    call = call_text(tool.name, known)
    if not lines:
        return task
    told = [note["text"] for note in task["told"]]
    arguments = {**known, **_copied(tool, known, goal, subject, [*told, *(own or lines)], secretary)}
    missing = [name for name in exact_parameters(tool) if name not in arguments]
    source = "\n".join([subject, event.observation, goal, *told])
    missing += paired(arguments, [(event.event_id, source)]).missing
    if missing:
        names = ", ".join(missing)
        secretary.note(said(f"{call} is due, but its {names} was not found", f"应当执行 {call}，但没有找到 {names}"))
        return task
    return with_item(task, tool.name, arguments, source=event.event_id, subject=subject)


def _copied(
    tool: ToolShape, known: Mapping[str, Any], goal: str, subject: str, lines: Sequence[str], secretary: Secretary
) -> dict[str, Any]:
    """The exact arguments that code did not find, copied by the secretary's model and in the types they need."""
    found: dict[str, Any] = {}
    for name in exact_parameters(tool):
        if name not in known:
            value = as_argument(secretary.copy(goal, tool.name, name, subject, lines), tool.schema["properties"][name])
            if value not in (None, ""):
                found[name] = value
    return found


def about(item: Item, written: Mapping[str, Any]) -> dict[str, Any]:
    """A duty's whole arguments: its own, and the prose that the executor wrote, which names the record in any case."""
    full = {**written, **item["arguments"]}
    prose = [name for name, value in written.items() if name not in item["arguments"] and isinstance(value, str)]
    if prose and item["subject"] and not any(item["subject"] in str(value) for value in full.values()):
        full[prose[0]] = f"{item['subject']}: {full[prose[0]]}"
    return full
