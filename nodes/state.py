"""The state that the nodes read and write: plain typed data, so that checkpoints, forks and Studio work."""

from __future__ import annotations

from itertools import accumulate
from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from memory_secretary.memory.records import TO_BE_REMEMBERED
from memory_secretary.memory.roles import Role
from memory_secretary.memory.task_state import TaskState
from memory_secretary.nodes.brakes import Brakes
from memory_secretary.nodes.brief import Newest
from memory_secretary.nodes.methods.apply import KnownMethod

KEPT_MESSAGES = 32
"""User turns and answers that stay in the state; older ones are in the ledger."""
KEPT_BYTES = 5_750
"""Bytes that they may have together, so that a checkpoint stays below 16 kB with all else that it holds."""
MESSAGE_BYTES = 170
"""Bytes that a message takes beside its text, at the least."""
_LEAST_MESSAGES = 2
"""The last question and its answer, however long."""

RunStatus = Literal["running", "done", "stopped", "needs_input"]
"""``needs_input``: a tool has asked the user something, and the thread waits for ``Command(resume=…)``; the question is
in LangGraph's ``__interrupt__``, and an answered run goes on as ``running``."""


class RecalledMemory(TypedDict):
    """One recalled memory: ``line`` is how the brief shows it, ``parts`` are what its score is made of.

    ``drawn``: it repeats what a tool said, which may be out of date or only a part.
    """

    ref: str
    source: str
    label: str
    line: str
    score: float
    parts: dict[str, float]
    drawn: NotRequired[bool]


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
    secretary_unreachable: int
    """Secretary calls that its server did not answer."""
    secretary_tokens: int
    """Of prompts and replies together."""
    secretary_reply_tokens: int
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
        secretary_unreachable=0,
        secretary_tokens=0,
        secretary_reply_tokens=0,
        repeats=0,
        seconds={},
    )


def spent_so_far(state: State) -> Figures:
    """What the run has cost so far; figures that an older checkpoint does not have yet are 0."""
    return Figures(**{**no_figures(), **(state.get("figures") or {})})  # type: ignore[typeddict-item]


def keep_turns(old: list[AnyMessage], new: list[AnyMessage]) -> list[AnyMessage]:
    """LangGraph's ``add_messages``, then the newest turns only, beginning with a user's.

    What is handed in now stays whole until it was taken up. A system message holds for the whole thread, so the newest
    one stays in front when it is older than the rest.
    """
    merged: list[AnyMessage] = add_messages(old, new)  # type: ignore[assignment, arg-type]
    left_out = _left_out(merged, len(new) if isinstance(new, list) else 1)
    if not left_out:
        return merged
    kept = merged[left_out:]
    first = next((n for n, message in enumerate(kept) if isinstance(message, HumanMessage)), 0)
    standing = [n for n, message in enumerate(merged) if isinstance(message, SystemMessage)][-1:]
    return [*(merged[n] for n in standing if n < left_out + first), *kept[first:]]


def _left_out(messages: list[AnyMessage], new: int) -> int:
    """How many of the oldest messages go, so that neither their number nor their text is too much."""
    most, least = max(KEPT_MESSAGES, new), max(_LEAST_MESSAGES, new)
    texts = (str(message.content).encode("utf-8", "replace") for message in reversed(messages))
    sizes = accumulate(MESSAGE_BYTES + len(text) for text in texts)
    stay = sum(n < most and (n < least or size <= KEPT_BYTES) for n, size in enumerate(sizes))
    return len(messages) - stay


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
        request: id of the last message that was taken up or given, so that a turn is taken up once.
        head: the newest event of this branch.
        step: decisions of the executor in this run, from 0.
        latest: the event of the newest result that the secretary has not yet read, or empty.
        recalled: what was recalled for this step.
        methods: how tasks of this kind are done, where that is known and switched on.
        injected: the cards that stood in the briefs of this run.
        newest: the digest of the newest result.
        sections: tokens of each section of the brief.
        next: the step that was decided.
        also: further calls of the reply that decided it, which come next.
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
    methods: list[KnownMethod]
    injected: list[str]
    newest: Newest | None
    sections: dict[str, int]
    next: Step | None
    also: list[Step]
    reminders: list[str]
    brakes: Brakes
    answer: str
    remaining_steps: RemainingSteps


def quoted(memory: RecalledMemory) -> str:
    """What a recalled memory says, as its line quotes it."""
    return memory["line"].partition(') "')[2].rpartition('"')[0]


def is_kept(memory: RecalledMemory) -> bool:
    """Whether a memory is a card of the user's matters, or what they asked to remember; a document's cards are none."""
    card = memory["source"] == "card" and memory["label"] != Role.DISTILLER
    return card or memory["label"] == TO_BE_REMEMBERED
