"""The one place that turns what SQLite and the operating system refuse into our errors, each with its cure."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from memory_secretary.memory.errors import StorageError

BUSY_SECONDS = 15
"""How long a write waits for another process before it gives up with a sentence."""

LEAST_SQLITE = (3, 35, 0)
"""RETURNING came with 3.35 (https://www.sqlite.org/lang_returning.html), and Chroma refuses what is older, too."""

_CURES = {
    "locked": (
        "another process has been writing for {busy} s; close it, or try again",
        "另一个进程已连续写入 {busy} 秒；请关闭它，或稍后再试",
    ),
    "readonly": (
        "the folder is read-only; choose another (--memory, or path= in Python), or change its permissions",
        "该文件夹是只读的；请另选一个（--memory，Python 中用 path=），或修改其权限",
    ),
    "full": (
        "the disk is full; free some space, nothing that was acknowledged is lost",
        "磁盘已满；请腾出空间，已确认写入的内容没有丢失",
    ),
    "malformed": (
        "the file is damaged; put back a backup made with `memory-secretary memory backup`",
        "文件已损坏；请放回用 `memory-secretary memory backup` 做的备份",
    ),
    "not a database": (
        "the file is not a ledger of ours; choose another folder (--memory, or path= in Python)",
        "该文件不是本软件的账本；请另选一个文件夹（--memory，Python 中用 path=）",
    ),
    "no such table": (
        "the file is not a ledger of ours; choose another folder (--memory, or path= in Python)",
        "该文件不是本软件的账本；请另选一个文件夹（--memory，Python 中用 path=）",
    ),
    "unable to open": (
        "the file cannot be opened; check that the folder exists and may be written",
        "文件无法打开；请检查文件夹是否存在、是否可写",
    ),
    "fts5": (
        "this Python's SQLite lacks full-text search (FTS5); use a Python that has it, such as python.org's",
        "此 Python 的 SQLite 不含全文检索（FTS5）；请改用带有它的 Python，例如 python.org 的版本",
    ),
}
"""By a word of SQLite's own message."""
_UNKNOWN_CURE = (
    "see what is broken with `memory-secretary memory check`",
    "请用 `memory-secretary memory check` 查看损坏之处",
)

_FOLDER_CURES = {
    errno.ENOSPC: (
        "the disk is full; free some space, or choose another folder",
        "磁盘已满；请腾出空间，或另选一个文件夹",
    ),
    errno.EDQUOT: (
        "your disk quota is used up; free some space, or choose another folder",
        "磁盘配额已用完；请腾出空间，或另选一个文件夹",
    ),
    errno.ENOENT: ("there is no such file or folder; check the name", "没有这个文件或文件夹；请检查名称"),
    errno.EROFS: ("it is read-only; choose another folder", "它是只读的；请另选一个文件夹"),
    errno.EACCES: (
        "you may not write there; choose another folder, or change its permissions",
        "您没有写入权限；请另选一个文件夹，或修改其权限",
    ),
    errno.ENOTDIR: ("a file stands in its way; choose another folder", "路径上有一处是文件；请另选一个文件夹"),
    errno.EEXIST: ("a file has that name; choose another folder", "已有同名文件；请另选一个文件夹"),
}
_FOLDER_CURES[errno.EPERM] = _FOLDER_CURES[errno.EACCES]
_OTHER_FOLDER = ("choose another folder", "请另选一个文件夹")


def folder_error(folder: Path, error: OSError) -> StorageError:
    """What the operating system's refusal to use a memory folder means, with its cure."""
    reason, reason_zh = _reasons(error)
    cure, cure_zh = _FOLDER_CURES.get(error.errno or 0, _OTHER_FOLDER)
    return StorageError(
        f"the memory folder {folder} cannot be used ({reason}): {cure}",
        zh=f"记忆文件夹 {folder} 无法使用{reason_zh}：{cure_zh}",
    )


def _reasons(error: OSError) -> tuple[str, str]:
    """What the system says, and what of it stands in a Chinese sentence: nothing where our own words say the same."""
    reason = error.strerror or str(error)
    return reason, "" if error.errno in _FOLDER_CURES else f"（{reason}）"


def only_read(folder: str | Path) -> StorageError:
    """What to tell a user whose memory is read as it is, since its folder may not be written."""
    return StorageError(
        f"{folder} may not be written: the memory is read as it is, and searched by words alone",
        zh=f"{folder} 不可写：记忆库按现状读取，只按词语检索",
    )


def file_error(file: Path, error: OSError) -> StorageError:
    """What the operating system's refusal to read or write a file of the user's means, with its cure."""
    reason, reason_zh = _reasons(error)
    cure, cure_zh = _FOLDER_CURES.get(error.errno or 0, ("name another file", "请换一个文件"))
    return StorageError(f"{file} cannot be used ({reason}): {cure}", zh=f"{file} 无法使用{reason_zh}：{cure_zh}")


def demand_sqlite(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Refuse an SQLite that is too old.

    Raises:
        StorageError: it is older than :data:`LEAST_SQLITE`.
    """
    if version >= LEAST_SQLITE:
        return
    found, least = (".".join(map(str, number)) for number in (version, LEAST_SQLITE))
    msg = f"this Python brings SQLite {found} and {least} is needed: use a newer Python, such as python.org's"
    zh = f"此 Python 自带 SQLite {found}，至少需要 {least}：请改用较新的 Python，例如 python.org 的版本"
    raise StorageError(msg, zh=zh)


@contextmanager
def named_errors(file: Path | None) -> Iterator[None]:
    """Turn the driver's errors into a sentence that names the cure."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig)
        cures = next((pair for word, pair in _CURES.items() if word in reason.lower()), _UNKNOWN_CURE)
        reason_zh = f"（{reason}）" if cures is _UNKNOWN_CURE else ""
        cure, cure_zh = (text.format(busy=BUSY_SECONDS) for text in cures)
        msg = f"the ledger {file or 'in memory'} failed ({reason}): {cure}"
        raise StorageError(msg, zh=f"账本 {file or '（在内存中）'} 出错{reason_zh}：{cure_zh}") from error
