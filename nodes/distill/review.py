"""The last look before a passage's drafts are written: by code, and what is not sure is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.card_rules import INSTRUCTING
from memory_secretary.memory.records import MemoryCard
from memory_secretary.nodes.distill.state import Draft
from memory_secretary.nodes.grounding import folded


def reviewed(
    drafts: Sequence[Draft], observation: str, known: Sequence[MemoryCard], own: Collection[str]
) -> tuple[list[Draft], list[str]]:
    """The drafts that may be written, and why the others may not.

    A document speaks of one property once: where it gives several values (of rows that look alike), the property is
    left out of these cards, or they would seem to contradict each other.

    Args:
        drafts: of one passage, linked.
        observation: the passage.
        known: cards of the same subjects.
        own: those of them that came of the same document.
    """
    kept: list[Draft] = []
    refused: list[str] = []
    places: dict[int, int] = {}
    for place, draft in enumerate(drafts):
        reason = _refusal(draft, observation, kept)
        if reason:
            refused.append(reason)
            continue
        places[place] = len(kept)
        kept.append({**draft, "siblings": [places[n] for n in draft.get("siblings", []) if n in places]})
    several = _several(kept, [card for card in known if card.memory_id in own])
    return [_without_property(draft) if _property(draft) in several else draft for draft in kept], refused


def _refusal(draft: Draft, observation: str, kept: Sequence[Draft]) -> str:
    shown = draft["content"][:60]
    if draft["type"] in set(INSTRUCTING):
        return said(f"{shown!r}: a document gives no orders", f"{shown!r}：文档不能下达指令")
    if draft["quote"] not in observation:
        return said(f"{shown!r}: its quote does not stand in the passage", f"{shown!r}：引文不在这一段里")
    if any(_same(draft, other) for other in kept):
        return said(f"{shown!r}: it is said twice", f"{shown!r}：重复")
    return ""


def _same(one: Draft, other: Draft) -> bool:
    same_words = folded(one["content"]) == folded(other["content"])
    same_value = one["quote"] == other["quote"] and bool(one["value"]) and one["value"] == other["value"]
    return (same_words or same_value) and one["kind"] == other["kind"]


def _property(draft: Draft) -> tuple[str, str]:
    return folded(draft["subject"]), folded(draft["attribute"])


def _several(drafts: Sequence[Draft], own: Sequence[MemoryCard]) -> set[tuple[str, str]]:
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for draft in drafts:
        values[_property(draft)].add(folded(draft["value"]))
    for card in own:
        values[folded(card.subject), folded(card.attribute)].add(folded(card.value))
    return {name for name, given in values.items() if all(name) and len(given - {""}) > 1}


def _without_property(draft: Draft) -> Draft:
    return {**draft, "attribute": "", "value": "", "supersedes": []}
