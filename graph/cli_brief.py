"""The command ``brief``: what the executor was given to read at the last step of a thread."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_secretary.graph.cli_desk import opened
from memory_secretary.graph.cli_ids import the_one
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import (
    LOCAL_USER,
    AsJson,
    MemoryFolder,
    User,
    as_command,
    memory_folder,
    whose_threads,
)
from memory_secretary.graph.cli_records import text_entry
from memory_secretary.graph.cli_start import THREADS
from memory_secretary.graph.forgotten_words import gone_since, without_forgotten
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import make_console
from memory_secretary.graph.moments import minute
from memory_secretary.graph.palette import QUIET
from memory_secretary.graph.words import Lang, colon, say
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import StoredTask
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory


def brief(
    thread: Annotated[
        str | None, typer.Argument(metavar="THREAD", help="Whose; its beginning is enough (default: the newest).")
    ] = None,
    memory: MemoryFolder = None,
    user: User = LOCAL_USER,
    lang: Language = None,
    as_json: AsJson = False,
) -> None:
    """Show the last brief of a run or a chat: what the executor was given to read at its last step."""
    shown = spoken(lang)
    folder, console = memory_folder(memory), make_console()
    found = _meant(folder, user, thread)
    text = kept_brief(folder, found, shown)
    if text is None:
        raise _no_brief(folder, found)
    if as_json:
        console.out(json.dumps({"thread": found.scope.thread, "brief": text}, ensure_ascii=False), highlight=False)
    else:
        whose = f"{say(shown, 'thread')}{colon(shown)}{found.scope.thread} · {minute(found.at)}\n"
        print_broken(console, whose, QUIET)
        text_entry(text, console)


def _meant(folder: Path, user: str, named: str | None) -> StoredTask:
    """The user's thread that was named, else the newest.

    Raises:
        NotFound: the user has none, or none of that name.
    """
    with opened(folder, "none", reads=True) as memory:
        user = whose_threads(user, lambda name: any(each.startswith(named or "") for each in _threads(memory, name)))
        known = _threads(memory, user)
    found = the_one(named, list(known)) if named else next(iter(known), "")
    if found not in known:
        name = f" {found!r}" if found else ""
        msg = f"user {user!r} has no thread{name} in {folder}; give the --memory and --user it was run with"
        raise NotFound(msg, zh=f"用户 {user!r} 在 {folder} 里没有线程{name}；请给出运行时所用的 --memory 和 --user")
    return known[found]


def _threads(memory: TieredMemory, user: str) -> dict[str, StoredTask]:
    """A user's threads by name, the newest first."""
    stored = memory.view(Role.SECRETARY, Scope(user=user)).threads(THREADS)
    return {each.scope.thread or "": each for each in stored}


def _no_brief(folder: Path, task: StoredTask) -> NotFound:
    """Why a thread that is known has none here: its task has not come to it yet, or a program kept it elsewhere."""
    thread, user = task.scope.thread or "", task.scope.user or LOCAL_USER
    if not task.state["finished"]:
        command = as_command("run", "--resume", thread, memory=folder, user=user)
        msg = f"thread {thread!r} has no brief yet; go on with it first: {command}"
        return NotFound(msg, zh=f"线程 {thread!r} 还没有简报；请先继续它：{command}")
    return NotFound(
        f"no brief of thread {thread!r} is kept in {folder}: its task was done by a program, which gets the brief as "
        "result['brief'] and keeps it with its own checkpointer",
        zh=f"{folder} 里没有保存线程 {thread!r} 的简报：它的任务由程序完成，简报在 result['brief'] 里，"
        "由该程序自己的检查点保存",
    )


def kept_brief(folder: Path, task: StoredTask, lang: Lang) -> str | None:
    """The brief of a task's thread as its checkpoint has it, without what was forgotten since.

    None where there is no checkpoint of it, or none with a brief.
    """
    from memory_secretary.graph.checkpoints import kept_values

    values = kept_values(folder / "checkpoints.sqlite", task.scope.thread or "")
    if not values.get("brief"):
        return None
    with opened(folder, "none", reads=True) as memory:
        gone = gone_since(memory.view(Role.USER, task.scope), values)
    return without_forgotten(values["brief"], gone, say(lang, "chat_forgotten"))
