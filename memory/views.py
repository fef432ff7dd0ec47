"""One view for each role: it has the methods for what the role may do, and none for what it may not.

The ledger checks the role again behind every method, so a view is a convenience, not the lock.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller
from memory_secretary.memory.benefits import Use
from memory_secretary.memory.candidates import zones_of
from memory_secretary.memory.cards import Sources
from memory_secretary.memory.codec import in_zone, member
from memory_secretary.memory.contradictions import CONTRADICTED_WEIGHT
from memory_secretary.memory.dates import with_days
from memory_secretary.memory.drafts import CardDraft, EventDraft
from memory_secretary.memory.filters import Filter
from memory_secretary.memory.forgetting import Forgotten
from memory_secretary.memory.forgetting_turns import ForgottenTurn
from memory_secretary.memory.identifiers import beginning_with
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.recall import Mode, Question, Recaller
from memory_secretary.memory.records import (
    CardVersion,
    Denial,
    Event,
    MemoryCard,
    MemoryType,
    Pending,
    Phase,
    Recalled,
    Status,
    StoredTask,
)
from memory_secretary.memory.roles import READS, Right, Role, Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState
from memory_secretary.memory.why import Why, explain

ANY_STATUS = "any"

_Kind = TypeVar("_Kind", bound=StrEnum)


class _View:
    """What every view is made of."""

    role: ClassVar[Role]

    def __init__(self, ledger: Ledger, recaller: Recaller, scope: Scope) -> None:
        self._ledger = ledger
        self._recaller = recaller
        self._caller = Caller(self.role, scope)

    @property
    def scope(self) -> Scope:
        """Whose memory, and in which thread."""
        return self._caller.scope


class _ReadsEvents(_View):
    def event(self, event_id: str) -> Event:
        """One event, whole.

        Raises:
            NotFound: there is none that this view may see.
        """
        return self._ledger.events.get(self._caller, event_id)

    def events(self, *, head: str | None = None, limit: int | None = None) -> list[Event]:
        """The newest events of the scope's thread, oldest first; with ``head`` only that event and its ancestors.

        Raises:
            NotFound: ``head`` is no event of this thread.
        """
        return self._ledger.events.of_thread(self._caller, head=head, limit=limit)

    def read(self, event_id: str, start: int = 0, length: int = 2000, *, head: str | None = None) -> str:
        """Characters ``start`` to ``start + length`` of an event's observation, exactly as it came.

        Raises:
            NotFound: there is no such event that this view may see; with ``head``, not on its branch of its thread.
        """
        return self._ledger.events.read(self._caller, event_id, start, length, head=head)


class _Records(_View):
    def record(
        self,
        actor: str,
        action: str,
        *,
        observation: str = "",
        arguments: dict[str, Any] | None = None,
        thought: str = "",
        phase: Phase | None = None,
        step: int = 0,
        parent: str | None = None,
        at: datetime | None = None,
        zone: str | None = None,
        idempotency_key: str | None = None,
        queue_for: str | None = None,
    ) -> Event:
        """Append an event.

        Args:
            actor: ``user``, ``executor``, ``secretary`` or ``tool``; the executor records as itself and its tools.
            action: an ``Action`` or a tool's name.
            observation: the full text, of any size.
            arguments: a tool's arguments: JSON data, which may hold moments and days.
            thought: the reason, word for word.
            phase: for tool calls.
            step: the run's step counter.
            parent: the event before it on this branch; None for the first.
            at: when it happened (aware); None for now.
            zone: the speaker's IANA zone; None for that of ``at``, or the memory's.
            idempotency_key: a second write with the same key returns the first one's event.
            queue_for: also put it on the precipitation queue for this reason, in the same transaction.

        Raises:
            AccessDenied: this role may not record in the name of ``actor``.
            InvalidRecord: a field cannot be stored; the sentence names it.
            NotFound: ``parent`` is no event of this owner.
        """
        draft = EventDraft(
            actor=actor, action=action, observation=observation, arguments=arguments, thought=thought, phase=phase,
            step=step, parent=parent, at=at, zone=zone, idempotency_key=idempotency_key, queue_for=queue_for,
        )  # fmt: skip
        return self._ledger.events.append(self._caller, draft)


class _Recalls(_View):
    def recall(
        self,
        query: str,
        k: int = 5,
        head: str | None = None,
        *,
        mode: str = "hybrid",
        tiers: Collection[Tier] | None = None,
        types: Collection[MemoryType] | None = None,
        thread: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        status: str = "active",
        floor: float | None = None,
        exclude: Collection[str] = (),
    ) -> list[Recalled]:
        """The records that matter for a query, best first.

        Args:
            query: what is looked for, in any language; only its first 2,000 characters count.
            k: at most so many hits.
            head: of this event's thread, only it and its ancestors are seen; empty, nothing of the scope's thread.
            mode: ``hybrid``, ``lexical``, ``semantic`` or ``recent`` (which needs no query).
            tiers: where to look; None for all that the role may read.
            types: card types; with any given, events are left out; with none, methods that were learned from tasks are.
            thread: only this thread.
            since: nothing older (aware).
            until: nothing newer (aware).
            status: a card status, or ``any``.
            floor: evidence, 0..1, below which nothing comes; None for the memory's own, 0 for everything.
            exclude: ids that are known already.

        Raises:
            AccessDenied: a tier was asked for that the role may not read.
            EmbedderMismatch: the vector index was made with another embedder.
            InvalidRecord: an argument is unusable; the sentence names it.
            NotFound: ``head`` is no event that this view may see.
        """
        wanted = self._filter(
            tiers, types=types, thread=thread, since=since, until=until, status=status, head=head, exclude=exclude
        )
        question = Question(query=query, wanted=wanted, k=k, mode=member(Mode, mode, "mode"), floor=floor)
        return self._dated(self._recaller.recall(self._caller, question))

    def _dated(self, hits: list[Recalled]) -> list[Recalled]:
        """The hits with their moments in their speakers' zones, and with the dates of the days that those named."""
        with self._ledger.database.read() as connection:
            zones = zones_of(connection, self._caller.owner, [hit.ref for hit in hits]) if hits else {}
        return [
            replace(
                hit,
                at=in_zone(hit.at, zones[hit.ref]),
                days=with_days(hit.text, hit.at, zones[hit.ref]) if hit.is_persons else "",
            )
            if hit.ref in zones
            else hit
            for hit in hits
        ]

    def _filter(
        self,
        tiers: Collection[Tier] | None,
        *,
        types: Collection[MemoryType] | None,
        thread: str | None,
        since: datetime | None,
        until: datetime | None,
        status: str,
        head: str | None,
        exclude: Collection[str],
    ) -> Filter:
        if checks.optional_text(head, "head"):
            self._ledger.events.require(self._caller, str(head))
        wanted = READS[self.role] if tiers is None else _members(Tier, tiers, "tiers")
        for tier in wanted:
            self._ledger.gate.demand(self._caller, Right.READ, tier)
        return Filter(
            tiers=wanted,
            types=None if types is None else _members(MemoryType, types, "types"),
            statuses=_statuses(status),
            thread=checks.optional_text(thread, "thread"),
            since=since,
            until=until,
            head=head,
            exclude=frozenset(checks.texts(exclude, "exclude")),
        )


