"""A grounded card on its way into the short tier: what it is related to, what it replaces, what it repeats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.errors import VersionConflict
from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.records import Evidence, Kind, MemoryCard, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.views import PrecipitatorView
from memory_secretary.nodes.grounded_cards import Grounded
from memory_secretary.nodes.overlaps import of_the_same_words, says_no_more
from memory_secretary.nodes.validity import valid_until

_RELATED = 3
_LOOKED_AT = 200
"""Newest cards among which one is looked for that the new one takes the place of."""
_EVIDENCE = 20
"""Turns that a card names at most; the first and the newest of more."""
_CHANGE = re.compile(
    r"\b(?:switched|changed|moved|now|instead|no longer|not any ?more|any ?more|stopped|quit|from now on|these days|"
    r"replaced|used to|since (?:last|this)|new|correction|actually|i meant|(?:that['’]s|i was|got that) wrong)\b|"
    r"\bnot .{1,40}[,.]? but\b|, not\b|换|改|搬|现在|如今|不再|取代|戒|新的|以后|更正|[说弄搞记]错|记混|不对|其实",
    re.IGNORECASE,
)
"""Says that something is otherwise than it was, or than it was said to be."""
_TIME = frozenset(
    tokens("switched changed moved now instead longer any more last week month year yesterday today new since user")
)
_CONFLICTS = 3
"""Times that a card is read again which another worker has changed meanwhile."""


@dataclass(frozen=True, slots=True)
class Written:
    """A card that holds what was said, and whether it is new."""

    card: MemoryCard
    new: bool


def written(view: PrecipitatorView, card: Grounded, *, fact: str = "") -> Written:
    """Write a card, or give the one that says the same one more turn as its evidence.

    Args:
        view: the precipitator's, in the scope of the turn.
        card: what was said.
        fact: the card that an inference was concluded from.

    Raises:
        InvalidRecord: a rule forbids the card, e.g. what it says was forgotten.
    """
    event = card.line.event
    proof = Evidence(event_id=event.event_id, quote=card.line.text)
    same = of_the_same_words(card, view.cards(tiers=(Tier.SHORT,), limit=_LOOKED_AT))
    for held in same:
        if says_no_more(card.content, held.content):
            return Written(held, new=False)
    less = [held for held in same if says_no_more(held.content, card.content)]
    older, newer = _rivals(view, card, event.at)
    hits = view.recall(card.content, k=_RELATED, mode="lexical", tiers=(Tier.SHORT,))
    about = fact if card.kind is Kind.INFERENCE and fact else None
    related = dict.fromkeys([*(hit.ref for hit in hits), *([about] if about else [])])
    draft = CardDraft(
        content=card.content, type=card.type, subject=card.subject, attribute=card.attribute, value=card.value,
        applies_to=card.applies_to, at=event.at, zone=event.zone, evidence=[proof], kind=card.kind,
        valid_until=valid_until(card.line.text, event.at, event.zone),
        about=about, supersedes=list({old.memory_id: None for old in (*older, *less)}), related_ids=list(related),
        idempotency_key=f"precipitate:{event.event_id}:{card.kind}:{card.content}",
    )  # fmt: skip
    made = view.write(draft)
    if all(one.event_id != event.event_id for one in made.evidence):
        made = _with_evidence(view, made, proof)
    new = made.version == 1
    for old in older:
        if old.status is Status.ACTIVE:
            _change(view, old, {"valid_until": event.at})
    for later in newer:
        _change(view, later, {"supersedes": [*later.supersedes, made.memory_id]})
        _change(view, view.card(made.memory_id), {"valid_until": later.at})
    return Written(made, new)


def _with_evidence(view: PrecipitatorView, card: MemoryCard, proof: Evidence) -> MemoryCard:
    kept = [*card.evidence[: _EVIDENCE - 1], proof] if len(card.evidence) >= _EVIDENCE else [*card.evidence, proof]
    return _change(view, card, {"evidence": kept})


def _change(view: PrecipitatorView, card: MemoryCard, changes: dict[str, object]) -> MemoryCard:
    """The card with other fields; where somebody else writes it all the time it stays as they have it."""
    for _ in range(_CONFLICTS):
        card = view.card(card.memory_id)
        try:
            return view.edit(card.memory_id, changes, expected_version=card.version)
        except VersionConflict:
            continue
    return card


def _rivals(view: PrecipitatorView, card: Grounded, at: datetime) -> tuple[list[MemoryCard], list[MemoryCard]]:
    """The older cards that this one says are over, and the newer ones that say so of this one."""
    if not card.subject or card.kind is Kind.INFERENCE:
        return [], []
    same = list(_of_one_matter(view, card))
    older = [old for old in same if old.at < at and _CHANGE.search(card.line.text)]
    newer = [new for new in same if new.at > at and any(_CHANGE.search(proof.quote) for proof in new.evidence)]
    return older, newer


def _of_one_matter(view: PrecipitatorView, card: Grounded) -> Iterator[MemoryCard]:
    """The user's cards about the same property of the same subject with another value.

    Those that have settled in the long tier are seen by what they were made of, and only where both name the property.
    """
    for other in view.cards(tiers=(Tier.SHORT,), status="any", limit=_LOOKED_AT):
        own = other.scope.user == view.scope.user and other.subject.casefold() == card.subject.casefold()
        if own and other.kind is Kind.FACT and other.content != card.content and _is_standing(other, card):
            yield other


def _is_standing(other: MemoryCard, card: Grounded) -> bool:
    """Whether an earlier card is of the same matter and may hold still, by itself or as a long one."""
    if other.status is Status.SUPERSEDED:
        return bool(card.attribute) and other.attribute == card.attribute and _same_attribute(other, card)
    return other.status is Status.ACTIVE and _same_attribute(other, card)


def _same_attribute(other: MemoryCard, card: Grounded) -> bool:
    """Whether two cards are of one attribute with two values; without two names their words have to meet."""
    if other.attribute and other.attribute == card.attribute:
        return other.value != card.value or not card.value
    named = set(tokens(other.attribute)) & set(tokens(card.attribute))
    if other.attribute and card.attribute and not named:
        return False
    quotes = " ".join(proof.quote for proof in other.evidence) or other.content
    return bool(_telling(quotes) & _telling(card.line.text)) and other.value != card.value


def _telling(text: str) -> set[str]:
    return {token for token in tokens(text) if len(token) > 1} - STOPWORDS - _TIME
