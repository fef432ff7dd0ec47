"""The commands inside a chat, ``/memory`` and the others: a look at what is kept, and the way between threads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from zoneinfo import ZoneInfo

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from memory_secretary.graph.cli_chat_session import Session
from memory_secretary.graph.cli_consent import YES_OPTIONS, agreed, unanswered
from memory_secretary.graph.cli_hits import forgotten_entry, hit_entry, print_score_key, recalled_entry
from memory_secretary.graph.cli_ids import the_one, whole_id
from memory_secretary.graph.cli_records import (
    card_entry,
    entry,
    own_wishes,
    text_entry,
    turn_entry,
    wish_entry,
)
from memory_secretary.graph.cli_remember import kept
from memory_secretary.graph.cli_start import new_thread
from memory_secretary.graph.cli_told import print_told, unqueued_turns, waiting_turns, way_to_cards, without
from memory_secretary.graph.forgotten_words import gone_since, without_forgotten
from memory_secretary.graph.line_breaks import broken, print_broken
from memory_secretary.graph.live import one_line
from memory_secretary.graph.moments import minute
from memory_secretary.graph.placeholders import placeholders
from memory_secretary.graph.words import Lang, say
from memory_secretary.memory.errors import NotFound, SettingsError
from memory_secretary.memory.roles import Role

_COMMAND = re.compile(r"/([^\W\d_][^\s/]*)(?:\s+(.*))?", re.DOTALL)
"""A line that is a command: one word of any script after the slash. A path with a second slash is the user's words."""
_NEAR = 0.65
"""How like a command a word must be to be taken for a slip of it: ``memroy`` is, ``nope`` is not like ``new``."""
_LEAVING = dict.fromkeys(("exit", "bye", "q", "close", "leave", "退出", "离开", "再见", "结束"), "quit")
"""What else is typed by who wants to leave; /help names one word."""
_SHOWN = 20
"""Cards or threads that a list shows, the newest."""
_KNOWN = 1000
"""Threads among which one is looked for, the newest."""

_GAP = 2
"""Columns between a command and what it does."""
_INDENT = 4
"""Columns before a goal that stands on a line of its own."""

Job = Callable[[Session, str], None]
"""Does a command."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a command does, and how its argument is named where it takes one."""

    job: Job
    usage: str = ""
    needs: bool = False


def is_command(line: str) -> bool:
    """Whether a line is a command and no turn."""
    return _COMMAND.fullmatch(line.strip()) is not None


def obey(session: Session, line: str) -> None:
    """Do what a command line says.

    Raises:
        EOFError: the user wants to leave.
        MemorySecretaryError: it cannot be done; the sentence says why.
    """
    match = _COMMAND.fullmatch(line.strip())
    name, argument = (match[1].lower(), (match[2] or "").strip()) if match else (line, "")
    command = COMMANDS.get(_LEAVING.get(name, name))
    if command is None:
        raise _unknown(name)
    if command.needs and not argument:
        raise SettingsError(_needs("en", name, command), zh=_needs("zh", name, command))
    command.job(session, argument)


def _needs(lang: Lang, name: str, command: Command) -> str:
    usage = placeholders(command.usage, lang)
    said = say(lang, "chat_argument", name=f"/{name}", usage=f"/{name} {usage}")
    return said + say(lang, f"chat_argument_{name}")


def _unknown(name: str) -> NotFound:
    near = get_close_matches(name, [*COMMANDS, *_LEAVING], n=1, cutoff=_NEAR)
    meant = [_LEAVING.get(word, word) for word in near]
    key, values = ("chat_meant", {"meant": f"/{meant[0]}"}) if meant else ("chat_unknown", {})
    return NotFound(say("en", key, name=f"/{name}", **values), zh=say("zh", key, name=f"/{name}", **values))


# --- what is kept ---------------------------------------------------------------------------------------------------


def _memory(session: Session, _argument: str) -> None:
    cards = session.memory.list(session.owner, limit=_SHOWN)
    for card in cards:
        card_entry(card, session.console)
    pending = session.memory.pending(session.owner)
    wishes = own_wishes(pending, session.record.user)
    for wish in wishes:
        wish_entry(wish, session.console)
    waiting = waiting_turns(session.memory, session.owner, pending)
    here = without(unqueued_turns(session.memory, session.scope), waiting)
    if not (cards or wishes or here or waiting):
        session.say("chat_no_cards")
    way = way_to_cards(session.folder, session.record.user, here=bool(here))
    print_told([*here, *waiting], way, session.console)


def _why(session: Session, query: str) -> None:
    if query:
        hits = session.memory.recall(session.scope, query)
        for hit in hits:
            hit_entry(hit, session.console, query)
        if hits:
            print_score_key(session.memory.weights, session.console, short=True)
        else:
            session.say("nothing_found")
        return
    values = session.values()
    recalled = values.get("recalled") or []
    gone = session.memory.view(Role.USER, session.owner).forgotten([memory["ref"] for memory in recalled])
    for memory in recalled:
        (forgotten_entry if memory["ref"] in gone else recalled_entry)(memory, session.console)
    if recalled:
        print_score_key(session.memory.weights, session.console, short=True)
    else:
        session.say("chat_no_recall" if values else "chat_no_step")


def _brief(session: Session, _argument: str) -> None:
    values = session.values()
    brief = values.get("brief")
    if brief:
        gone = gone_since(session.memory.view(Role.USER, session.scope), values)
        text_entry(without_forgotten(brief, gone, say(session.lang, "chat_forgotten")), session.console)
    else:
        session.say("chat_no_brief")


def _remember(session: Session, text: str) -> None:
    card, told = kept(session.memory, session.scope, text)
    card_entry(card, session.console)
    for sentence in told:
        print_broken(session.console, sentence)


