"""What users told of themselves without a wish to have it kept, and what makes cards of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from memory_secretary.graph.cli_options import as_command
from memory_secretary.graph.cli_records import told_entry
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.words import say
from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.records import REMEMBER, Event, Pending
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory

_SHOWN = 20
"""Turns that are shown, the newest."""


def waiting_turns(store: TieredMemory, owner: Scope, pending: Iterable[Pending]) -> list[Event]:
    """The turns on the queue of which cards may come, newest first.

    Wishes are shown by themselves; questions, and what was forgotten or looked through already, become no cards.
    """
    entries = list(pending)
    wished = {ref for entry in entries if entry.reason == REMEMBER for ref in entry.event_ids}
    refs = {ref for entry in entries for ref in entry.event_ids} - wished
    view = store.view(Role.USER, owner)
    left = refs - view.precipitated(sorted(refs)) - view.forgotten(refs)
    return telling(view.event(ref) for ref in left)


def unqueued_turns(store: TieredMemory, thread: Scope) -> list[Event]:
    """The same of a thread whose session has not ended, so that its turns do not stand on the queue yet."""
    covered = store.view(Role.SECRETARY, thread).covered_by(None)
    return telling(event for event in store.events(thread) if event.event_id not in covered)


def telling(turns: Iterable[Event]) -> list[Event]:
    """Those of the turns in which the user states something, newest first."""
    from memory_secretary.nodes.own_words import lines_of  # loads the graph's libraries

    return sorted((turn for turn in turns if lines_of(turn)), key=lambda turn: turn.at, reverse=True)


def print_told(turns: Sequence[Event], way: str, console: Console) -> None:
    """These turns under a heading of their own, and how they become cards; nothing where there are none."""
    if not turns:
        return
    lang = spoken()
    print_broken(console, say(lang, "told", n=len(turns)))
    for turn in turns[:_SHOWN]:
        told_entry(turn, console)
    if len(turns) > _SHOWN:
        print_broken(console, say(lang, "told_more", n=len(turns) - _SHOWN))
    print_broken(console, way)


def way_to_cards(folder: Path, user: str, *, here: bool = False) -> str:
    """How what was told becomes cards; ``here`` where it is being told in a chat that has not ended."""
    command = as_command("memory", "settle", memory=folder, user=user)
    return say(spoken(), "told_way_here" if here else "told_way", command=command)


def without(turns: Iterable[Event], known: Collection[Event]) -> list[Event]:
    """The turns that are not among those known already."""
    refs = {event.event_id for event in known}
    return [turn for turn in turns if turn.event_id not in refs]
