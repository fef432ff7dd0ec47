"""The commands ``memory …`` for events and cards: thin calls of :class:`TieredMemory`, acting as the user."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from rich.console import Console

from memory_secretary.graph.cli_desk import Desk, Yes, command
from memory_secretary.graph.cli_hits import hit_entry, print_score_key
from memory_secretary.graph.cli_options import as_command
from memory_secretary.graph.cli_records import (
    as_data,
    card_entry,
    card_fields,
    own_wishes,
    pending_entry,
    text_entry,
    turn_entry,
    version_entry,
    why_entry,
    wish_entry,
)
from memory_secretary.graph.cli_remember import kept
from memory_secretary.graph.cli_told import print_told, waiting_turns, way_to_cards
from memory_secretary.graph.words import say
from memory_secretary.memory import bilingual
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import InvalidRecord, NotFound, SettingsError
from memory_secretary.memory.records import Event, MemoryCard, MemoryType, Pending
from memory_secretary.memory.roles import Role

CardId = Annotated[
    str, typer.Argument(metavar="ID", help="A card's id, as list and search show it; its beginning is enough.")
]
OwnId = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="The id of a card or of what you said, as list and search show it; its beginning is enough."
    ),
]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="What is asked or looked for.")]
Status = Annotated[
    Literal["active", "superseded", "archived", "quarantined", "any"],
    typer.Option(
        metavar="STATUS", help="Only cards with this status: active, superseded, archived, quarantined or any."
    ),
]
Count = Annotated[int, typer.Option("-k", min=1, help="At most so many hits.")]
_TURNS = 10
"""Turns of one entry of the queue whose words are shown."""
_KINDS = (
    "preference, fact, rule, constraint, episode or method (default: preference where TEXT says what you like or how "
    "you want to be answered, else fact)."
)


@command("list", reads=True)
def list_(desk: Desk, status: Status = "active") -> None:
    """The cards, newest first; then what was asked to be remembered, or told, and is no card yet (as JSON: pending)."""
    cards = desk.store.list(desk.scope, status=status)
    pending = [] if desk.out.as_json or status not in ("active", "any") else desk.store.pending(desk.scope)
    wishes = own_wishes(pending, desk.scope.user)
    if cards or not wishes:
        desk.out.all(cards, card_entry, none="" if cards else _no_cards(desk))
    for wish in wishes:
        desk.out.one(wish, wish_entry)
    told = waiting_turns(desk.store, desk.scope, pending)
    print_told(told, way_to_cards(desk.folder, desk.scope.user or ""), desk.out.console)


def _no_cards(desk: Desk) -> str:
    """What there is in place of the cards that were asked for, and how to see it."""
    view, user = desk.store.view(Role.USER, desk.scope), desk.scope.user or ""
    refs = [card.memory_id for card in desk.store.list(desk.scope, status="any")]
    gone = view.forgotten(refs)
    left = len(refs) - len(gone)
    if left:
        key, words = "no_such_cards", ["list", "--status", "any"]
    elif view.ids("evt_", 1):
        key, words = "no_cards_yet", ["search", said("QUERY", "要找的内容")]
    else:
        key, words = ("forgotten_only" if gone else "nothing_kept"), ["list", "--status", "any"]
    command = as_command("memory", *words, memory=desk.folder, user=user)
    return say(bilingual.spoken(), key, user=user, folder=desk.folder, n=left or len(gone), command=command)


@command("search", reads=True)
def search(desk: Desk, query: Query, k: Count = 5, status: Status = "active") -> None:
    """What a recall for QUERY brings, with the parts of each score."""
    hits = desk.store.recall(desk.scope, _asked(query), k=k, status=status)
    desk.out.all(
        hits, lambda hit, console: hit_entry(hit, console, query), none=say(bilingual.spoken(), "nothing_found")
    )
    if hits and not desk.out.as_json:
        print_score_key(desk.store.weights, desk.out.console)


def _asked(query: str) -> str:
    """The query.

    Raises:
        SettingsError: there is no word in it.
    """
    if not query.strip():
        raise SettingsError("QUERY is empty: say what is looked for", zh="问题是空的：请写出要找的内容")
    return query


@command("why", reads=True)
def why(
    desk: Desk,
    query: Query,
    expect: Annotated[
        str | None, typer.Option(metavar="ID", help="The card or event in question (default: all that comes).")
    ] = None,
    k: Count = 5,
) -> None:
    """Why a card or an event does or does not come when QUERY is recalled."""
    if expect is None:
        search(desk, query, k)
        return
    answer = desk.store.why(desk.scope, _asked(query), expect=desk.whole(expect), k=k)
    if answer.rule == "unknown":
        raise NotFound(answer.text, zh=answer.text)
    desk.out.one(answer, why_entry)


@command("show", reads=True)
def show(
    desk: Desk,
    ref: Annotated[str, typer.Argument(metavar="ID", help="A card's or an event's id; its beginning is enough.")],
    start: Annotated[int, typer.Option(min=0, help="First character of an event's text.")] = 0,
    length: Annotated[int, typer.Option(min=1, help="Characters of an event's text.")] = 2000,
) -> None:
    """One card with all its fields, or a stretch of an event's text."""
    record = _record(desk, desk.whole(ref))
    if isinstance(record, MemoryCard):
        use = desk.store.uses(desk.scope).get(record.memory_id)
        beside = {"uses": as_data(use)} if use else {}
        desk.out.one(record, lambda card, console: card_fields(card, console, use), **beside)
    else:
        desk.out.one(desk.store.read(desk.scope, record.event_id, start=start, length=length), text_entry)


