"""What recall may consider: the caller's filter as SQL, and the ledger's own legs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, exists, false, func, or_, select

from memory_secretary.memory.access import Caller, sees_card, sees_event, thread_of
from memory_secretary.memory.card_rows import read_cards
from memory_secretary.memory.codec import from_json, from_micros, to_micros
from memory_secretary.memory.events import on_branch
from memory_secretary.memory.forgetting import is_buried
from memory_secretary.memory.passages import PASSAGE_CHARS
from memory_secretary.memory.records import RECORD_TOOLS, Action, Kind, MemoryCard, MemoryType, Phase, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import cards, events, passages
from memory_secretary.memory.scoring import Traits, is_identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a recall is limited to.

    Attributes:
        tiers: where to look.
        types: card types; None for all, and for events, too.
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
        """Whether most of an owner's records may fall outside."""
        return any((self.thread, self.since, self.until, self.head is not None, self.types))


_NOT_SEARCHED = (Action.BRIEF.value, Action.COMPLETION.value, *RECORD_TOOLS)
_CONDITIONS_KEPT = 64
"""One recall needs the same condition four times, and building it costs more than asking."""


@lru_cache(maxsize=_CONDITIONS_KEPT)
def wanted_event(caller: Caller, wanted: Filter) -> ColumnElement[bool]:
    """Condition on ``events``: visible, searched, and inside the filter."""
    if not wanted.looks_at_events:
        return false()
    searched = and_(events.c.action.not_in(_NOT_SEARCHED), events.c.phase.is_distinct_from(Phase.INTENT.value))
    searched = and_(searched, ~is_buried(events.c.owner, events.c.event_id))
    conditions = [sees_event(caller), searched, *_inside(events.c, events.c.event_id, wanted)]
    if wanted.head is not None:
        conditions.append(on_branch(caller.owner, wanted.head, thread_of(caller.scope)))
    return and_(*conditions)


@lru_cache(maxsize=_CONDITIONS_KEPT)
def wanted_card(caller: Caller, wanted: Filter) -> ColumnElement[bool]:
    """Condition on ``cards``: visible and inside the filter."""
    conditions = [
        sees_card(caller),
        ~is_buried(cards.c.owner, cards.c.memory_id),
        cards.c.tier.in_([tier.value for tier in wanted.tiers]),
        cards.c.status.in_([status.value for status in wanted.statuses]),
        *_inside(cards.c, cards.c.memory_id, wanted),
    ]
    if wanted.types is not None:
        conditions.append(cards.c.type.in_([kind.value for kind in wanted.types]))
    return and_(*conditions)


def _inside(columns: Any, ref: ColumnElement[str], wanted: Filter) -> Iterable[ColumnElement[bool]]:
    if wanted.thread is not None:
        yield columns.thread == wanted.thread
    if wanted.since is not None:
        yield columns.at >= to_micros(wanted.since, "since")
    if wanted.until is not None:
        yield columns.at <= to_micros(wanted.until, "until")
    if wanted.exclude:
        yield ref.not_in(wanted.exclude)


def wanted_passage(caller: Caller, wanted: Filter) -> ColumnElement[bool]:
    """Condition on ``passages``: of a record that passes the filter."""
    of_event = exists().where(
        events.c.owner == passages.c.owner, events.c.event_id == passages.c.ref, wanted_event(caller, wanted)
    )
    of_card = exists().where(
        cards.c.owner == passages.c.owner, cards.c.memory_id == passages.c.ref, wanted_card(caller, wanted)
    )
    return or_(and_(passages.c.kind == "event", of_event), and_(passages.c.kind == "card", of_card))


def traits_of(connection: Connection, caller: Caller, wanted: Filter, refs: Collection[str]) -> dict[str, Traits]:
    """What is known about those of ``refs`` that pass the filter."""
    rows = connection.execute(_event_traits().where(events.c.event_id.in_(refs), wanted_event(caller, wanted)))
    found = {row.event_id: _of_event(row) for row in rows}
    query = select(cards).where(cards.c.memory_id.in_(refs), wanted_card(caller, wanted))
    for card in read_cards(connection, caller.owner, connection.execute(query).all()):
        found[card.memory_id] = of_card(card)
    return found


