"""The verbatim record: events are appended, never changed, and read by reference."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Row, Select, String, and_, bindparam, func, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import (
    Caller,
    CallerShape,
    caller_values,
    demand_thread,
    event_rule,
    sees_event,
    shape_of,
    thread_of,
)
from memory_secretary.memory.clock import Clock, IdSource
from memory_secretary.memory.codec import (
    arguments_from_json,
    checked_zone,
    from_micros,
    key_digest,
    member,
    safe_arguments,
    safe_moment,
    safe_text,
    to_json,
    to_micros,
)
from memory_secretary.memory.database import Database
from memory_secretary.memory.documents import DocumentAction
from memory_secretary.memory.drafts import EventDraft
from memory_secretary.memory.errors import InvalidRecord, NotFound
from memory_secretary.memory.filters import branch, on_branch
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.indexing import Indexing, Prepared, prepare, touch
from memory_secretary.memory.passages import event_passages
from memory_secretary.memory.queue import put_on_queue
from memory_secretary.memory.records import Event, Phase, is_short
from memory_secretary.memory.roles import Right, Role, Tier
from memory_secretary.memory.schema import events
from memory_secretary.memory.scope import Scope

_PAGE = 200


class EventLog:
    """Appends and reads events of one ledger."""

    def __init__(
        self,
        database: Database,
        gate: Gate,
        indexing: Indexing,
        *,
        clock: Clock,
        new_id: IdSource,
        zone: str,
        personal: bool = False,
    ) -> None:
        self._personal = personal
        self._database = database
        self._gate = gate
        self._indexing = indexing
        self._clock = clock
        self._new_id = new_id
        self._zone = checked_zone(zone)

    def append(self, caller: Caller, draft: EventDraft) -> Event:
        """Write an event; with an idempotency key that was used before, return what was written then.

        Raises:
            AccessDenied: the caller may not record in the name of ``draft.actor``.
            InvalidRecord: a field cannot be stored; the sentence names it.
            NotFound: the parent is no event of this owner.
        """
        self._gate.demand_actor(caller, checks.text(draft.actor, "actor"))
        event = self._event(caller.scope, draft)
        prepared = prepare(event_passages(event))
        key = None if draft.idempotency_key is None else key_digest(draft.idempotency_key)
        with self._database.write() as connection:
            if key is not None:
                earlier = _by_key(connection, caller.owner, key)
                if earlier is not None:
                    return earlier
            _check_parent(connection, caller, event.parent)
            row = _to_row(event) | {"key": key}
            seq = connection.execute(_APPEND, row).scalar_one()
            self._indexed(connection, event, prepared)
            touch(connection, caller.owner, events=1, cards=int(draft.queue_for is not None))
            if draft.queue_for is not None:
                put_on_queue(
                    connection, caller.scope, [event.event_id], draft.queue_for, event.observation, to_micros(event.at)
                )
        return replace(event, seq=seq)

    def put_in(self, caller: Caller, event: Event) -> bool:
        """Take in an event from elsewhere with its own id and moment; returns whether it was new.

        Raises:
            AccessDenied: only the user may import.
        """
        if caller.role is not Role.USER:
            self._gate.refuse(caller, "import", Tier.WORKING)
        prepared = prepare(event_passages(event))
        with self._database.write() as connection:
            same = and_(events.c.owner == caller.owner, events.c.event_id == event.event_id)
            if connection.execute(select(events.c.seq).where(same)).first() is not None:
                return False
            connection.execute(events.insert(), _to_row(event))
            self._indexed(connection, event, prepared)
            touch(connection, caller.owner, events=1)
        return True

    def _indexed(self, connection: Connection, event: Event, prepared: Prepared) -> None:
        """Take an event into the indexes, or what it withdraws out of them."""
        owner = event.scope.owner
        if event.action == DocumentAction.WITHDRAWN and event.parent:
            self._indexing.changed(connection, owner, Tier.WORKING, event.parent, [])
        self._indexing.added(connection, owner, Tier.WORKING, prepared)

    def get(self, caller: Caller, event_id: str) -> Event:
        """One event.

        Raises:
            NotFound: there is none that the caller may see.
        """
        return from_row(self._row(caller, _WHOLE, event_id))

    def require(self, caller: Caller, event_id: str) -> None:
        """Pass when there is such an event that the caller may see.

        Raises:
            NotFound: otherwise.
        """
        self._row(caller, _NUMBER, event_id)

    def read(self, caller: Caller, event_id: str, start: int, length: int, *, head: str | None = None) -> str:
        """Characters ``start`` to ``start + length`` of an event's observation, exactly as it came.

        Raises:
            InvalidRecord: ``start`` or ``length`` counts no characters.
            NotFound: there is no such event that the caller may see; with ``head``, not on its branch of its thread.
        """
        checks.whole(start, "start")
        checks.whole(length, "length")
        query = _PIECE if checks.optional_text(head, "head") is None else _PIECE_OF_BRANCH
        place = {"first": start + 1, "length": length, "wanted_head": head}
        return str(self._row(caller, query, event_id, place)[0])

    def of_thread(self, caller: Caller, *, head: str | None, limit: int | None) -> list[Event]:
        """The newest events of the caller's thread, oldest first; with ``head`` only its branch.

        Raises:
            NotFound: ``head`` is no event of this thread.
        """
        self._gate.demand(caller, Right.READ, Tier.WORKING)
        if limit is not None:
            checks.whole(limit, "limit")
        demand_thread(caller)
        shape, values = (
            shape_of(caller),
            caller_values(caller) | {"limit": -1 if limit is None else limit, "wanted_head": head},
        )
        with self._database.read() as connection:
            if head is not None:
                about = values | {"event_id": checks.text(head, "head")}
                if connection.execute(_visible(_OF_THREAD, shape, short=False), about).first() is None:
                    raise _not_found(head)
            rows = connection.execute(_newest(shape, on_line=head is not None), values).all()
        return [from_row(row) for row in reversed(rows)]

    def everything(self, caller: Caller) -> Iterator[Event]:
        """Every event that the caller may see, oldest first, a few at a time.

        Raises:
            AccessDenied: the role may not read working memory.
        """
        self._gate.demand(caller, Right.READ, Tier.WORKING)
        last = 0
        while True:
            page = select(events).where(sees_event(caller), events.c.seq > last).order_by(events.c.seq).limit(_PAGE)
            with self._database.read() as connection:
                rows = connection.execute(page).all()
            if not rows:
                return
            yield from map(from_row, rows)
            last = rows[-1].seq

    def many(self, owner: str, event_ids: Collection[str]) -> list[Event]:
        """The events of an owner with these ids, for the vector index."""
        with self._database.read() as connection:
            return events_of(connection, owner, event_ids)

    def newest_of(self, scope: Scope) -> str | None:
        """The id of the newest event of a thread, or None."""
        query = (
            select(events.c.event_id)
            .where(events.c.owner == scope.owner, events.c.thread == thread_of(scope))
            .order_by(events.c.seq.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            return connection.execute(query).scalar()

    def _row(
        self, caller: Caller, query: Select[Any], event_id: str, place: Mapping[str, Any] = MappingProxyType({})
    ) -> Row[Any]:
        self._gate.demand(caller, Right.READ, Tier.WORKING)
        demand_thread(caller)
        short = is_short(checks.text(event_id, "event_id"))
        values = {**caller_values(caller), **place, "event_id": _beginning(event_id) if short else event_id}
        with self._database.read() as connection:
            rows = connection.execute(_visible(query, shape_of(caller), short=short), values).all()
            hidden = not rows and connection.execute(_owned(query, short=short), values).first()
        if hidden:
            self._gate.log(caller, "read another thread's event", Tier.WORKING)
        if len(rows) != 1:
            raise _not_found(event_id)
        return rows[0]

    def _event(self, scope: Scope, draft: EventDraft) -> Event:
        at = self._clock() if draft.at is None else draft.at
        moment = safe_moment(at)
        return Event(
            event_id=f"evt_{self._new_id()}",
            scope=scope,
            parent=checks.optional_text(draft.parent, "parent"),
            step=checks.whole(draft.step, "step"),
            actor=draft.actor,
            action=_named(draft.action, "action"),
            phase=None if draft.phase is None else member(Phase, draft.phase, "phase"),
            thought=safe_text(draft.thought, "thought", personal=self._personal),
            arguments=safe_arguments(draft.arguments, personal=self._personal),
            observation=safe_text(draft.observation, "observation", personal=self._personal),
            at=moment,
            zone=checked_zone(draft.zone or getattr(at.tzinfo, "key", None) or self._zone),
            seq=0,
        )


def events_of(connection: Connection, owner: str, event_ids: Collection[str]) -> list[Event]:
    """The events of an owner with these ids, inside the caller's transaction."""
    query = select(events).where(events.c.owner == owner, events.c.event_id.in_(event_ids))
    return [from_row(row) for row in connection.execute(query)]


