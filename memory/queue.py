"""The precipitation queue: turns that wait to become cards. Nothing leaves it without a trace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, or_, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller, thread_of
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.codec import from_micros, safe_text, to_json, to_micros
from memory_secretary.memory.database import Database
from memory_secretary.memory.errors import InvalidRecord, NotFound
from memory_secretary.memory.gate import QUEUE_READERS, QUEUE_WORKERS, QUEUE_WRITERS, Gate
from memory_secretary.memory.indexing import touch
from memory_secretary.memory.queue_entries import STRUCK, key_of, split_off
from memory_secretary.memory.records import Pending
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import events, precipitation_queue, tombstones
from memory_secretary.memory.scope import Scope

CLAIM_SECONDS = 900
"""An entry whose worker has not reported after this time is free again: its process has died."""


class PrecipitationQueue:
    """Entries of one ledger, worked off by whoever holds the precipitator's view."""

    def __init__(self, database: Database, gate: Gate, *, clock: Clock, personal: bool = False) -> None:
        self._personal = personal
        self._database = database
        self._gate = gate
        self._clock = clock

    def enqueue(self, caller: Caller, event_ids: Sequence[str], reason: str, text: str = "") -> Pending:
        """Put turns on the queue; the same turns for the same reason stand on it once.

        Raises:
            AccessDenied: the caller's role has no business with the queue.
            InvalidRecord: neither events nor text were given, or an event is not of this owner.
        """
        self._gate.demand_member(caller, QUEUE_WRITERS, "write the queue", Tier.WORKING)
        words = safe_text(text, "text", personal=self._personal)
        with self._database.write() as connection:
            _check_events(connection, caller.owner, checks.texts(event_ids, "event_ids"))
            key = put_on_queue(connection, caller.scope, event_ids, reason, words, to_micros(self._clock()))
            touch(connection, caller.owner, cards=1)
            return _pending(connection.execute(_entry(caller.owner, precipitation_queue.c.key == key)).one())

    def pending(self, caller: Caller, *, reason: str | None = None) -> list[Pending]:
        """What still waits, oldest first.

        Raises:
            AccessDenied: the caller's role has no business with the queue.
        """
        self._gate.demand_member(caller, QUEUE_READERS, "read the queue", Tier.WORKING)
        waiting = precipitation_queue.c.state != "done"
        if reason is not None:
            waiting = and_(waiting, precipitation_queue.c.reason == reason)
        with self._database.read() as connection:
            rows = connection.execute(_entry(caller.owner, waiting).order_by(precipitation_queue.c.id)).all()
        return [_pending(row) for row in rows]

    def covered(self, caller: Caller, reason: str | None) -> set[str]:
        """The events that were ever put on the queue for a reason (None: any), done or not, and the forgotten ones.

        For any reason, those of the caller's thread only.
        """
        self._gate.demand_member(caller, QUEUE_READERS, "read the queue", Tier.WORKING)
        queue = precipitation_queue
        of_it = queue.c.thread == thread_of(caller.scope) if reason is None else queue.c.reason == reason
        entries = _entry(caller.owner, of_it)
        gone = select(tombstones.c.memory_id).where(tombstones.c.owner == caller.owner)
        with self._database.read() as connection:
            put = {event_id for row in connection.execute(entries) for event_id in json.loads(row.event_ids)}
            return put | set(connection.execute(gone).scalars())

    def claim(self, caller: Caller, limit: int = 1) -> list[Pending]:
        """Take the oldest free entries; no other worker gets them until they are reported or the claim runs out."""
        self._gate.demand_member(caller, QUEUE_WORKERS, "work off the queue", Tier.SHORT)
        now = to_micros(self._clock())
        queue = precipitation_queue
        free = or_(
            queue.c.state == "queued",
            and_(queue.c.state == "claimed", queue.c.claimed_at < now - CLAIM_SECONDS * 1_000_000),
        )
        with self._database.write() as connection:
            ids = [row.id for row in connection.execute(_entry(caller.owner, free).order_by(queue.c.id).limit(limit))]
            connection.execute(
                queue.update()
                .where(queue.c.id.in_(ids))
                .values(state="claimed", claimed_at=now, attempts=queue.c.attempts + 1)
            )
            rows = connection.execute(_entry(caller.owner, queue.c.id.in_(ids)).order_by(queue.c.id)).all()
        return [_pending(row) for row in rows]

    def precipitated(self, caller: Caller, event_ids: Sequence[str]) -> set[str]:
        """Those of the events that were precipitated, under whatever reason."""
        self._gate.demand_member(caller, QUEUE_READERS, "read the queue", Tier.WORKING)
        wanted, queue = set(checks.texts(event_ids, "event_ids")), precipitation_queue
        done = select(queue.c.event_ids).where(
            queue.c.owner == caller.owner, queue.c.state == "done", queue.c.note != STRUCK
        )
        with self._database.read() as connection:
            return wanted & {event_id for named in connection.execute(done).scalars() for event_id in json.loads(named)}

    def settle(self, caller: Caller, entry_id: int, note: str = "") -> None:
        """Report an entry as precipitated; the note says what came of it."""
        self._report(caller, entry_id, state="done", note=safe_text(note, "note"))

    def fail(self, caller: Caller, entry_id: int, note: str, left: Sequence[str] | None = None) -> None:
        """Report that an entry could not be precipitated; it stays pending with the reason.

        With ``left`` only these of its events stay pending, as an entry of their own; the others are done.
        """
        self._report(caller, entry_id, state="failed", note=safe_text(note, "note"), left=left)

    def put_back(self, caller: Caller, entry_id: int, left: Sequence[str] | None = None) -> None:
        """Let an entry, or only those of its events that are ``left``, wait on as if it had not been claimed."""
        self._report(caller, entry_id, state="queued", note="", left=left)

    def retry(self, caller: Caller) -> int:
        """Free the failed entries for another try; returns how many."""
        self._gate.demand_member(caller, QUEUE_WORKERS, "work off the queue", Tier.SHORT)
        queue = precipitation_queue
        with self._database.write() as connection:
            failed = and_(queue.c.owner == caller.owner, queue.c.state == "failed")
            return connection.execute(queue.update().where(failed).values(state="queued")).rowcount

    def _report(
        self, caller: Caller, entry_id: int, *, state: str, note: str, left: Sequence[str] | None = None
    ) -> None:
        self._gate.demand_member(caller, QUEUE_WORKERS, "work off the queue", Tier.SHORT)
        queue = precipitation_queue
        with self._database.write() as connection:
            entry = and_(queue.c.owner == caller.owner, queue.c.id == entry_id)
            row = connection.execute(select(queue).where(entry)).one_or_none()
            if row is None:
                msg = f"no queue entry {entry_id} in this scope: use an id that claim() gave"
                raise NotFound(msg, zh=f"此范围内没有队列项 {entry_id}：请用 claim() 给出的编号")
            named: list[str] = json.loads(row.event_ids)
            rest = named if left is None else [event_id for event_id in named if event_id in set(left)]
            attempts = max(0, row.attempts - 1) if state == "queued" else row.attempts
            changes: dict[str, Any] = {"state": state, "note": note, "attempts": attempts}
            if rest != named:
                split_off(connection, row, rest, changes)
                finished = [event_id for event_id in named if event_id not in rest]
                changes = {"state": "done", "note": "", "event_ids": to_json(finished)}
            connection.execute(queue.update().where(entry).values(changes))
            touch(connection, caller.owner, cards=1)


