"""Who may see what, written down a second time in plain Python, to hold the memory against."""

from __future__ import annotations

from typing import Any

from memory_secretary.memory import MemoryCard, Role
from memory_secretary.memory.access import Caller
from memory_secretary.memory.records import Event

READS: dict[str, set[str]] = {
    "executor": {"working"}, "secretary": {"working", "short", "long"}, "retriever": {"working", "short", "long"},
    "precipitator": {"working", "short"}, "consolidator": {"short", "long"}, "distiller": {"long"},
    "inspector": {"working", "short", "long"}, "user": {"working", "short", "long"},
}  # fmt: skip


def may_see(caller: Caller, card: MemoryCard) -> bool:
    """The access levels once more, in plain Python."""
    me, writer = caller.scope, card.scope
    if (me.team, me.user if me.team is None else None) != (writer.team, writer.user if writer.team is None else None):
        return False
    if caller.role is Role.USER and me.team is None and me.agent is None:
        return True
    if card.access_level == "private":
        return (me.user, me.agent) == (writer.user, writer.agent)
    if isinstance(card.access_level, tuple):
        return me.agent in card.access_level or caller.role.value in card.access_level
    return True


def is_own(caller: Caller, record: Any) -> bool:
    if isinstance(record, MemoryCard):
        return may_see(caller, record)
    return isinstance(record, Event) and record.scope.owner == caller.owner