class _ReadsCards(_View):
    def cards(
        self,
        types: Collection[MemoryType] | None = None,
        *,
        tiers: Collection[Tier] | None = None,
        status: str = "active",
        limit: int | None = None,
    ) -> list[MemoryCard]:
        """The cards that this view may see, newest first.

        Raises:
            AccessDenied: a tier was asked for that the role may not read.
        """
        return self._ledger.cards.listed(
            self._caller, types=types, tiers=tiers, statuses=_statuses(status), limit=limit
        )

    def card(self, memory_id: str) -> MemoryCard:
        """One card, whatever its status.

        Raises:
            NotFound: there is none that this view may see.
        """
        return self._ledger.cards.get(self._caller, memory_id)

    def history(self, memory_id: str) -> list[CardVersion]:
        """Every version of a card, oldest first.

        Raises:
            NotFound: there is no such card that this view may see.
        """
        return self._ledger.cards.history(self._caller, memory_id)

    def forgotten(self, refs: Collection[str]) -> set[str]:
        """Which of these cards and events the user has forgotten: what was read earlier may be one of them by now."""
        return self._ledger.turns.among(self._caller, refs)


class _Pages(_View):
    tiers: ClassVar[frozenset[Tier]] = frozenset({Tier.SHORT, Tier.LONG})

    def page(self, after: str = "", size: int = 500, *, status: str = "active") -> list[MemoryCard]:
        """The next ``size`` cards by their ids, after the id ``after``: page by page all of them, however many."""
        return self._ledger.cards.page(self._caller, after, size, tiers=self.tiers, statuses=_statuses(status))


