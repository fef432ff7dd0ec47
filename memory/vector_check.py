"""Holds the vector index against the ledger: what it lacks, what it has too much, what it can no longer reach."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, and_, func, select

from memory_secretary.memory.index import SHELVES
from memory_secretary.memory.index_entries import entries_by_shelf
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import cards, index_work, passages
from memory_secretary.memory.situations import SHELF

if TYPE_CHECKING:
    from memory_secretary.memory.index import VectorIndex

REACHED = 500
"""So many vectors of each collection are sought by themselves, spread evenly; a search takes some 2 ms."""

_RETRIED = 200
_ANY_SIZE = 1 << 31


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorFaults:
    """What was wrong with the index, in records; the cure stands among its work now.

    Attributes:
        missing: the ledger has them and the index has not.
        stray: the index has them, and they are no records of that tier, or no longer searched.
        unreachable: a search with their own vector does not bring them.
    """

    missing: int = 0
    stray: int = 0
    unreachable: int = 0

    def __add__(self, other: VectorFaults) -> VectorFaults:
        return VectorFaults(
            missing=self.missing + other.missing,
            stray=self.stray + other.stray,
            unreachable=self.unreachable + other.unreachable,
        )


@dataclass(frozen=True, slots=True)
class _Expected:
    kind: str
    size: int
    tier: Tier
    shelves: frozenset[str]


def check_vectors(ledger: Ledger, index: VectorIndex, owner: str) -> VectorFaults:
    """Compare the index with what it should hold for an owner, and note what it has to take in again.

    Raises:
        IndexUnavailable: Chroma is down or damaged.
    """
    with ledger.database.read() as connection:
        expected = _expected(connection, owner)
        waiting = set(connection.execute(select(index_work.c.ref).where(index_work.c.owner == owner)).scalars())
    missing, stray, unreachable = set[str](), set[str](), set[str]()
    for shelf in SHELVES:
        wanted = {ref for ref, record in expected.items() if shelf in record.shelves}
        held = index.refs(owner, shelf)
        missing |= wanted - held - waiting
        unreachable |= (index.unreachable(owner, shelf, REACHED) & wanted) - waiting
        lost = held - wanted - waiting
        index.remove(owner, lost, shelves=[shelf])
        stray |= lost
    again = [(ref, expected[ref]) for ref in sorted(missing | unreachable)]
    ledger.indexing.noted(owner, "add", [(ref, one.kind, one.tier, one.size) for ref, one in again])
    return VectorFaults(missing=len(missing), stray=len(stray), unreachable=len(unreachable))


def retry_without_vector(ledger: Ledger, index: VectorIndex, owner: str) -> None:
    """Try the records again that got no vector, also in plain words; what succeeds is struck off.

    Raises:
        IndexUnavailable: Chroma is down or damaged.
        ModelError: the embedding server cannot be used.
    """
    failed = ledger.indexing.work(owner, "failed", limit=_RETRIED, largest=_ANY_SIZE)
    made = entries_by_shelf(ledger, owner, [item.ref for item in failed], index.max_chars)
    left = {ref for shelf, entries in made.items() for ref in index.add(owner, shelf, entries, normalise=True)}
    ledger.indexing.done(failed, without_vector=left)


def _expected(connection: Connection, owner: str) -> dict[str, _Expected]:
    """Every record that is searched."""
    of_card = and_(cards.c.owner == passages.c.owner, cards.c.memory_id == passages.c.ref)
    query = (
        select(passages.c.ref, passages.c.kind, func.count(), func.max(cards.c.tier), func.max(cards.c.applies_to))
        .select_from(passages.outerjoin(cards, of_card))
        .where(passages.c.owner == owner)
        .group_by(passages.c.ref, passages.c.kind)
    )
    return {
        ref: _Expected(kind, size, Tier(tier or Tier.WORKING), _shelves(tier, applies_to))
        for ref, kind, size, tier, applies_to in connection.execute(query)
    }


def _shelves(tier: str | None, applies_to: str | None) -> frozenset[str]:
    situations = json.loads(applies_to) if applies_to else []
    return frozenset([tier or Tier.WORKING.value, *([SHELF] if any(map(str.strip, situations)) else [])])
