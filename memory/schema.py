"""The ledger's tables, and the numbered steps that bring an older ledger up to them.

Moments are stored as whole microseconds since 1970 UTC, so that they sort and compare as integers in every
database; lists and nested data are JSON text. ``owner`` is the isolation border (``Scope.owner``) and stands in
every table that holds a user's data.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    select,
)

from memory_secretary.memory.errors import StorageError

metadata = MetaData()


def _writer() -> list[Column[str | None]]:
    """Who wrote a row, inside the border: the parts of the scope."""
    return [Column("user", String), Column("team", String), Column("agent", String), Column("thread", String)]


meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))
"""Facts about the ledger itself: its schema version, the embedder of its index."""

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("event_id", String, nullable=False),
    Column("owner", String, nullable=False),
    *_writer(),
    Column("parent", String),
    Column("step", Integer, nullable=False),
    Column("actor", String, nullable=False),
    Column("action", String, nullable=False),
    Column("phase", String),
    Column("thought", Text, nullable=False),
    Column("arguments", Text),
    Column("observation", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("zone", String, nullable=False),
    Column("key", String),
    UniqueConstraint("owner", "event_id"),
    UniqueConstraint("owner", "key"),
    Index("events_by_thread", "owner", "thread", "seq"),
    Index("events_by_time", "owner", "at"),
    Index("events_by_parent", "owner", "parent"),
    sqlite_autoincrement=True,
)

cards = Table(
    "cards",
    metadata,
    Column("owner", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
    *_writer(),
    Column("type", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("source_agent", String, nullable=False),
    Column("related_ids", Text, nullable=False),
    Column("timestamp", String, nullable=False),
    Column("status", String, nullable=False),
    Column("access", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("tier", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("attribute", String, nullable=False),
    Column("value", Text, nullable=False),
    Column("applies_to", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("valid_from", BigInteger),
    Column("valid_until", BigInteger),
    Column("weight", Float, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("supersedes", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("about", String),
    Column("digest", String, nullable=False),
    Index("cards_by_digest", "owner", "digest"),
    Index("cards_by_time", "owner", "at"),
    Index("cards_by_subject", "owner", "subject", "attribute"),
)
"""The current version of every card; ``access`` is ``all``, ``team``, ``private`` or ``agents`` (see card_readers)."""

card_readers = Table(
    "card_readers",
    metadata,
    Column("owner", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
    Column("agent", String, primary_key=True),
)
"""The named agents of a card whose ``access`` is ``agents``."""

card_links = Table(
    "card_links",
    metadata,
    Column("owner", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
    Column("related_id", String, primary_key=True),
)
"""Relations in both directions, whichever card named the other."""

card_supersedes = Table(
    "card_supersedes",
    metadata,
    Column("owner", String, primary_key=True),
    Column("superseded_id", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
)
"""Kept apart from the cards, so that it also holds for a superseded card that arrives later."""

card_versions = Table(
    "card_versions",
    metadata,
    Column("owner", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("card", Text, nullable=False),
    Column("role", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("written_at", BigInteger, nullable=False),
)
"""Every version ever written, as JSON, with who wrote it and why."""

card_keys = Table(
    "card_keys",
    metadata,
    Column("owner", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("memory_id", String, nullable=False),
)
"""Idempotency keys of card writes."""

tombstones = Table(
    "tombstones",
    metadata,
    Column("owner", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
    Column("digest", String, nullable=False),
    Column("role", String, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("tombstones_by_digest", "owner", "digest"),
)
"""What was forgotten, as a digest of its content, so that it is not learned again from old events."""

task_states = Table(
    "task_states",
    metadata,
    Column("owner", String, primary_key=True),
    Column("thread", String, primary_key=True),
    Column("user", String),
    Column("team", String),
    Column("agent", String),
    Column("task_id", String, nullable=False),
    Column("finished", Integer, nullable=False),
    Column("head", String),
    Column("step", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("open_tasks", "owner", "finished", "at"),
)

task_parts = Table(
    "task_parts",
    metadata,
    Column("owner", String, primary_key=True),
    Column("ref", String, primary_key=True),
    Column("body", Text, nullable=False),
)
"""What long lists of task states were folded into: named by its content, never changed."""

precipitation_queue = Table(
    "precipitation_queue",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("owner", String, nullable=False),
    *_writer(),
    Column("key", String, nullable=False),
    Column("event_ids", Text, nullable=False),
    Column("reason", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("claimed_at", BigInteger),
    UniqueConstraint("owner", "key"),
    Index("queue_by_state", "owner", "state", "id"),
    sqlite_autoincrement=True,
)

denials = Table(
    "denials",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("owner", String, nullable=False),
    *_writer(),
    Column("role", String, nullable=False),
    Column("wanted", String, nullable=False),
    Column("tier", String, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("denials_by_owner", "owner", "id"),
)
"""Every attempt that a role had no right to."""

passages = Table(
    "passages",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("owner", String, nullable=False),
    Column("ref", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("start", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
    Index("passages_by_ref", "owner", "ref"),
)
"""What the rows of the lexical index stand for: characters ``start`` to ``start + length`` of a record."""

lexical_stats = Table(
    "lexical_stats",
    metadata,
    Column("owner", String, primary_key=True),
    Column("passages", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
)
"""Collection size and length of each owner, as BM25 needs them."""

index_work = Table(
    "index_work",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("owner", String, nullable=False),
    Column("ref", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("tier", String, nullable=False),
    Column("work", String, nullable=False),
    Column("size", Integer, nullable=False),
    UniqueConstraint("owner", "ref"),
    Index("index_work_by_size", "owner", "work", "size"),
    sqlite_autoincrement=True,
)
"""What the vector index has yet to take in (``add``, or ``replace`` where an earlier wording is in it), to drop
(``remove``), or could not embed (``failed``).