def newest(connection: Connection, caller: Caller, wanted: Filter, limit: int) -> list[str]:
    """The newest events that pass the filter, newest first."""
    query = select(events.c.event_id).where(wanted_event(caller, wanted)).order_by(events.c.seq.desc()).limit(limit)
    return list(connection.execute(query).scalars())


def newest_of_all(connection: Connection, caller: Caller, wanted: Filter, limit: int) -> list[str]:
    """The newest records of both kinds that pass the filter, newest first."""
    of_cards = select(cards.c.memory_id, cards.c.at).where(wanted_card(caller, wanted))
    of_events = select(events.c.event_id, events.c.at).where(wanted_event(caller, wanted))
    dated = [
        *connection.execute(of_cards.order_by(cards.c.at.desc(), cards.c.memory_id).limit(limit)),
        *connection.execute(of_events.order_by(events.c.at.desc(), events.c.seq.desc()).limit(limit)),
    ]
    return [row[0] for row in sorted(dated, key=lambda row: row[1], reverse=True)[:limit]]


def refs_inside(connection: Connection, caller: Caller, wanted: Filter, limit: int) -> list[str] | None:
    """Every record that passes the filter, or None when there are more than ``limit``."""
    of_events = select(events.c.event_id).where(wanted_event(caller, wanted)).limit(limit + 1)
    of_cards = select(cards.c.memory_id).where(wanted_card(caller, wanted)).limit(limit + 1)
    found = [*connection.execute(of_events).scalars(), *connection.execute(of_cards).scalars()]
    return None if len(found) > limit else found


def neighbours(
    connection: Connection, caller: Caller, wanted: Filter, refs: Collection[str]
) -> dict[tuple[str, str], int]:
    """The events at most two steps before and after each of ``refs`` in its thread (and branch).

    Returns:
        How many steps lie between a hit and an event near it.
    """
    if not wanted.looks_at_events or not refs:
        return {}
    hit = events.alias("hit")
    beside = select(events.c.event_id).where(
        wanted_event(caller, wanted), events.c.owner == hit.c.owner, events.c.thread == hit.c.thread
    )
    before = beside.where(events.c.seq < hit.c.seq).order_by(events.c.seq.desc()).limit(1).correlate(hit)
    after = beside.where(events.c.seq > hit.c.seq).order_by(events.c.seq).limit(1).correlate(hit)
    steps = [(side.offset(step - 1).scalar_subquery(), step) for side in (before, after) for step in (1, 2)]
    query = select(hit.c.event_id, *(near for near, _ in steps)).where(
        hit.c.owner == caller.owner, hit.c.event_id.in_(refs)
    )
    return {
        (ref, other): step
        for ref, *others in connection.execute(query)
        for other, (_, step) in zip(others, steps, strict=True)
        if other is not None
    }


def replaced(connection: Connection, owner: str, current: Collection[str]) -> dict[str, str]:
    """The events in which only former values of these cards were said, each with the card that came in their place."""
    waiting, read = {ref: ref for ref in current}, set[str]()
    found, still_true = dict[str, str](), set[str]()
    while waiting:
        read |= waiting.keys()
        former = dict[str, str]()
        query = select(cards.c.memory_id, cards.c.supersedes, cards.c.evidence)
        for row in connection.execute(query.where(cards.c.owner == owner, cards.c.memory_id.in_(waiting))):
            said_in = [event_id for event_id, _ in json.loads(row.evidence)]
            if row.memory_id in current:
                still_true.update(said_in)
            else:
                found |= dict.fromkeys(said_in, waiting[row.memory_id])
            former |= dict.fromkeys(json.loads(row.supersedes), waiting[row.memory_id])
        waiting = {ref: card for ref, card in former.items() if ref not in read}
    return {event_id: card for event_id, card in found.items() if event_id not in still_true}


