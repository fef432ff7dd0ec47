"""Learning: one method card for each kind of finished tasks, resting on the tasks' own events."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.records import Event, Evidence, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.tokens import clip, estimate_tokens
from memory_secretary.memory.views import ANY_STATUS, DistillerView, SecretaryView
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.methods.finished import Finished, finished_tasks
from memory_secretary.nodes.methods.kinds import (
    asks_of,
    checked,
    computed,
    grouped,
    noted_fields,
    shared_words,
    tool_uses,
)
from memory_secretary.nodes.methods.method import CHECKS, NOTES, Method, from_text, is_sound, to_text
from memory_secretary.nodes.methods.question import (
    SYSTEM,
    Told,
    prompt_of,
    read_answer,
    reply_room,
    schema_of,
)
from memory_secretary.nodes.models.structured import Reply

ENOUGH = 3
"""Tasks of a kind that a method is learned from at most, the newest; one that rests on so many stays as it is."""
_QUOTE = 120
"""Characters of an event that a card quotes."""
_NOTE = 200
"""Characters of what was wrong, in the second question."""
_REPLY = 150
"""Tokens that a teacher is expected to write about a kind."""

Ask = Callable[[Sequence[BaseMessage], dict[str, Any], int], Reply]
"""Asks the teacher: messages, schema, tokens of the reply."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Tasks of one kind that are to be learned from, the newest first, and the card that the new one replaces."""

    kind: str
    tasks: tuple[Finished, ...]
    known: MemoryCard | None = None


@dataclass
class Lessons:
    """What there is to learn.

    Attributes:
        tasks: finished tasks that were found.
        unchanged: kinds whose method stays as it is.
        wanted: the others.
    """

    tasks: int = 0
    unchanged: int = 0
    wanted: list[Lesson] = field(default_factory=list)


@dataclass
class Learned:
    """What came of a lesson: the card, or the problem; and why parts of the teacher's answers were not used."""

    card: MemoryCard | None = None
    problem: str = ""
    refused: list[str] = field(default_factory=list)


class Learner:
    """Learns the methods of one owner.

    Args:
        memory: theirs.
        scope: whose tasks.
        window: tokens that the teacher reads and writes in one call.
    """

    def __init__(self, memory: TieredMemory, scope: Scope, window: int):
        self._read: Callable[[Scope], SecretaryView] = lambda scope: memory.view(Role.SECRETARY, scope)
        self._write: DistillerView = memory.view(Role.DISTILLER, scope)
        self._scope = scope
        self._window = window

    def lessons(self, *, again: bool = False) -> Lessons:
        """What is to be learned: the kinds without a method, and those whose method more tasks could make better.

        A method that the user has forgotten or put aside is not learned anew.

        Args:
            again: also the kinds whose method rests on enough tasks.
        """
        tasks = finished_tasks(self._read, self._scope)
        found, known = Lessons(tasks=len(tasks)), self._known()
        for kind, same in grouped(tasks).items():
            few, card = tuple(same[:ENOUGH]), known.get(kind)
            if card is None or (card.status is Status.ACTIVE and (again or _may_grow(card, few))):
                found.wanted.append(Lesson(kind, few, card))
            else:
                found.unchanged += 1
        return found

    def learn(self, lesson: Lesson, ask: Ask) -> Learned:
        """Write the card of a kind; the teacher is asked once more where its answer cannot be used.

        Raises:
            ModelError: the teacher's server failed.
        """
        told, done = self._told(lesson, ask), Learned()
        done.refused = list(dict.fromkeys(told.refused))
        if not told.sub_goals:
            done.problem = done.refused[0]
            return done
        try:
            done.card = self._write.write(_draft(lesson, method_of(lesson.tasks, told)))
        except InvalidRecord as error:
            done.problem = error.sentence(spoken())
        return done

    def _told(self, lesson: Lesson, ask: Ask) -> Told:
        first = self._ask(lesson, ask, "")
        if not first.refused:
            return first
        second = self._ask(lesson, ask, clip("; ".join(first.refused), _NOTE, len))
        return second if second.sub_goals or not first.sub_goals else first

    def _ask(self, lesson: Lesson, ask: Ask, problem: str) -> Told:
        messages = [SystemMessage(SYSTEM), HumanMessage(prompt_of(lesson.tasks, self._window, problem=problem))]
        uses = tool_uses(lesson.tasks)
        reply = ask(messages, schema_of([use.tool for use in uses]), reply_room(self._window))
        if reply.data is None and reply.problem:
            return Told(refused=[reply.problem])
        return read_answer(reply.data, lesson.tasks, uses, language_of(lesson.tasks[0].goal))

    def _known(self) -> dict[str, MemoryCard]:
        """The newest card of each kind, whatever became of it, unless another took its place or it went with a turn."""
        cards: dict[str, MemoryCard] = {}
        for card in self._write.cards([MemoryType.METHOD], tiers=[Tier.LONG], status=ANY_STATUS):
            method = from_text(card.content)
            if method and card.status is not Status.SUPERSEDED and not self._went_with_a_turn(card):
                cards.setdefault(method.kind, card)
        return cards

    def _went_with_a_turn(self, card: MemoryCard) -> bool:
        """Whether a card is out of use since the user has forgotten one of the requests that it quotes."""
        quoted = [proof.event_id for proof in card.evidence]
        return card.status is Status.ARCHIVED and bool(self._write.forgotten(quoted))


