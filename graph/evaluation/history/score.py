"""Cards and hits held against what is true: pure functions, no memory is opened here."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Literal

from memory_secretary.graph.evaluation.history.matters import Trap
from memory_secretary.graph.evaluation.history.truth import Fact, History
from memory_secretary.memory.contradictions import CONTRADICTED_WEIGHT
from memory_secretary.memory.records import MemoryCard, Recalled, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.nodes.grounding import folded, stands_in
from memory_secretary.nodes.spoken_of import USER

Verdict = Literal["right", "former", "stale", "trap", "wrong"]
_NEGATION = re.compile(r"n['’]t\b|\b(?:not|never|no|nothing)\b|[不没]", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class LongTier:
    """The long tier at one moment.

    Attributes:
        right: cards that say what is true.
        doubled: of these, cards beyond the first one of a fact.
        stale: cards that say what is over as if it held still.
        trap: cards that say what was quoted, supposed or planted.
        wrong: other cards that say nothing true.
        former: cards of what is over that are marked so; they count neither way.
        due: facts that must be there by now.
        found: of these, those that a right card says.
        held: facts that are true now, due or not, which a right card of whatever tier says.
        true: facts that are true now.
    """

    right: int = 0
    doubled: int = 0
    stale: int = 0
    trap: int = 0
    wrong: int = 0
    former: int = 0
    due: int = 0
    found: int = 0
    held: int = 0
    true: int = 0

    def __add__(self, other: LongTier) -> LongTier:
        return LongTier(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})

    @property
    def precision(self) -> float | None:
        """Share of the cards that speak of the present and are right; None without a card."""
        cards = self.right + self.stale + self.trap + self.wrong
        return self.right / cards if cards else None

    @property
    def recall(self) -> float | None:
        """Share of what is due that is there; None where nothing is."""
        return self.found / self.due if self.due else None


def says(card: MemoryCard, fact: Fact, people: Collection[str]) -> bool:
    """Whether a card says what a fact says: its value, of its subject, with its negation.

    Args:
        card: the card.
        fact: what was told.
        people: names of everybody but the user.
    """
    told = f"{card.content}\n{card.value}"
    negated = bool(_NEGATION.search(card.content)) or not fact.matter.negated
    return stands_in(fact.value, told) and negated and _is_about(card, fact.matter.subject, people)


def _is_about(card: MemoryCard, subject: str, people: Collection[str]) -> bool:
    """Whose card it is: a person's is about them by name and not about the user; the user's is about nobody else."""
    named = folded(card.subject)
    if subject == USER:
        return not any(folded(name) in named for name in people)
    return folded(subject) in named or (named != USER and folded(subject) in folded(card.content))


def people_of(history: History) -> set[str]:
    """Everybody but the user."""
    return {fact.matter.subject for fact in history.facts} - {USER}


def verdict(card: MemoryCard, history: History, now: datetime) -> Verdict:
    """What an active card is worth at a moment."""
    people = people_of(history)
    said = [fact for fact in history.facts if fact.since <= now and says(card, fact, people)]
    if any(fact.holds(now) for fact in said):
        return "right"
    if said:
        return "former" if is_over(card, now) else "stale"
    return "trap" if any(falls_for(card, trap) for trap in history.traps) else "wrong"


def is_over(card: MemoryCard, now: datetime) -> bool:
    """Whether a card is marked as what held once: it has ended, or something else outweighs it."""
    return card.weight <= CONTRADICTED_WEIGHT or (card.valid_until is not None and card.valid_until <= now)


def falls_for(card: MemoryCard, trap: Trap) -> bool:
    """Whether a card says what a trap wanted it to say."""
    return stands_in(trap.value, f"{card.content}\n{card.value}")


def long_tier(cards: Sequence[MemoryCard], history: History, now: datetime) -> LongTier:
    """The long tier held against the truth.

    Args:
        cards: active ones, of every tier.
        history: what is true.
        now: when.
    """
    people, present = people_of(history), history.holding(now)
    verdicts = {card.memory_id: verdict(card, history, now) for card in cards}
    long = [card for card in cards if card.tier is Tier.LONG]
    count = [verdicts[card.memory_id] for card in long].count
    standing = [card for card in cards if verdicts[card.memory_id] == "right" and not is_over(card, now)]
    long_standing = [card for card in standing if card.tier is Tier.LONG]
    said = {id(fact): [card for card in long_standing if says(card, fact, people)] for fact in present}
    due = [fact for fact in present if fact.is_settled(now)]
    return LongTier(
        right=count("right"), doubled=sum(max(0, len(cards) - 1) for cards in said.values()), stale=count("stale"),
        trap=count("trap"), wrong=count("wrong"), former=count("former"), due=len(due),
        found=sum(bool(said[id(fact)]) for fact in due), true=len(present),
        held=sum(any(says(card, fact, people) for card in standing) for fact in present),
    )  # fmt: skip


def fallen_for(cards: Sequence[MemoryCard], traps: Sequence[Trap]) -> dict[str, tuple[int, int]]:
    """Of each kind of trap, how many a card that is not quarantined fell for, and how many there are."""
    kinds = dict.fromkeys(trap.kind for trap in traps)
    seen = [card for card in cards if card.status is not Status.QUARANTINED]
    of = {kind: [any(falls_for(card, trap) for card in seen) for trap in traps if trap.kind == kind] for kind in kinds}
    return {kind: (sum(fallen), len(fallen)) for kind, fallen in of.items()}


def answered(texts: Sequence[str], fact: Fact, rivals: Sequence[Fact]) -> str:
    """What one reads of a fact from the top down: ``right``, ``former`` or ``nothing``.

    A text that says the present value and a former one (*I moved from Leeds to Bristol*) is right.
    """
    for text in texts:
        if stands_in(fact.value, text):
            return "right"
        if any(stands_in(rival.value, text) for rival in rivals):
            return "former"
    return "nothing"


def ranked(
    hits: Sequence[Recalled], turn_of: Mapping[str, str], evidence: Mapping[str, Sequence[str]]
) -> list[frozenset[str]]:
    """Which turns stand behind each hit, best first.

    Args:
        hits: of a recall.
        turn_of: the turn of each event.
        evidence: the events that each card rests on.
    """
    refs = [evidence.get(hit.ref, (hit.ref,)) for hit in hits]
    return [frozenset(turn_of[ref] for ref in group if ref in turn_of) for group in refs]


def first_rank(found: Sequence[frozenset[str]], wanted: Collection[str]) -> int:
    """The place of the first hit that rests on one of the wanted turns, from 1; 0 when none does."""
    return next((rank for rank, turns in enumerate(found, start=1) if turns & set(wanted)), 0)
