"""Events and cards before they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_secretary.memory.records import Evidence, Kind, MemoryType, Phase
from memory_secretary.memory.roles import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDraft:
    """An event before it is written; the ledger adds id, moment and position."""

    actor: str
    action: str
    observation: str = ""
    arguments: dict[str, Any] | None = None
    thought: str = ""
    phase: Phase | None = None
    step: int = 0
    parent: str | None = None
    at: datetime | None = None
    zone: str | None = None
    idempotency_key: str | None = None
    queue_for: str | None = None
    """A reason to put this event on the precipitation queue in the same transaction, e.g. ``remember``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDraft:
    """A card before it is written; the ledger adds id, version and moment where they are missing."""

    content: str
    type: MemoryType = MemoryType.FACT
    tier: Tier = Tier.SHORT
    source_agent: str | None = None
    related_ids: Sequence[str] = ()
    access_level: str | Sequence[str] = "all"
    subject: str = ""
    attribute: str = ""
    value: str = ""
    applies_to: Sequence[str] = ()
    at: datetime | None = None
    zone: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    weight: float = 1.0
    confidence: float = 1.0
    supersedes: Sequence[str] = ()
    evidence: Sequence[Evidence] = ()
    kind: Kind = Kind.FACT
    about: str | None = None
    idempotency_key: str | None = None
