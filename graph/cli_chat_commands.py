"""The commands inside a chat, ``/memory`` and the others: a look at what is kept, and the way between threads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from rich.table import Table

from memory_secretary.graph.cli_chat_session import Session
from memory_secretary.graph.cli_records import card_entry, entry, hit_entry, recalled_entry, text_entry
from memory_secretary.graph.cli_start import new_thread
from memory_secretary.graph.words import say
from memory_secretary.memory.errors import NotFound, SettingsError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.sessions import new_turns

_COMMAND = re.compile(r"/([A-Za-z]+)(?:\s+(.*))?", re.DOTALL)
"""A line that is a command; a path is none, so that a turn may begin with one."""
_SHOWN = 20
"""Cards or threads that a list shows, the newest."""

Job = Callable[[Session, str], bool | None]
"""Does a command; False where it took a turn that was not done."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a command does, and how its argument is named where it takes one."""

    job: Job
    usage: str = ""
    needs: bool = False


def is_command(line: str) -> bool:
    """Whether a line is a command and no turn."""
    return _COMMAND.fullmatch(line.strip()) is not None


def obey(session: Session, line: str) -> bool:
    """Do what a command line says; False where it took a turn that was not done.

    Raises:
        EOFError: the user wants to leave.
        MemorySecretaryError: it cannot be done; the sentence says why.
    """
    match = _COMMAND.fullmatch(line.strip())
    name, argument = (match[1].lower(), (match[2] or "").strip()) if match else (line, "")
    command = COMMANDS.get(name)
    if command is None:
        raise _unknown(name)
    if command.needs and not argument:
        values = {"name": f"/{name}", "usage": f"/{name} {command.usage}"}
        raise SettingsError(say("en", "chat_argument", **values), zh=say("zh", "chat_argument", **values))
    return command.job(session, argument) is not False


def _unknown(name: str) -> NotFound:
    meant = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    key, values = ("chat_meant", {"meant": f"/{meant[0]}"}) if meant else ("chat_unknown", {})
    return NotFound(say("en", key, name=f"/{name}", **values), zh=say("zh", key, name=f"/{name}", **values))


# --- what is kept ---------------------------------------------------------------------------------------------------


def _memory(session: Session, _argument: str) -> None:
    cards = session.memory.list(session.owner, limit=_SHOWN)
    for card in cards:
        card_entry(card, session.console)
    if not cards:
        session.say("chat_no_cards")
    waiting = session.memory.pending(session.owner)
    if waiting:
        session.say("chat_waiting", n=len(waiting))


def _why(session: Session, query: str) -> None:
    if query:
        for hit in session.memory.recall(session.scope, query):
            hit_entry(hit, session.console)
        return
    recalled = session.values().get("recalled") or []
    for memory in recalled:
        recalled_entry(memory, session.console)
    if not recalled:
        session.say("chat_no_recall")


def _brief(session: Session, _argument: str) -> None:
    brief = session.values().get("brief")
    if brief:
        text_entry(brief, session.console)
    else:
        session.say("chat_no_brief")


def _forget(session: Session, ref: str) -> None:
    card_entry(session.memory.forget(session.owner, ref), session.console)


def _history(session: Session, _argument: str) -> None:
    turns = new_turns(session.memory.events(session.scope), ())
    for event in turns:
        who = say(session.lang, "chat_you" if event.actor == "user" else "answer")
        entry((who, f"{event.at:%Y-%m-%d %H:%M}", event.event_id), event.observation, session.console)
    if not turns:
        session.say("chat_no_history")


# --- threads --------------------------------------------------------------------------------------------------------


def _threads(session: Session, _argument: str) -> None:
    for stored in session.memory.view(Role.SECRETARY, session.owner).threads(_SHOWN):
        here = say(session.lang, "chat_now") if stored.scope.thread == session.record.thread else ""
        status = say(session.lang, "done" if stored.state["finished"] else "running")
        head = (stored.scope.thread or "", f"{stored.at:%Y-%m-%d %H:%M}", status, here)
        entry(head, stored.state["goal"], session.console)


def _new(session: Session, thread: str) -> None:
    session.move_to(thread or new_thread())
    session.say("chat_thread", thread=session.record.thread)


def _switch(session: Session, thread: str) -> None:
    known = [stored.scope.thread or "" for stored in session.memory.view(Role.SECRETARY, session.owner).threads(1000)]
    found = [name for name in known if name == thread] or [name for name in known if name.startswith(thread)]
    if len(found) != 1:
        names = ", ".join(found[:5])
        msg = f"{thread!r} may be {names}" if found else f"there is no thread {thread!r}"
        zh = f"{thread!r} 可能是 {names}" if found else f"没有线程 {thread!r}"
        raise NotFound(f"{msg}; /threads lists them", zh=f"{zh}；/threads 列出所有线程")
    session.move_to(found[0])
    session.say("chat_thread", thread=found[0])
    greet(session)


def greet(session: Session) -> None:
    """Say that a task is waiting, where one is."""
    if session.unfinished:
        session.say("chat_open")


# --- the chat itself ------------------------------------------------------------------------------------------------


def _resume(session: Session, _argument: str) -> bool:
    if not session.unfinished:
        raise NotFound(say("en", "chat_nothing_open"), zh=say("zh", "chat_nothing_open"))
    return session.ask("")


def _help(session: Session, _argument: str) -> None:
    table = Table.grid(padding=(0, 2))
    for name, command in COMMANDS.items():
        table.add_row(f"/{name} {command.usage}".strip(), say(session.lang, f"help_{name}"))
    session.console.print(table)


def _quit(_session: Session, _argument: str) -> None:
    raise EOFError


COMMANDS: dict[str, Command] = {
    "memory": Command(_memory),
    "why": Command(_why, "[QUERY]"),
    "brief": Command(_brief),
    "forget": Command(_forget, "REF", needs=True),
    "history": Command(_history),
    "threads": Command(_threads),
    "new": Command(_new, "[THREAD]"),
    "switch": Command(_switch, "THREAD", needs=True),
    "resume": Command(_resume),
    "help": Command(_help),
    "quit": Command(_quit),
}
