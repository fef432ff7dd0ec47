"""Recall: candidates from every leg, fused, scored, and held against a floor; and why something did not come."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from sqlalchemy import Connection, select

from memory_secretary.memory.access import Caller
from memory_secretary.memory.candidates import (
    Filter,
    card_texts,
    echoes,
    event_texts,
    neighbours,
    newest,
    newest_of_all,
    refs_inside,
    replaced,
    traits_of,
    wanted_passage,
)
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.database import Database
from memory_secretary.memory.dense import DenseHit
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.gate import QUEUE_READERS
from memory_secretary.memory.lexical import LexicalHit, LexicalIndex, query_terms
from memory_secretary.memory.queue import REMEMBER, PrecipitationQueue
from memory_secretary.memory.records import TO_BE_REMEMBERED, MemoryType, Pending, Recalled, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import revisions
from memory_secretary.memory.scoring import (
    RecallWeights,
    Traits,
    completed,
    fuse,
    score,
    score_parts,
    with_neighbours,
)
from memory_secretary.memory.tokens import clean

QUERY_CHARS = 2000
"""What is looked at of a query; a longer one is cut."""

CANDIDATES = 60
"""From each leg at least; more when more hits are wanted."""

_NEWEST = 8
_BEST = 8
"""Hits that bring their neighbours and relations along; of more, the weak ones lift turns that have nothing to say."""
_AFTER = 0.999
"""What said a former value comes right after the card with the current one."""
_QUEUED = 5
_NARROW_REFS = 2000
_RELATED_SHARE = 0.5
"""A card that is only related to a hit inherits this share of the hit's similarity and evidence."""
_CACHE_SIZE = 128


class Mode(StrEnum):
    """How to look."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    RECENT = "recent"


class Dense(Protocol):
    """What recall needs of the dense leg."""

    def search(
        self, owner: str, tiers: Collection[Tier], query: str, k: int, *, refs: Collection[str] | None = None
    ) -> list[DenseHit] | None:
        """The nearest passages, or None when there is no dense leg now."""


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


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score, before floor and rank.

    Attributes:
        traits: what the ledger knows about it.
        score: 0..1.
        evidence: how much really speaks for it, 0..1; held against the floor.
        parts: what ``score`` is made of.
        start: offset of the matching passage.
        length: of the matching passage, 0 when unknown.
    """

    traits: Traits
    score: float
    evidence: float
    parts: dict[str, float]
    start: int
    length: int


@dataclass(slots=True)
class _Legs:
    """What the legs found, by record: the best passage of each; a leg that is ``cut`` had as many as it might give."""

    lexical: dict[str, LexicalHit] = field(default_factory=dict)
    dense: dict[str, DenseHit] | None = None
    others: list[str] = field(default_factory=list)
    lexical_cut: bool = False
    dense_cut: bool = False

    def refs(self) -> set[str]:
        """Every record that a leg found."""
        return {*self.lexical, *(self.dense or {}), *self.others}

    def evidence(self) -> dict[str, float]:
        """The stronger of term coverage and closeness in meaning."""
        found = {ref: hit.coverage for ref, hit in self.lexical.items()}
        for ref, hit in (self.dense or {}).items():
            found[ref] = max(found.get(ref, 0.0), hit.closeness)
        return found


@dataclass(frozen=True, slots=True)
class _Combined:
    """The candidates and what speaks for each, by record."""

    traits: dict[str, Traits]
    lexical: dict[str, float]
    dense: dict[str, float]
    values: dict[str, float]
    gained: dict[str, float]
    evidence: dict[str, float]
    best: frozenset[str]

    def related_share(self, traits: Traits) -> float:
        """Which share of its related cards is among the best hits."""
        return len(self.best.intersection(traits.related)) / len(traits.related) if traits.related else 0.0

    def parts(self, ref: str) -> dict[str, float]:
        """What the legs and the neighbours gave."""
        legs = {"lexical": self.lexical, "dense": self.dense, "neighbours": self.gained}
        return {name: given.get(ref, 0.0) for name, given in legs.items()}


