"""How a memory's folder is, told without opening the memory: nothing is written but a probe file, which is removed."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, Select, create_engine, func, select
from sqlalchemy.pool import NullPool

from memory_secretary.memory.chroma import CHROMA_FILE, LOCK_FILE
from memory_secretary.memory.database import connect_for_reading
from memory_secretary.memory.errors import IndexUnavailable, StorageError
from memory_secretary.memory.indexing import EMBEDDER_KEY, TO_TAKE_IN
from memory_secretary.memory.ledger import LEDGER_FILE
from memory_secretary.memory.schema import cards, events, index_work, meta, precipitation_queue
from memory_secretary.memory.storage_errors import folder_error, named_errors

PROBE_BYTES = 1 << 20
"""What the probe file holds: about as much as a run of a hundred steps writes."""

_NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)
_LOCKS = Path("/proc/locks")
"""Linux's list of held locks: number, kind, ADVISORY, WRITE, process id, ``major:minor:inode``, range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerHealth:
    """What a ledger says of itself.

    Attributes:
        damage: what SQLite says is broken; empty when the file is sound.
        events: number of events, of all users.
        cards: number of cards, of any status.
        pending: turns that wait to become cards.
        failed: turns that could not become cards; they stay until they can.
        waiting: records that the vector index has yet to take in or drop.
        without_vector: records that the embedder could not embed; words find them.
        embedder: whose vectors the index holds, None when it holds none yet.
        size: bytes on disk.
    """

    damage: tuple[str, ...]
    events: int
    cards: int
    pending: int
    failed: int
    waiting: int
    without_vector: int
    embedder: str | None
    size: int


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that has a vector index open.

    Attributes:
        pid: its id, None where the system does not tell.
    """

    pid: int | None


def nearest_existing(path: Path) -> Path:
    """``path``, or the folder above it that is there already: where it would be made."""
    return next(place for place in (path, *path.parents) if place.exists())


def probe_folder(folder: Path) -> None:
    """Write a file of :data:`PROBE_BYTES` where the memory lies or would be made, and remove it.

    Raises:
        StorageError: the folder cannot be written, or its disk is full; the sentence says which.
    """
    try:
        with tempfile.TemporaryFile(dir=nearest_existing(folder)) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise folder_error(folder, error) from error


def free_bytes(folder: Path) -> int:
    """Bytes that are free where the folder lies or would be made."""
    return shutil.disk_usage(nearest_existing(folder)).free


def ledger_health(folder: Path) -> LedgerHealth | None:
    """The state of the ledger in a memory's folder; None when there is none yet.

    Raises:
        StorageError: it cannot be read, or is no ledger of ours.
    """
    file = folder / LEDGER_FILE
    if not file.exists():
        return None
    with _reading(file) as connection:

        def count(query: Select[int]) -> int:
            return connection.execute(query).scalar_one()

        return LedgerHealth(
            damage=damage(connection),
            events=count(select(func.count()).select_from(events)),
            cards=count(select(func.count()).select_from(cards)),
            pending=count(_queued("queued", "claimed")),
            failed=count(_queued("failed")),
            waiting=count(_work(*TO_TAKE_IN, "remove")),
            without_vector=count(_work("failed")),
            embedder=connection.execute(select(meta.c.value).where(meta.c.key == EMBEDDER_KEY)).scalar(),
            size=file.stat().st_size,
        )


def index_damage(folder: Path) -> tuple[str, ...] | None:
    """What SQLite says is broken in the vector index of a folder; None when there is no index yet.

    Raises:
        IndexUnavailable: its file cannot be read at all.
    """
    file = folder / CHROMA_FILE
    if not file.exists():
        return None
    try:
        with _reading(file) as connection:
            return damage(connection)
    except StorageError as error:
        msg = f"the vector index at {folder} cannot be read; remake it with `memory-secretary memory reindex`"
        zh = f"无法读取 {folder} 的向量索引；请用 `memory-secretary memory reindex` 重建"
        raise IndexUnavailable(msg, zh=zh) from error


def index_owner(folder: Path) -> Owner | None:
    """The process that has the vector index of a folder open; None when nobody has.

    In a folder that may not be written the lock cannot be tried, and whoever the system names has it.

    Raises:
        StorageError: the folder cannot be used.
    """
    file = folder / LOCK_FILE
    if not file.exists():
        return None
    try:
        with FileLock(file, timeout=0):
            return None
    except Timeout:
        return Owner(_holder(file))
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise folder_error(folder, error) from error
        pid = _holder(file)
        return None if pid is None else Owner(pid)


def _holder(file: Path) -> int | None:
    """Who holds the lock on a file, where the system keeps a list."""
    if not _LOCKS.exists():
        return None
    state = file.stat()
    mark = f"{os.major(state.st_dev):02x}:{os.minor(state.st_dev):02x}:{state.st_ino}"
    held = (line.split() for line in _LOCKS.read_text("utf-8").splitlines())
    return next((int(words[4]) for words in held if len(words) > 5 and words[5] == mark), None)


def _engine(file: Path) -> Engine:
    return create_engine("sqlite://", creator=lambda: connect_for_reading(file), poolclass=NullPool)


@contextmanager
def _reading(file: Path) -> Iterator[Connection]:
    with named_errors(file), _engine(file).connect() as connection:
        yield connection


def damage(connection: Connection) -> tuple[str, ...]:
    """What SQLite says is broken in the database behind ``connection``; empty when it is sound."""
    said = connection.exec_driver_sql("PRAGMA quick_check").scalars().all()
    return tuple(line for line in said if line != "ok")


def _queued(*states: str) -> Select[int]:
    return select(func.count()).where(precipitation_queue.c.state.in_(states))


def _work(*kinds: str) -> Select[int]:
    return select(func.count()).where(index_work.c.work.in_(kinds))