def event_texts(connection: Connection, owner: str, places: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """What hits show of their events: the passage, or what was thought or called when nothing was said.

    Args:
        connection: an open transaction.
        owner: the isolation border.
        places: offset and length (0 for the usual one) of each event's passage.
    """
    if not places:
        return {}
    starts = case({ref: start + 1 for ref, (start, _) in places.items()}, value=events.c.event_id)
    lengths = case({ref: length or PASSAGE_CHARS for ref, (_, length) in places.items()}, value=events.c.event_id)
    said = func.substr(events.c.observation, starts, lengths)
    thought = func.substr(events.c.thought, 1, PASSAGE_CHARS)
    called = func.substr(events.c.arguments, 1, PASSAGE_CHARS)
    query = select(events.c.event_id, said, thought, called).where(
        events.c.owner == owner, events.c.event_id.in_(places)
    )
    return {ref: next((text for text in texts if text), "") for ref, *texts in connection.execute(query)}


def echoes(connection: Connection, owner: str, refs: Collection[str]) -> set[str]:
    """Those of ``refs`` that neither a user nor a tool said, after a tool's text had come into their thread."""
    before = events.alias("before")
    heard = exists().where(
        before.c.owner == events.c.owner,
        before.c.thread == events.c.thread,
        before.c.seq < events.c.seq,
        before.c.actor == "tool",
    )
    query = select(events.c.event_id).where(
        events.c.owner == owner, events.c.event_id.in_(refs), events.c.actor.not_in(("user", "tool")), heard
    )
    return set(connection.execute(query).scalars())


def card_texts(connection: Connection, owner: str, refs: Collection[str]) -> dict[str, str]:
    """The contents of cards."""
    query = select(cards.c.memory_id, cards.c.content).where(cards.c.owner == owner, cards.c.memory_id.in_(refs))
    return {row.memory_id: row.content for row in connection.execute(query)} if refs else {}


def zones_of(connection: Connection, owner: str, refs: Collection[str]) -> dict[str, tzinfo]:
    """Where the speakers of these records were: an event's zone, a card's by the moment that it was written with."""
    of_events = select(events.c.event_id, events.c.zone).where(events.c.owner == owner, events.c.event_id.in_(refs))
    of_cards = select(cards.c.memory_id, cards.c.timestamp, cards.c.at).where(
        cards.c.owner == owner, cards.c.memory_id.in_(refs)
    )
    zones: dict[str, tzinfo] = {ref: ZoneInfo(zone) for ref, zone in connection.execute(of_events)}
    return zones | {ref: _zone(stamp, from_micros(at)) for ref, stamp, at in connection.execute(of_cards)}


def _zone(stamp: str, at: datetime) -> tzinfo:
    """The offset of a moment's text; one without is the local time of ``at``."""
    written = datetime.fromisoformat(stamp)
    return written.tzinfo or timezone(written - at.replace(tzinfo=None))


def of_card(card: MemoryCard) -> Traits:
    """A card's traits."""
    return Traits(
        ref=card.memory_id,
        source="card",
        at=card.at,
        tier=card.tier,
        thread=card.scope.thread,
        label=card.source_agent,
        type=card.type,
        status=card.status,
        weight=card.weight,
        inference=card.kind is Kind.INFERENCE,
        valid_from=card.valid_from,
        valid_until=card.valid_until,
        identity=is_identity(card.attribute),
        related=card.related_ids,
    )


def _event_traits() -> Select[Any]:
    columns = events.c
    return select(
        columns.event_id, columns.seq, columns.at, columns.thread, columns.actor, columns.action, columns.arguments
    )


def _of_event(row: Row[Any]) -> Traits:
    arguments = ""
    if row.arguments is not None:
        values = from_json(row.arguments)
        arguments = ", ".join(f"{name}={value}" for name, value in values.items())[:80]
    label = f"{row.actor} {row.action}" + (f"({arguments})" if arguments else "")
    return Traits(
        ref=row.event_id,
        source="event",
        at=from_micros(row.at),
        tier=Tier.WORKING,
        thread=row.thread or None,
        label=label,
        seq=row.seq,
        own_words=row.actor in ("executor", "secretary"),
    )