class Recaller:
    """Answers recalls over one ledger and, where there is one, its vector index."""

    def __init__(
        self,
        database: Database,
        lexical: LexicalIndex,
        queue: PrecipitationQueue,
        dense: Dense,
        *,
        clock: Clock,
        weights: RecallWeights,
    ) -> None:
        self.weights = weights
        self._database = database
        self._lexical = lexical
        self._queue = queue
        self._dense = dense
        self._clock = clock
        self._cache: OrderedDict[tuple[object, ...], list[Recalled]] = OrderedDict()
        self._cache_lock = threading.Lock()

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
        question = _checked(question)
        if question.mode is Mode.RECENT:
            return self._recent(caller, question)
        legs = self._search(caller, question)
        with self._database.read() as connection:
            return self._score(connection, caller, question, legs)

    def passes(self, scored: Scored, question: Question) -> bool:
        """Whether enough evidence speaks for a candidate."""
        floor = self.weights.floor if question.floor is None else question.floor
        return question.mode is Mode.RECENT or scored.evidence >= floor

    def _answer(self, caller: Caller, question: Question) -> list[Recalled]:
        ranked = self.ranked(caller, question)
        queued = self._queued(caller, question, {one.traits.ref: one for one in ranked})
        told = {hit.ref for hit in queued}
        best = [one for one in ranked if self.passes(one, question) and one.traits.ref not in told][: question.k]
        with self._database.read() as connection:
            hits = _shown(connection, caller.owner, best)
        if question.mode is Mode.RECENT:
            return hits
        return sorted([*queued, *hits], key=lambda hit: -hit.score)[: question.k]

    def _search(self, caller: Caller, question: Question) -> _Legs:
        """Ask the legs; the dense one outside any transaction, since it may have to embed first."""
        wanted, limit = question.wanted, max(CANDIDATES, 6 * question.k)
        legs = _Legs()
        if not question.query:
            return legs
        if question.mode is not Mode.LEXICAL:
            legs.dense = self._dense_hits(caller, question, limit)
            legs.dense_cut = len(legs.dense or ()) >= limit
        with self._database.read() as connection:
            if question.mode is not Mode.SEMANTIC or legs.dense is None:
                found = self._lexical.search(
                    connection, caller.owner, question.query, limit, wanted_passage(caller, wanted)
                )
                legs.lexical_cut = len(found) >= limit
                for hit in found:
                    legs.lexical.setdefault(hit.ref, hit)
            if question.mode is Mode.HYBRID:
                legs.others = newest(connection, caller, wanted, _NEWEST)
        return legs

    def _dense_hits(self, caller: Caller, question: Question, limit: int) -> dict[str, DenseHit] | None:
        wanted = question.wanted
        inside: list[str] | None = None
        if wanted.is_narrow:
            with self._database.read() as connection:
                inside = refs_inside(connection, caller, wanted, _NARROW_REFS)
        tiers = [tier for tier in wanted.tiers if tier is not Tier.WORKING or wanted.looks_at_events]
        found = self._dense.search(caller.owner, tiers, question.query, limit, refs=inside)
        if found is None:
            return None
        best: dict[str, DenseHit] = {}
        for hit in found:
            best.setdefault(hit.ref, hit)
        return best

    def _score(self, connection: Connection, caller: Caller, question: Question, legs: _Legs) -> list[Scored]:
        found = self._combine(connection, caller, question.wanted, legs)
        now = self._clock()
        scored = []
        for ref, traits in found.traits.items():
            parts = score_parts(traits, found.values.get(ref, 0.0), found.related_share(traits), now, self.weights)
            evidence = min(1.0, found.evidence.get(ref, 0.0))
            shown = parts | found.parts(ref) | {"evidence": evidence}
            scored.append(Scored(traits, score(parts, self.weights), evidence, shown, *_place(legs, ref)))
        scored = self._former_values_last(connection, caller.owner, scored, found.best)
        return sorted(scored, key=lambda one: (-one.score, -one.traits.seq, one.traits.ref))

    def _former_values_last(
        self, connection: Connection, owner: str, scored: list[Scored], best: Collection[str]
    ) -> list[Scored]:
        """Where a current card is among the best hits, let the turns that said its former values come after it."""
        current = {
            one.traits.ref: one.score
            for one in scored
            if one.traits.ref in best and one.traits.source == "card" and one.traits.status is Status.ACTIVE
        }
        former = replaced(connection, owner, current) if current else {}
        return [
            _lowered(one, _AFTER * current[former[one.traits.ref]]) if one.traits.ref in former else one
            for one in scored
        ]

    def _combine(self, connection: Connection, caller: Caller, wanted: Filter, legs: _Legs) -> _Combined:
        """Fuse the legs, then let the best hits bring their neighbours and related cards along."""
        traits = traits_of(connection, caller, wanted, legs.refs())
        lexical = {ref: hit.score for ref, hit in legs.lexical.items() if ref in traits}
        dense = None
        if legs.dense is not None:
            dense = {ref: hit.closeness for ref, hit in legs.dense.items() if ref in traits}
        fused = self._fused(lexical, dense, legs)
        evidence = {ref: value for ref, value in legs.evidence().items() if ref in traits}

        best = sorted(fused, key=lambda ref: (-fused[ref], ref))[:_BEST]
        near = neighbours(connection, caller, wanted, [ref for ref in best if traits[ref].source == "event"])
        values, gained = with_neighbours(fused, near, self.weights.neighbours)
        evidence, _ = with_neighbours(evidence, near, self.weights.neighbours)
        _relate(values, evidence, [traits[ref] for ref in best])
        traits |= traits_of(connection, caller, wanted, values.keys() - traits.keys())
        return _Combined(traits, lexical, dense or {}, values, gained, evidence, frozenset(best))

    def _fused(self, lexical: dict[str, float], dense: dict[str, float] | None, legs: _Legs) -> dict[str, float]:
        """What both legs say of each record, in both of them or guessed where one was cut."""
        refs = lexical.keys() | (dense or {}).keys()
        if legs.lexical_cut and dense:
            lexical = completed(lexical, refs, self.weights.unseen)
        if legs.dense_cut and dense:
            dense = completed(dense, refs, self.weights.unseen)
        return fuse(lexical, dense, self.weights)

    def _recent(self, caller: Caller, question: Question) -> list[Scored]:
        with self._database.read() as connection:
            refs = newest_of_all(connection, caller, question.wanted, question.k)
            traits = traits_of(connection, caller, question.wanted, refs)
        now = self._clock()
        parts = {ref: score_parts(traits[ref], 0.0, 0.0, now, self.weights) for ref in refs}
        return [
            Scored(traits[ref], parts[ref]["recency"] * parts[ref]["standing"], 0.0, parts[ref], 0, 0) for ref in refs
        ]

    def _queued(self, caller: Caller, question: Question, found: Mapping[str, Scored]) -> list[Recalled]:
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
        now, hits = self._clock(), []
        for entry in self._visible_wishes(caller, wanted):
            traits = _queued_traits(entry)
            similarity = found[traits.ref].parts["similarity"] if traits.ref in found else 0.0
            parts = score_parts(traits, similarity, 0.0, now, self.weights)
            hits.append(_recalled(traits, entry.text, score(parts, self.weights), parts, 0))
        return hits

    def _visible_wishes(self, caller: Caller, wanted: Filter) -> list[Pending]:
        """The newest things that this person asked to remember, as far as the filter lets their events through."""
        waiting = self._queue.pending(caller, reason=REMEMBER)
        mine = [entry for entry in waiting if entry.scope.user == caller.scope.user][-_QUEUED:]
        named = {event_id for entry in mine for event_id in entry.event_ids}
        if not named:
            return mine
        with self._database.read() as connection:
            visible = traits_of(connection, caller, replace(wanted, types=None), named).keys()
        return [entry for entry in mine if visible >= set(entry.event_ids)]

    def _stamp(self, owner: str, question: Question) -> tuple[object, ...]:
        """What an answer depends on beside the question: cards, events if it looks at them, and the minute."""
        query = select(revisions.c.cards, revisions.c.events).where(revisions.c.owner == owner)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        written = (0, 0) if row is None else (row.cards, row.events)
        minute = int(self._clock().timestamp()) // 60
        return (written[0], written[1] if question.wanted.looks_at_events else None, minute)