def waiting_of(connection: Connection, caller: Caller, reason: str, limit: int) -> list[Pending]:
    """The newest entries that wait for a reason and are the caller's own person's, oldest first.

    The caller's role has to be one of ``QUEUE_READERS``.
    """
    values = {"of": caller.owner, "why": reason, "who": caller.scope.user, "limit": limit}
    return [_pending(row) for row in reversed(connection.execute(_WAITING_OF, values).all())]


_WAITING_OF = (
    select(precipitation_queue)
    .where(
        precipitation_queue.c.owner == bindparam("of"),
        precipitation_queue.c.state != "done",
        precipitation_queue.c.reason == bindparam("why"),
        precipitation_queue.c.user.is_not_distinct_from(bindparam("who")),
    )
    .order_by(precipitation_queue.c.id.desc())
    .limit(bindparam("limit"))
)


def put_on_queue(
    connection: Connection, scope: Scope, event_ids: Sequence[str], reason: str, text: str, at: int
) -> str:
    """Add an entry inside the caller's transaction, unless it stands on the queue already; returns its key."""
    if not event_ids and not text.strip():
        msg = "nothing to put on the queue: give event_ids or text"
        raise InvalidRecord(msg, zh="没有可放入队列的内容：请给出 event_ids 或 text")
    key = key_of(thread_of(scope), reason, event_ids, text)
    known = _entry(scope.owner, precipitation_queue.c.key == key)
    if connection.execute(known).first() is None:
        row = {
            "owner": scope.owner, "user": scope.user, "team": scope.team, "agent": scope.agent,
            "thread": thread_of(scope), "key": key, "event_ids": to_json(list(event_ids)), "reason": reason,
            "text": text, "state": "queued", "attempts": 0, "note": "", "at": at,
        }  # fmt: skip
        connection.execute(precipitation_queue.insert(), row)
    return key


def _entry(owner: str, condition: ColumnElement[bool]) -> Any:
    return select(precipitation_queue).where(precipitation_queue.c.owner == owner, condition)


def _check_events(connection: Connection, owner: str, event_ids: Sequence[str]) -> None:
    known = select(events.c.event_id).where(events.c.owner == owner, events.c.event_id.in_(event_ids))
    missing = set(event_ids) - set(connection.execute(known).scalars())
    if missing:
        msg = f"no event {min(missing)!r} in this scope: use ids that record() gave"
        raise InvalidRecord(msg, zh=f"此范围内没有事件 {min(missing)!r}：请用 record() 给出的编号")


def _pending(row: Row[Any]) -> Pending:
    return Pending(
        entry_id=row.id,
        scope=Scope(user=row.user, team=row.team, agent=row.agent, thread=row.thread or None),
        event_ids=tuple(json.loads(row.event_ids)),
        reason=row.reason,
        text=row.text,
        state=row.state,
        attempts=row.attempts,
        note=row.note,
        at=from_micros(row.at),
    )