def _may_grow(card: MemoryCard, tasks: Sequence[Finished]) -> bool:
    """Whether a card rests on few tasks and there are others by now."""
    own = {proof.event_id for proof in card.evidence}
    method = from_text(card.content)
    return (method is None or method.tasks < ENOUGH) and any(task.request.event_id not in own for task in tasks)


def method_of(tasks: Sequence[Finished], told: Told) -> Method:
    """What code knows of the tasks and what the teacher told, as one method; code's notes and checks come first.

    Args:
        tasks: of one kind, the newest first.
        told: with sub-goals.
    """
    lang, goal = language_of(tasks[0].goal), tasks[0].goal
    method = Method(
        lang=lang, asks=asks_of(goal), words=shared_words([task.goal for task in tasks]), tools=tool_uses(tasks),
        sub_goals=told.sub_goals, notes=_each_once([*noted_fields(tasks), *told.notes], NOTES),
        computed=computed(tasks), look_up=told.look_up,
        checks=_each_once([*checked(tasks, lang), *told.checks], CHECKS), tasks=len(tasks),
    )  # fmt: skip
    assert is_sound(method), "what is put together here keeps the bounds"
    return method


def _each_once(texts: Sequence[str], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:most]


def _draft(lesson: Lesson, method: Method) -> CardDraft:
    content, evidence = to_text(method), evidence_of(lesson.tasks)
    rests_on = hashlib.sha256("\n".join([content, *(one.event_id for one in evidence)]).encode()).hexdigest()[:32]
    return CardDraft(
        content=content, type=MemoryType.METHOD, evidence=evidence,
        supersedes=[lesson.known.memory_id] if lesson.known else [], idempotency_key=f"method:{method.kind}:{rests_on}",
    )  # fmt: skip


def evidence_of(tasks: Sequence[Finished]) -> list[Evidence]:
    """The tasks' own events that a method rests on, word for word: each request, each tool's first result, the answer.

    Nothing that a brief or a recall put into a trace is among them.
    """
    found = []
    for task in tasks:
        firsts: dict[str, Event] = {}
        for event in task.results:
            firsts.setdefault(event.action, event)
        for event in (task.request, *firsts.values(), task.answer):
            line = next((line for line in event.observation.splitlines() if line.strip()), "")
            found += [Evidence(event_id=event.event_id, quote=line[:_QUOTE])] if line else []
    return found


@dataclass(frozen=True, slots=True)
class Outlook:
    """What learning would cost.

    Attributes:
        tasks: finished tasks that were found.
        kinds: that a teacher is asked about, with one call each, or two.
        unchanged: kinds whose method stays as it is.
        prompt_tokens: of one call for each kind.
        reply_tokens: likewise, about.
    """

    tasks: int
    kinds: int
    unchanged: int
    prompt_tokens: int
    reply_tokens: int

    def price(self, per_million: float) -> float:
        """What the tokens cost, in the currency of the price of a million."""
        return (self.prompt_tokens + self.reply_tokens) * per_million / 1_000_000


def outlook(lessons: Lessons, window: int) -> Outlook:
    """What the lessons would cost a teacher with this window."""
    prompts = sum(estimate_tokens(SYSTEM + prompt_of(lesson.tasks, window)) for lesson in lessons.wanted)
    count = len(lessons.wanted)
    return Outlook(lessons.tasks, count, lessons.unchanged, prompts, count * _REPLY)