class _ReadsUses(_View):
    def uses(self) -> dict[str, Use]:
        """What came of the cards, by id; under the empty id all runs that were counted."""
        return self._ledger.benefits.of(self._caller)


class _WritesCards(_View):
    tier: ClassVar[Tier]

    def write(self, draft: CardDraft) -> MemoryCard:
        """Write a new card into this role's tier.

        Raises:
            InvalidRecord: a field is unusable, or a rule forbids the card (tool text as a rule, a quote that does
                not stand in its event, something the user had forgotten).
        """
        return self._ledger.cards.write(self._caller, replace(draft, tier=self.tier))

    def edit(self, memory_id: str, changes: Mapping[str, Any], *, expected_version: int) -> MemoryCard:
        """Write a new version of a card of this role's tier.

        Raises:
            AccessDenied: the card lies in another tier.
            VersionConflict: the card has another version by now.
        """
        return self._ledger.cards.edit(self._caller, memory_id, dict(changes), expected_version=expected_version)


class _ReadsQueue(_View):
    def pending(self) -> list[Pending]:
        """What waits to be precipitated, oldest first."""
        return self._ledger.queue.pending(self._caller)

    def precipitated(self, event_ids: Sequence[str]) -> set[str]:
        """Those of the events that were precipitated already, whether cards came of them or none."""
        return self._ledger.queue.precipitated(self._caller, event_ids)


class ExecutorView(_Records, _ReadsEvents, _Recalls):
    """Records its own actions and reads its own working memory: the events of its thread."""

    role = Role.EXECUTOR


class RetrieverView(_ReadsEvents, _Recalls, _ReadsCards):
    """Reads everything and writes nothing."""

    role = Role.RETRIEVER


class SecretaryView(_Records, _ReadsEvents, _Recalls, _ReadsCards, _ReadsQueue):
    """Keeps the working memory: requests, answers, digests, task states, and what is to be precipitated."""

    role = Role.SECRETARY

    def save_task_state(self, state: TaskState, *, head: str | None, step: int) -> None:
        """Make ``state`` the newest of this thread.

        Args:
            state: the task state; plain data.
            head: the newest event that it takes account of.
            step: the run's step counter.

        Raises:
            ScopeError: the scope names no thread.
        """
        self._ledger.tasks.save(self._caller, state, head=head, step=step)

    def fold(self, state: TaskState) -> TaskState:
        """The state with its long lists folded into parts that the ledger keeps, for a checkpoint."""
        return self._ledger.tasks.fold(self._caller, state)

    def unfold(self, state: TaskState) -> TaskState:
        """The whole of a folded state.

        Raises:
            ScopeError: a part of it is not in this memory, or another owner's.
        """
        return self._ledger.tasks.unfold(self._caller, state)

    def load_task_state(self) -> StoredTask | None:
        """The newest task state of this thread, whole, or None."""
        return self._ledger.tasks.load(self._caller)

    def open_tasks(self, limit: int = 20) -> list[StoredTask]:
        """Unfinished tasks of all of the owner's threads, newest first."""
        return self._ledger.tasks.open_tasks(self._caller, limit)

    def threads(self, limit: int = 20) -> list[StoredTask]:
        """The newest task of each of the owner's threads, newest first."""
        return self._ledger.tasks.threads(self._caller, limit)

    def enqueue(self, event_ids: Sequence[str], reason: str, text: str = "") -> Pending:
        """Put turns on the precipitation queue; the same turns for the same reason stand on it once.

        Args:
            event_ids: the turns.
            reason: e.g. ``remember`` (which recall treats as a candidate at once), ``session_closed``.
            text: the words to be remembered.
        """
        return self._ledger.queue.enqueue(self._caller, event_ids, reason, text)

    def note_uses(self, shown: Collection[str], cited: Collection[str], *, succeeded: bool, run: str) -> None:
        """Count one run that has ended; see :class:`~memory_secretary.memory.benefits.Benefits`."""
        self._ledger.benefits.note(self._caller, shown, cited, succeeded=succeeded, run=run)

    def covered_by(self, reason: str | None) -> set[str]:
        """The owner's events that were ever put on the queue for a reason, done or not; None: the thread's for any."""
        return self._ledger.queue.covered(self._caller, reason)


