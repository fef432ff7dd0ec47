"""The precipitation queue's rows: turns that are forgotten leave it, and those that are restored wait on it again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, select

from memory_secretary.memory.codec import to_json
from memory_secretary.memory.records import REMEMBER
from memory_secretary.memory.schema import precipitation_queue

STRUCK = "forgotten"
"""The note of entries that were closed because their turns were forgotten."""


def strike_off_queue(connection: Connection, owner: str, refs: Collection[str]) -> None:
    """Take these events off the queue, with their words; the other events of an entry go on waiting."""
    for row in waiting_with(connection, owner, refs):
        _change(connection, row, refs, {"state": "done", "note": STRUCK, "text": ""})


def put_back_on_queue(connection: Connection, owner: str, words: Mapping[str, str]) -> None:
    """Let events that were struck off wait again for what they waited for; ``words`` has what each of them says."""
    for row in _entries(connection, owner, precipitation_queue.c.note == STRUCK, words):
        ref, *more = json.loads(row.event_ids)
        text = words[ref] if row.reason == REMEMBER and not more else ""
        _change(connection, row, words, {"state": "queued", "note": "", "text": text})


def waiting_with(connection: Connection, owner: str, refs: Collection[str]) -> list[Row[Any]]:
    """The queue's entries about any of these events."""
    return _entries(connection, owner, precipitation_queue.c.state != "done", refs)


def _entries(
    connection: Connection, owner: str, condition: ColumnElement[bool], refs: Collection[str]
) -> list[Row[Any]]:
    rows = connection.execute(select(precipitation_queue).where(precipitation_queue.c.owner == owner, condition)).all()
    return [row for row in rows if not set(refs).isdisjoint(json.loads(row.event_ids))]


def _change(connection: Connection, row: Row[Any], refs: Collection[str], changes: Mapping[str, Any]) -> None:
    """Change an entry; where it has other events, too, these of its events get the change as an entry of their own."""
    named = json.loads(row.event_ids)
    changed, others = [ref for ref in named if ref in refs], [ref for ref in named if ref not in refs]
    if others:
        split_off(connection, row, changed, changes)
        changes = {"event_ids": to_json(others), "text": ""}
    queue = precipitation_queue
    connection.execute(queue.update().where(queue.c.id == row.id).values(**changes))


def split_off(connection: Connection, row: Row[Any], left: Sequence[str], changes: Mapping[str, Any]) -> None:
    """Give these events of an entry one of their own, with ``changes``; the entry itself stays as it is."""
    key = key_of(row.thread, row.reason, left, row.text)
    same = and_(precipitation_queue.c.owner == row.owner, precipitation_queue.c.key == key)
    if connection.execute(precipitation_queue.update().where(same).values(**changes)).rowcount == 0:
        copy = {name: value for name, value in row._mapping.items() if name != "id"}
        connection.execute(
            precipitation_queue.insert(), {**copy, **changes, "key": key, "event_ids": to_json(list(left))}
        )


def key_of(thread: str, reason: str, event_ids: Sequence[str], text: str) -> str:
    """What tells an entry from all others of its owner: the same turns for the same reason stand on the queue once."""
    return hashlib.sha256(to_json([thread, reason, list(event_ids), text]).encode()).hexdigest()
