"""One SQLite database: opened by several processes at once, written in short exclusive transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import StaticPool

from memory_secretary.memory.errors import StorageError
from memory_secretary.memory.schema import demand_current, migrate
from memory_secretary.memory.storage_errors import BUSY_SECONDS, demand_sqlite, folder_error, named_errors


class Database:
    """Read and write transactions on one SQLite ledger.

    Writers of one process take turns on a lock, writers of several processes on SQLite's own; readers never
    wait for a writer (WAL). A killed process leaves whole transactions only.
    """

    def __init__(self, engine: Engine, file: Path | None, *, read_only: bool = False) -> None:
        self.file = file
        self.read_only = read_only
        self._engine = engine
        self._process = os.getpid()
        self._closed = False
        self._joined = threading.local()
        self._writers = threading.RLock()
        # One connection serves a database in memory, so there its readers take turns, too.
        self._readers = self._writers if file is None else nullcontext()

    @classmethod
    def open(cls, url: str, *, read_only: bool = False) -> Database:
        """Open or create the ledger behind a SQLAlchemy URL.

        Args:
            url: ``sqlite:///path/to/ledger.db``, or ``sqlite://`` for one in memory.
            read_only: open a file that is there as it is: no folder, lock or file is made, nothing is migrated.

        Raises:
            StorageError: when the file cannot be opened, or the URL names another database.
        """
        demand_sqlite()
        parsed = _sqlite_url(url)
        file = Path(parsed.database) if parsed.database not in (None, "", ":memory:") else None
        read_only = read_only and file is not None
        database = cls(_engine(parsed, file, read_only=read_only), file, read_only=read_only)
        try:
            if read_only:
                with database.read() as connection:
                    demand_current(connection)
            else:
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
            zh = f"另一个进程已用 {BUSY_SECONDS} 秒打开 {self.file}：请关闭它，或稍后再试"
            raise StorageError(msg, zh=zh) from error
        except OSError as error:
            raise folder_error(self.file.parent, error) from error

    def _use_wal(self) -> None:
        with named_errors(self.file), self._engine.connect().execution_options(begin=None) as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent snapshot."""
        self._demand_open()
        if (joined := self._joining()) is not None:
            yield joined
            return
        with self._readers, named_errors(self.file), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """An exclusive transaction: what is read in it cannot change before it is written.

        Raises:
            StorageError: the ledger was opened to be read only.
        """
        self._demand_open()
        if self.read_only:
            raise _only_read(self.file)
        if (joined := self._joining()) is not None:
            yield joined
            return
        with self._writers, named_errors(self.file):
            connecting = self._engine.connect().execution_options(begin="BEGIN IMMEDIATE")
            with connecting as connection, connection.begin():
                yield connection

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for all that this thread reads and writes meanwhile: everything is kept, or nothing."""
        with self.write() as connection:
            self._joined.connection = connection
            try:
                yield
            finally:
                self._joined.connection = None

    def _joining(self) -> Connection | None:
        connection: Connection | None = getattr(self._joined, "connection", None)
        return connection

    @contextmanager
    def outside_transaction(self) -> Iterator[Connection]:
        """A connection for what SQLite does not allow in a transaction (VACUUM)."""
        self._demand_open()
        with self._writers, named_errors(self.file):
            connecting = self._engine.connect().execution_options(begin=None)
            with connecting as connection:
                yield connection

    def close(self) -> None:
        """Let go of every connection. Closing twice, or in a fork of the process that opened it, does nothing."""
        self._closed = True
        if self._process == os.getpid():
            self._engine.dispose()

    def _demand_open(self) -> None:
        """SQLite forbids a fork to use what its parent opened: it would damage the file.

        Raises:
            StorageError: it was closed, or opened by the process that this one was forked from.
        """
        if self._closed:
            raise StorageError(
                "this memory was closed: open it again with TieredMemory.open(…)",
                zh="这个记忆库已经关闭：请用 TieredMemory.open(…) 重新打开",
            )
        if self._process != os.getpid():
            raise StorageError(
                "this memory was opened before this process was forked: open it anew here with TieredMemory.open(…)",
                zh="这个记忆库是在本进程被 fork 之前打开的：请在本进程里用 TieredMemory.open(…) 重新打开",
            )


def may_write(file: Path) -> bool:
    """Whether this process may write a ledger's file, and beside it, as SQLite must."""
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK | os.X_OK)


def connect_for_reading(file: Path) -> sqlite3.Connection:
    """Open for reading only. A file that nobody has open gets no files beside it either (``immutable``)."""
    live = any(file.with_name(file.name + end).exists() for end in ("-wal", "-journal"))
    address = f"{file.absolute().as_uri()}?{'mode=ro' if live else 'immutable=1'}"
    return sqlite3.connect(address, uri=True, check_same_thread=False, timeout=BUSY_SECONDS)


def _only_read(file: Path | None) -> StorageError:
    msg = (
        f"{file} was opened to be read only, so nothing can be changed: choose another folder (--memory, or path= in "
        "Python), or change its permissions"
    )
    zh = f"{file} 是以只读方式打开的，不能做任何改动：请另选一个文件夹（--memory，Python 中用 path=），或修改其权限"
    return StorageError(msg, zh=zh)


def _sqlite_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        msg = f"ledger_url {url!r} is not a database URL: use e.g. sqlite:////home/me/memory/ledger.db"
        zh = f"ledger_url {url!r} 不是数据库地址：请用例如 sqlite:////home/me/memory/ledger.db"
        raise StorageError(msg, zh=zh) from error
    if parsed.get_backend_name() != "sqlite":
        msg = (
            f"ledger_url names {parsed.get_backend_name()!r}, but this release keeps its ledger in sqlite: leave it out"
        )
        zh = f"ledger_url 指向 {parsed.get_backend_name()!r}，但本版本的账本只用 sqlite：请去掉它"
        raise StorageError(msg, zh=zh)
    return parsed


def _engine(url: URL, file: Path | None, *, read_only: bool) -> Engine:
    how: dict[str, Any] = {"connect_args": {"check_same_thread": False, "timeout": BUSY_SECONDS}}
    if file is None:
        how["poolclass"] = StaticPool
    elif read_only:
        how = {"creator": partial(connect_for_reading, file)}
    engine = create_engine(url, **how)

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
