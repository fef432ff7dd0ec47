"""Which records are in the state that a request asks about (*which invoices are not paid yet?*), by their own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from memory_secretary.memory.records import Event
from memory_secretary.memory.task_state import KeyValue, TaskState, whole_goal
from memory_secretary.nodes.candidates import ToolShape, key_parameter
from memory_secretary.nodes.completion import asked_plainly, in_plain_words, of_completion, with_implied
from memory_secretary.nodes.conditions import marks, opposite, statements
from memory_secretary.nodes.discovery import records_read, subject_of
from memory_secretary.nodes.fields import asks_by_state, asks_for_values, asks_what_is_owed
from memory_secretary.nodes.figures import short_name
from memory_secretary.nodes.lateness import asks_for_late, is_late
from memory_secretary.nodes.measures import unit_after
from memory_secretary.nodes.mentions import asks_by_mention, meant_by_name
from memory_secretary.nodes.naming import Names
from memory_secretary.nodes.noting import values_in
from memory_secretary.nodes.passages import passages

_ASKED = re.compile(r"\b(?:which|who|whose|that)\b([^.?!。？！]*)|(?:哪|谁)([^。？！?!]*)", re.IGNORECASE)
_SOUGHT = "states of "
"""Stands among the considered shapes with the number of records whose states were looked at."""
AMOUNTS = ("amount", "金额")
"""What the noted amounts of such records are called."""
_LEFT = re.compile(
    r"\b(?:outstanding|remaining|still (?:open|due|owed|unpaid)|left to pay)\b|尚欠|还欠|未付|余款|尾款|剩余|还剩",
    re.IGNORECASE,
)
"""Says that an amount is left to be paid."""
_UNPAID = "Which are not paid yet?"
"""Asks for the same as what somebody owes."""
_SHORT = 1_500
"""Characters of a record that is about one thing, so that any line of it may say its state (*Not paid yet.*)."""
_LABEL = re.compile(r"^[^:：\n]{1,20}[:：]", re.MULTILINE)
"""付款期限： says nothing of whether it was paid."""
_CLAUSE = re.compile(r"[\n;；。，]|[,.]\s")
_NO_TOOL = ToolShape("", {}, True)
"""Nothing is done to the records, so no word is that of an act."""


def with_states(task: TaskState, shapes: Sequence[ToolShape], read: Callable[[str], Event]) -> TaskState:
    """The task with the records that are in the state it asks about and those that are not, as far as they say so.

    Args:
        task: the task, of which nothing is open.
        shapes: the user's tools.
        read: gives a recorded event.
    """
    goal = whole_goal(task)
    if not asks_by_state(goal) and (task["values"] or not asks_by_mention(goal)):
        return task
    keyed = {shape.name for shape in shapes if key_parameter(shape)}
    done = [item for item in task["items"] if item["status"] == "done" and item["evidence"] and item["action"] in keyed]
    records = records_read(done, shapes, read)
    mark = f"{_SOUGHT}{len(records)}"
    if not records or mark in task["considered"]:
        return task
    kept = [entry for entry in task["considered"] if not entry.startswith(_SOUGHT)]
    told = {subject: event.observation for subject, event in records.items()}
    states = _meant(goal, told)
    amounts = _amounts(goal, [records[name] for name, meets in states.items() if meets])
    values = [*(value for value in task["values"] if value["name"] not in AMOUNTS), *amounts]
    return TaskState(**{**task, "states": states, "values": values, "considered": [*kept, mark]})


def _meant(goal: str, told: Mapping[str, str]) -> dict[str, bool | None]:
    """Whether each record is in the state that a goal asks about, and has the name that it gives."""
    states = states_of(goal, told) if asks_by_state(goal) else {}
    if asks_by_state(goal) and asks_for_late(goal):
        late = {name: is_late(" ".join(statements(text, name))) for name, text in told.items()}
        states = {name: late[name] if (met := states.get(name)) is None else met for name in told}
        states = states if any(met is not None for met in states.values()) else {}
    by_name = meant_by_name(goal, told)
    if not states or not by_name:
        return states or {**by_name}
    return {name: meets if by_name[name] else False for name, meets in states.items()}


def _amounts(goal: str, records: Sequence[Event]) -> list[KeyValue]:
    """The one amount of each record that the goal asks about, if it asks for amounts and each of them has just one.

    Of a record with several, what is left of it counts (*415 euros, 200 of them outstanding*).
    """
    found = [due_in(event.observation) for event in records]
    if not asks_for_values(goal) or any(len(amounts) != 1 for amounts in found):
        return []
    name = AMOUNTS[re.search("[\u3400-\u9fff]", goal) is not None]
    return [
        KeyValue(name=name, subject=subject_of(event), value=amounts[0], ref=event.event_id)
        for event, amounts in zip(records, found, strict=True)
    ]


def due_in(text: str) -> list[str]:
    """The one amount that a text calls outstanding; where it calls none or several so, all of its amounts."""
    left = [amount for clause in _CLAUSE.split(text) if _LEFT.search(clause) for amount in amounts_in(clause)]
    return left if len(left) == 1 else amounts_in(text)


def amounts_in(text: str) -> list[str]:
    """The numbers of a text that have a common unit after them (``460 euros``), each once."""
    ends = ((number, number.start + len(number.text)) for number in values_in(text))
    found = (f"{number.text}{unit}" for number, end in ends if (unit := unit_after(text, end)))
    return list(dict.fromkeys(found))


def amounts_noted(task: TaskState) -> list[KeyValue]:
    """The noted amounts of the records that are in the state."""
    return [value for value in task["values"] if value["name"] in AMOUNTS and task["states"].get(value["subject"])]


def unnamed(task: TaskState, answer: str) -> list[str]:
    """The records in the state that an answer leaves out, by their short names; ``inv-102`` is named by *102* too.

    Args:
        task: with what was found out about its records.
        answer: what the executor is about to say.
    """
    said = _named(task, answer)
    wanted = (name for name, meets in task["states"].items() if meets and name not in said)
    return [short for short in map(short_name, wanted) if not _number_of(short, answer)]


def misnamed(task: TaskState, answer: str) -> list[str]:
    """The records that are not in the state and that an answer names all the same, by their short names.

    Args:
        task: with what was found out about its records.
        answer: what the executor is about to say.
    """
    said = _named(task, answer)
    return [short_name(name) for name, meets in task["states"].items() if meets is False and name in said]


def _named(task: TaskState, answer: str) -> set[str]:
    return {mention.subject for mention in Names(dict.fromkeys(task["states"], ())).known(answer)}


def _number_of(short: str, answer: str) -> bool:
    """Whether an answer has the number that a record's name ends with: *invoice 102*."""
    numbers = re.findall(r"\d{2,}", short)
    return bool(numbers) and re.search(rf"(?<!\d){numbers[-1]}(?!\d)", answer) is not None


