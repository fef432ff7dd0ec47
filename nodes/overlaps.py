"""Cards of one turn that say the same twice: of two whose quotes overlap, the one that says more is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.records import Kind, MemoryCard
from memory_secretary.nodes.grounded_cards import NEGATION, Grounded

_SPEAKER = re.compile(
    r"\b(?:the user(?:['’]s)?|i|i['’](?:m|ve|d|ll)|am|is|are|have|has|my|me|we|our)\b|用户的?|我们?的?|本人",
    re.IGNORECASE,
)
"""How the one who speaks is named, by themselves or by others."""


def says_no_more(one: str, other: str) -> bool:
    """Whether all that a wording says stands in another one, whoever of the two speaks of the user as *I*."""
    same_sense = len(NEGATION.findall(one)) == len(NEGATION.findall(other))
    words = _telling(one)
    return bool(words) and same_sense and words <= _telling(other)


def distinct(cards: Sequence[Grounded]) -> list[Grounded]:
    """The cards without those that say nothing beyond another one of the same words of the same turn."""
    kept: list[Grounded] = []
    for card in cards:
        if not any(_is_within(card, other) for other in kept):
            kept = [other for other in kept if not _is_within(other, card)] + [card]
    return kept


def of_the_same_words(card: Grounded, others: Sequence[MemoryCard]) -> list[MemoryCard]:
    """The facts among stored cards that rest on the words of the same turn that a new one rests on."""
    return [
        other
        for other in others
        if card.kind is other.kind is Kind.FACT
        and any(
            proof.event_id == card.line.event.event_id and _overlap(proof.quote, card.line.text)
            for proof in other.evidence
        )
    ]


def _is_within(card: Grounded, other: Grounded) -> bool:
    same_turn = card.line.event.event_id == other.line.event.event_id
    facts = card.kind is other.kind is Kind.FACT
    return (
        same_turn and facts and _overlap(card.line.text, other.line.text) and says_no_more(card.content, other.content)
    )


def _overlap(quote: str, other: str) -> bool:
    return quote in other or other in quote


def _telling(content: str) -> set[str]:
    return set(tokens(_SPEAKER.sub(" ", content))) - STOPWORDS
