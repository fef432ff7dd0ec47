"""One SQLite database: opened by several processes at once, written in short exclusive transactions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import StaticPool

from memory_secretary.memory.errors import StorageError
from memory_secretary.memory.schema import migrate

BUSY_SECONDS = 15
"""How long a write waits for another process before it gives up with a sentence."""

_CURES = {
    "locked": "another process has been writing for {busy} s: close it, or try again",
    "readonly": "the folder is read-only: choose another with path=, or change its permissions",
    "full": "the disk is full: free some space, nothing that was acknowledged is lost",
    "malformed": "the file is damaged: put back a backup made with memory.backup()",
    "not a database": "the file is not a ledger of ours: choose another folder with path=",
    "unable to open": "the file cannot be opened: check that the folder exists and may be written",
}


class Database:
    """Read and write transactions on one SQLite ledger.

    Writers of one process take turns on a lock, writers of several processes on SQLite's own; readers never
    wait for a writer (WAL). A killed process leaves whole transactions only.
    """

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self.file = file
        self._engine = engine
        self._writers = threading.RLock()
        # One connection serves a database in memory, so there its readers take turns, too.
        self._readers = self._writers if file is None else nullcontext()

    @classmethod
    def open(cls, url: str) -> Database:
        """Open or create the ledger behind a SQLAlchemy URL.

        Args:
            url: ``sqlite:///path/to/ledger.db``, or ``sqlite://`` for one in memory.

        Raises:
            StorageError: when the file cannot be opened, or the URL names another database.
        """
        parsed = _sqlite_url(url)
        file = Path(parsed.database) if parsed.database not in (None, "", ":memory:") else None
        database = cls(_engine(parsed, file), file)
        try:
            database._prepare()
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self) -> None:
        """Create or migrate the tables; processes that start together do it one after the other."""
        if self.file is None:
            with self.write() as connection:
                migrate(connection)
            return
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.file.with_suffix(".opening"), timeout=BUSY_SECONDS):
                self._use_wal()
                with self.write() as connection:
                    migrate(connection)
        except Timeout as error:
            msg = f"another process has been opening {self.file} for {BUSY_SECONDS} s: close it, or try again"
            raise StorageError(msg) from error
        except OSError as error:
            msg = f"the memory folder {self.file.parent} cannot be used ({error.strerror or error}): choose another"
            raise StorageError(msg) from error

    def _use_wal(self) -> None:
        with _named_errors(self.file), self._engine.connect().execution_options(begin=None) as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent snapshot."""
        with self._readers, _named_errors(self.file), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """An exclusive transaction: what is read in it cannot change before it is written."""
        with self._writers, _named_errors(self.file):
            connecting = self._engine.connect().execution_options(begin="BEGIN IMMEDIATE")
            with connecting as connection, connection.begin():
                yield connection

    @contextmanager
    def outside_transaction(self) -> Iterator[Connection]:
        """A connection for what SQLite does not allow in a transaction (VACUUM)."""
        with self._writers, _named_errors(self.file):
            connecting = self._engine.connect().execution_options(begin=None)
            with connecting as connection:
                yield connection

    def close(self) -> None:
        """Let go of every connection."""
        self._engine.dispose()


def _sqlite_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        msg = f"ledger_url {url!r} is not a database URL: use e.g. sqlite:////home/me/memory/ledger.db"
        raise StorageError(msg) from error
    if parsed.get_backend_name() != "sqlite":
        msg = (
            f"ledger_url names {parsed.get_backend_name()!r}, but this release keeps its ledger in sqlite: leave it out"
        )
        raise StorageError(msg)
    return parsed


def _engine(url: URL, file: Path | None) -> Engine:
    connect_args: dict[str, Any] = {"check_same_thread": False, "timeout": BUSY_SECONDS}
    pool = {"poolclass": StaticPool} if file is None else {}
    engine = create_engine(url, connect_args=connect_args, **pool)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver opens no transactions of its own; _began does
        # NORMAL loses nothing when a process is killed; only a power cut can take the last transactions.
        connection.execute("PRAGMA synchronous = NORMAL")

    @event.listens_for(engine, "begin")
    def _began(connection: Connection) -> None:
        begin = connection.get_execution_options().get("begin", "BEGIN")
        if begin is not None:
            connection.exec_driver_sql(begin)

    return engine


@contextmanager
def _named_errors(file: Path | None) -> Iterator[None]:
    """Turn the driver's errors into a sentence that names the cure."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig)
        cure = next((text for word, text in _CURES.items() if word in reason.lower()), "run memory.check()")
        msg = f"the ledger {file or 'in memory'} failed ({reason}): {cure.format(busy=BUSY_SECONDS)}"
        raise StorageError(msg) from error
