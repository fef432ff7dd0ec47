"""What follows from writing a record, in one transaction: lexical passages, work for the vector index, revision."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, select

from memory_secretary.memory.database import Database
from memory_secretary.memory.lexical import LexicalIndex, tokens
from memory_secretary.memory.passages import Passage
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import index_work, meta, revisions

EMBEDDER_KEY = "embedder"
"""Under which the ledger notes whose vectors the index holds."""

DIMENSION_KEY = "embedder_dimension"
"""The length of those vectors; nothing is noted while it is not known."""

NEXT_KEY = "next_embedder"
"""While everything is embedded anew: whose vectors the next index gets."""

GENERATION_KEY = "index_generation"
"""Which of the indexes in the folder is in use; 0 where nothing is noted."""

NEXT_GENERATION_KEY = "next_index_generation"
"""The number that the last successor got, so that what is left of one that was given up is never taken for another."""

TO_TAKE_IN = ("add", "replace")
"""Work that takes a record in: a new one, or one of which the index still holds an earlier wording."""

Prepared = list[tuple[Passage, list[str]]]
"""Passages with their tokens, made before the transaction begins, so that no other writer waits for them."""


def prepare(made: Sequence[Passage]) -> Prepared:
    """Tokenise passages."""
    return [(passage, tokens(passage.text)) for passage in made]


@dataclass(frozen=True, slots=True)
class Work:
    """One record that the vector index has yet to take in or to drop."""

    line: int
    ref: str
    work: str
    size: int


class Indexing:
    """Keeps the lexical index in step with the ledger, and notes what the vector index lacks."""

    def __init__(self, database: Database, lexical: LexicalIndex) -> None:
        self.lexical = lexical
        self._database = database

    def added(self, connection: Connection, owner: str, tier: Tier, prepared: Prepared) -> None:
        """Take in a new record."""
        if not prepared:
            return
        self.lexical.add(connection, owner, prepared)
        first = prepared[0][0]
        _note(connection, owner, first.ref, kind=first.kind, tier=tier, work="add", size=len(prepared))

    def changed(self, connection: Connection, owner: str, tier: Tier, ref: str, prepared: Prepared) -> None:
        """Take in a record's new wording; with nothing prepared, drop the record."""
        self.lexical.remove(connection, owner, [ref])
        _note(connection, owner, ref, kind="card", tier=tier, work="remove", size=0)
        self.added(connection, owner, tier, prepared)

    def work(self, owner: str, work: str, *, limit: int, largest: int) -> list[Work]:
        """What the vector index has yet to do for an owner, newest records last.

        Args:
            owner: the isolation border.
            work: ``add`` (which has ``replace`` come along), ``remove`` or ``failed``.
            limit: at most so many records.
            largest: leave out records of more passages than this.
        """
        query = (
            select(index_work)
            .where(index_work.c.owner == owner, index_work.c.work.in_(TO_TAKE_IN if work == "add" else (work,)))
            .where(index_work.c.size <= largest)
            .order_by(index_work.c.size, index_work.c.ref)
            .limit(limit)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [Work(row.id, row.ref, row.work, row.size) for row in rows]

    def is_behind(self, owner: str, largest: int) -> bool:
        """Whether the index has yet to drop anything, or to take in any record of at most ``largest`` passages."""
        with self._database.read() as connection:
            return connection.execute(_BEHIND, {"of": owner, "largest": largest}).first() is not None

    def done(self, items: Collection[Work], *, without_vector: Collection[str] = ()) -> None:
        """Strike finished work off; what got no vector stays, marked ``failed``."""
        with self._database.write() as connection:
            failed = [item.line for item in items if item.ref in without_vector]
            finished = [item.line for item in items if item.ref not in without_vector]
            connection.execute(index_work.update().where(index_work.c.id.in_(failed)).values(work="failed"))
            connection.execute(delete(index_work).where(index_work.c.id.in_(finished)))

    def remember_embedder(self, name: str, dimension: int | None = None) -> None:
        """Note whose vectors the index holds from now on, and their length where it is known by now."""
        with self._database.write() as connection:
            note_embedder(connection, name, dimension)

    def embedder(self) -> str | None:
        """Whose vectors the index holds, or None when it holds none yet."""
        return self.fact(EMBEDDER_KEY)

    def dimension(self) -> int | None:
        """The length of the vectors that the index holds, or None where it is not known."""
        noted = self.fact(DIMENSION_KEY)
        return None if noted is None else int(noted)

    def fact(self, key: str) -> str | None:
        """What the ledger notes under ``key``, or None."""
        with self._database.read() as connection:
            return fact(connection, key)

    def noted(self, owner: str, work: str, items: Sequence[tuple[str, str, Tier, int]]) -> None:
        """Note work for the vector index: ref, kind, tier and number of passages of each record."""
        with self._database.write() as connection:
            for ref, kind, tier, size in items:
                _note(connection, owner, ref, kind=kind, tier=tier, work=work, size=size)


def _note(connection: Connection, owner: str, ref: str, *, kind: str, tier: Tier, work: str, size: int) -> None:
    before = connection.execute(_FORGET_NOTE, {"of": owner, "about": ref}).scalar()
    if work == "add" and before in ("remove", "replace"):
        work = "replace"
    row = {"owner": owner, "ref": ref, "kind": kind, "tier": tier.value, "work": work, "size": size}
    connection.execute(_NOTE, row)
    connection.exec_driver_sql(_NOTE_FOR_NEXT, (owner, ref, NEXT_KEY))


def fact(connection: Connection, key: str) -> str | None:
    """What the ledger notes about itself under ``key``, or None."""
    return connection.execute(select(meta.c.value).where(meta.c.key == key)).scalar()


def set_fact(connection: Connection, key: str, value: str | None) -> None:
    """Note something about the ledger itself; None takes the note away."""
    connection.execute(delete(meta).where(meta.c.key == key))
    if value is not None:
        connection.execute(meta.insert(), {"key": key, "value": value})


def note_embedder(connection: Connection, name: str, dimension: int | None) -> None:
    """Note whose vectors the index holds; a length that is not known leaves the noted one, if it is the same name's."""
    if dimension is not None or fact(connection, EMBEDDER_KEY) != name:
        set_fact(connection, DIMENSION_KEY, None if dimension is None else str(dimension))
    set_fact(connection, EMBEDDER_KEY, name)


def touch(connection: Connection, owner: str, *, events: int = 0, cards: int = 0) -> None:
    """Count a write, so that caches of every process see it."""
    more = {"of": owner, "more_events": events, "more_cards": cards}
    if connection.execute(_TOUCH, more).rowcount == 0:
        connection.execute(revisions.insert(), {"owner": owner, "events": events, "cards": cards})


_NOTE = index_work.insert()
_NOTE_FOR_NEXT = (
    "INSERT OR REPLACE INTO reembedding (owner, ref, work) "
    "SELECT ?, ?, 'replace' WHERE EXISTS (SELECT 1 FROM meta WHERE key = ?)"
)
_FORGET_NOTE = (
    delete(index_work)
    .where(index_work.c.owner == bindparam("of"), index_work.c.ref == bindparam("about"))
    .returning(index_work.c.work)
)
_BEHIND = (
    select(index_work.c.id)
    .where(index_work.c.owner == bindparam("of"), index_work.c.work.in_((*TO_TAKE_IN, "remove")))
    .where(index_work.c.size <= bindparam("largest"))
    .limit(1)
)
_TOUCH = (
    revisions.update()
    .where(revisions.c.owner == bindparam("of"))
    .values(events=revisions.c.events + bindparam("more_events"), cards=revisions.c.cards + bindparam("more_cards"))
)