class PrecipitatorView(_ReadsEvents, _Recalls, _ReadsCards, _WritesCards, _ReadsQueue):
    """Works off the queue: reads the turns, writes short-term cards."""

    role = Role.PRECIPITATOR
    tier = Tier.SHORT

    def claim(self, limit: int = 1) -> list[Pending]:
        """Take the oldest free entries off the queue; other workers do not get them meanwhile."""
        return self._ledger.queue.claim(self._caller, limit)

    def settle(self, entry_id: int, note: str = "") -> None:
        """Report an entry as precipitated; the note says what came of it."""
        self._ledger.queue.settle(self._caller, entry_id, note)

    def fail(self, entry_id: int, note: str, left: Sequence[str] | None = None) -> None:
        """Report that an entry, or only its events ``left``, could not be precipitated; it stays pending with this."""
        self._ledger.queue.fail(self._caller, entry_id, note, left)

    def put_back(self, entry_id: int, left: Sequence[str] | None = None) -> None:
        """Let a claimed entry, or only its events ``left``, wait on as if it had not been claimed."""
        self._ledger.queue.put_back(self._caller, entry_id, left)

    def retry(self) -> int:
        """Free the failed entries for another try; returns how many."""
        return self._ledger.queue.retry(self._caller)


class ConsolidatorView(_Recalls, _ReadsCards, _Pages, _WritesCards):
    """Makes long-term cards out of short-term ones."""

    role = Role.CONSOLIDATOR
    tier = Tier.LONG

    def settle(self, draft: CardDraft, sources: Sources) -> MemoryCard:
        """Write a long card in the place of ``sources``, which are hidden by it; all at once or nothing.

        Args:
            draft: the card.
            sources: the cards, each with the version that was read.

        Raises:
            InvalidRecord: a field is unusable, or a rule forbids the card.
            VersionConflict: one of the sources is another one by now, or none any more.
        """
        hidden = dict.fromkeys([*draft.supersedes, *sources])
        named = replace(draft, tier=self.tier, supersedes=tuple(hidden))
        return self._ledger.cards.write(self._caller, named, sources=sources)

    def absorb(
        self, memory_id: str, changes: Mapping[str, Any], *, expected_version: int, sources: Sources
    ) -> MemoryCard:
        """Let a long card take over what ``sources`` hold, and hide them; all at once or nothing.

        Raises:
            AccessDenied: the card lies in another tier.
            InvalidRecord: a field cannot be taken over, or its value is unusable.
            VersionConflict: one of them is another one by now, or none any more.
        """
        return self._ledger.cards.absorb(
            self._caller, memory_id, dict(changes), expected_version=expected_version, sources=sources
        )

    def lower(self, memory_id: str, *, expected_version: int) -> MemoryCard:
        """Give a long card the weight of one that is contradicted.

        Raises:
            AccessDenied: the card lies in another tier.
            VersionConflict: the card has another version by now.
        """
        return self._ledger.cards.set_status(
            self._caller,
            memory_id,
            weight=CONTRADICTED_WEIGHT,
            reason="contradicted by a newer card",
            expected_version=expected_version,
        )


class DistillerView(_Recalls, _ReadsCards, _WritesCards):
    """Makes long-term cards out of documents."""

    role = Role.DISTILLER
    tier = Tier.LONG

    def supersede(self, memory_id: str, *, reason: str, expected_version: int) -> MemoryCard:
        """Take a long card out of use that its document no longer supports; it stays in the history.

        Raises:
            AccessDenied: the card lies in another tier.
            VersionConflict: the card has another version by now.
        """
        return self._ledger.cards.set_status(
            self._caller, memory_id, status=Status.SUPERSEDED, reason=reason, expected_version=expected_version
        )


class InspectorView(_ReadsEvents, _Recalls, _ReadsCards, _Pages, _ReadsUses, _ReadsQueue):
    """Reads everything; changes status and weight only."""

    role = Role.INSPECTOR

    def set_status(
        self,
        memory_id: str,
        *,
        status: Status | None = None,
        weight: float | None = None,
        reason: str,
        expected_version: int | None = None,
    ) -> MemoryCard:
        """Change a card's status or weight, and nothing else.

        Raises:
            NotFound: there is no such card.
            VersionConflict: the card has another version by now.
        """
        return self._ledger.cards.set_status(
            self._caller, memory_id, status=status, weight=weight, reason=reason, expected_version=expected_version
        )


