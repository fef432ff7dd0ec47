"""The task state: what is wanted, done, open and known. Plain data, so that it lives in a checkpoint."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

EACH, ONCE, NO = "each", "once", "no"
"""When a task wants a tool: for every record that meets a condition; once or twice at the end; not at all."""

ItemStatus = Literal["open", "done", "failed", "dropped", "aside"]
"""``aside``: of another month than the request's; it is taken up when the user asks for that one."""
Relation = Literal["over", "from", "under", "upto"]
"""On which side of a limit: more than it, it or more, less than it, it or less."""


class Item(TypedDict):
    """One thing to do: an exact call where the arguments are known, else a line of text."""

    id: str
    """``i1``, ``i2`` …, unique in the task."""
    text: str
    """One line for a reader."""
    action: str | None
    """The tool, when the call is known exactly."""
    arguments: dict[str, Any]
    status: ItemStatus
    source: str
    """The event that it was discovered in."""
    subject: str
    """The record that a call is about which changes something; empty for others."""
    evidence: str | None
    """The event that closed it."""
    result: str
    """What came of it, in the record's own words; empty while open."""
    step: int
    """The step that closed it; -1 while open."""
    tries: int
    """How often the call failed."""


class KeyValue(TypedDict):
    """One exact value copied from a record."""

    name: str
    """What it is a value of (a field of the task, in the goal's words)."""
    subject: str
    """Which record or thing it belongs to."""
    value: str
    """Word for word as it stands in the record."""
    ref: str
    """The event it stands in."""


class Told(TypedDict):
    """Words of the user from an earlier session that bear on the task."""

    text: str
    """Word for word, whole sentences."""
    ref: str
    """The event or the card that they stand in."""
    line: str
    """How a brief shows them; empty where the task does not speak of what they say."""


class Adjustment(TypedDict):
    """What the user's words change in what is computed from the values."""

    kind: Literal["without", "plus", "limit"]
    """Records that do not count; a number for the total; a limit to compare with."""
    field: str
    """The field that it is about; empty for every field."""
    subjects: list[str]
    """The records that do not count; of a limit, the one that it stands in, if it is no word of the user."""
    number: str
    """What is added (or, below zero, taken off), or the limit; plain decimal, empty for ``without``."""
    relation: Relation
    """Of a limit."""
    name: str
    """What lies on that side of the limit is called so; or empty."""
    said: str
    """The user's sentence, word for word."""


class TaskState(TypedDict):
    """The state of one task (the running one, or the last)."""

    task_id: str
    goal: str
    """The user's request, word for word."""
    goal_ref: str
    """The event that holds the request."""
    earlier_goal: str
    """The request that this one goes on with, word for word; empty where it stands alone."""
    amendments: list[str]
    """Later words of the user on the same task, word for word."""
    constraints: list[str]
    """What the user forbade or demanded, quoted from the goal or an amendment."""
    fields: list[str]
    """What is to be noted from each record (the information state's fields)."""
    items: list[Item]
    values: list[KeyValue]
    effects: dict[str, str]
    """When the task wants each tool that changes something: ``each``, ``once`` or ``no``."""
    closed: dict[str, str]
    """Records that the user wants left closed, each with the sentence that says so."""
    considered: list[str]
    """Shapes of calls that the secretary has already judged (``read_file(notes/#.md)``)."""
    told: list[Told]
    adjustments: list[Adjustment]
    states: dict[str, bool | None]
    """Whether each record is in the state that the goal asks about; None where its own words do not tell."""
    folded: dict[str, dict[str, str]]
    """Of ``items`` and ``values``, where a part was taken out that the ledger holds, and its name."""
    finished: bool


def new_task(*, task_id: str, goal: str, goal_ref: str) -> TaskState:
    """A task of which nothing is known but its goal."""
    return TaskState(
        task_id=task_id,
        goal=goal,
        goal_ref=goal_ref,
        earlier_goal="",
        amendments=[],
        constraints=[],
        fields=[],
        items=[],
        values=[],
        effects={},
        closed={},
        considered=[],
        told=[],
        adjustments=[],
        states={},
        folded={},
        finished=False,
    )


def open_items(state: TaskState) -> list[Item]:
    """The items that are still to be done, in the order of their discovery."""
    return [item for item in state["items"] if item["status"] == "open"]


def closed_items(state: TaskState) -> list[Item]:
    """The items that are done or failed, in the order of their discovery."""
    return [item for item in state["items"] if item["status"] in ("done", "failed")]


def whole_goal(state: TaskState) -> str:
    """The goal with all that the user added to it, word for word."""
    return "\n".join([state["goal"], *state["amendments"]])


def all_said(state: TaskState) -> str:
    """Whatever the user said that bears on the task: the whole goal, and words of earlier sessions."""
    return "\n".join([whole_goal(state), *(told["text"] for told in state["told"])])