A record that changes gets a new line with a new id, so work on its old wording cannot strike off the new."""

reembedding = Table(
    "reembedding",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("owner", String, nullable=False),
    Column("ref", String, nullable=False),
    Column("work", String, nullable=False),
    UniqueConstraint("owner", "ref"),
    Index("reembedding_by_work", "work", "owner"),
)
"""While the embedder changes: what the new index has yet to take in (``add``, or ``replace`` where it was written
meanwhile) or could not embed (``failed``)."""

card_uses = Table(
    "card_uses",
    metadata,
    Column("owner", String, primary_key=True),
    Column("memory_id", String, primary_key=True),
    Column("recalled", Integer, nullable=False),
    Column("cited", Integer, nullable=False),
    Column("succeeded", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("first_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("last_run", String, nullable=False),
)
"""In how many runs a card stood in a brief, and how those ended; the row with the empty id counts all runs."""

revisions = Table(
    "revisions",
    metadata,
    Column("owner", String, primary_key=True),
    Column("events", Integer, nullable=False),
    Column("cards", Integer, nullable=False),
)
"""How often an owner's events and cards were written, so that every process can tell a stale cache."""

LEXICAL_DDL = (
    # The tokens are ours already; the "ascii" tokenizer only splits them at blanks and leaves non-ASCII alone.
    "CREATE VIRTUAL TABLE IF NOT EXISTS lexical USING fts5(owner, text, tokenize = 'ascii')"
)

MIGRATIONS: dict[int, tuple[str, ...]] = {
    2: (
        "CREATE TABLE task_parts (owner VARCHAR NOT NULL, ref VARCHAR NOT NULL, body TEXT NOT NULL, "
        "PRIMARY KEY (owner, ref))",
    ),
    3: (
        "CREATE TABLE reembedding (id INTEGER NOT NULL, owner VARCHAR NOT NULL, ref VARCHAR NOT NULL, "
        "work VARCHAR NOT NULL, PRIMARY KEY (id), UNIQUE (owner, ref))",
        "CREATE INDEX reembedding_by_work ON reembedding (work, owner)",
    ),
    4: (
        "CREATE TABLE card_uses (owner VARCHAR NOT NULL, memory_id VARCHAR NOT NULL, recalled INTEGER NOT NULL, "
        "cited INTEGER NOT NULL, succeeded INTEGER NOT NULL, failed INTEGER NOT NULL, first_at BIGINT NOT NULL, "
        "last_at BIGINT NOT NULL, last_run VARCHAR NOT NULL, PRIMARY KEY (owner, memory_id))",
    ),
}
"""``{n: statements}`` brings a ledger of version n-1 to n. Version 1 is the first that was released."""

_VERSION_KEY = "schema_version"


def migrate(connection: Connection, migrations: dict[int, tuple[str, ...]] = MIGRATIONS) -> int:
    """Bring the ledger behind ``connection`` up to date inside the caller's transaction.

    Args:
        connection: an open write transaction.
        migrations: the numbered steps; other than the package's own only in tests.

    Returns:
        The version the ledger now has.

    Raises:
        StorageError: when the ledger was written by a newer release.
    """
    latest = max(migrations, default=1)
    found = _version(connection)
    if found is None:
        metadata.create_all(connection)
        connection.exec_driver_sql(LEXICAL_DDL)
        connection.execute(meta.insert().values(key=_VERSION_KEY, value=str(latest)))
        return latest
    if found > latest:
        raise _newer(found, latest)
    for number in range(found + 1, latest + 1):
        for statement in migrations[number]:
            connection.exec_driver_sql(statement)
        connection.execute(meta.update().where(meta.c.key == _VERSION_KEY).values(value=str(number)))
    return latest


def demand_current(connection: Connection) -> None:
    """Pass when the ledger can be read as it is.

    Raises:
        StorageError: it is no ledger, or of another version than this release's.
    """
    found, latest = _version(connection), max(MIGRATIONS)
    if found is None:
        msg = "the file is not a ledger of ours: choose another folder (--memory, or path= in Python)"
        raise StorageError(msg, zh="该文件不是本软件的账本：请另选一个文件夹（--memory，Python 中用 path=）")
    if found > latest:
        raise _newer(found, latest)
    if found < latest:
        msg = (
            f"this memory has schema {found} and must be brought to {latest}, but its folder may not be written: copy "
            "the folder to where you may write, and name the copy with --memory (path= in Python)"
        )
        zh = (
            f"这个记忆库的格式是 {found}，须升级到 {latest}，但它的文件夹不可写："
            "请把文件夹复制到可写的地方，再用 --memory（Python 中用 path=）指定副本"
        )
        raise StorageError(msg, zh=zh)


def _newer(found: int, latest: int) -> StorageError:
    msg = f"this memory has schema {found}, newer than this release knows ({latest}): upgrade memory-secretary"
    return StorageError(msg, zh=f"这个记忆库的格式是 {found}，比本版本所知的 {latest} 新：请升级 memory-secretary")


def _version(connection: Connection) -> int | None:
    if not inspect(connection).has_table(meta.name):
        return None
    return int(connection.execute(select(meta.c.value).where(meta.c.key == _VERSION_KEY)).scalar_one())