def _lowered(scored: Scored, limit: float) -> Scored:
    """With a score of at most ``limit``, which shows in its standing."""
    if scored.score <= limit:
        return scored
    standing = scored.parts["standing"] * limit / scored.score
    return replace(scored, score=limit, parts=scored.parts | {"standing": standing})


def _checked(question: Question) -> Question:
    if not isinstance(question.query, str):
        msg = f"query must be a string, not {type(question.query).__name__}"
        raise InvalidRecord(msg, zh=f"query 必须是字符串，不能是 {type(question.query).__name__}")
    if not isinstance(question.k, int) or question.k < 1:
        msg = f"k must be a whole number of at least 1, not {question.k!r}"
        raise InvalidRecord(msg, zh=f"k 须为至少为 1 的整数，不能是 {question.k!r}")
    query = clean(question.query[:QUERY_CHARS]).strip()
    return replace(question, query=query if query_terms(query) else "")


def _relate(values: dict[str, float], evidence: dict[str, float], best: Sequence[Traits]) -> None:
    """Follow the relations of the best hits one hop: a related card inherits a share of its hit's values."""
    for hit in best:
        for ref in hit.related:
            for table in (values, evidence):
                table[ref] = max(table.get(ref, 0.0), _RELATED_SHARE * table.get(hit.ref, 0.0))


