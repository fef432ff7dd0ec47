"""What a draft belongs to: earlier drafts of its passage, its document's other cards, and those of the same subject."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memory_secretary.memory.records import MemoryCard
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.views import DistillerView
from memory_secretary.nodes.distill.state import Draft
from memory_secretary.nodes.grounding import folded

_RELATED = 5
"""Cards that one names at most."""
_LOOKED_AT = 8
"""Hits of a search among which cards of the same subject are looked for."""


def same_subject(view: DistillerView, subject: str) -> list[MemoryCard]:
    """The long cards about a subject that a search by its words brings first."""
    if not subject:
        return []
    hits = view.recall(subject, k=_LOOKED_AT, mode="lexical", tiers=(Tier.LONG,), floor=0)
    cards = [view.card(hit.ref) for hit in hits]
    return [card for card in cards if folded(card.subject) == folded(subject)]


def linked(drafts: Sequence[Draft], view: DistillerView, own: Collection[str], former: Collection[str]) -> list[Draft]:
    """The drafts with their relations.

    Args:
        drafts: of one passage.
        view: the distiller's.
        own: cards that came of the same document's other passages; they are named before others.
        former: cards of what the document no longer holds; one that gave the same property another value is replaced.
    """
    subjects = {draft["subject"] for draft in drafts}
    known = {subject: same_subject(view, subject) for subject in sorted(subjects)}
    return [_linked(draft, place, drafts, known[draft["subject"]], own, former) for place, draft in enumerate(drafts)]


def _linked(
    draft: Draft, place: int, drafts: Sequence[Draft], known: Iterable[MemoryCard], own: Collection[str],
    former: Collection[str],
) -> Draft:  # fmt: skip
    alike = [n for n in range(place) if draft["subject"] and folded(drafts[n]["subject"]) == folded(draft["subject"])]
    siblings = list(dict.fromkeys([*alike, *([place - 1] if place else [])]))[-_RELATED:]
    others = sorted(
        (card for card in known if card.memory_id not in former), key=lambda card: card.memory_id not in own
    )
    return {
        **draft,
        "siblings": siblings,
        "related_ids": [card.memory_id for card in others][: _RELATED - len(siblings)],
        "supersedes": [card.memory_id for card in known if card.memory_id in former and _replaces(draft, card)],
    }


def _replaces(draft: Draft, card: MemoryCard) -> bool:
    return bool(draft["attribute"]) and folded(card.attribute) == folded(draft["attribute"]) != ""
