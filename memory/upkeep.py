"""Keeping a memory in order: check and repair, index again, back up, give space back."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, literal, select

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.clock import random_id
from memory_secretary.memory.dense import DenseLeg
from memory_secretary.memory.documents import is_withdrawn
from memory_secretary.memory.errors import (
    EmbedderError,
    IndexUnavailable,
    MemorySecretaryError,
    ModelError,
    StorageError,
)
from memory_secretary.memory.forgetting import Erasable, erasable, erase, is_buried
from memory_secretary.memory.health import damage
from memory_secretary.memory.index_place import IndexPlace
from memory_secretary.memory.indexing import NEXT_KEY, prepare, set_fact
from memory_secretary.memory.ledger import LEDGER_FILE, Ledger
from memory_secretary.memory.passages import card_passages, event_passages, is_searched
from memory_secretary.memory.records import Phase, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import cards, events, index_work, passages, reembedding, revisions
from memory_secretary.memory.storage_errors import folder_error
from memory_secretary.memory.vector_check import VectorFaults, check_vectors, retry_without_vector

_BATCH = 200
_ANY_SIZE = 1 << 31


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check found.

    Attributes:
        damage: what SQLite says is broken; empty when the file is sound.
        events: number of events.
        cards: number of cards, of any status.
        repaired: records that were in no lexical index and now are.
        orphans: lexical passages of records that do not exist, now removed.
        waiting: records that the vector index has yet to take in or drop.
        without_vector: records that the embedder could not embed; words find them.
        missing: records that the vector index lacked; the next search takes them in.
        stray: vectors of no record, or of one that is no longer searched, now removed.
        unreachable: records that a search with their own vector did not bring; the next one takes them in anew.
        unchecked: why the vector index was not looked at, or not to its end; empty when it was, or there is none.
    """

    damage: tuple[str, ...]
    events: int
    cards: int
    repaired: int
    orphans: int
    waiting: int
    without_vector: int
    missing: int = 0
    stray: int = 0
    unreachable: int = 0
    unchecked: str = ""

    @property
    def sound(self) -> bool:
        """Whether nothing is broken."""
        return not self.damage


def check(ledger: Ledger, dense: DenseLeg | None = None, place: IndexPlace | None = None) -> CheckReport:
    """Look for damage and for records that an index lacks, and repair the indexes; a ledger that is only read is left.

    Args:
        ledger: the memory.
        dense: fills the vector index; None leaves that index alone.
        place: where it lies.
    """
    with ledger.database.read() as connection:
        broken = damage(connection)
    read_only = ledger.database.read_only
    repaired = 0 if broken or read_only else _fill_lexical(ledger)
    orphans = 0 if broken or read_only else _drop_orphans(ledger)
    vectors, unchecked = VectorFaults(), ""
    if read_only:
        unchecked = said(
            "the folder may not be written, and so nothing was repaired", "文件夹不可写，因此也没有做任何修复"
        )
    elif dense is not None and place is not None and not broken and ledger.indexing.embedder() is not None:
        vectors, unchecked = _mend_vectors(ledger, dense, place)
    with ledger.database.read() as connection:
        return CheckReport(
            damage=broken,
            events=_count(connection, events),
            cards=_count(connection, cards),
            repaired=repaired,
            orphans=orphans,
            waiting=_count(connection, index_work, index_work.c.work != "failed"),
            without_vector=_count(connection, index_work, index_work.c.work == "failed"),
            missing=vectors.missing,
            stray=vectors.stray,
            unreachable=vectors.unreachable,
            unchecked=unchecked,
        )


def _mend_vectors(ledger: Ledger, dense: DenseLeg, place: IndexPlace) -> tuple[VectorFaults, str]:
    """Hold the index against the ledger, owner by owner, and note what it has to take in again; and what stopped it."""
    faults = VectorFaults()
    with ledger.database.read() as connection:
        owners = connection.execute(select(revisions.c.owner).order_by(revisions.c.owner)).scalars().all()
    for owner in owners:
        try:
            dense.catch_up(owner, largest=0)  # opens the index and drops from it what was removed
            index = place.opened
            if index is None:
                return faults, str(dense.notices[-1]) if dense.notices else said("it is not open", "索引未打开")
            faults += check_vectors(ledger, index, owner)
            retry_without_vector(ledger, index, owner)
        except (IndexUnavailable, EmbedderError, ModelError) as error:
            return faults, str(error)
    return faults, ""


def reindex(ledger: Ledger, dense: DenseLeg) -> int:
    """Drop the vector index and fill it from the ledger; what was taken in stays if this is stopped half way."""
    check(ledger)
    owners = _all_over_again(ledger)
    dense.start_over()
    return sum(dense.catch_up(owner, largest=_ANY_SIZE) for owner in owners)


