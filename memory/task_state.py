"""The task state: what is wanted, done, open and known. Plain data, so that it lives in a checkpoint."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

ItemStatus = Literal["open", "done", "failed", "dropped"]


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


class TaskState(TypedDict):
    """The state of one task (the running one, or the last)."""

    task_id: str
    goal: str
    """The user's request, word for word."""
    goal_ref: str
    """The event that holds the request."""
    amendments: list[str]
    """Later words of the user on the same task, word for word."""
    constraints: list[str]
    """What the user forbade or demanded, quoted from the goal or an amendment."""
    fields: list[str]
    """What is to be noted from each record (the information state's fields)."""
    items: list[Item]
    values: list[KeyValue]
    considered: list[str]
    """Shapes of calls that the secretary has already judged (``read_file(notes/#.md)``)."""
    finished: bool


def new_task(*, task_id: str, goal: str, goal_ref: str) -> TaskState:
    """A task of which nothing is known but its goal."""
    return TaskState(
        task_id=task_id,
        goal=goal,
        goal_ref=goal_ref,
        amendments=[],
        constraints=[],
        fields=[],
        items=[],
        values=[],
        considered=[],
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
