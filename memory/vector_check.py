"""Holds the vector index against the ledger: what it lacks, what it has too much, what it can no longer reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, and_, func, select

from memory_secretary.memory.index_entries import entries_by_tier
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import cards, index_work, passages

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


def check_vectors(ledger: Ledger, index: VectorIndex, owner: str) -> VectorFaults:
    """Compare the index with what it should hold for an owner, and note what it has to take in again.

    Raises:
        IndexUnavailable: Chroma is down or damaged.
    """
    with ledger.database.read() as connection:
        expected = _expected(connection, owner)
        waiting = set(connection.execute(select(index_work.c.ref).where(index_work.c.owner == owner)).scalars())
    faults = VectorFaults()
    for tier in Tier:
        wanted = {ref for ref, record in expected.items() if record.tier is tier}
        held = index.refs(owner, tier)
        missing, stray = wanted - held - waiting, held - wanted - waiting
        unreachable = (index.unreachable(owner, tier, REACHED) & wanted) - waiting
        index.remove(owner, stray, tiers=[tier])
        again = [(ref, expected[ref].kind, tier, expected[ref].size) for ref in sorted(missing | unreachable)]
        ledger.indexing.noted(owner, "add", again)
        faults += VectorFaults(missing=len(missing), stray=len(stray), unreachable=len(unreachable))
    return faults


def retry_without_vector(ledger: Ledger, index: VectorIndex, owner: str) -> None:
    """Try the records again that got no vector, also in plain words; what succeeds is struck off.

    Raises:
        IndexUnavailable: Chroma is down or damaged.
        ModelError: the embedding server cannot be used.
    """
    failed = ledger.indexing.work(owner, "failed", limit=_RETRIED, largest=_ANY_SIZE)
    made = entries_by_tier(ledger, owner, [item.ref for item in failed], index.max_chars)
    left = {ref for tier, entries in made.items() for ref in index.add(owner, tier, entries, normalise=True)}
    ledger.indexing.done(failed, without_vector=left)


def _expected(connection: Connection, owner: str) -> dict[str, _Expected]:
    """Every record that is searched."""
    of_card = and_(cards.c.owner == passages.c.owner, cards.c.memory_id == passages.c.ref)
    query = (
        select(passages.c.ref, passages.c.kind, func.count(), func.max(cards.c.tier))
        .select_from(passages.outerjoin(cards, of_card))
        .where(passages.c.owner == owner)
        .group_by(passages.c.ref, passages.c.kind)
    )
    return {
        ref: _Expected(kind, size, Tier(tier or Tier.WORKING)) for ref, kind, size, tier in connection.execute(query)
    }
