"""Turns as the ledger would give them, for tests of what is made of them."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_secretary.memory.records import Event
from memory_secretary.memory.scope import Scope


def said(text: str, *, actor: str = "user", action: str = "request", ref: str = "evt_1") -> Event:
    """An event of ana's, on 3 May 2026."""
    return Event(
        event_id=ref, scope=Scope(user="ana", thread="t1"), parent=None, step=0, actor=actor, action=action, phase=None,
        thought="", arguments=None, observation=text, at=datetime(2026, 5, 3, tzinfo=UTC), zone="UTC", seq=1,
    )  # fmt: skip
