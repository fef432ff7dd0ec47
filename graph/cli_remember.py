"""Keeps a card in its user's name, and says what they would not see: that it was there before, or was masked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_secretary.graph.words import say
from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.clock import Clock, system_clock
from memory_secretary.memory.masking import MARK
from memory_secretary.memory.records import MemoryCard, MemoryType
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory


def kept(
    memory: TieredMemory, scope: Scope, text: str, type_: MemoryType | None = None, *, clock: Clock = system_clock
) -> tuple[MemoryCard, list[str]]:
    """Remember ``text``; gives the card, and the sentences about it in the language spoken here.

    Args:
        memory: where it is kept.
        scope: whose it is.
        text: one piece of knowledge.
        type_: what kind; None to see it from the words.
        clock: that of the memory.

    Raises:
        InvalidRecord: the text cannot be kept.
    """
    from memory_secretary.nodes.wishes import kind_of  # loads LangGraph

    begun = clock()
    card = memory.remember(scope, text, type=type_ or kind_of(text))
    new = memory.history(scope, card.memory_id)[-1].written_at >= begun
    masked = MARK.search(card.content) is not None and MARK.search(text) is None
    keys = ["remembered" if new else "known_already", *(["masked"] if masked else [])]
    return card, [say(spoken(), key) for key in keys]
