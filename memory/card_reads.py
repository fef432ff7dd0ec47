"""Cards as they are read: what the caller's rights let through, the present ones and their earlier versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, bindparam, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller, CallerShape, caller_values, card_rule, sees_card, shape_of
from memory_secretary.memory.card_format import card_from_json
from memory_secretary.memory.card_rows import read_cards
from memory_secretary.memory.codec import checked_zone, from_micros, member
from memory_secretary.memory.database import Database
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.records import CardVersion, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import READS, Right, Tier
from memory_secretary.memory.schema import card_versions, cards


class CardReads:
    """Reads the cards of one ledger."""

    def __init__(self, database: Database, gate: Gate, *, zone: str) -> None:
        self._database = database
        self._gate = gate
        self._zone = checked_zone(zone)

    def get(self, caller: Caller, memory_id: str) -> MemoryCard:
        """One card, whatever its status.

        Raises:
            AccessDenied: the role may not read the card's tier.
            NotFound: there is no such card that the caller may see.
        """
        with self._database.read() as connection:
            found = _seen(connection, caller, checks.text(memory_id, "memory_id"))
            hidden = None if found else _tier_of(connection, caller.owner, memory_id)
        if hidden is not None:
            self._gate.log(caller, "read a card that its access level keeps from it", hidden)
        card = _one(found, memory_id)
        self._gate.demand(caller, Right.READ, card.tier)
        return card

    def listed(
        self,
        caller: Caller,
        *,
        types: Collection[MemoryType] | None = None,
        tiers: Collection[Tier] | None = None,
        statuses: Collection[Status] = (Status.ACTIVE,),
        limit: int | None = None,
    ) -> list[MemoryCard]:
        """Cards that the caller may see, newest first.

        Raises:
            AccessDenied: a tier was asked for that the role may not read.
        """
        tiers = (
            READS[caller.role]
            if tiers is None
            else [member(Tier, tier, "tiers") for tier in checks.texts(tiers, "tiers")]
        )
        for tier in tiers:
            self._gate.demand(caller, Right.READ, tier)
        kinds = (
            None
            if types is None
            else frozenset(member(MemoryType, kind, "types") for kind in checks.texts(types, "types"))
        )
        query = _listed(shape_of(caller), frozenset(tiers), frozenset(statuses), kinds)
        most = -1 if limit is None else checks.whole(limit, "limit")
        with self._database.read() as connection:
            rows = connection.execute(query, caller_values(caller) | {"limit": most}).all()
            return read_cards(connection, caller.owner, rows)

    def page(
        self, caller: Caller, after: str, size: int, *, tiers: Collection[Tier], statuses: Collection[Status]
    ) -> list[MemoryCard]:
        """The next ``size`` cards in the order of their ids, which no writing changes, after the id ``after``.

        Raises:
            AccessDenied: a tier was asked for that the role may not read.
        """
        for tier in tiers:
            self._gate.demand(caller, Right.READ, tier)
        wanted = and_(
            sees_card(caller),
            cards.c.tier.in_(tiers),
            cards.c.status.in_(statuses),
            cards.c.memory_id > after,
        )
        query = select(cards).where(wanted).order_by(cards.c.memory_id).limit(checks.whole(size, "size", least=1))
        with self._database.read() as connection:
            return read_cards(connection, caller.owner, connection.execute(query).all())

    def with_ids(self, owner: str, memory_ids: Collection[str]) -> list[MemoryCard]:
        """The cards of an owner with these ids, for the vector index."""
        query = select(cards).where(cards.c.owner == owner, cards.c.memory_id.in_(memory_ids))
        with self._database.read() as connection:
            return read_cards(connection, owner, connection.execute(query).all())

    def history(self, caller: Caller, memory_id: str) -> list[CardVersion]:
        """Every version of a card, oldest first, with who wrote it and why.

        Raises:
            AccessDenied: the role may not read the card's tier.
            NotFound: there is no such card that the caller may see.
        """
        self.get(caller, memory_id)
        query = (
            select(card_versions)
            .where(card_versions.c.owner == caller.owner, card_versions.c.memory_id == memory_id)
            .order_by(card_versions.c.version)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [
            CardVersion(
                card=card_from_json(json.loads(row.card), caller.scope, self._zone),
                role=row.role,
                reason=row.reason,
                written_at=from_micros(row.written_at),
            )
            for row in rows
        ]


@lru_cache(maxsize=64)
def _listed(
    shape: CallerShape, tiers: frozenset[Tier], statuses: frozenset[Status], types: frozenset[MemoryType] | None
) -> Select[Any]:
    """The cards that such a caller may see, newest first; built once, since a run lists them at every step."""
    query = select(cards).where(card_rule(shape), cards.c.tier.in_(tiers), cards.c.status.in_(statuses))
    if types is not None:
        query = query.where(cards.c.type.in_(types))
    return query.order_by(cards.c.at.desc(), cards.c.memory_id).limit(bindparam("limit", type_=Integer))


def matching(
    connection: Connection, caller: Caller, condition: ColumnElement[bool], limit: int | None
) -> list[MemoryCard]:
    """The cards that fulfil ``condition``, newest first; the condition says whose they are."""
    query = select(cards).where(condition).order_by(cards.c.at.desc(), cards.c.memory_id).limit(limit)
    return read_cards(connection, caller.owner, connection.execute(query).all())


def current(connection: Connection, caller: Caller, memory_id: str) -> MemoryCard:
    """A card as it stands now.

    Raises:
        NotFound: there is none that the caller may see.
    """
    return _one(_seen(connection, caller, memory_id), memory_id)


def _seen(connection: Connection, caller: Caller, memory_id: str) -> list[MemoryCard]:
    return matching(connection, caller, and_(sees_card(caller), cards.c.memory_id == memory_id), None)


def _one(found: Sequence[MemoryCard], memory_id: str) -> MemoryCard:
    if not found and memory_id.startswith("evt_"):
        msg = f"{memory_id!r} is a turn and no card: take forget_turn(), restore_turn() or read() for turns"
        raise NotFound(msg, zh=f"{memory_id!r} 是一条对话而不是卡片：对话请用 forget_turn()、restore_turn() 或 read()")
    if not found:
        msg = f"no card {memory_id!r} in this scope: take an id that `memory-secretary memory list` or `search` shows"
        raise NotFound(
            msg, zh=f"此范围内没有卡片 {memory_id!r}：请用 `memory-secretary memory list` 或 `search` 所显示的编号"
        )
    return found[0]


def _tier_of(connection: Connection, owner: str, memory_id: str) -> Tier | None:
    """Where a card lies that may be there, whoever may see it."""
    query = select(cards.c.tier).where(cards.c.owner == owner, cards.c.memory_id == memory_id)
    tier = connection.execute(query).scalar()
    return None if tier is None else Tier(tier)


def written(connection: Connection, caller: Caller, memory_id: str) -> MemoryCard:
    """What the caller has just written, though it may be meant for other agents' eyes only."""
    mine = and_(cards.c.owner == caller.owner, cards.c.memory_id == memory_id)
    return matching(connection, caller, mine, None)[0]


def version_of(connection: Connection, caller: Caller, memory_id: str, version: int, zone: str) -> MemoryCard:
    """A card as an earlier version had it.

    Raises:
        NotFound: there is no such version.
    """
    query = select(card_versions.c.card).where(
        card_versions.c.owner == caller.owner,
        card_versions.c.memory_id == memory_id,
        card_versions.c.version == version,
    )
    stored = connection.execute(query).scalar()
    if stored is None:
        msg = f"{memory_id} has no version {version}: history() lists those it has"
        raise NotFound(msg, zh=f"{memory_id} 没有版本 {version}：可用 history 查看有哪些版本")
    return card_from_json(json.loads(stored), caller.scope, zone)
