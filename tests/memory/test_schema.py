"""Ledgers of every released schema, kept as SQL in ``schemas/``, open as memories of today."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import inspect

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.errors import StorageError
from memory_secretary.memory.schema import LEXICAL_DDL, MIGRATIONS, metadata, migrate
from memory_secretary.memory.task_state import new_task

ANA = Scope(user="ana", thread="t1")
LATEST = max(MIGRATIONS)
SCHEMAS = Path(__file__).parent / "schemas"


def released(folder: Path, version: int) -> None:
    """Write a ledger as that release left it; its full-text table is empty, since a dump cannot hold one."""
    connection = sqlite3.connect(folder / "ledger.db")
    connection.executescript((SCHEMAS / f"{version}.sql").read_text("utf-8"))
    connection.execute(LEXICAL_DDL)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("version", range(1, LATEST))
def test_a_ledger_of_every_released_schema_opens_whole(tmp_path: Path, version: int) -> None:
    released(tmp_path, version)
    with TieredMemory.open(tmp_path, embedder=None) as memory:
        assert memory.check().repaired == 3
        (card,) = memory.list(ANA)
        assert [hit.text for hit in memory.recall(ANA, "退款")] == ["退款需要三天"]
        assert [entry.reason for entry in memory.history(ANA, card.supersedes[0])][
            -1
        ] == f"superseded by {card.memory_id}"
        assert memory.read(ANA, memory.events(ANA)[0].event_id) == "is the kiln free 下周三"
        assert [entry.reason for entry in memory.pending(ANA)] == ["session_closed"]
        task = new_task(task_id="k", goal="g", goal_ref="e")
        memory.view(Role.SECRETARY, ANA).save_task_state(task, head=None, step=1)
        assert memory.open_tasks(ANA)[0].state["goal"] == "g"


@pytest.mark.parametrize("version", range(1, LATEST))
def test_an_upgraded_ledger_has_the_tables_of_a_new_one(tmp_path: Path, version: int) -> None:
    released(tmp_path, version)
    with TieredMemory.open(tmp_path, embedder=None) as memory, memory._ledger.database.read() as connection:
        found = inspect(connection)
        for table in metadata.sorted_tables:
            assert {column["name"] for column in found.get_columns(table.name)} == set(table.columns.keys())
            assert {index["name"] for index in found.get_indexes(table.name)} == {index.name for index in table.indexes}


def test_no_schema_was_released_without_its_dump() -> None:
    assert {int(file.stem) for file in SCHEMAS.glob("*.sql")} == set(range(1, LATEST))


def test_a_newer_schema_is_refused_and_an_older_one_brought_up(memory: TieredMemory) -> None:
    steps = {
        LATEST + 1: ("CREATE TABLE extra (id INTEGER PRIMARY KEY)",),
        LATEST + 2: ("ALTER TABLE extra ADD COLUMN note TEXT",),
    }
    with memory._ledger.database.write() as connection:
        assert migrate(connection, MIGRATIONS | steps) == LATEST + 2
        connection.exec_driver_sql("INSERT INTO extra (note) VALUES ('x')")
        assert migrate(connection, MIGRATIONS | steps) == LATEST + 2
        with pytest.raises(StorageError, match="upgrade"):
            migrate(connection)
