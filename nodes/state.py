"""The state that the nodes read and write: plain typed data, so that checkpoints, forks and Studio work."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from memory_secretary.memory.task_state import TaskState
from memory_secretary.nodes.brief import Newest
from memory_secretary.nodes.menu import Brakes

KEPT_MESSAGES = 40
"""User turns and answers that stay in the state; older ones are in the ledger."""

RunStatus = Literal["running", "done", "stopped", "needs_input"]


class RecalledMemory(TypedDict):
    """One recalled memory: ``line`` is how the brief shows it, ``parts`` are what its score is made of."""

    ref: str
    source: str
    label: str
    line: str
    score: float
    parts: dict[str, float]


class Step(TypedDict):
    """What the executor has decided: a tool call, the answer, or (with ``problem``) nothing usable."""

    thought: str
    action: str
    arguments: dict[str, Any]
    call_id: str
    item: str
    """The open item that it carries out, or empty."""
    problem: str
    carried: int
    """How many steps in a row, this one included, went on with a group without asking; 0 when the executor decided."""


class Figures(TypedDict):
    """What the run has cost so far; tokens as the servers reported them, seconds per node."""

    steps: int
    tool_calls: int
    prompt_tokens: int
    read_tokens: int
    """Prompt tokens that were not in the server's prompt cache."""
    reply_tokens: int
    largest_prompt: int
    secretary_calls: int
    secretary_tokens: int
    repeats: int
    seconds: dict[str, float]


def no_figures() -> Figures:
    """Nothing has been spent yet."""
    return Figures(
        steps=0,
        tool_calls=0,
        prompt_tokens=0,
        read_tokens=0,
        reply_tokens=0,
        largest_prompt=0,
        secretary_calls=0,
        secretary_tokens=0,
        repeats=0,
        seconds={},
    )


def keep_turns(old: list[AnyMessage], new: list[AnyMessage]) -> list[AnyMessage]:
    """LangGraph's ``add_messages``, then the newest turns only, beginning with a user's."""
    merged: list[AnyMessage] = add_messages(old, new)  # type: ignore[assignment, arg-type]
    if len(merged) <= KEPT_MESSAGES:
        return merged
    kept = merged[-KEPT_MESSAGES:]
    first = next((n for n, message in enumerate(kept) if isinstance(message, HumanMessage)), 0)
    return kept[first:]


class InputState(TypedDict):
    """What a caller hands in: new messages; none continues the thread's open task."""

    messages: Annotated[list[AnyMessage], keep_turns]


class OutputState(TypedDict, total=False):
    """What a caller gets back; ``messages`` ends with the answer."""

    messages: Annotated[list[AnyMessage], keep_turns]
    status: RunStatus
    stop_reason: str
    brief: str
    task_state: TaskState
    figures: Figures


class State(OutputState, total=False):
    """Everything that passes between the nodes.

    Attributes:
        request: id of the last user message that was taken up, so that a turn is taken up once.
        head: the newest event of this branch.
        step: decisions of the executor in this run, from 0.
        latest: the event of the newest result that the secretary has not yet read, or empty.
        recalled: what was recalled for this step.
        newest: the digest of the newest result.
        sections: tokens of each section of the brief.
        next: the step that was decided.
        reminders: what the coming step is to be reminded of.
        brakes: what earlier steps have earned.
        answer: the final answer once it was given.
        remaining_steps: how much of the caller's recursion limit is left.
    """

    request: str
    head: str
    step: int
    latest: str
    recalled: list[RecalledMemory]
    newest: Newest | None
    sections: dict[str, int]
    next: Step | None
    reminders: list[str]
    brakes: Brakes
    answer: str
    remaining_steps: RemainingSteps
