"""Ids by their beginning, so that a person need not type the whole of one."""

from __future__ import annotations

from sqlalchemy import func, select

from memory_secretary.memory.access import Caller, sees_card, sees_event
from memory_secretary.memory.database import Database
from memory_secretary.memory.schema import cards, events


def beginning_with(database: Database, caller: Caller, beginning: str, limit: int) -> list[str]:
    """Ids of cards and events that the caller may see and that begin so, in their order; at most ``limit`` of each."""
    kinds = ((cards.c.memory_id, sees_card(caller)), (events.c.event_id, sees_event(caller)))
    with database.read() as connection:
        return [
            str(found)
            for column, visible in kinds
            for found in connection.execute(
                select(column)
                .where(visible, func.substr(column, 1, len(beginning)) == beginning)
                .order_by(column)
                .limit(limit)
            ).scalars()
        ]
