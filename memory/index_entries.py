"""Records as the vector index takes them: their passages, cut to the embedder's measure, and cards' situations."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select

from memory_secretary.memory.index import OVERLAP, IndexEntry
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.passages import Passage, card_passages, event_passages
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import passages
from memory_secretary.memory.situations import SHELF


def entries_by_shelf(ledger: Ledger, owner: str, refs: Collection[str], max_chars: int) -> dict[str, list[IndexEntry]]:
    """The texts of an owner's records by tier, and on a shelf of their own the situations that cards are for.

    A record that is gone or no longer searched has none.
    """
    query = select(passages.c.ref).where(passages.c.owner == owner, passages.c.ref.in_(refs)).distinct()
    with ledger.database.read() as connection:
        searched = connection.execute(query).scalars().all()
    made: dict[str, list[IndexEntry]] = {}
    for event in ledger.events.many(owner, searched):
        made.setdefault(Tier.WORKING, []).extend(_entries(event_passages(event, max_chars, OVERLAP)))
    for card in ledger.cards.with_ids(owner, searched):
        made.setdefault(card.tier, []).extend(_entries(card_passages(card, max_chars, OVERLAP)))
        if card.applies_to:
            situations = enumerate(text[:max_chars] for text in card.applies_to)
            made.setdefault(SHELF, []).extend(IndexEntry(card.memory_id, place, text) for place, text in situations)
    return made


def _entries(made: Sequence[Passage]) -> list[IndexEntry]:
    return [IndexEntry(one.ref, one.start, one.text) for one in made]