def _forget(session: Session, argument: str) -> None:
    words = argument.split()
    yes = not {*YES_OPTIONS}.isdisjoint(words)
    ref = " ".join(word for word in words if word not in YES_OPTIONS)
    whole = whole_id(session.memory, session.owner, ref)
    try:
        _forget_the_one(session, whole, yes=yes)
    except NotFound as error:
        raise NotFound(say("en", "chat_no_id", ref=ref), zh=say("zh", "chat_no_id", ref=ref)) from error


def _forget_the_one(session: Session, whole: str, *, yes: bool) -> None:
    if whole.startswith("evt_"):
        _forget_turn(session, whole, yes=yes)
        return
    would = session.memory.would_forget(session.owner, whole)
    if would.nothing_new or _agreed(session, would.card.content, would.outlook, yes=yes):
        done = session.memory.forget(session.owner, would.card.memory_id, expected_version=would.card.version)
        card_entry(done.card, session.console)
        print_broken(session.console, done.sentence)


def _forget_turn(session: Session, event_id: str, *, yes: bool) -> None:
    would = session.memory.would_forget_turn(session.owner, event_id)
    if would.already or _agreed(session, would.event.observation, would.outlook, yes=yes):
        done = session.memory.forget_turn(session.owner, event_id)
        turn_entry(done.event, session.console)
        print_broken(session.console, done.sentence)


def _agreed(session: Session, text: str, outlook: str, *, yes: bool) -> bool:
    """Whether ``text`` may go, which the next line answers unless ``yes`` did so before.

    Raises:
        InvalidRecord: nobody answers.
    """
    if yes:
        return True
    if session.as_json:
        raise unanswered()
    text_entry(f"{text}\n{outlook}", session.console)
    if agreed(session.read, session.lang):
        return True
    session.say("unchanged")
    return False


def _history(session: Session, _argument: str) -> None:
    from memory_secretary.memory.sessions import new_turns  # loads the database's library

    turns = new_turns(session.memory.events(session.scope), ())
    gone = session.memory.view(Role.USER, session.owner).forgotten([event.event_id for event in turns])
    turns = [event for event in turns if event.event_id not in gone]
    for event in turns:
        who = say(session.lang, "chat_you" if event.actor == "user" else "answer")
        entry((who, minute(event.at, ZoneInfo(event.zone)), event.event_id), event.observation, session.console)
    if not turns:
        session.say("chat_no_history")


# --- threads --------------------------------------------------------------------------------------------------------


def _threads(session: Session, _argument: str) -> None:
    view = session.memory.view(Role.SECRETARY, session.owner)
    threads = view.threads(_SHOWN)
    gone = view.forgotten([stored.state["goal_ref"] for stored in threads])
    for stored in threads:
        here = say(session.lang, "chat_now") if stored.scope.thread == session.record.thread else ""
        status = say(session.lang, "done" if stored.state["finished"] else "running")
        head = (stored.scope.thread or "", minute(stored.at), status, here)
        forgotten = stored.state["goal_ref"] in gone
        entry(head, say(session.lang, "chat_forgotten") if forgotten else stored.state["goal"], session.console)
    if not threads:
        session.say("chat_no_threads")


def _new(session: Session, thread: str) -> None:
    session.move_to(thread or new_thread())
    session.say("chat_thread", thread=session.record.thread)
    greet(session)


def _switch(session: Session, thread: str) -> None:
    stored = session.memory.view(Role.SECRETARY, session.owner).threads(_KNOWN)
    known = [each.scope.thread or "" for each in stored]
    found = the_one(thread, known)
    if found not in known:
        msg, zh = f"there is no thread {thread!r}; /threads lists them", f"没有线程 {thread!r}；/threads 列出所有线程"
        raise NotFound(msg, zh=zh)
    session.move_to(found)
    session.say("chat_thread", thread=found)
    greet(session)


def greet(session: Session) -> None:
    """Say that a task is waiting, where one is, and which."""
    task = session.open_task
    if task is None:
        return
    session.say("chat_open")
    gone = session.memory.view(Role.SECRETARY, session.owner).forgotten([task.state["goal_ref"]])
    goal = Text(say(session.lang, "chat_forgotten") if gone else one_line(task.state["goal"]))
    goal.truncate(session.console.width - _INDENT, overflow="ellipsis")
    session.console.print(Text(" " * _INDENT).append_text(goal), soft_wrap=True)


# --- the chat itself ------------------------------------------------------------------------------------------------


def _resume(session: Session, _argument: str) -> None:
    if not session.unfinished:
        raise NotFound(say("en", "chat_nothing_open"), zh=say("zh", "chat_nothing_open"))
    session.ask("")


def _help(session: Session, _argument: str) -> None:
    lang = session.lang
    heads = {name: f"/{name} {placeholders(command.usage, lang)}".strip() for name, command in COMMANDS.items()}
    column = max(map(cell_len, heads.values())) + _GAP
    for name, head in heads.items():
        said = broken(say(session.lang, f"help_{name}"), session.console.width - column)
        session.console.print(set_cell_size(head, column) + said.replace("\n", "\n" + " " * column), soft_wrap=True)


def _quit(_session: Session, _argument: str) -> None:
    raise EOFError


COMMANDS: dict[str, Command] = {
    "memory": Command(_memory),
    "why": Command(_why, "[QUERY]"),
    "brief": Command(_brief),
    "remember": Command(_remember, "TEXT", needs=True),
    "forget": Command(_forget, "REF", needs=True),
    "history": Command(_history),
    "threads": Command(_threads),
    "new": Command(_new, "[THREAD]"),
    "switch": Command(_switch, "THREAD", needs=True),
    "resume": Command(_resume),
    "help": Command(_help),
    "quit": Command(_quit),
}
