"""A memory's folder is judged without being opened or changed."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from memory_secretary.memory import health
from memory_secretary.memory.chroma import CHROMA_FILE, LOCK_FILE
from memory_secretary.memory.database import may_write
from memory_secretary.memory.errors import IndexUnavailable, StorageError
from memory_secretary.memory.ledger import LEDGER_FILE
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA = Scope(user="ana", thread="t1")
HOLDER = """
import sys, time
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("locked", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path):
    """A memory with one event and one card, closed."""
    path = tmp_path / "memory"
    with TieredMemory.open(path, embedder=None) as memory:
        memory.record(ANA, actor="user", action="request", observation="fire the kiln")
        memory.remember(ANA, "the kiln is blue")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_closed_ledger_is_counted_and_nothing_in_the_folder_changes(folder):
    before = contents(folder)
    found = health.ledger_health(folder)
    assert (found.damage, found.events, found.cards, found.failed, found.without_vector) == ((), 1, 1, 0, 0)
    assert found.waiting == 2
    assert found.embedder is None
    health.probe_folder(folder)
    assert contents(folder) == before


def test_an_open_ledger_is_read_as_it_is_now(folder):
    with TieredMemory.open(folder, embedder=None) as memory:
        memory.remember(ANA, "and warm")
        assert health.ledger_health(folder).cards == 2


def test_what_is_not_there_is_no_damage(tmp_path):
    assert health.ledger_health(tmp_path) is None
    assert health.index_damage(tmp_path) is None
    assert health.index_owner(tmp_path) is None
    health.probe_folder(tmp_path / "a" / "b")
    assert health.free_bytes(tmp_path / "a" / "b") > 0
    assert not (tmp_path / "a").exists()


def test_a_file_that_is_no_ledger_is_named(tmp_path):
    (tmp_path / LEDGER_FILE).write_bytes(b"not a database" * 100)
    with pytest.raises(StorageError, match="not a ledger of ours") as caught:
        health.ledger_health(tmp_path)
    assert "另选一个" in caught.value.zh
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    shutil.move(tmp_path / "other.db", tmp_path / LEDGER_FILE)
    with pytest.raises(StorageError, match="not a ledger of ours"):
        health.ledger_health(tmp_path)


def test_a_ledger_with_pages_overwritten_is_damaged_or_refused(folder):
    file = folder / LEDGER_FILE
    data = bytearray(file.read_bytes())
    data[8192:16384] = b"\x5a" * 8192
    file.write_bytes(data)
    try:
        assert health.ledger_health(folder).damage
    except StorageError as error:
        assert "damaged" in str(error)


def test_the_index_file_is_judged_too(tmp_path):
    file = tmp_path / CHROMA_FILE
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    assert health.index_damage(tmp_path) == ()
    file.write_bytes(b"rubbish" * 999)
    with pytest.raises(IndexUnavailable, match="memory reindex") as caught:
        health.index_damage(tmp_path)
    assert "memory reindex" in caught.value.zh


def test_an_index_that_nobody_holds_has_no_owner(tmp_path):
    (tmp_path / LOCK_FILE).touch()
    assert health.index_owner(tmp_path) is None


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_where_the_lock_may_not_be_tried_an_index_has_the_owner_that_the_system_names(tmp_path, monkeypatch, number):
    def refuse(*_, **__):
        raise OSError(number, "refused")

    (tmp_path / LOCK_FILE).touch()
    monkeypatch.setattr(health, "FileLock", refuse)
    assert health.index_owner(tmp_path) is None
    monkeypatch.setattr(health, "_holder", lambda file: 17)
    assert health.index_owner(tmp_path) == health.Owner(17)


@pytest.mark.integration
def test_the_owner_of_an_index_is_named_by_its_process(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path / LOCK_FILE], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "locked\n"
        known = Path("/proc/locks").exists()
        assert health.index_owner(tmp_path) == health.Owner(holder.pid if known else None)
    finally:
        holder.kill()
        holder.communicate()


@pytest.fixture
def small_disk(tmp_path):
    """A disk of two megabytes, where the system lets us make one."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.integration
def test_a_full_disk_is_named_and_loses_nothing_that_was_acknowledged(small_disk):
    folder = small_disk / "memory"
    acknowledged = []
    with pytest.raises(StorageError, match="the disk is full") as caught, TieredMemory.open(folder, embedder=None) as m:
        while True:
            acknowledged.append(m.record(ANA, actor="tool", action="log", observation=os.urandom(20_000).hex()))
    assert "磁盘已满" in caught.value.zh
    assert acknowledged
    with pytest.raises(StorageError, match="the disk is full"):
        health.probe_folder(folder)
    assert health.ledger_health(folder).events == len(acknowledged)


@pytest.mark.integration
def test_a_read_only_disk_is_named_and_can_still_be_read(small_disk):
    folder = small_disk / "memory"
    with TieredMemory.open(folder, embedder=None) as memory:
        memory.remember(ANA, "the kiln is blue")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StorageError, match="read-only") as caught:
        TieredMemory.open(folder, embedder=None)
    assert "只读" in caught.value.zh
    with pytest.raises(StorageError, match="read-only"):
        health.probe_folder(folder)
    assert health.ledger_health(folder).cards == 1
    assert not may_write(folder / LEDGER_FILE)
    with TieredMemory.open(folder, read_only=True) as memory:
        assert [hit.text for hit in memory.recall(ANA, "kiln")] == ["the kiln is blue"]
