"""A memory in a folder that may not be written is read as it is, and nothing in the folder changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.database import may_write
from memory_secretary.memory.errors import NotFound, StorageError
from memory_secretary.memory.ledger import LEDGER_FILE

ANA = Scope(user="ana", thread="t1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory with a card, a secret of an agent's, a turn, and something forgotten."""
    path = tmp_path / "m"
    with TieredMemory.open(path, embedder=None) as memory:
        memory.record(ANA, actor="user", action="request", observation="is the kiln free on Friday?")
        memory.remember(ANA, "the kiln is blue")
        memory.remember(ANA, "the kiln of the clerk", access_level=["clerk"])
        memory.forget(ANA, memory.remember(ANA, "the kiln is red").memory_id)
    return path


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_all_that_reads_works_and_leaves_every_file_as_it_was(folder: Path, tmp_path: Path) -> None:
    before = files(folder)
    with TieredMemory.open(folder, read_only=True) as memory:
        blue = next(card for card in memory.list(ANA) if card.content == "the kiln is blue")
        assert {hit.text for hit in memory.recall(ANA, "kiln Friday", k=2)} >= {"is the kiln free on Friday?"}
        assert memory.why(ANA, "kiln blue", expect=blue.memory_id).rule == "recalled"
        assert len(memory.history(ANA, blue.memory_id)) == 1
        assert (memory.pending(ANA), memory.would_vacuum().cards) == ([], 1)
        assert memory.would_forget(ANA, blue.memory_id).cards == (blue.memory_id,)
        assert memory.export(ANA, tmp_path / "out.jsonl") > 3
        memory.backup(tmp_path / "copy")
        report = memory.check()
        assert (report.sound, report.cards, report.events) == (True, 3, 1)
        assert "nothing was repaired" in report.unchecked
        [notice] = memory.notices
        assert (str(folder) in notice.sentence("en"), "只按词语检索" in notice.sentence("zh")) == (True, True)
    assert files(folder) == before
    with TieredMemory.open(tmp_path / "copy", embedder=None) as copy:
        assert len(copy.list(ANA)) == 2


WRITES: list[Callable[[TieredMemory], Any]] = [
    lambda memory: memory.remember(ANA, "the kiln is green"),
    lambda memory: memory.record(ANA, actor="user", action="request", observation="hello"),
    lambda memory: memory.forget(ANA, memory.list(ANA)[0].memory_id),
    lambda memory: memory.edit(ANA, memory.list(ANA)[0].memory_id, content="other words"),
    lambda memory: memory.vacuum(),
    lambda memory: memory.reindex(),
]


@pytest.mark.parametrize("write", WRITES)
def test_what_would_write_is_refused_with_the_cure(folder: Path, write: Callable[[TieredMemory], Any]) -> None:
    before = files(folder)
    with TieredMemory.open(folder, read_only=True) as memory, pytest.raises(StorageError, match="permissions") as error:
        write(memory)
    assert "修改其权限" in error.value.zh
    assert files(folder) == before


def test_what_an_agent_may_not_see_is_not_there_as_ever(folder: Path) -> None:
    with TieredMemory.open(folder, read_only=True) as memory:
        secret = next(card for card in memory.list(ANA) if "clerk" in card.content)
        with pytest.raises(NotFound):
            memory.view(Role.SECRETARY, Scope(user="ana", agent="mail")).card(secret.memory_id)


def test_what_another_process_writes_meanwhile_is_seen(folder: Path) -> None:
    with TieredMemory.open(folder, embedder=None) as writer:
        writer.remember(ANA, "the kiln is new")
        with TieredMemory.open(folder, read_only=True) as memory:
            assert "the kiln is new" in {card.content for card in memory.list(ANA)}
            writer.remember(ANA, "the kiln is newer")
            assert "the kiln is newer" in {card.content for card in memory.list(ANA)}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("version", "cure"), [("2", ("copy", "复制")), ("99", ("upgrade", "升级"))])
def test_a_ledger_of_another_version_is_refused_with_the_cure(
    folder: Path, lang: Any, version: str, cure: tuple[str, str]
) -> None:
    connection = sqlite3.connect(folder / LEDGER_FILE)
    with connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", (version,))
    connection.close()
    with speaking(lang), pytest.raises(StorageError) as error:
        TieredMemory.open(folder, read_only=True)
    assert cure[lang == "zh"] in str(error.value)
    assert version in str(error.value)


def test_what_is_no_memory_is_named_and_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened"):
        TieredMemory.open(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()
    sqlite3.connect(tmp_path / LEDGER_FILE).execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(StorageError, match="not a ledger of ours"):
        TieredMemory.open(tmp_path, read_only=True)


def test_a_copy_whose_last_writes_were_left_in_the_log_is_read_whole(folder: Path, tmp_path: Path) -> None:
    with TieredMemory.open(folder, embedder=None) as writer:
        writer.remember(ANA, "the kiln is new")
        shutil.copytree(folder, tmp_path / "torn")
    with TieredMemory.open(tmp_path / "torn", read_only=True) as memory:
        assert "the kiln is new" in {card.content for card in memory.list(ANA)}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write_is_told(folder: Path) -> None:
    assert may_write(folder / LEDGER_FILE)
    folder.chmod(0o555)
    assert not may_write(folder / LEDGER_FILE)
