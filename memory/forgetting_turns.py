"""Forgetting what the user said by the turn itself: a wish that waits to become a card, or any words of their own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, and_, func, or_, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.card_rows import read_cards
from memory_secretary.memory.cards import CardStore
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.database import Database
from memory_secretary.memory.errors import InvalidRecord, NotFound
from memory_secretary.memory.events import EventLog, events_of
from memory_secretary.memory.forgetting import (
    ERASED,
    buried,
    bury,
    counted,
    holding,
    unbury,
)
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.indexing import Indexing, prepare, touch
from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.passages import event_passages
from memory_secretary.memory.queue_entries import put_back_on_queue, strike_off_queue, waiting_with
from memory_secretary.memory.records import Action, Event, Status
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.schema import cards, events

_LEAST_SHARED, _MOSTLY = 2, 0.6
"""So many telling words, and such a share of an answer's, that it only says a turn again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenTurn:
    """What is forgotten with a turn, or would be.

    Attributes:
        event: the turn that was named.
        events: it, its answer, and other turns with its words; a reference still reads them until ``vacuum``.
        cards: the cards that rest on these turns alone; they are forgotten as cards are.
        queued: entries of the queue that these turns are taken off, so that they never become cards.
        already: whether it was forgotten before; then nothing was changed.
    """

    event: Event
    events: tuple[str, ...]
    cards: tuple[str, ...]
    queued: int
    already: bool = False

    @property
    def outlook(self) -> str:
        """What forgetting would do, for a person who is asked, in the language spoken here."""
        if self.already:
            return self.sentence
        en, zh = self._named()
        return said(
            f"Forgetting takes out of every search and brief: {en}. Until a vacuum, restore brings the turns back.",
            f"遗忘会把这些移出所有检索和简报：{zh}。彻底抹去之前，可用 `memory restore` 恢复对话。",
        )

    @property
    def sentence(self) -> str:
        """What happened and what is still on the disk, for a person, in the language spoken here."""
        if self.already:
            return said("It was forgotten already; nothing was changed.", "它早已被遗忘；没有做任何改动。")
        en, zh = self._named()
        return said(
            f"Taken out of every search and brief: {en}. The turns stay on the disk for restore until a vacuum.",
            f"已移出所有检索和简报：{zh}。对话仍在磁盘上，彻底抹去（`memory vacuum`）之前，"
            "可用 `memory restore` 恢复。",
        )

    def _named(self) -> tuple[str, str]:
        """What is taken out, in both languages."""
        parts = [("the turn", "这句话")]
        if self.queued:
            parts = [("the turn (it no longer waits to become a card)", "这句话（不再等待整理成卡片）")]
        if others := len(self.events) - 1:
            parts.append((f"{counted(others, 'record')} answering or repeating it", f"回答或重复它的记录 {others} 条"))
        if made := len(self.cards):
            parts.append(
                (
                    f"{counted(made, 'card')} made of it (restored by the card's id)",
                    f"由它整理成的卡片 {made} 张（按卡片编号恢复）",
                )
            )
        return ", ".join(en for en, _ in parts), "、".join(zh for _, zh in parts)


class TurnForgetting:
    """Takes the user's own turns out of every search of one ledger, and brings them back."""

    def __init__(
        self, database: Database, gate: Gate, indexing: Indexing, log: EventLog, store: CardStore, *, clock: Clock
    ) -> None:
        self._database = database
        self._gate = gate
        self._indexing = indexing
        self._log = log
        self._cards = store
        self._clock = clock

    def forget(self, caller: Caller, event_id: str) -> ForgottenTurn:
        """Take a turn, its answer, what else holds its words and the cards made of it alone out of every index.

        Buried words are learned again only when the user says them anew.

        Raises:
            AccessDenied: only the person who said it may forget it.
            InvalidRecord: the user did not say it.
            NotFound: there is no such event in this scope.
        """
        event = self._own(caller, event_id, "forget")
        with self._database.together(), self._database.write() as connection:
            done = _reach(connection, caller, event)
            if done.already:
                return done
            for card in done.cards:
                self._cards.forget(caller, card)
            for turn in events_of(connection, caller.owner, done.events):
                self._indexing.changed(connection, caller.owner, Tier.WORKING, turn.event_id, [])
                bury(connection, caller.role, turn, self._clock())
            strike_off_queue(connection, caller.owner, done.events)
            touch(connection, caller.owner, events=1, cards=1)
        return done

    def would_forget(self, caller: Caller, event_id: str) -> ForgottenTurn:
        """What :meth:`forget` would take out; nothing is changed; errors as for that."""
        event = self._own(caller, event_id, "forget")
        with self._database.read() as connection:
            return _reach(connection, caller, event)

    def restore(self, caller: Caller, event_id: str) -> Event:
        """Let searches and briefs have a forgotten turn again, with what went with it; it waits again to become a card.

        Raises:
            AccessDenied: only the person who said it may restore it.
            InvalidRecord: the user did not say it.
            NotFound: there is no such event in this scope, or its words were erased by a vacuum.
        """
        event = self._own(caller, event_id, "restore")
        if event.observation == ERASED:
            msg = f"the words of {event.event_id} were erased by a vacuum and cannot be brought back: say them again"
            raise NotFound(msg, zh=f"{event.event_id} 的文字已被彻底抹去（`memory vacuum`），无法恢复：请重新说一遍")
        owner = caller.owner
        with self._database.write() as connection:
            lifted = unbury(connection, owner, event.observation, _turns(connection, event))
            turns = events_of(connection, owner, lifted)
            for turn in turns:
                self._indexing.added(connection, owner, Tier.WORKING, prepare(event_passages(turn)))
            if lifted:
                put_back_on_queue(connection, owner, {turn.event_id: turn.observation for turn in turns})
                touch(connection, owner, events=1, cards=1)
        return event

    def among(self, caller: Caller, refs: Collection[str]) -> set[str]:
        """Which of these records were forgotten."""
        if not refs:
            return set()
        with self._database.read() as connection:
            return buried(connection, caller.owner, refs)

    def _own(self, caller: Caller, event_id: str, wanted: str) -> Event:
        """The event, if the caller is the person who said it, or whom it answered."""
        event = self._log.get(caller, checks.text(event_id, "event_id"))
        if caller.role is not Role.USER:
            self._gate.refuse(caller, wanted, Tier.WORKING)
        if event.scope.user not in (None, caller.scope.user):
            self._gate.refuse(caller, f"{wanted} another person's turn", Tier.WORKING)
        if event.actor != "user" and event.action != Action.ANSWER:
            msg = f"{event.event_id} is nothing that you said or were answered: name a turn, an answer or a card"
            raise InvalidRecord(
                msg, zh=f"{event.event_id} 不是您说的话，也不是给您的回答：请给出一句话、一个回答或一张卡片的编号"
            )
        return event


