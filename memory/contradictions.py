"""Two values of one attribute of one subject: which of the two cards gives way, and when neither has to."""

from __future__ import annotations

from datetime import datetime

from memory_secretary.memory.records import Kind, MemoryCard

CONTRADICTED_WEIGHT = 0.5
"""A contradiction multiplies the weaker card's weight by this; the card itself stays."""

LEAST_CONFIDENCE = 0.5
"""Below it, a newer card does not outweigh an older one that is at least so certain."""


def weaker(one: MemoryCard, other: MemoryCard) -> MemoryCard:
    """The card that gives way: by evidence first, then by time; of two that are alike the first one.

    What was concluded gives way to what was said, what is uncertain to what is not, the older to the newer, and at the
    same moment what was said in fewer turns.
    """
    return min(one, other, key=_standing)


def _standing(card: MemoryCard) -> tuple[bool, bool, datetime, int]:
    said_in = len({item.event_id for item in card.evidence})
    return (card.kind is Kind.FACT, card.confidence >= LEAST_CONFIDENCE, begins(card), said_in)


def begins(card: MemoryCard) -> datetime:
    """The moment from which a card holds."""
    return card.valid_from or card.at


def ended_before(one: MemoryCard, other: MemoryCard) -> bool:
    """Whether one of the two had ended when the other began: both were true, each in its time."""
    return _ended(one, other) or _ended(other, one)


def _ended(early: MemoryCard, late: MemoryCard) -> bool:
    return early.valid_until is not None and early.valid_until <= begins(late)


def for_a_time(card: MemoryCard) -> bool:
    """Whether a card was said to hold until a day only; what it differs from holds again afterwards.

    What has ended since something else was said has lost its weight, too.
    """
    return card.valid_until is not None and card.weight > CONTRADICTED_WEIGHT
