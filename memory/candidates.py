"""What recall may consider: the ledger's own legs, and what it knows about their candidates.

Every statement is built once for each shape of bounds and asked with their values: of a recall's time most would
otherwise go into building.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Integer, Select, and_, bindparam, select

from memory_secretary.memory.card_rows import links_to, related
from memory_secretary.memory.codec import from_micros, zone_of
from memory_secretary.memory.contradictions import CONTRADICTED_WEIGHT
from memory_secretary.memory.filters import (
    SHAPES_KEPT,
    Bounds,
    Shape,
    card_inside,
    event_inside,
    listed,
    off_the_branch,
)
from memory_secretary.memory.records import Kind, MemoryType, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import cards, events
from memory_secretary.memory.scoring import Traits, is_identity

_REFS = listed("refs")
_LIMIT = bindparam("limit", type_=Integer)


def traits_of(connection: Connection, bounds: Bounds, refs: Collection[str]) -> dict[str, Traits]:
    """What is known about those of ``refs`` that lie inside."""
    found = _events_of(connection, bounds, refs)
    return found | _cards_of(connection, bounds, [ref for ref in refs if ref not in found])


def _events_of(connection: Connection, bounds: Bounds, refs: Collection[str]) -> dict[str, Traits]:
    """What is known about the events among ``refs`` that lie inside."""
    if not refs or not bounds.shape.events:
        return {}
    values = bounds.values | {"refs": json.dumps(list(refs))}
    return {row[0]: _of_event(row) for row in connection.execute(_event_traits(bounds.shape), values).all()}


def _cards_of(connection: Connection, bounds: Bounds, refs: Collection[str]) -> dict[str, Traits]:
    """What is known about the cards among ``refs`` that lie inside."""
    if not refs or not bounds.shape.cards:
        return {}
    values = bounds.values | {"refs": json.dumps(list(refs))}
    rows = connection.execute(_card_traits(bounds.shape), values).all()
    links = links_to(connection, bounds.owner, [row[0] for row in rows]) if rows else {}
    return {row[0]: _of_card(row, links[row[0]]) for row in rows}


def newest(connection: Connection, bounds: Bounds, limit: int) -> list[str]:
    """The newest events inside, newest first."""
    if not bounds.shape.events:
        return []
    return list(connection.execute(_newest_events(bounds.shape), bounds.values | {"limit": limit}).scalars())


def newest_of_all(connection: Connection, bounds: Bounds, limit: int) -> list[str]:
    """The newest records of both kinds inside, newest first."""
    values = bounds.values | {"limit": limit}
    dated = [
        *connection.execute(_newest_cards(bounds.shape), values),
        *connection.execute(_newest_events(bounds.shape), values),
    ]
    return [row[0] for row in sorted(dated, key=lambda row: row[1], reverse=True)[:limit]]


def is_narrow(connection: Connection, bounds: Bounds) -> bool:
    """Whether many of the owner's records may lie outside: a head leaves none out while its thread has one branch."""
    if bounds.is_narrow or not bounds.shape.head:
        return bounds.is_narrow
    return connection.execute(off_the_branch(), bounds.values).first() is not None


def refs_inside(connection: Connection, bounds: Bounds, limit: int) -> list[str] | None:
    """Every record inside, or None when there are more than ``limit``."""
    values, found = bounds.values | {"limit": limit + 1}, list[str]()
    for query in _all_inside(bounds.shape):
        found += connection.execute(query, values).scalars()
    return None if len(found) > limit else found


def neighbours(connection: Connection, bounds: Bounds, refs: Collection[str]) -> dict[tuple[str, str], int]:
    """The events at most two steps before and after each of ``refs`` in its thread (and branch).

    Returns:
        How many steps lie between a hit and an event near it.
    """
    if not bounds.shape.events or not refs:
        return {}
    rows = connection.execute(_neighbours(bounds.shape), bounds.values | {"refs": json.dumps(list(refs))})
    return {
        (ref, other): step
        for ref, *others in rows
        for other, (_, step) in zip(others, _SIDES, strict=True)
        if other is not None
    }


def replaced(connection: Connection, owner: str, current: Collection[str]) -> dict[str, str]:
    """The events in which only former values of these cards were said, each with the card that came in their place.

    A former value is what a card names as replaced, or what it outweighs under the same attribute of the same subject.
    """
    values = {"of": owner, "refs": json.dumps(list(current))}
    outweighed = {row[0]: row[1] for row in connection.execute(_OUTWEIGHED, values)}
    current = set(current) - outweighed.keys()
    waiting, read = {ref: ref for ref in current} | outweighed, set[str]()
    found, still_true = dict[str, str](), set[str]()
    while waiting:
        read |= waiting.keys()
        former = dict[str, str]()
        for memory_id, supersedes, evidence in connection.execute(
            _GROUNDS, {"of": owner, "refs": json.dumps(list(waiting))}
        ):
            said_in = [event_id for event_id, _ in json.loads(evidence)]
            if memory_id in current:
                still_true.update(said_in)
            else:
                found |= dict.fromkeys(said_in, waiting[memory_id])
            former |= dict.fromkeys(json.loads(supersedes), waiting[memory_id])
        waiting = {ref: card for ref, card in former.items() if ref not in read}
    return {event_id: card for event_id, card in found.items() if event_id not in still_true}


