"""How a moment is shown: in the zone of the setting, else where it was said; never in UTC without saying so."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from memory_secretary.memory.codec import checked_zone, in_zone


def set_zone() -> str:
    """The zone that ``MEMORY_SECRETARY_ZONE`` names; empty where it names none.

    Raises:
        InvalidRecord: there is no such zone.
    """
    named = os.environ.get("MEMORY_SECRETARY_ZONE", "").strip()
    return checked_zone(named) if named else ""


def speakers_zone() -> str:
    """The zone of who speaks to the command line: the one that is set, else UTC."""
    return set_zone() or "UTC"


def day(at: datetime, own: tzinfo) -> str:
    """The day: ``2026-03-01``.

    Args:
        at: the moment (aware).
        own: the zone that is known of what is shown.
    """
    return _shown(at, own).date().isoformat()


def minute(at: datetime, own: tzinfo = UTC) -> str:
    """The minute, with its distance from UTC: ``2026-03-01 09:30+08:00``."""
    return _shown(at, own).isoformat(" ", "minutes")


def _shown(at: datetime, own: tzinfo) -> datetime:
    named = set_zone()
    return in_zone(at, ZoneInfo(named) if named else own)
