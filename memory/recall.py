"""Recall: candidates from every leg, ranked, and held against a floor; repeated queries from a cache."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, bindparam, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller
from memory_secretary.memory.candidates import is_narrow, newest, newest_of_all, refs_inside, traits_of
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.database import Database
from memory_secretary.memory.dense import DenseHit
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.filters import Bounds, Filter, bounds_of
from memory_secretary.memory.gate import QUEUE_READERS
from memory_secretary.memory.hits import hits_of, recalled
from memory_secretary.memory.lexical import LexicalIndex, query_terms
from memory_secretary.memory.queue import waiting_of
from memory_secretary.memory.ranking import Legs, Scored, ranked
from memory_secretary.memory.records import REMEMBER, TO_BE_REMEMBERED, MemoryType, Pending, Recalled, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import revisions
from memory_secretary.memory.scoring import RecallWeights, Traits, score, score_parts
from memory_secretary.memory.tokens import clean

QUERY_CHARS = 2000
"""What is looked at of a query; a longer one is cut."""

MOST_HITS = 1_000_000
"""More than this nobody reads."""

CANDIDATES = 60
"""From each leg at least; more when more hits are wanted."""

_NEWEST = 8
_QUEUED = 5
_NARROW_REFS = 2000
_CACHE_SIZE = 128
_KNOWN = 16
"""Who knows more than so many records is in the middle of a run, and knows one more the next time."""
_BESIDE = 8
"""Recalls of one process whose dense legs run at once; more of them wait for each other."""
_WRITTEN = select(revisions.c.cards, revisions.c.events).where(revisions.c.owner == bindparam("of"))


class Mode(StrEnum):
    """How to look."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    RECENT = "recent"


class Dense(Protocol):
    """What recall needs of the dense leg.

    Attributes:
        taken: how many records it has taken into its index; with more of them the same question has another answer.
    """

    taken: int

    def search(
        self, owner: str, tiers: Collection[Tier], query: str, k: int, *, refs: Collection[str] | None = None
    ) -> list[DenseHit] | None:
        """The nearest passages, or None when there is no dense leg now."""

    def fitting(self, owner: str, query: str, least: float, *, refs: Collection[str] | None = None) -> dict[str, float]:
        """The cards that are for a situation such as the query, and how well they fit it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One recall.

    Attributes:
        query: what is looked for.
        wanted: the filter.
        k: at most so many hits.
        mode: how to look.
        floor: least evidence; None for the weights' own.
    """

    query: str
    wanted: Filter
    k: int = 5
    mode: Mode = Mode.HYBRID
    floor: float | None = None


class _Near(NamedTuple):
    """What is near in meaning: the best passage of each record, and how well the situations of cards fit."""

    passages: dict[str, DenseHit]
    situations: dict[str, float]


