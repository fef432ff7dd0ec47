"""Chroma as this package opens it: a folder that one process locks, a server, or memory; and how it is let go."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from memory_secretary.memory.errors import IndexUnavailable, SettingsError
from memory_secretary.memory.program import for_programs
from memory_secretary.memory.system_words import system_reason

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.client import Client
    from filelock import BaseFileLock

LOCK_FILE = "index.lock"
CHROMA_FILE = "chroma.sqlite3"
"""Where Chroma keeps everything of an index but the vectors' graph."""

_SEGMENT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Chroma keeps the vectors of each collection in a folder with such a name."""


def client_of(path: Path | None, url: str | None) -> ClientAPI:
    """A client of the server at ``url``, of the folder ``path``, or with neither of an index in memory."""
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    if url is not None:
        return _server_client(chromadb.HttpClient, url, settings)
    if path is not None:
        return chromadb.PersistentClient(path=path, settings=settings)
    return chromadb.EphemeralClient(settings=settings)


def release(client: ClientAPI) -> None:
    """Chroma's own close leaves the connections to a server open."""
    whole = cast("Client", client)
    servers = [getattr(part, "_server", None) for part in (whole, whole._admin_client)]
    sessions = [getattr(server, "_session", None) for server in servers]
    whole.close()
    for session in sessions:
        if session is not None:
            session.close()


def forget(path: str) -> None:
    """Chroma hands a client that failed to start out again; the folder is locked, so nobody else uses it."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient._identifier_to_system.pop(path, None)


def _server_client(make: Callable[..., ClientAPI], url: str, settings: Any) -> ClientAPI:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        msg = f"chroma_url {url!r} is not an address; use one such as http://127.0.0.1:8000"
        raise SettingsError(msg, zh=f"chroma_url {url!r} 不是地址；请用例如 http://127.0.0.1:8000")
    secure = parts.scheme == "https"
    return make(host=parts.hostname, port=parts.port or (443 if secure else 8000), ssl=secure, settings=settings)


def locked(path: Path) -> BaseFileLock:
    """Take the folder for this process; the operating system gives it back when the process ends, however it ends."""
    from filelock import FileLock, Timeout

    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / LOCK_FILE, thread_local=False)  # whichever thread opened it, any may close it
        lock.acquire(timeout=0)
    except Timeout as error:
        raise in_use(str(path)) from error
    except OSError as error:
        reason, reason_zh = system_reason(error)
        msg = f"the index folder {path} cannot be used ({reason}); choose one that can be written to"
        zh = f"索引文件夹 {path} 无法使用（{reason_zh}）；请换一个可写的文件夹"
        raise IndexUnavailable(msg, zh=zh) from error
    return lock


def wipe(path: Path) -> None:
    """Delete Chroma's own files, so that a damaged index can be made anew and its disk space comes back."""
    for file in path.glob(f"{CHROMA_FILE}*"):
        file.unlink()
    for folder in path.iterdir():
        if folder.is_dir() and _SEGMENT.fullmatch(folder.name):
            shutil.rmtree(folder)


def not_open(where: str) -> IndexUnavailable:
    """An index that this process does not have open now."""
    return IndexUnavailable(
        f"the vector index at {where} is not open; search once, or open the memory again",
        zh=f"向量索引 {where} 没有打开；请先检索一次，或重新打开记忆库",
    )


def in_use(where: str) -> IndexUnavailable:
    """A folder that another process has open, or this one another time."""
    shared = for_programs(
        " (from Python, several can share it: `chroma run --path FOLDER --host 127.0.0.1`, and every memory opened "
        "with chroma_url='http://127.0.0.1:8000')"
    )
    shared_zh = for_programs(
        "（用 Python 时可以共用：运行 `chroma run --path FOLDER --host 127.0.0.1`，"
        "每个记忆都用 chroma_url='http://127.0.0.1:8000' 打开）"
    )
    return IndexUnavailable(
        f"the vector index at {where} is in use by another run, chat or program; end that one to search by meaning "
        f"here too{shared}",
        zh=f"向量索引 {where} 正被另一个运行、对话或程序使用；结束它之后，这里也能按语义检索{shared_zh}",
    )