def from_row(row: Row[Any]) -> Event:
    """An event as it stands in the table."""
    return Event(
        event_id=row.event_id,
        scope=Scope(user=row.user, team=row.team, agent=row.agent, thread=row.thread or None),
        parent=row.parent,
        step=row.step,
        actor=row.actor,
        action=row.action,
        phase=None if row.phase is None else Phase(row.phase),
        thought=row.thought,
        arguments=None if row.arguments is None else arguments_from_json(row.arguments),
        observation=row.observation,
        at=from_micros(row.at),
        zone=row.zone,
        seq=row.seq,
    )


def _to_row(event: Event) -> dict[str, Any]:
    scope = event.scope
    return {
        "event_id": event.event_id, "owner": scope.owner, "user": scope.user, "team": scope.team,
        "agent": scope.agent, "thread": thread_of(scope), "parent": event.parent, "step": event.step,
        "actor": event.actor, "action": event.action, "phase": event.phase, "thought": event.thought,
        "arguments": None if event.arguments is None else to_json(event.arguments),
        "observation": event.observation, "at": to_micros(event.at), "zone": event.zone,
    }  # fmt: skip


def _named(value: str, name: str) -> str:
    text = safe_text(value, name)
    if not text.strip():
        msg = f"{name} is empty: say what was done, e.g. 'request' or the tool's name"
        raise InvalidRecord(msg, zh=f"{name} 是空的：请说明做了什么，例如 'request' 或工具名")
    return text