def states_of(goal: str, records: Mapping[str, str]) -> dict[str, bool | None]:
    """Whether each record is in the state that a goal asks about, None where its words do not tell; empty if none do.

    Only words count that some record says of itself or denies, in these or like words (an *open* invoice is not paid);
    a record is in the state if it says all of them.

    Args:
        goal: the user's words.
        records: the text of each record, by its name.
    """
    question = _UNPAID if asks_what_is_owed(goal) else in_plain_words(goal)
    asked = frozenset[str]().union(*(marks(match[1] or match[2], _NO_TOOL) for match in _ASKED.finditer(question)))
    asked = asked_plainly(asked)
    said = {name: _said_of(text, name, asked) for name, text in records.items()}
    telling = {word for word in asked if any({word, opposite(word)} & own for own in said.values())}
    return {name: _met(telling, own) for name, own in said.items()} if telling else {}


def _said_of(record: str, name: str, asked: frozenset[str]) -> frozenset[str]:
    """The marks of a record and those that they imply; of all its lines where what it says of itself tells nothing."""
    text = in_plain_words(record)
    own = with_implied(marks(" ".join(statements(text, name)), _NO_TOOL), asked)
    if len(text) > _SHORT or any({word, opposite(word)} & own for word in asked):
        return own
    lines = (_LABEL.sub(" ", piece.text) for piece in passages(text)[1:])
    return own | with_implied(marks(" ".join(lines), _NO_TOOL) & of_completion(), asked)


def _met(asked: set[str], own: frozenset[str]) -> bool | None:
    if asked <= own:
        return True
    return False if {opposite(word) for word in asked} & own else None
