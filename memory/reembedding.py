"""Everything embedded anew beside the index in use, which goes on answering until the new one takes its place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, delete, func, literal, select

from memory_secretary.memory.embedders import Embedder
from memory_secretary.memory.index_entries import entries_by_shelf
from memory_secretary.memory.indexing import (
    GENERATION_KEY,
    NEXT_GENERATION_KEY,
    NEXT_KEY,
    TO_TAKE_IN,
    fact,
    note_embedder,
    set_fact,
)
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import cards, index_work, passages, reembedding

if TYPE_CHECKING:
    from memory_secretary.memory.index import VectorIndex

BATCH = 64
"""Records taken in at a time; what was taken in stays when the process stops between batches."""

BATCH_BESIDE = 16
PAUSE = 0.03
"""Beside recalls so many, with so many seconds between them: while Chroma takes vectors in (16 in about 50 ms) no other
thread runs. Recalls beside 2,000 records on two busy cores took 10 ms (median) and 110 ms (95th percentile) so, 124
and 219 ms with 64 at a time and no pause, and 8 and 23 ms alone."""


class Reembedding:
    """One change of the embedder; every step can be repeated, and who comes after a process that died goes on with it.

    Args:
        ledger: what is to be embedded, and where it is noted how far this has come.
        embedder: makes the new vectors.
    """

    def __init__(self, ledger: Ledger, embedder: Embedder) -> None:
        self.embedder = embedder
        self._ledger = ledger

    def begin(self) -> int:
        """Note all records as work, unless this very change was begun before.

        Returns:
            The generation of the new index.
        """
        with self._ledger.database.write() as connection:
            if fact(connection, NEXT_KEY) != self.embedder.name:
                everything = select(passages.c.owner, passages.c.ref, literal("add")).distinct()
                connection.execute(delete(reembedding))
                connection.execute(reembedding.insert().from_select(["owner", "ref", "work"], everything))
                set_fact(connection, NEXT_KEY, self.embedder.name)
                set_fact(connection, NEXT_GENERATION_KEY, str(_successor(connection) + 1))
            return _successor(connection)

    def take_in(self, index: VectorIndex, limit: int = BATCH) -> int:
        """Embed up to ``limit`` records into the new index; returns how many there were, 0 when it is complete.

        Raises:
            IndexUnavailable: Chroma is down or damaged.
            ModelError: the embedding server cannot be used.
        """
        with self._ledger.database.read() as connection:
            first = connection.execute(_waiting().limit(1)).first()
            if first is None:
                return 0
            rows = connection.execute(_waiting(reembedding.c.owner == first.owner).limit(limit)).all()
        refs = [row.ref for row in rows]
        index.remove(first.owner, [row.ref for row in rows if row.work == "replace"])
        made = entries_by_shelf(self._ledger, first.owner, refs, self.embedder.max_chars)
        failed = {ref for shelf, entries in made.items() for ref in index.add(first.owner, shelf, entries)}
        self._done(rows, failed)
        return len(rows)

    def switch(self) -> bool:
        """Put the new index in the place of the old one, at once; False while something is still to be taken in."""
        with self._ledger.database.write() as connection:
            if connection.execute(_waiting().limit(1)).first() is not None:
                return False
            connection.execute(delete(index_work))
            columns = ["owner", "ref", "kind", "tier", "work", "size"]
            connection.execute(index_work.insert().from_select(columns, _without_vector()))
            connection.execute(delete(reembedding))
            set_fact(connection, GENERATION_KEY, str(_successor(connection)))
            note_embedder(connection, self.embedder.name, self.embedder.known_dimension)
            set_fact(connection, NEXT_KEY, None)
        return True

    def _done(self, rows: Sequence[Row[Any]], failed: Collection[str]) -> None:
        """Strike the rows off, unless a record was changed meanwhile, which gave it a new one."""
        finished = [row.id for row in rows if row.ref not in failed]
        left = [row.id for row in rows if row.ref in failed]
        with self._ledger.database.write() as connection:
            connection.execute(delete(reembedding).where(reembedding.c.id.in_(finished)))
            connection.execute(reembedding.update().where(reembedding.c.id.in_(left)).values(work="failed"))


def _successor(connection: Connection) -> int:
    return int(fact(connection, NEXT_GENERATION_KEY) or 0)


def _waiting(*conditions: ColumnElement[bool]) -> Select[Any]:
    waiting = select(reembedding.c.id, reembedding.c.owner, reembedding.c.ref, reembedding.c.work)
    return waiting.where(reembedding.c.work.in_(TO_TAKE_IN), *conditions).order_by(
        reembedding.c.owner, reembedding.c.id
    )


def _without_vector() -> Select[Any]:
    """What the new embedder could not embed, as lines of the index's work."""
    of_card = and_(cards.c.owner == reembedding.c.owner, cards.c.memory_id == reembedding.c.ref)
    kind = case((cards.c.memory_id.is_(None), "event"), else_="card")
    tier = func.coalesce(cards.c.tier, Tier.WORKING.value)
    lines = select(reembedding.c.owner, reembedding.c.ref, kind, tier, literal("failed"), literal(1))
    return lines.select_from(reembedding.outerjoin(cards, of_card))
