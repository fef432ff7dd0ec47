"""Each thing that SQLite or the operating system refuses has one sentence with its cure, in both languages."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from memory_secretary.memory import database, storage_errors
from memory_secretary.memory.errors import StorageError


@pytest.mark.parametrize(
    ("number", "english", "chinese"),
    [
        (errno.ENOSPC, "disk is full", "磁盘已满"),
        (errno.EDQUOT, "quota", "配额"),
        (errno.EROFS, "read-only", "只读"),
        (errno.EACCES, "may not write", "没有写入权限"),
        (errno.EPERM, "may not write", "没有写入权限"),
        (errno.ENOTDIR, "a file stands in its way", "是文件"),
        (errno.EIO, "choose another", "另选"),
    ],
)
def test_a_folder_that_is_refused_is_named_with_the_cure(number, english, chinese):
    error = storage_errors.folder_error(Path("/data/m"), OSError(number, os.strerror(number)))
    assert english in str(error)
    assert chinese in error.zh
    assert "/data/m" in str(error)
    assert "/data/m" in error.zh
    assert (os.strerror(number) in error.zh) == (number == errno.EIO), "our own words say the same"
    file = storage_errors.file_error(Path("/data/m"), OSError(number, os.strerror(number)))
    assert (os.strerror(number) in file.zh) == (number == errno.EIO)


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        ("database or disk is full", "the disk is full", "磁盘已满"),
        ("attempt to write a readonly database", "read-only", "只读"),
        ("database is locked", "another process", "另一个进程"),
        ("database disk image is malformed", "damaged", "已损坏"),
        ("file is not a database", "not a ledger of ours", "不是本软件的账本"),
        ("no such module: fts5", "FTS5", "FTS5"),
        ("something new", "memory check", "memory check"),
    ],
)
def test_what_sqlite_says_gets_its_cure(said, english, chinese):
    with pytest.raises(StorageError, match=english) as caught, storage_errors.named_errors(Path("/data/ledger.db")):
        raise OperationalError("SELECT 1", {}, Exception(said))
    assert chinese in caught.value.zh
    assert said in caught.value.sentence("en")
    assert (said in caught.value.zh) == (said == "something new"), "our own words say the same"


def test_an_sqlite_that_is_too_old_is_refused_before_anything_is_made(monkeypatch, tmp_path):
    with pytest.raises(StorageError, match=r"3\.34\.1.*3\.35\.0") as caught:
        storage_errors.demand_sqlite((3, 34, 1))
    assert "3.34.1" in caught.value.zh
    storage_errors.demand_sqlite((3, 35, 0))

    def too_old():
        storage_errors.demand_sqlite((3, 7, 0))

    monkeypatch.setattr(database, "demand_sqlite", too_old)
    with pytest.raises(StorageError, match=r"3\.7\.0"):
        database.Database.open(f"sqlite:///{tmp_path}/m/ledger.db")
    assert not (tmp_path / "m").exists()
