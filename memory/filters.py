"""What a search may consider: a caller's rights and a filter as SQL, built once for each shape, the values apart.

Building a condition takes longer than asking it, and the values (the head above all) change with every step of a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, String, and_, bindparam, column, exists, false, func, or_, select

from memory_secretary.memory.access import (
    Caller,
    CallerShape,
    caller_values,
    card_rule,
    demand_thread,
    event_rule,
    shape_of,
)
from memory_secretary.memory.codec import to_micros
from memory_secretary.memory.documents import NOTES, is_withdrawn
from memory_secretary.memory.forgetting import is_buried
from memory_secretary.memory.records import RECORD_TOOLS, Action, MemoryType, Phase, Status
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.schema import cards, events, passages

_NOT_SEARCHED = (Action.BRIEF.value, Action.COMPLETION.value, *RECORD_TOOLS, *sorted(NOTES))
SHAPES_KEPT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a recall is limited to.

    Attributes:
        tiers: where to look.
        types: card types; None for all but learned methods, and for events, too.
        statuses: of cards.
        thread: only this thread, or None for all of the owner's.
        since: nothing older than this moment.
        until: nothing newer than this moment.
        head: of this event's thread only its ancestors; empty: nothing of the caller's thread.
        exclude: ids that are known already.
    """

    tiers: frozenset[Tier]
    types: frozenset[MemoryType] | None = None
    statuses: frozenset[Status] = frozenset({Status.ACTIVE})
    thread: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    head: str | None = None
    exclude: frozenset[str] = frozenset()

    @property
    def looks_at_events(self) -> bool:
        """Whether events can be among the hits."""
        return Tier.WORKING in self.tiers and self.types is None

    @property
    def is_narrow(self) -> bool:
        """Whether most of an owner's records may fall outside, whatever the head."""
        return any((self.thread, self.since, self.until, self.types))


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides how the conditions look."""

    caller: CallerShape
    events: bool
    tiers: frozenset[Tier]
    statuses: frozenset[Status]
    types: frozenset[MemoryType] | None
    thread: bool
    since: bool
    until: bool
    head: bool
    exclude: bool

    @property
    def cards(self) -> bool:
        """Whether cards can be inside; none lies in the working tier."""
        return bool(self.tiers - {Tier.WORKING})


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one caller may see and one filter lets through.

    Attributes:
        owner: the isolation border.
        shape: of the conditions :func:`event_inside`, :func:`card_inside` and :func:`passage_inside`.
        values: what those conditions, and whatever is built on them, have to be asked with.
        is_narrow: whether most of the owner's records may lie outside, whatever the head.
    """

    owner: str
    shape: Shape
    values: dict[str, Any]
    is_narrow: bool


def bounds_of(caller: Caller, wanted: Filter) -> Bounds:
    """The rights of ``caller`` and the filter ``wanted`` in one.

    Raises:
        InvalidRecord: a moment has no time zone.
        ScopeError: an executor's scope names no thread.
    """
    if wanted.looks_at_events:
        demand_thread(caller)
    shape = Shape(
        caller=shape_of(caller),
        events=wanted.looks_at_events,
        tiers=wanted.tiers,
        statuses=wanted.statuses,
        types=wanted.types,
        thread=wanted.thread is not None,
        since=wanted.since is not None,
        until=wanted.until is not None,
        head=wanted.head is not None,
        exclude=bool(wanted.exclude),
    )
    values = caller_values(caller) | {
        "wanted_thread": wanted.thread,
        "wanted_since": None if wanted.since is None else to_micros(wanted.since, "since"),
        "wanted_until": None if wanted.until is None else to_micros(wanted.until, "until"),
        "wanted_head": wanted.head,
        "known_refs": json.dumps(list(wanted.exclude)),
    }
    return Bounds(caller.owner, shape, values, wanted.is_narrow or shape.caller.executor)


@lru_cache(maxsize=SHAPES_KEPT)
def event_inside(shape: Shape) -> ColumnElement[bool]:
    """Condition on ``events``: visible, searched, and inside the filter."""
    if not shape.events:
        return false()
    conditions = [
        event_rule(shape.caller),
        *(events.c.action != action for action in _NOT_SEARCHED),
        events.c.phase.is_distinct_from(Phase.INTENT.value),
        ~is_buried(events.c.owner, events.c.event_id),
        ~is_withdrawn(events.c.owner, events.c.event_id),
        *_inside(events.c, events.c.event_id, shape),
    ]
    if shape.head:
        conditions.append(on_branch(*_GIVEN_HEAD))
    return and_(*conditions)