def _record(desk: Desk, ref: str) -> MemoryCard | Event:
    """The card or event of that id.

    Raises:
        NotFound: there is none.
    """
    view = desk.store.view(Role.USER, desk.scope)
    return view.event(ref) if ref.startswith("evt_") else view.card(ref)


@command("remember", new=True)
def remember(
    desk: Desk,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One piece of knowledge, in one sentence.")],
    type_: Annotated[MemoryType | None, typer.Option("--type", metavar="TYPE", help=_KINDS)] = None,
) -> None:
    """Keep TEXT as a card of your own; saying the same again gives the same card."""
    card, told = kept(desk.store, desk.scope, text, type_)
    desk.out.one(card, card_entry)
    desk.out.verdict(told)


@command("edit")
def edit(
    desk: Desk, memory_id: CardId, content: Annotated[str, typer.Argument(metavar="TEXT", help="The card's new words.")]
) -> None:
    """Give a card new words, as a new version; the old one stays in its history."""
    card = desk.store.edit(desk.scope, desk.whole(memory_id), content=content)
    desk.out.one(card, card_entry)
    desk.out.verdict([say(bilingual.spoken(), "edited", n=card.version)])


@command("history", reads=True)
def history(desk: Desk, memory_id: CardId) -> None:
    """Every version of a card, oldest first, with who wrote it and why."""
    desk.out.all(desk.store.history(desk.scope, desk.whole(memory_id)), version_entry)


@command("forget")
def forget(desk: Desk, ref: OwnId, yes: Yes = False) -> None:
    """Take a card with the turns it came from, or what you said, out of every search; `restore` brings it back."""
    whole = desk.whole(ref)
    if whole.startswith("evt_"):
        _forget_turn(desk, whole, yes=yes)
        return
    would = desk.store.would_forget(desk.scope, whole)
    yes = yes or would.nothing_new
    desk.demand_consent(f"{would.card.content}\n{would.outlook}", yes=yes)
    done = desk.store.forget(desk.scope, would.card.memory_id, expected_version=would.card.version)
    desk.out.one(done.card, card_entry)
    desk.out.verdict([done.sentence])


def _forget_turn(desk: Desk, event_id: str, *, yes: bool) -> None:
    """The same for what the user said, which may be a wish that is no card yet."""
    would = desk.store.would_forget_turn(desk.scope, event_id)
    if not would.already:
        desk.demand_consent(f"{would.event.observation}\n{would.outlook}", yes=yes)
    done = desk.store.forget_turn(desk.scope, event_id)
    desk.out.one(done.event, turn_entry)
    desk.out.verdict([done.sentence])


@command("restore")
def restore(
    desk: Desk,
    ref: OwnId,
    version: Annotated[int | None, typer.Option(min=1, help="Take the words of this version.")] = None,
) -> None:
    """Make a card current again, as it is or with an earlier version's words; or let searches have a turn again."""
    whole = desk.whole(ref)
    if whole.startswith("evt_"):
        _restore_turn(desk, whole, version)
        return
    card = desk.store.restore(desk.scope, whole, version)
    desk.out.one(card, card_entry)
    desk.out.verdict([say(bilingual.spoken(), "restored", n=card.version)])


def _restore_turn(desk: Desk, event_id: str, version: int | None) -> None:
    if version is not None:
        raise InvalidRecord("a turn has no versions: leave out --version", zh="对话没有版本：请去掉 --version")
    gone = desk.store.view(Role.USER, desk.scope).forgotten([event_id])
    desk.out.one(desk.store.restore_turn(desk.scope, event_id), turn_entry)
    waits = any(event_id in entry.event_ids for entry in desk.store.pending(desk.scope))
    told = ["restored_turn", *(["restored_waits"] if waits else [])] if gone else ["not_forgotten"]
    desk.out.verdict([said(" ", "").join(say(bilingual.spoken(), key) for key in told)])


@command("pending", reads=True)
def pending(desk: Desk) -> None:
    """What waits to become cards, oldest first, and why what failed did fail."""
    view = desk.store.view(Role.USER, desk.scope)

    def show(waiting: Pending, console: Console) -> None:
        refs, gone = waiting.event_ids[:_TURNS], view.forgotten(waiting.event_ids)
        pending_entry(waiting, console, [view.event(ref) for ref in refs if ref not in gone])

    desk.out.all(desk.store.pending(desk.scope), show, none=say(bilingual.spoken(), "nothing_waits"))