class Recaller:
    """Answers recalls over one ledger and, where there is one, its vector index."""

    def __init__(
        self, database: Database, lexical: LexicalIndex, dense: Dense, *, clock: Clock, weights: RecallWeights
    ) -> None:
        self.weights = weights
        self._database = database
        self._lexical = lexical
        self._dense = dense
        self._clock = clock
        self._cache: OrderedDict[tuple[object, ...], list[Recalled]] = OrderedDict()
        self._cache_lock = threading.Lock()
        self._beside = ThreadPoolExecutor(_BESIDE, "memory-recall")

    def close(self) -> None:
        """Let go of the threads; what they are at is not waited for."""
        self._beside.shutdown(wait=False, cancel_futures=True)

    def recall(self, caller: Caller, question: Question) -> list[Recalled]:
        """The best hits, best first; the caller's rights are those that ``question.wanted`` was made with.

        Raises:
            EmbedderMismatch: the vector index was made with another embedder.
            InvalidRecord: the query is not a string, or ``k`` is not positive.
        """
        question = _checked(question)
        key = (caller, question, self._stamp(caller.owner, question))
        with self._cache_lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return [replace(hit, parts=dict(hit.parts)) for hit in self._cache[key]]
        hits = self._answer(caller, question)
        with self._cache_lock:
            if len(question.wanted.exclude) <= _KNOWN:
                self._cache[key] = hits
            while len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        return [replace(hit, parts=dict(hit.parts)) for hit in hits]

    def forget_answers(self) -> None:
        """Empty the cache (the index was rebuilt, or an embedder came)."""
        with self._cache_lock:
            self._cache.clear()

    def ranked(self, caller: Caller, question: Question) -> list[Scored]:
        """Every candidate with its score, best first, before floor and ``k``."""
        question, bounds = _checked(question), bounds_of(caller, question.wanted)
        legs = self._legs(bounds, question)
        with self._database.read() as connection:
            return self._ranked(connection, bounds, question, legs)

    def passes(self, scored: Scored, question: Question) -> bool:
        """Whether enough evidence speaks for a candidate."""
        floor = self.weights.floor if question.floor is None else question.floor
        return question.mode is Mode.RECENT or scored.evidence >= floor

    def _answer(self, caller: Caller, question: Question) -> list[Recalled]:
        bounds = bounds_of(caller, question.wanted)
        legs = self._legs(bounds, question)
        with self._database.read() as connection:
            found = self._ranked(connection, bounds, question, legs)
            queued = self._queued(connection, caller, question, found)
            told = {hit.ref for hit in queued}
            best = [one for one in found if self.passes(one, question) and one.traits.ref not in told][: question.k]
            hits = hits_of(connection, caller.owner, best)
        if question.mode is Mode.RECENT:
            return hits
        return sorted([*queued, *hits], key=lambda hit: -hit.score)[: question.k]

    def _near(self, bounds: Bounds, question: Question) -> _Near | None:
        """What the dense leg finds, outside any transaction, since it may have to embed first; None without one."""
        if not question.query or question.mode in (Mode.LEXICAL, Mode.RECENT):
            return None
        wanted = question.wanted
        inside: list[str] | None = None
        if bounds.is_narrow or bounds.shape.head:
            with self._database.read() as connection:
                if is_narrow(connection, bounds):
                    inside = refs_inside(connection, bounds, _NARROW_REFS)
        tiers = [tier for tier in wanted.tiers if tier is not Tier.WORKING or wanted.looks_at_events]
        found = self._dense.search(bounds.owner, tiers, question.query, _limit(question), refs=inside)
        if found is None:
            return None
        best: dict[str, DenseHit] = {}
        for hit in found:
            best.setdefault(hit.ref, hit)
        situations: dict[str, float] = {}
        if bounds.shape.cards:
            situations = self._dense.fitting(bounds.owner, question.query, self.weights.situation, refs=inside)
        return _Near(best, situations)

    def _ranked(self, connection: Connection, bounds: Bounds, question: Question, legs: Legs) -> list[Scored]:
        if question.mode is Mode.RECENT:
            return self._recent(connection, bounds, question.k)
        return ranked(connection, bounds, legs, self.weights, self._clock())

    def _legs(self, bounds: Bounds, question: Question) -> Legs:
        """What each leg finds. With both, embedding and dense search go on while the words are looked up."""
        legs = Legs()
        if question.query and question.mode is Mode.HYBRID:
            waiting = self._ahead(bounds, question)
            with self._database.read() as connection:
                self._by_words(connection, bounds, question, legs)
                legs.others = newest(connection, bounds, _NEWEST)
            near = waiting()
        else:
            near = self._near(bounds, question)
            if question.query and (question.mode is Mode.LEXICAL or near is None):
                with self._database.read() as connection:
                    self._by_words(connection, bounds, question, legs)
        if near is not None:
            legs.dense, legs.situations = near.passages, near.situations
            legs.dense_cut = len(near.passages) >= _limit(question)
        return legs

    def _ahead(self, bounds: Bounds, question: Question) -> Callable[[], _Near | None]:
        """Begin the dense search beside this thread; what is given back waits for what it finds."""
        try:
            return self._beside.submit(copy_context().run, self._near, bounds, question).result
        except RuntimeError:  # the memory was closed meanwhile, and says so itself
            return partial(self._near, bounds, question)

    def _by_words(self, connection: Connection, bounds: Bounds, question: Question, legs: Legs) -> None:
        found = self._lexical.search(connection, question.query, _limit(question), bounds)
        legs.lexical_cut = len(found) >= _limit(question)
        for hit in found:
            legs.lexical.setdefault(hit.ref, hit)

    def _recent(self, connection: Connection, bounds: Bounds, k: int) -> list[Scored]:
        refs = newest_of_all(connection, bounds, k)
        traits, now = traits_of(connection, bounds, refs), self._clock()
        parts = {ref: score_parts(traits[ref], 0.0, 0.0, now, self.weights) for ref in refs}
        return [Scored(traits[ref], parts[ref]["recency"] * parts[ref]["standing"], 0.0, parts[ref]) for ref in refs]

    def _queued(
        self, connection: Connection, caller: Caller, question: Question, found: list[Scored]
    ) -> list[Recalled]:
        """What the user asked to remember and nobody has made into a card yet: a candidate without a floor."""
        wanted = question.wanted
        kinds = wanted.types is None or MemoryType.PREFERENCE in wanted.types
        searched = (
            question.mode in (Mode.HYBRID, Mode.LEXICAL)
            and bool(question.query)
            and Tier.WORKING in wanted.tiers
            and kinds
        )
        if caller.role not in QUEUE_READERS or not searched:
            return []
        wishes = _visible_wishes(connection, caller, wanted)
        similar = {one.traits.ref: one.scored["similarity"] for one in found} if wishes else {}
        return [self._wish(wish, similar) for wish in wishes]

    def _wish(self, wish: Pending, similar: Mapping[str, float]) -> Recalled:
        traits = _queued_traits(wish)
        parts = score_parts(traits, similar.get(traits.ref, 0.0), 0.0, self._clock(), self.weights)
        return recalled(traits, wish.text, TO_BE_REMEMBERED, score(parts, self.weights), parts)

    def _stamp(self, owner: str, question: Question) -> tuple[object, ...]:
        """What an answer depends on beside the question: cards, events if it looks at them, vectors, the minute."""
        with self._database.read() as connection:
            row = connection.execute(_WRITTEN, {"of": owner}).one_or_none()
        cards, events = row or (0, 0)
        minute = int(self._clock().timestamp()) // 60
        return (cards, events if question.wanted.looks_at_events else None, self._dense.taken, minute)


