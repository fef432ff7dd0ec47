"""What is stored: events (verbatim, append-only) and cards (atomic knowledge, versioned)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState


class Action(StrEnum):
    """The names of the package's own events; a tool call's event carries the tool's name instead."""

    REQUEST = "request"
    INSTRUCTION = "instruction"
    """A caller's system message."""
    THOUGHT = "thought"
    BRIEF = "brief"
    ANSWER = "answer"
    COMPLETION = "completion"


ASK = "ask"
READ_RECORD = "read_record"
RECORD_TOOLS = ("recall", READ_RECORD, ASK)
"""The tools that give records back: what they take is no item to discover, what they gave stands elsewhere already."""


class Phase(StrEnum):
    """A tool call is two events: what was about to be done, and what came of it."""

    INTENT = "intent"
    RESULT = "result"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The process died between intent and result: nobody knows whether it happened."""
    WAITING = "waiting"
    """The tool has asked the user something and has done nothing yet; its answer is followed by a new intent."""


REMEMBER = "remember"
"""The queue's reason of an explicit wish to remember; recall shows such an entry before it has become a card."""
TO_BE_REMEMBERED = "user, to be remembered"
"""Label of a recalled event that the user asked to keep and that is no card yet."""

_SHORT_REF = 12
"""``evt_`` and eight digits: enough to name a record among millions of one user, at a third of the tokens."""


def short_ref(ref: str) -> str:
    """An id as prompts show it; reading takes it like the whole one, as long as only one begins so."""
    return ref[:_SHORT_REF] if ref.startswith("evt_") else ref


def is_short(ref: str) -> bool:
    """Whether an event's id was shortened by :func:`short_ref` (or less)."""
    return _SHORT_REF <= len(ref) < len("evt_") + 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One verbatim thing that happened.

    Attributes:
        event_id: ``evt_`` and a 32-digit hexadecimal id.
        scope: whose it is, and in which thread.
        parent: the event before it on the same branch, or None.
        step: the run's step counter, from 0.
        actor: who did it: ``user``, ``executor``, ``secretary`` or ``tool``.
        action: an :class:`Action`, or the tool's name.
        phase: for tool calls, a :class:`Phase`.
        thought: the executor's reason, word for word.
        arguments: the tool's arguments: JSON data, which may hold moments and days.
        observation: the full text that came back or was said.
        at: aware moment, UTC.
        zone: the speaker's IANA time zone.
        seq: position in the ledger; later events have larger numbers.
    """

    event_id: str
    scope: Scope
    parent: str | None
    step: int
    actor: str
    action: str
    phase: Phase | None
    thought: str
    arguments: dict[str, Any] | None
    observation: str
    at: datetime
    zone: str
    seq: int


class MemoryType(StrEnum):
    """Kinds of cards; ``user_preference`` is read as ``preference``."""

    PREFERENCE = "preference"
    FACT = "fact"
    RULE = "rule"
    CONSTRAINT = "constraint"
    EPISODE = "episode"
    METHOD = "method"

    @classmethod
    def _missing_(cls, value: object) -> MemoryType | None:
        return cls.PREFERENCE if value == "user_preference" else None


class Status(StrEnum):
    """Only active cards are injected."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"


class Kind(StrEnum):
    """A fact stands in its evidence; an inference was concluded from one and ranks below it."""

    FACT = "fact"
    INFERENCE = "inference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where a card's content stands, word for word."""

    event_id: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCard:
    """One atomic piece of knowledge. Nothing is overwritten: a change is a new version.

    The first eight fields are those of the public card format; ``timestamp`` keeps its original text.
    ``weight`` and ``confidence`` lie in 0..1. ``valid_from`` and ``valid_until`` are aware UTC moments.
    """

    memory_id: str
    type: MemoryType
    content: str
    source_agent: str
    related_ids: tuple[str, ...] = ()
    timestamp: str
    status: Status = Status.ACTIVE
    access_level: str | tuple[str, ...] = "all"
    version: int = 1
    tier: Tier = Tier.SHORT
    scope: Scope
    subject: str = ""
    attribute: str = ""
    value: str = ""
    applies_to: tuple[str, ...] = ()
    at: datetime
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    weight: float = 1.0
    confidence: float = 1.0
    supersedes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    kind: Kind = Kind.FACT
    about: str | None = None

    @property
    def is_learned_method(self) -> bool:
        """Whether it says how tasks were done, as a teacher learned it from them."""
        return self.type is MemoryType.METHOD and self.source_agent == Role.DISTILLER


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One hit of a recall.

    Attributes:
        ref: the event's or card's id.
        source: ``event`` or ``card``.
        text: what is injected (for an event, the passage that matched).
        score: 0..1, higher is better.
        parts: the named parts that ``score`` is made of.
        at: when it happened or was written, in the zone of who spoke.
        status: the card's status; ``active`` for events.
        type: the card's type, or None.
        start: offset of the passage in the event's observation, in characters.
        label: who said or did it: actor and action of an event, the source of a card.
        thread: the thread it belongs to, or None.
        echo: whether a model said it after a tool's text had come into its thread, and so may repeat that.
        days: which days its "tomorrow" and the like were: ``tomorrow = 2026-03-02``; empty without any.
    """

    ref: str
    source: str
    text: str
    score: float
    at: datetime
    status: str
    parts: dict[str, float] = field(default_factory=dict)
    type: str | None = None
    start: int = 0
    label: str = ""
    thread: str | None = None
    echo: bool = False
    days: str = ""

    @property
    def is_persons(self) -> bool:
        """Whether a person's words are told: "tomorrow" in a file is not counted from its reading."""
        return self.source == "card" or self.label == TO_BE_REMEMBERED or self.label.startswith("user ")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTask:
    """A task state as it stands in the ledger.

    Attributes:
        scope: whose it is, and in which thread.
        state: the task state.
        head: the newest event that the state takes account of, or None.
        step: the run's step counter when it was saved.
        at: when it was saved, UTC.
    """

    scope: Scope
    state: TaskState
    head: str | None
    step: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """Turns that wait to be precipitated into cards.

    Attributes:
        entry_id: position in the queue.
        scope: whose turns they are, and of which thread.
        event_ids: the turns.
        reason: why they were put on the queue, e.g. ``remember``, ``session_closed``, ``preference``.
        text: the user's words to be remembered, or empty.
        state: ``queued``, ``claimed`` or ``failed``.
        attempts: how often their precipitation was tried.
        note: why the last try failed, or empty.
        at: when they were put on the queue, UTC.
    """

    entry_id: int
    scope: Scope
    event_ids: tuple[str, ...]
    reason: str
    text: str
    state: str
    attempts: int
    note: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """An attempt that a role had no right to."""

    role: str
    wanted: str
    tier: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CardVersion:
    """One version of a card, with who wrote it and why."""

    card: MemoryCard
    role: str
    reason: str
    written_at: datetime