def zones_of(connection: Connection, owner: str, refs: Collection[str]) -> dict[str, tzinfo]:
    """Where the speakers of these records were: an event's zone, a card's by the moment that it was written with."""
    values = {"of": owner, "refs": json.dumps(list(refs))}
    zones: dict[str, tzinfo] = {ref: ZoneInfo(zone) for ref, zone in connection.execute(_EVENT_ZONES, values)}
    written = connection.execute(_CARD_STAMPS, values)
    return zones | {ref: zone_of(stamp, from_micros(at)) for ref, stamp, at in written}


_GROUNDS = select(cards.c.memory_id, cards.c.supersedes, cards.c.evidence).where(
    cards.c.owner == bindparam("of"), cards.c.memory_id.in_(_REFS)
)
_FORMER = cards.alias("former")
_OUTWEIGHED = select(_FORMER.c.memory_id, cards.c.memory_id).where(
    cards.c.owner == bindparam("of"),
    cards.c.memory_id.in_(_REFS),
    and_(cards.c.subject != "", cards.c.attribute != "", cards.c.value != ""),
    cards.c.weight > CONTRADICTED_WEIGHT,
    _FORMER.c.owner == cards.c.owner,
    _FORMER.c.subject == cards.c.subject,
    _FORMER.c.attribute == cards.c.attribute,
    _FORMER.c.value != "",
    _FORMER.c.value != cards.c.value,
    _FORMER.c.status == Status.ACTIVE.value,
    _FORMER.c.weight <= CONTRADICTED_WEIGHT,
    _FORMER.c.at <= cards.c.at,
)
_EVENT_ZONES = select(events.c.event_id, events.c.zone).where(
    events.c.owner == bindparam("of"), events.c.event_id.in_(_REFS)
)
_CARD_STAMPS = select(cards.c.memory_id, cards.c.timestamp, cards.c.at).where(
    cards.c.owner == bindparam("of"), cards.c.memory_id.in_(_REFS)
)
_SIDES = (("before", 1), ("before", 2), ("after", 1), ("after", 2))
"""Of a hit in its thread, and how many steps away."""


@lru_cache(maxsize=SHAPES_KEPT)
def _event_traits(shape: Shape) -> Select[Any]:
    columns = events.c
    query = select(columns.event_id, columns.seq, columns.at, columns.thread, columns.actor)
    return query.where(columns.event_id.in_(_REFS), event_inside(shape))


@lru_cache(maxsize=SHAPES_KEPT)
def _card_traits(shape: Shape) -> Select[Any]:
    columns = cards.c
    query = select(
        columns.memory_id, columns.at, columns.tier, columns.thread, columns.type, columns.status, columns.weight,
        columns.kind, columns.valid_from, columns.valid_until, columns.attribute, columns.related_ids,
    )  # fmt: skip
    return query.where(columns.memory_id.in_(_REFS), card_inside(shape))


@lru_cache(maxsize=SHAPES_KEPT)
def _newest_events(shape: Shape) -> Select[Any]:
    """By the moment, of which there is an index; an order by position alone would sort all of an owner's events."""
    query = select(events.c.event_id, events.c.at).where(event_inside(shape))
    return query.order_by(events.c.at.desc(), events.c.seq.desc()).limit(_LIMIT)


@lru_cache(maxsize=SHAPES_KEPT)
def _newest_cards(shape: Shape) -> Select[Any]:
    query = select(cards.c.memory_id, cards.c.at).where(card_inside(shape))
    return query.order_by(cards.c.at.desc(), cards.c.memory_id).limit(_LIMIT)


@lru_cache(maxsize=SHAPES_KEPT)
def _all_inside(shape: Shape) -> tuple[Select[Any], Select[Any]]:
    of_events = select(events.c.event_id).where(event_inside(shape)).limit(_LIMIT)
    return of_events, select(cards.c.memory_id).where(card_inside(shape)).limit(_LIMIT)


@lru_cache(maxsize=SHAPES_KEPT)
def _neighbours(shape: Shape) -> Select[Any]:
    hit = events.alias("hit")
    beside = select(events.c.event_id).where(
        event_inside(shape), events.c.owner == hit.c.owner, events.c.thread == hit.c.thread
    )
    sides = {
        "before": beside.where(events.c.seq < hit.c.seq).order_by(events.c.seq.desc()),
        "after": beside.where(events.c.seq > hit.c.seq).order_by(events.c.seq),
    }
    near = [sides[side].limit(1).offset(step - 1).correlate(hit).scalar_subquery() for side, step in _SIDES]
    return select(hit.c.event_id, *near).where(hit.c.owner == bindparam("caller_owner"), hit.c.event_id.in_(_REFS))


def _of_event(row: Sequence[Any]) -> Traits:
    ref, seq, at, thread, actor = row
    return Traits(
        ref=ref,
        source="event",
        at=from_micros(at),
        tier=Tier.WORKING,
        thread=thread or None,
        seq=seq,
        own_words=actor in ("executor", "secretary"),
    )


def _of_card(row: Sequence[Any], links: list[str]) -> Traits:
    ref, at, tier, thread, kind, status, weight, said_as, valid_from, valid_until, attribute, named = row
    return Traits(
        ref=ref,
        source="card",
        at=from_micros(at),
        tier=Tier(tier),
        thread=thread or None,
        type=MemoryType(kind),
        status=Status(status),
        weight=weight,
        inference=said_as == Kind.INFERENCE,
        valid_from=None if valid_from is None else from_micros(valid_from),
        valid_until=None if valid_until is None else from_micros(valid_until),
        identity=is_identity(attribute),
        related=related(named, links),
    )
