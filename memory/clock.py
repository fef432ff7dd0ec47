"""Time and ids as things that are handed in, so that runs and tests can be repeated."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present moment as an aware datetime."""

IdSource = Callable[[], str]
"""Gives a fresh 32-digit hexadecimal id; later ids need not sort after earlier ones."""


def system_clock() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def random_id() -> str:
    """A fresh random id of 32 hexadecimal digits."""
    return uuid.uuid4().hex