def _by_key(connection: Connection, owner: str, key: str) -> Event | None:
    row = connection.execute(_BY_KEY, {"caller_owner": owner, "with_key": key}).one_or_none()
    return None if row is None else from_row(row)


def _check_parent(connection: Connection, caller: Caller, parent: str | None) -> None:
    if parent is not None:
        values = {"caller_owner": caller.owner, "event_id": parent}
        if connection.execute(_owned(_NUMBER, short=False), values).first() is None:
            raise _not_found(parent)


# Statements are built once and asked with values: of the time of a look-up by id most would go into building.
_OWNER, _HEAD, _THREAD, _ID = (
    bindparam(name, type_=String) for name in ("caller_owner", "wanted_head", "caller_thread", "event_id")
)
_APPEND = events.insert().returning(events.c.seq)
_BY_KEY = select(events).where(events.c.owner == _OWNER, events.c.key == bindparam("with_key"))
_WHOLE = select(events)
_NUMBER = select(events.c.seq)
_OF_THREAD = _NUMBER.where(events.c.thread == _THREAD)
_PIECE = select(func.substr(events.c.observation, bindparam("first"), bindparam("length")))
_PIECE_OF_BRANCH = _PIECE.where(on_branch(_OWNER, _HEAD, _THREAD))


@lru_cache(maxsize=64)
def _visible(query: Select[Any], shape: CallerShape, *, short: bool) -> Select[Any]:
    """What ``query`` takes of the event with this id, if the caller may see it; of two, if a short one fits several."""
    return query.where(event_rule(shape), _same(short=short)).limit(2)


@lru_cache(maxsize=16)
def _owned(query: Select[Any], *, short: bool) -> Select[Any]:
    """The same for whoever is inside the border."""
    return query.where(events.c.owner == _OWNER, _same(short=short)).limit(1)


def _same(*, short: bool) -> ColumnElement[bool]:
    return events.c.event_id.like(_ID, escape="/") if short else events.c.event_id == _ID


def _beginning(short: str) -> str:
    """The pattern of the ids that begin so."""
    return re.sub("[/%_]", r"/\g<0>", short) + "%"


@lru_cache(maxsize=16)
def _newest(shape: CallerShape, *, on_line: bool) -> Select[Any]:
    """The newest events of a thread, newest first; ``on_line`` only the head's and its ancestors."""
    query = select(events).where(event_rule(shape), events.c.thread == _THREAD)
    if on_line:
        query = query.where(events.c.event_id.in_(select(branch(_OWNER, _HEAD).c.event_id)))
    return query.order_by(events.c.seq.desc()).limit(bindparam("limit", type_=Integer))


def _not_found(event_id: str) -> NotFound:
    return NotFound(
        f"no event {event_id!r} in this scope: take an id that a search of the memory shows",
        zh=f"此范围内没有事件 {event_id!r}：请用记忆的搜索所显示的编号",
    )
