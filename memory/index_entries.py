"""Records as the vector index takes them: their passages, cut to the embedder's measure, by tier."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select

from memory_secretary.memory.index import OVERLAP, IndexEntry
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.passages import Passage, card_passages, event_passages
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import passages


def entries_by_tier(ledger: Ledger, owner: str, refs: Collection[str], max_chars: int) -> dict[Tier, list[IndexEntry]]:
    """The texts of an owner's records by tier; a record that is gone or no longer searched has none."""
    query = select(passages.c.ref).where(passages.c.owner == owner, passages.c.ref.in_(refs)).distinct()
    with ledger.database.read() as connection:
        searched = connection.execute(query).scalars().all()
    made: dict[Tier, list[IndexEntry]] = {}
    for event in ledger.events.many(owner, searched):
        made.setdefault(Tier.WORKING, []).extend(_entries(event_passages(event, max_chars, OVERLAP)))
    for card in ledger.cards.with_ids(owner, searched):
        made.setdefault(card.tier, []).extend(_entries(card_passages(card, max_chars, OVERLAP)))
    return made


def _entries(made: Sequence[Passage]) -> list[IndexEntry]:
    return [IndexEntry(one.ref, one.start, one.text) for one in made]
