"""From what the legs found to a ranking: fused, lifted by neighbours and relations, scored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection

from memory_secretary.memory.candidates import neighbours, replaced, traits_of
from memory_secretary.memory.dense import DenseHit
from memory_secretary.memory.filters import Bounds
from memory_secretary.memory.lexical import LexicalHit
from memory_secretary.memory.records import Status
from memory_secretary.memory.scoring import (
    RecallWeights,
    Traits,
    completed,
    fuse,
    score,
    score_parts,
    with_neighbours,
)

_BEST = 8
"""Hits that bring their neighbours and relations along; of more, the weak ones lift turns that have nothing to say."""
_AFTER = 0.999
"""What said a former value comes right after the card with the current one."""
_RELATED_SHARE = 0.5
"""A card that is only related to a hit inherits this share of the hit's similarity and evidence."""
_LEGS = ("lexical", "dense", "neighbours", "situation")


class Scored(NamedTuple):
    """A candidate with its score, before floor and rank.

    Attributes:
        traits: what the ledger knows about it.
        score: 0..1.
        evidence: how much really speaks for it, 0..1; held against the floor.
        scored: what ``score`` is made of.
        given: by each leg, by the neighbours, and by the situation that a card is for.
        start: offset of the matching passage.
        length: of the matching passage, 0 when unknown.
    """

    traits: Traits
    score: float
    evidence: float
    scored: dict[str, float]
    given: tuple[float, ...] | None = None
    start: int = 0
    length: int = 0

    @property
    def parts(self) -> dict[str, float]:
        """Every named part of the score; without a search only those that need none."""
        if self.given is None:
            return self.scored
        return self.scored | dict(zip(_LEGS, self.given, strict=True)) | {"evidence": self.evidence}


@dataclass(slots=True)
class Legs:
    """What the legs found, by record: the best passage of each; a leg that is ``cut`` had as many as it might give."""

    lexical: dict[str, LexicalHit] = field(default_factory=dict)
    dense: dict[str, DenseHit] | None = None
    others: list[str] = field(default_factory=list)
    situations: dict[str, float] = field(default_factory=dict)
    lexical_cut: bool = False
    dense_cut: bool = False

    def refs(self) -> set[str]:
        """Every record that a leg found."""
        return {*self.lexical, *(self.dense or {}), *self.others, *self.situations}

    def evidence(self, refs: Collection[str]) -> dict[str, float]:
        """The stronger of term coverage and closeness in meaning, of those of ``refs`` that have any."""
        found = {ref: hit.coverage for ref, hit in self.lexical.items() if ref in refs}
        for ref, hit in (self.dense or {}).items():
            if ref in refs:
                found[ref] = max(found.get(ref, 0.0), hit.closeness)
        return found

    def place(self, ref: str) -> tuple[int, int]:
        """Start and length of the passage to be shown: the words' passage first, since they are seen to match."""
        if ref in self.lexical:
            return self.lexical[ref].start, self.lexical[ref].length
        if self.dense is not None and ref in self.dense:
            return self.dense[ref].start, 0
        return 0, 0


def ranked(connection: Connection, bounds: Bounds, legs: Legs, weights: RecallWeights, now: datetime) -> list[Scored]:
    """Every candidate with its score, best first.

    Args:
        connection: an open transaction.
        bounds: outside of which nothing is considered, whatever a leg found.
        legs: what was found.
        weights: the numbers.
        now: the present moment.
    """
    traits = traits_of(connection, bounds, legs.refs())
    lexical = {ref: hit.score for ref, hit in legs.lexical.items() if ref in traits}
    dense = None
    if legs.dense is not None:
        dense = {ref: hit.closeness for ref, hit in legs.dense.items() if ref in traits}
    fused = _fused(lexical, dense, legs, weights)
    evidence = legs.evidence(traits.keys())

    best = sorted(fused, key=lambda ref: (-fused[ref], ref))[:_BEST]
    near = neighbours(connection, bounds, [ref for ref in best if traits[ref].source == "event"])
    values, gained = with_neighbours(fused, near, weights.neighbours)
    evidence, _ = with_neighbours(evidence, near, weights.neighbours)
    _relate(values, evidence, [traits[ref] for ref in best])
    situations = {ref: fits for ref, fits in legs.situations.items() if ref in traits}
    for table in (values, evidence):
        table |= {ref: max(fits, table.get(ref, 0.0)) for ref, fits in situations.items()}
    traits |= traits_of(connection, bounds, values.keys() - traits.keys())

    among = frozenset(best)
    found = []
    for ref, one in traits.items():
        parts = score_parts(one, values.get(ref, 0.0), _active_share(one, among), now, weights)
        found_by = (lexical, dense or {}, gained, situations)
        given = tuple(leg.get(ref, 0.0) for leg in found_by)
        shown = legs.place(ref)
        found.append(Scored(one, score(parts, weights), min(1.0, evidence.get(ref, 0.0)), parts, given, *shown))
    found = _former_values_last(connection, bounds.owner, found, among)
    return sorted(found, key=lambda one: (-one.score, -one.traits.seq, one.traits.ref))


def _fused(
    lexical: dict[str, float], dense: dict[str, float] | None, legs: Legs, weights: RecallWeights
) -> dict[str, float]:
    """What both legs say of each record, in both of them or guessed where one was cut."""
    refs = lexical.keys() | (dense or {}).keys()
    if legs.lexical_cut and dense:
        lexical = completed(lexical, refs, weights.unseen)
    if legs.dense_cut and dense:
        dense = completed(dense, refs, weights.unseen)
    return fuse(lexical, dense, weights)


def _relate(values: dict[str, float], evidence: dict[str, float], best: Sequence[Traits]) -> None:
    """Follow the relations of the best hits one hop: a related card inherits a share of its hit's values."""
    for hit in best:
        for ref in hit.related:
            for table in (values, evidence):
                table[ref] = max(table.get(ref, 0.0), _RELATED_SHARE * table.get(hit.ref, 0.0))


def _active_share(traits: Traits, best: frozenset[str]) -> float:
    """Which share of its related cards is among the best hits."""
    return len(best.intersection(traits.related)) / len(traits.related) if traits.related else 0.0


def _former_values_last(connection: Connection, owner: str, found: list[Scored], best: Collection[str]) -> list[Scored]:
    """Where a current card is among the best hits, let the turns that said its former values come after it."""
    current = {
        one.traits.ref: one.score
        for one in found
        if one.traits.ref in best and one.traits.source == "card" and one.traits.status is Status.ACTIVE
    }
    former: Mapping[str, str] = replaced(connection, owner, current) if current else {}
    return [
        _lowered(one, _AFTER * current[former[one.traits.ref]]) if one.traits.ref in former else one for one in found
    ]


def _lowered(scored: Scored, limit: float) -> Scored:
    """With a score of at most ``limit``, which shows in its standing."""
    if scored.score <= limit:
        return scored
    standing = scored.scored["standing"] * limit / scored.score
    return scored._replace(score=limit, scored=scored.scored | {"standing": standing})
