"""How a card stands in the ledger's tables: one current row, every version as JSON, relations beside them."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, delete, select

from memory_secretary.memory.access import thread_of
from memory_secretary.memory.card_format import card_to_json
from memory_secretary.memory.codec import from_micros, to_json, to_micros
from memory_secretary.memory.records import Evidence, Kind, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.schema import card_links, card_readers, card_supersedes, card_versions, cards
from memory_secretary.memory.scope import Scope


def digest(content: str) -> str:
    """The same for texts that differ only in width, case and blanks."""
    folded = " ".join(unicodedata.normalize("NFKC", content).casefold().split())
    return hashlib.sha256(folded.encode()).hexdigest()


def read_cards(connection: Connection, owner: str, rows: Sequence[Row[Any]]) -> list[MemoryCard]:
    """Cards from rows of one owner, each with its named readers and the links that other cards made to it."""
    if not rows:
        return []
    ids = [row.memory_id for row in rows]
    links = links_to(connection, owner, ids)
    readers = _pairs(connection, card_readers, card_readers.c.agent, owner, ids)
    return [_card(row, links[row.memory_id], readers[row.memory_id]) for row in rows]


def write_version(connection: Connection, card: MemoryCard, *, role: Role, reason: str, at: datetime) -> None:
    """Make ``card`` the current version, keep it among all versions, and set its relations in both directions."""
    owner = card.scope.owner
    connection.execute(cards.insert().prefix_with("OR REPLACE"), _row(card))
    connection.execute(card_versions.insert(), version_row(card, role=role, reason=reason, at=at))
    _write_readers(connection, card)
    for related in card.related_ids:
        link(connection, owner, card.memory_id, related)
    for superseded in card.supersedes:
        _once(connection, card_supersedes, owner=owner, superseded_id=superseded, memory_id=card.memory_id)


def version_row(card: MemoryCard, *, role: Role, reason: str, at: datetime) -> dict[str, Any]:
    """One version of a card as it stands among all versions."""
    return {
        "owner": card.scope.owner, "memory_id": card.memory_id, "version": card.version,
        "card": to_json(card_to_json(card)), "role": role.value, "reason": reason, "written_at": to_micros(at),
    }  # fmt: skip


def link(connection: Connection, owner: str, one: str, other: str) -> None:
    """Relate two cards to each other; the other may arrive later."""
    if one != other:
        _once(connection, card_links, owner=owner, memory_id=one, related_id=other)
        _once(connection, card_links, owner=owner, memory_id=other, related_id=one)


def links_to(connection: Connection, owner: str, memory_ids: Collection[str]) -> defaultdict[str, list[str]]:
    """The cards that each of these is linked to."""
    return _pairs(connection, card_links, card_links.c.related_id, owner, memory_ids)


def related(named: str, links: Sequence[str]) -> tuple[str, ...]:
    """A card's relations: those that it names itself (as JSON), then those that others made to it."""
    own = json.loads(named)
    return (*own, *(other for other in links if other not in own))


def _once(connection: Connection, table: Any, **values: str) -> None:
    connection.execute(table.insert().prefix_with("OR IGNORE"), values)


def _pairs(
    connection: Connection, table: Any, column: Any, owner: str, ids: Collection[str]
) -> defaultdict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for memory_id, value in connection.execute(_pairs_query(table, column), {"of": owner, "ids": list(ids)}).all():
        found[memory_id].append(value)
    return found


@lru_cache(maxsize=8)
def _pairs_query(table: Any, column: Any) -> Any:
    """Built once: every recall asks this twice, and building it costs more than asking."""
    mine = and_(table.c.owner == bindparam("of"), table.c.memory_id.in_(bindparam("ids", expanding=True)))
    return select(table.c.memory_id, column).where(mine).order_by(column)


def _write_readers(connection: Connection, card: MemoryCard) -> None:
    owner = card.scope.owner
    same = (card_readers.c.owner == owner) & (card_readers.c.memory_id == card.memory_id)
    connection.execute(delete(card_readers).where(same))
    if not isinstance(card.access_level, str):
        for agent in card.access_level:
            _once(connection, card_readers, owner=owner, memory_id=card.memory_id, agent=agent)


def _row(card: MemoryCard) -> dict[str, Any]:
    scope = card.scope
    return {
        "owner": scope.owner, "memory_id": card.memory_id, "user": scope.user, "team": scope.team,
        "agent": scope.agent, "thread": thread_of(scope), "type": card.type.value, "content": card.content,
        "source_agent": card.source_agent, "related_ids": to_json(list(card.related_ids)),
        "timestamp": card.timestamp, "status": card.status.value,
        "access": card.access_level if isinstance(card.access_level, str) else "agents",
        "version": card.version, "tier": card.tier.value, "subject": card.subject, "attribute": card.attribute,
        "value": card.value, "applies_to": to_json(list(card.applies_to)), "at": to_micros(card.at),
        "valid_from": _micros(card.valid_from), "valid_until": _micros(card.valid_until), "weight": card.weight,
        "confidence": card.confidence, "supersedes": to_json(list(card.supersedes)),
        "evidence": to_json([[item.event_id, item.quote] for item in card.evidence]), "kind": card.kind.value,
        "about": card.about, "digest": digest(card.content),
    }  # fmt: skip


def _card(row: Row[Any], links: list[str], readers: list[str]) -> MemoryCard:
    return MemoryCard(
        memory_id=row.memory_id,
        type=MemoryType(row.type),
        content=row.content,
        source_agent=row.source_agent,
        related_ids=related(row.related_ids, links),
        timestamp=row.timestamp,
        status=Status(row.status),
        access_level=tuple(readers) if row.access == "agents" else row.access,
        version=row.version,
        tier=Tier(row.tier),
        scope=Scope(user=row.user, team=row.team, agent=row.agent, thread=row.thread or None),
        subject=row.subject,
        attribute=row.attribute,
        value=row.value,
        applies_to=tuple(json.loads(row.applies_to)),
        at=from_micros(row.at),
        valid_from=_moment(row.valid_from),
        valid_until=_moment(row.valid_until),
        weight=row.weight,
        confidence=row.confidence,
        supersedes=tuple(json.loads(row.supersedes)),
        evidence=tuple(Evidence(event_id=event_id, quote=quote) for event_id, quote in json.loads(row.evidence)),
        kind=Kind(row.kind),
        about=row.about,
    )


def _micros(at: datetime | None) -> int | None:
    return None if at is None else to_micros(at)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