@lru_cache(maxsize=1)
def off_the_branch() -> Select[tuple[str]]:
    """One event that the given head leaves out, where there is any."""
    thread, ancestors = _line(*_GIVEN_HEAD)
    left_out = and_(events.c.owner == _GIVEN_HEAD[0], events.c.thread == thread, events.c.event_id.not_in(ancestors))
    return select(events.c.event_id).where(left_out).limit(1)


@lru_cache(maxsize=SHAPES_KEPT)
def card_inside(shape: Shape) -> ColumnElement[bool]:
    """Condition on ``cards``: visible and inside the filter."""
    if not shape.cards:
        return false()
    conditions = [
        card_rule(shape.caller),
        ~is_buried(cards.c.owner, cards.c.memory_id),
        _one_of(cards.c.tier, shape.tiers),
        _one_of(cards.c.status, shape.statuses),
        *_inside(cards.c, cards.c.memory_id, shape),
    ]
    if shape.types is None:
        conditions.append(~_IS_LEARNED_METHOD)
    else:
        conditions.append(_one_of(cards.c.type, shape.types))
    return and_(*conditions)


_IS_LEARNED_METHOD = and_(cards.c.type == MemoryType.METHOD.value, cards.c.source_agent == Role.DISTILLER.value)
"""How tasks are done answers no question about the user or the world; it comes only where methods are asked for."""


def _inside(columns: Any, ref: ColumnElement[str], shape: Shape) -> Iterable[ColumnElement[bool]]:
    if shape.thread:
        yield columns.thread == bindparam("wanted_thread")
    if shape.since:
        yield columns.at >= bindparam("wanted_since")
    if shape.until:
        yield columns.at <= bindparam("wanted_until")
    if shape.exclude:
        yield ref.not_in(listed("known_refs"))


def _one_of(column: ColumnElement[str], words: Iterable[str]) -> ColumnElement[bool]:
    return or_(false(), *(column == str(word) for word in sorted(words)))


def listed(name: str) -> Select[tuple[str]]:
    """The texts of the parameter ``name``, a JSON list: the statement stays the same however many there are."""
    return select(func.json_each(bindparam(name, type_=String)).table_valued(column("value", String)).c.value)


@lru_cache(maxsize=SHAPES_KEPT)
def passage_inside(shape: Shape) -> ColumnElement[bool]:
    """Condition on ``passages``: of a record that is inside."""
    of_event = exists().where(
        events.c.owner == passages.c.owner, events.c.event_id == passages.c.ref, event_inside(shape)
    )
    of_card = exists().where(cards.c.owner == passages.c.owner, cards.c.memory_id == passages.c.ref, card_inside(shape))
    mine = passages.c.owner == bindparam("caller_owner")
    return and_(mine, or_(and_(passages.c.kind == "event", of_event), and_(passages.c.kind == "card", of_card)))


def branch(owner: Any, head: Any) -> CTE:
    """The ids of ``head`` and its ancestors, as a recursive query with the column ``event_id``."""
    newest, older = events.alias("newest_of_line"), events.alias("older_of_line")
    start = select(newest.c.event_id, newest.c.parent).where(newest.c.owner == owner, newest.c.event_id == head)
    line = start.cte("line", recursive=True)
    return line.union(
        select(older.c.event_id, older.c.parent).where(older.c.owner == owner, older.c.event_id == line.c.parent)
    )


def on_branch(owner: Any, head: Any, thread: Any) -> ColumnElement[bool]:
    """Condition on ``events``: of the head's thread only its ancestors; other threads are not concerned.

    With an empty head it is ``thread`` of which nothing is seen.

    Args:
        owner: the isolation border, or the parameter that will give it; so with the others.
        head: an event's id, or empty.
        thread: the caller's.
    """
    of_head, ancestors = _line(owner, head, thread)
    return or_(events.c.thread != of_head, events.c.event_id.in_(ancestors))


def _line(owner: Any, head: Any, thread: Any) -> tuple[ColumnElement[str], Select[tuple[str]]]:
    """The thread that a head is about, and the ids of the head and its ancestors."""
    heads = events.alias("head_of_line")
    of_head = select(heads.c.thread).where(heads.c.owner == owner, heads.c.event_id == head).scalar_subquery()
    return func.coalesce(of_head, thread), select(branch(owner, head).c.event_id)


_GIVEN_HEAD = tuple(bindparam(name, type_=String) for name in ("caller_owner", "wanted_head", "caller_thread"))
