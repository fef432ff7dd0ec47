"""Fusion and score of recall: pure functions and their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory_secretary.memory.records import MemoryType, Status
from memory_secretary.memory.roles import Tier

_TYPE_WEIGHTS: Mapping[str, float] = {
    MemoryType.CONSTRAINT: 1.0,
    MemoryType.RULE: 1.0,
    MemoryType.PREFERENCE: 1.0,
    MemoryType.METHOD: 0.9,
    MemoryType.FACT: 0.9,
    MemoryType.EPISODE: 0.8,
    "event": 0.7,
    "own words": 0.4,
}
_HALF_LIVES: Mapping[Tier, timedelta] = {
    Tier.WORKING: timedelta(days=30),
    Tier.SHORT: timedelta(days=90),
    Tier.LONG: timedelta(days=365),
}
_LEAST_RECENCY: Mapping[Tier, float] = {Tier.WORKING: 0.9, Tier.SHORT: 0.6, Tier.LONG: 0.8}
"""What was said stays said, so a record's age says little; a fact that nobody confirmed for long may have changed."""
_TIMELESS = frozenset({MemoryType.CONSTRAINT, MemoryType.RULE, MemoryType.METHOD})
_IDENTITY = frozenset({"name", "identity", "姓名", "名字", "身份"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallWeights:
    """The numbers of recall.

    Attributes:
        similarity: share of the fused similarity in the score (the public formula's 0.5).
        recency: share of recency (0.3).
        type: share of the type's weight (0.2).
        lexical: share of the lexical leg in the fusion; measured optimum flat from 0.3 to 0.6 on LoCoMo.
        dense: share of the dense leg.
        unseen: what a leg left out is taken to have this share of the least value that it gave (0.8: within 0.002
            any@10 on LoCoMo of looking it up; with 0, six points less).
        neighbours: share of the best hits' fused values that goes to the events just before and after them, and half
            of it to the next ones.
        situation: how much nearer than to the usual situations a query has to be to that of a card, so that the card is
            for it; it then counts as half similar, at twice as much as wholly. Measured with multilingual-e5-small.
        related: bonus for a card whose related cards are among the hits, too.
        types: weight of each card type, of an ``event``, and of an executor's ``own words``.
        half_lives: after this time recency has lost half of what it can lose.
        least_recency: what recency comes down to with age; a record is the truth of its moment at any age, and asked
            at the end of a long conversation its age decides nothing.
        expired: factor for cards outside their time of validity.
        inference: factor for cards that were concluded rather than said.
        not_current: factor for cards that are not active.
        floor: evidence (term coverage, or closeness beyond unrelated texts) below which nothing is recalled.
    """

    similarity: float = 0.5
    recency: float = 0.3
    type: float = 0.2
    lexical: float = 0.5
    dense: float = 0.5
    unseen: float = 0.8
    neighbours: float = 0.2
    situation: float = 0.07
    related: float = 0.05
    types: Mapping[str, float] = field(default_factory=lambda: _TYPE_WEIGHTS)
    half_lives: Mapping[Tier, timedelta] = field(default_factory=lambda: _HALF_LIVES)
    least_recency: Mapping[Tier, float] = field(default_factory=lambda: _LEAST_RECENCY)
    expired: float = 0.5
    inference: float = 0.8
    not_current: float = 0.5
    floor: float = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the ledger knows about a candidate, beside its text.

    Attributes:
        ref: the record's id.
        source: ``event`` or ``card``.
        at: when it happened or was written.
        tier: where it lies.
        thread: its thread, or None.
        type: a card's type, or None.
        status: a card's status; active for events.
        weight: a card's weight, 0..1.
        inference: whether a card was concluded rather than said.
        valid_from: a card is not valid before this moment.
        valid_until: a card is not valid after this moment.
        identity: whether a card says who somebody is.
        related: ids of related cards.
        seq: an event's position in the ledger; 0 for cards.
        own_words: whether an event is what the executor itself said.
    """

    ref: str
    source: str
    at: datetime
    tier: Tier
    thread: str | None = None
    type: MemoryType | None = None
    status: Status = Status.ACTIVE
    weight: float = 1.0
    inference: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    identity: bool = False
    related: tuple[str, ...] = ()
    seq: int = 0
    own_words: bool = False


def is_identity(attribute: str) -> bool:
    """Whether an attribute says who somebody is, which does not age."""
    return attribute.casefold() in _IDENTITY


def normalised(raw: Mapping[str, float]) -> dict[str, float]:
    """Min-max over the whole collection, in which what a leg did not find has the value 0."""
    highest = max(raw.values(), default=0.0)
    return {ref: max(0.0, value) / highest if highest > 0 else 0.0 for ref, value in raw.items()}


def completed(leg: Mapping[str, float], refs: Iterable[str], share: float) -> dict[str, float]:
    """The values of a leg that gave as many hits as it was asked for, and a guess for what it left out.

    Args:
        leg: the values of what it found.
        refs: what any leg found; what this one did not give cannot be better than the least that it gave.
        share: of that least, for those.
    """
    guess = share * min(leg.values(), default=0.0)
    return {ref: leg.get(ref, guess) for ref in refs}


def fuse(lexical: Mapping[str, float], dense: Mapping[str, float] | None, weights: RecallWeights) -> dict[str, float]:
    """Weighted sum of the two legs, each min-max normalised; without a dense leg the lexical one alone."""
    words = normalised(lexical)
    if dense is None:
        return words
    vectors = normalised(dense)
    return {
        ref: weights.lexical * words.get(ref, 0.0) + weights.dense * vectors.get(ref, 0.0)
        for ref in words.keys() | vectors.keys()
    }


def with_neighbours(
    values: Mapping[str, float], near: Mapping[tuple[str, str], int], share: float
) -> tuple[dict[str, float], dict[str, float]]:
    """Let hits give a share of their values to the events around them.

    Args:
        values: fused value of each record; a record without one counts as 0.
        near: how many steps lie between a hit and an event near it.
        share: what one step away is given; two steps away half of it, and so on.

    Returns:
        The new values, brought back into 0..1 if they left it, and what each was given.
    """
    gained: dict[str, float] = {}
    for (hit, other), steps in near.items():
        gained[other] = gained.get(other, 0.0) + share / steps * values.get(hit, 0.0)
    summed = {ref: values.get(ref, 0.0) + gained.get(ref, 0.0) for ref in values.keys() | gained.keys()}
    highest = max(1.0, max(summed.values(), default=0.0))
    return {ref: value / highest for ref, value in summed.items()}, gained


def recency(traits: Traits, now: datetime, weights: RecallWeights) -> float:
    """1 for what is new, down to the tier's least; half of the way after its half-life. 1 for what does not age."""
    if traits.type in _TIMELESS or traits.identity:
        return 1.0
    age = max(timedelta(0), now - traits.at)
    least = weights.least_recency[traits.tier]
    return least + (1 - least) * float(0.5 ** (age / weights.half_lives[traits.tier]))


def type_weight(traits: Traits, weights: RecallWeights) -> float:
    """The weight of the record's type, 0..1."""
    if traits.type is not None:
        return weights.types[traits.type]
    return weights.types["own words" if traits.own_words else "event"]


def standing(traits: Traits, now: datetime, weights: RecallWeights) -> float:
    """Factor for what speaks against a card: its weight, time of validity, status, and being an inference."""
    factor = traits.weight
    too_early = traits.valid_from is not None and now < traits.valid_from
    too_late = traits.valid_until is not None and now > traits.valid_until
    if too_early or too_late:
        factor *= weights.expired
    if traits.inference:
        factor *= weights.inference
    if traits.status is not Status.ACTIVE:
        factor *= weights.not_current
    return factor


def score_parts(
    traits: Traits, similarity: float, active_related: float, now: datetime, weights: RecallWeights
) -> dict[str, float]:
    """The named parts of a score.

    Args:
        traits: the candidate.
        similarity: fused, 0..1.
        active_related: share of its related cards that are among the hits, 0..1.
        now: the present moment.
        weights: the numbers.
    """
    return {
        "similarity": similarity,
        "recency": recency(traits, now, weights),
        "type": type_weight(traits, weights),
        "related": active_related,
        "standing": standing(traits, now, weights),
    }


def score(parts: Mapping[str, float], weights: RecallWeights) -> float:
    """``(0.5 similarity + 0.3 recency + 0.2 type + bonus) × standing``, at most 1."""
    whole = (
        weights.similarity * parts["similarity"]
        + weights.recency * parts["recency"]
        + weights.type * parts["type"]
        + weights.related * parts["related"]
    )
    return min(1.0, whole * parts["standing"])