def _limit(question: Question) -> int:
    """How many each leg may give."""
    return max(CANDIDATES, 6 * question.k)


def _checked(question: Question) -> Question:
    if not isinstance(question.query, str):
        msg = f"query must be a string, not {type(question.query).__name__}"
        raise InvalidRecord(msg, zh=f"query 必须是字符串，不能是 {type(question.query).__name__}")
    checks.whole(question.k, "k", least=1, most=MOST_HITS)
    if question.floor is not None:
        checks.share(question.floor, "floor")
    query = clean(question.query[:QUERY_CHARS]).strip()
    return replace(question, query=query if query_terms(query) else "")


def _visible_wishes(connection: Connection, caller: Caller, wanted: Filter) -> list[Pending]:
    """The newest things that this person asked to remember, as far as the filter lets their events through."""
    mine = waiting_of(connection, caller, REMEMBER, _QUEUED)
    named = {event_id for entry in mine for event_id in entry.event_ids}
    if not named:
        return mine
    visible = traits_of(connection, bounds_of(caller, replace(wanted, types=None)), named).keys()
    return [entry for entry in mine if visible >= set(entry.event_ids)]


def _queued_traits(entry: Pending) -> Traits:
    return Traits(
        ref=entry.event_ids[0] if entry.event_ids else f"queue_{entry.entry_id}",
        source="event",
        at=entry.at,
        tier=Tier.WORKING,
        thread=entry.scope.thread,
        type=MemoryType.PREFERENCE,
        status=Status.ACTIVE,
    )