class UserView(_ReadsEvents, _Recalls, _ReadsCards, _ReadsUses, _ReadsQueue):
    """The person whose memory it is: reads all of it; creates, edits, forgets and restores own cards."""

    role = Role.USER

    def remember(self, draft: CardDraft) -> MemoryCard:
        """Write a card in the user's name.

        Raises:
            InvalidRecord: a field is unusable.
        """
        return self._ledger.cards.write(self._caller, replace(draft, source_agent=draft.source_agent or "user"))

    def edit(self, memory_id: str, changes: Mapping[str, Any], *, expected_version: int | None = None) -> MemoryCard:
        """Write a new version of a card.

        Raises:
            NotFound: there is no such card.
            VersionConflict: the card has another version than expected.
        """
        return self._ledger.cards.edit(self._caller, memory_id, dict(changes), expected_version=expected_version)

    def forget(self, memory_id: str, *, expected_version: int | None = None) -> Forgotten:
        """Archive a card with what says the same, take it out of every index, and stop others from learning it again.

        Raises:
            NotFound: there is no such card.
            VersionConflict: the card has another version than expected.
        """
        return self._ledger.cards.forget(self._caller, memory_id, expected_version=expected_version)

    def would_forget(self, memory_id: str) -> Forgotten:
        """What :meth:`forget` would take out of use; nothing is changed.

        Raises:
            NotFound: there is no such card.
        """
        return self._ledger.cards.would_forget(self._caller, memory_id)

    def restore(self, memory_id: str, version: int | None = None, *, expected_version: int | None = None) -> MemoryCard:
        """Make a card current again, as it is or with the words of an earlier version.

        Raises:
            NotFound: there is no such card or version.
            VersionConflict: the card has another version than expected.
        """
        return self._ledger.cards.restore(self._caller, memory_id, version, expected_version=expected_version)

    def forget_turn(self, event_id: str) -> ForgottenTurn:
        """Take a turn of the user's own, its answer and the cards made of it out of every search and off the queue.

        Raises:
            InvalidRecord: the user did not say it.
            NotFound: there is no such event.
        """
        return self._ledger.turns.forget(self._caller, event_id)

    def would_forget_turn(self, event_id: str) -> ForgottenTurn:
        """What :meth:`forget_turn` would take out; nothing is changed; errors as for that."""
        return self._ledger.turns.would_forget(self._caller, event_id)

    def restore_turn(self, event_id: str) -> Event:
        """Let searches have a forgotten turn again.

        Raises:
            InvalidRecord: the user did not say it.
            NotFound: there is no such event, or its words were erased.
        """
        return self._ledger.turns.restore(self._caller, event_id)

    def why(self, query: str, expect: str, k: int = 5, head: str | None = None, **filters: Any) -> Why:
        """Say why ``expect`` is or is not among the hits; takes what recall() takes."""
        checks.text(expect, "expect")
        mode, floor = filters.pop("mode", "hybrid"), filters.pop("floor", None)
        wanted = self._filter(filters.pop("tiers", None), head=head, **{**_NO_FILTERS, **filters})
        question = Question(query=query, wanted=wanted, k=k, mode=member(Mode, mode, "mode"), floor=floor)
        return explain(self._ledger.database, self._recaller, self._caller, question, expect)

    def ids(self, beginning: str, limit: int) -> list[str]:
        """Ids of cards and events that begin so, at most ``limit`` of each."""
        return beginning_with(self._ledger.database, self._caller, beginning, limit)

    def denied(self, limit: int = 100) -> list[Denial]:
        """The newest attempts in this owner's memory that a role had no right to, newest first."""
        return self._ledger.gate.denied(self._caller.owner, limit)


_NO_FILTERS: Mapping[str, Any] = {
    "types": None, "thread": None, "since": None, "until": None, "status": "active", "exclude": (),
}  # fmt: skip

VIEWS: Mapping[Role, type[_View]] = {
    view.role: view
    for view in (
        ExecutorView, RetrieverView, SecretaryView, PrecipitatorView, ConsolidatorView, DistillerView, InspectorView,
        UserView,
    )
}  # fmt: skip


def _members(kind: type[_Kind], given: Any, name: str) -> frozenset[_Kind]:
    return frozenset(member(kind, word, name) for word in checks.texts(given, name))


def _statuses(status: str) -> frozenset[Status]:
    return frozenset(Status) if status == ANY_STATUS else frozenset({member(Status, status, "status")})
