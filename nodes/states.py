"""Which records are in the state that a request asks about (*which invoices are not paid yet?*), by their own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from memory_secretary.memory.records import Event
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.nodes.candidates import ToolShape, key_parameter
from memory_secretary.nodes.conditions import marks, opposite, statements
from memory_secretary.nodes.discovery import records_read
from memory_secretary.nodes.fields import asks_by_state

_ASKED = re.compile(r"\b(?:which|who|whose|that)\b([^.?!。？！]*)|(?:哪|谁)([^。？！?!]*)", re.IGNORECASE)
_SOUGHT = "states of "
"""Stands among the considered shapes with the number of records whose states were looked at."""
_NO_TOOL = ToolShape("", {}, True)
"""Nothing is done to the records, so no word is that of an act."""


def with_states(task: TaskState, shapes: Sequence[ToolShape], read: Callable[[str], Event]) -> TaskState:
    """The task with the records that are in the state it asks about and those that are not, as far as they say so.

    Args:
        task: the task, of which nothing is open.
        shapes: the user's tools.
        read: gives a recorded event.
    """
    if not asks_by_state(whole_goal(task)):
        return task
    keyed = {shape.name for shape in shapes if key_parameter(shape)}
    done = [item for item in task["items"] if item["status"] == "done" and item["evidence"] and item["action"] in keyed]
    records = records_read(done, shapes, read)
    mark = f"{_SOUGHT}{len(records)}"
    if not records or mark in task["considered"]:
        return task
    kept = [entry for entry in task["considered"] if not entry.startswith(_SOUGHT)]
    told = {subject: event.observation for subject, event in records.items()}
    return TaskState(**{**task, "states": states_of(whole_goal(task), told), "considered": [*kept, mark]})


def states_of(goal: str, records: Mapping[str, str]) -> dict[str, bool]:
    """Whether each record is in the state that a goal asks about; those whose words do not tell are left out.

    Only words count that some record says of itself or denies; a record is in the state if it says all of them.

    Args:
        goal: the user's words.
        records: the text of each record, by its name.
    """
    asked = frozenset[str]().union(*(marks(match[1] or match[2], _NO_TOOL) for match in _ASKED.finditer(goal)))
    said = {name: marks(" ".join(statements(text, name)), _NO_TOOL) for name, text in records.items()}
    telling = {word for word in asked if any({word, opposite(word)} & own for own in said.values())}
    return {name: telling <= own for name, own in said.items() if telling and _tells(telling, own)}


def _tells(asked: set[str], own: frozenset[str]) -> bool:
    """Whether a record says that it is in the state, or that it is not."""
    return asked <= own or bool({opposite(word) for word in asked} & own)