def backup(ledger: Ledger, folder: Path) -> Path:
    """Copy the ledger into ``folder``; returns the copy's file. What fails leaves neither folder nor file behind."""
    target = folder / LEDGER_FILE
    if target.exists():
        msg = f"{target} exists already: name another folder, a backup never overwrites one"
        raise StorageError(msg, zh=f"{target} 已经存在：请换一个文件夹，备份从不覆盖已有的")
    made = [part for part in (folder, *folder.parents) if not part.exists()]
    half = folder / f"{LEDGER_FILE}.{random_id()}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ledger.database.outside_transaction() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(half),))
        half.rename(target)
    except BaseException as error:
        with suppress(OSError):
            half.unlink(missing_ok=True)
            for part in made:
                part.rmdir()
        if isinstance(error, OSError) and not isinstance(error, MemorySecretaryError):
            raise folder_error(folder, error) from error
        raise
    return target


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """What a vacuum has done.

    Attributes:
        erased: how much of what was forgotten is gone for good.
        before: bytes of the ledger's files before it.
        after: bytes of them now.
    """

    erased: Erasable
    before: int
    after: int

    @property
    def freed(self) -> int:
        """Bytes that the disk got back."""
        return max(0, self.before - self.after)


def would_vacuum(ledger: Ledger) -> Erasable:
    """How much :func:`vacuum` would erase."""
    with ledger.database.read() as connection:
        return erasable(connection)


def vacuum(ledger: Ledger) -> Vacuumed:
    """Erase what was forgotten and rewrite the ledger without gaps."""
    file = ledger.database.file
    before = _size(file)
    with ledger.database.write() as connection:
        erased = erase(connection)
    with ledger.database.outside_transaction() as connection:
        connection.exec_driver_sql("INSERT INTO lexical(lexical) VALUES ('optimize')")
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return Vacuumed(erased, before, _size(file))


def _size(file: Path | None) -> int:
    if file is None:
        return 0
    parts = (file, file.with_name(file.name + "-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def _count(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> int:
    return int(connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar_one())


def _fill_lexical(ledger: Ledger) -> int:
    """Index again what should be searched by its words and is not."""
    return _fill_events(ledger) + _fill_cards(ledger)


def _fill_events(ledger: Ledger) -> int:
    indexed = exists().where(passages.c.owner == events.c.owner, passages.c.ref == events.c.event_id)
    query = select(events.c.owner, events.c.event_id, events.c.action, events.c.phase)
    query = query.where(~indexed, ~is_buried(events.c.owner, events.c.event_id))
    query = query.where(~is_withdrawn(events.c.owner, events.c.event_id))
    with ledger.database.read() as connection:
        rows = connection.execute(query).all()
    repaired = 0
    for row in rows:
        if not is_searched(row.action, None if row.phase is None else Phase(row.phase)):
            continue
        made = [passage for event in ledger.events.many(row.owner, [row.event_id]) for passage in event_passages(event)]
        if made:
            with ledger.database.write() as connection:
                ledger.indexing.added(connection, row.owner, Tier.WORKING, prepare(made))
            repaired += 1
    return repaired


def _fill_cards(ledger: Ledger) -> int:
    indexed = exists().where(passages.c.owner == cards.c.owner, passages.c.ref == cards.c.memory_id)
    query = select(cards.c.owner, cards.c.memory_id).where(~indexed, cards.c.status != Status.ARCHIVED.value)
    with ledger.database.read() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        for card in ledger.cards.with_ids(row.owner, [row.memory_id]):
            with ledger.database.write() as connection:
                ledger.indexing.added(connection, row.owner, card.tier, prepare(card_passages(card)))
    return len(rows)


def _drop_orphans(ledger: Ledger) -> int:
    of_event = exists().where(events.c.owner == passages.c.owner, events.c.event_id == passages.c.ref)
    of_card = exists().where(cards.c.owner == passages.c.owner, cards.c.memory_id == passages.c.ref)
    with ledger.database.write() as connection:
        rows = connection.execute(select(passages.c.owner, passages.c.ref).where(~of_event, ~of_card).distinct()).all()
        for row in rows:
            ledger.indexing.lexical.remove(connection, row.owner, [row.ref])
    return len(rows)


def _all_over_again(ledger: Ledger) -> list[str]:
    """Note every searched record as work for the vector index; returns the owners."""
    tier = func.coalesce(
        select(cards.c.tier)
        .where(cards.c.owner == passages.c.owner, cards.c.memory_id == passages.c.ref)
        .scalar_subquery(),
        Tier.WORKING.value,
    )
    everything = select(
        passages.c.owner, passages.c.ref, func.max(passages.c.kind), tier, literal("add"), func.count()
    ).group_by(passages.c.owner, passages.c.ref)
    with ledger.database.write() as connection:
        connection.execute(delete(index_work))
        connection.execute(delete(reembedding))
        set_fact(connection, NEXT_KEY, None)
        columns = ["owner", "ref", "kind", "tier", "work", "size"]
        connection.execute(index_work.insert().from_select(columns, everything))
        return list(connection.execute(select(passages.c.owner).distinct()).scalars())