def _reach(connection: Connection, caller: Caller, event: Event) -> ForgottenTurn:
    """What goes with a turn when it is forgotten; nothing is changed."""
    already = bool(buried(connection, caller.owner, [event.event_id]))
    refs = [] if already else _turns(connection, event)
    return ForgottenTurn(
        event=event,
        events=tuple(refs),
        cards=tuple(_made_of(connection, caller, refs)),
        queued=len(waiting_with(connection, caller.owner, refs)),
        already=already,
    )


def _turns(connection: Connection, event: Event) -> list[str]:
    """The turn, its answer, and what else holds its words; what a tool brought stays as it is."""
    return list(dict.fromkeys([event.event_id, *_answers(connection, event), *_echoes(connection, event)]))


def _answers(connection: Connection, event: Event) -> list[str]:
    """What the turn was answered: it repeats the user's words in its own."""
    here = and_(events.c.owner == event.scope.owner, events.c.thread == (event.scope.thread or ""))
    later = and_(here, events.c.seq > event.seq)
    upto = select(func.min(events.c.seq)).where(later, events.c.action == Action.REQUEST.value).scalar_subquery()
    before_the_next = or_(upto.is_(None), events.c.seq < upto)
    answers = select(events.c.event_id).where(later, events.c.action == Action.ANSWER.value, before_the_next)
    return list(connection.execute(answers.order_by(events.c.seq)).scalars())


def _echoes(connection: Connection, event: Event) -> list[str]:
    """What holds the words of a turn, and the later answers that say hardly anything else in words of their own."""
    mine = events.c.owner == event.scope.owner
    words = holding([event.observation])
    query = select(events.c.event_id).where(mine, events.c.actor != "tool").order_by(events.c.seq)
    found = list(connection.execute(query.where(or_(*words))).scalars()) if words else []
    later = and_(mine, events.c.action == Action.ANSWER.value, events.c.seq > event.seq)
    answers = select(events.c.event_id, events.c.observation).where(later).order_by(events.c.seq)
    return [*found, *(ref for ref, text in connection.execute(answers) if _says_again(text, event.observation))]


def _says_again(answer: str, turn: str) -> bool:
    """Whether an answer consists mostly of what a turn told: *you are Lin, the manager* of *I am Lin, the manager*."""
    said, told = (set(tokens(text)) - STOPWORDS for text in (answer, turn))
    shared = said & told
    return len(shared) >= _LEAST_SHARED and len(shared) >= _MOSTLY * len(said)


def _made_of(connection: Connection, caller: Caller, refs: Collection[str]) -> list[str]:
    """The caller's cards all of whose evidence lies in these turns, and the learned methods that quote one of them."""
    if not refs:
        return []
    named = or_(*(func.instr(cards.c.evidence, ref) > 0 for ref in refs))
    mine = or_(cards.c.user.is_(None), cards.c.user.is_not_distinct_from(caller.scope.user))
    query = select(cards).where(cards.c.owner == caller.owner, cards.c.status != Status.ARCHIVED.value, named, mine)
    found = read_cards(connection, caller.owner, connection.execute(query).all())
    return [
        card.memory_id
        for card in found
        if card.is_learned_method or {proof.event_id for proof in card.evidence} <= set(refs)
    ]
