"""One process at a time works on a thread: a lock beside the run's record, which vanishes with the process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from memory_secretary.graph.cli_runs import run_folder
from memory_secretary.memory.errors import StorageError

LOCK_FILE, PROCESS_FILE = "at_work.lock", "at_work.pid"  # on Windows a locked file cannot be read, hence two


class ThreadAtWork(StorageError):
    """Another process works on the thread."""


@contextmanager
def at_work(memory: Path, user: str, thread: str) -> Iterator[None]:
    """Work on a thread within this block; the operating system gives it back when the process ends, however it ends.

    Within one process it may be taken several times: what works there on one thread takes turns by itself.

    Raises:
        ThreadAtWork: another process has it.
        StorageError: the folder cannot be used.
    """
    with ExitStack() as held:
        folder = run_folder(memory, user, thread)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(_lock(folder).acquire(timeout=0))
            (folder / PROCESS_FILE).write_text(str(os.getpid()), "utf-8")
        except Timeout as error:
            if (process := _process(folder)) != str(os.getpid()):
                raise _taken(thread, process) from error
        except OSError as error:
            msg = f"{folder} cannot be used ({error.strerror or error}); choose a memory folder that can be written to"
            zh = f"{folder} 无法使用（{error.strerror or error}）；请换一个可写的记忆库文件夹"
            raise StorageError(msg, zh=zh) from error
        yield


def is_at_work(memory: Path, user: str, thread: str) -> bool:
    """Whether another process works on the thread now."""
    folder = run_folder(memory, user, thread)
    if not (folder / LOCK_FILE).exists():
        return False
    try:
        with _lock(folder).acquire(timeout=0):
            return False
    except Timeout:
        return _process(folder) != str(os.getpid())


def demand_free(memory: Path, user: str, thread: str) -> None:
    """Let nobody change what lies beside a thread's record while another process works on the thread.

    Raises:
        ThreadAtWork: one does.
    """
    if is_at_work(memory, user, thread):
        raise _taken(thread, _process(run_folder(memory, user, thread)))


def _lock(folder: Path) -> BaseFileLock:
    return FileLock(folder / LOCK_FILE, thread_local=False)  # whichever thread took it, any may give it back


def _process(folder: Path) -> str:
    """The id of the process that took the lock; empty between its lock and its note."""
    try:
        return (folder / PROCESS_FILE).read_text("utf-8").strip()
    except FileNotFoundError:
        return ""


def _taken(thread: str, process: str) -> ThreadAtWork:
    who, who_zh = (f"process {process}", f"进程 {process} ") if process else ("another process", "另一个进程")
    return ThreadAtWork(
        f"thread {thread!r} is being worked on by {who}: wait until it has ended, or stop it there",
        zh=f"线程 {thread!r} 正由{who_zh}处理：请等它结束，或在那里停下它",
    )