def _place(legs: _Legs, ref: str) -> tuple[int, int]:
    """Where the passage to be shown stands: the words' passage first, since they are seen to match."""
    if ref in legs.lexical:
        return legs.lexical[ref].start, legs.lexical[ref].length
    if legs.dense is not None and ref in legs.dense:
        return legs.dense[ref].start, 0
    return 0, 0


def _shown(connection: Connection, owner: str, best: Sequence[Scored]) -> list[Recalled]:
    """Hits with their texts, each passage read from the ledger as it stands there."""
    places = {one.traits.ref: (one.start, one.length) for one in best if one.traits.source == "event"}
    contents = card_texts(connection, owner, [one.traits.ref for one in best if one.traits.source == "card"])
    texts = event_texts(connection, owner, places) | contents
    repeated = echoes(connection, owner, places)
    hits = [
        _recalled(one.traits, texts[one.traits.ref], one.score, one.parts, places.get(one.traits.ref, (0, 0))[0])
        for one in best
    ]
    return [replace(hit, echo=hit.ref in repeated) for hit in hits]


def _recalled(traits: Traits, text: str, value: float, parts: dict[str, float], start: int) -> Recalled:
    return Recalled(
        ref=traits.ref,
        source=traits.source,
        text=text,
        score=value,
        at=traits.at,
        status=traits.status.value,
        parts=parts,
        type=None if traits.type is None else traits.type.value,
        start=start,
        label=traits.label,
        thread=traits.thread,
    )


def _queued_traits(entry: Pending) -> Traits:
    return Traits(
        ref=entry.event_ids[0] if entry.event_ids else f"queue_{entry.entry_id}",
        source="event",
        at=entry.at,
        tier=Tier.WORKING,
        thread=entry.scope.thread,
        label=TO_BE_REMEMBERED,
        type=MemoryType.PREFERENCE,
        status=Status.ACTIVE,
    )
