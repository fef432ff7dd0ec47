"""What is wrong with an owner's cards, and which change of status or weight would mend it. Pure; nothing is changed.

A finding is plain data, so that it can stand in a graph's state and wait there for a person. Each change is reversible
with ``memory restore``, and none touches a card's words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from typing_extensions import TypedDict

from memory_secretary.memory.benefits import ALL_RUNS, Use
from memory_secretary.memory.card_rules import INSTRUCTING
from memory_secretary.memory.contradictions import CONTRADICTED_WEIGHT, ended_before, for_a_time, weaker
from memory_secretary.memory.records import CardVersion, Kind, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.scoring import is_identity
from memory_secretary.nodes.consolidation import groups_of, triple
from memory_secretary.nodes.sameness import alike, form

STALE_AFTER = timedelta(days=30)
"""So long after its last day a card still comes, with less weight: what has just ended is often asked for."""
UNUSED_AFTER = timedelta(days=90)
"""So long a card may lie without being recalled once; half of the time in which a long card loses its recency."""
FADED_AFTER = timedelta(days=180)
"""So long an episode stays that nobody asked for: twice the half-life of a short card."""
LEAST_RUNS = 20
"""With fewer runs since counting began, that a card was never recalled says nothing."""
LEAST_HARM = 3
"""Runs that failed with a card in their brief, before it is suspected."""
HARMFUL_SHARE = 0.5
"""Of the runs with the card; and at least twice the share of all runs."""
LEAST_ALIKE = 0.75
"""Share of their words that two cards have in common, from which a person may want to look at them side by side."""
_CROWD = 50
"""Cards that share a telling word; more of them are about a subject and no copies of each other."""

FindingKind = Literal[
    "orphaned", "harmful", "stale", "contradictory", "dead", "never_used", "mergeable", "similar"
]  # fmt: skip
KINDS: tuple[FindingKind, ...] = (
    "orphaned", "harmful", "stale", "contradictory", "dead", "never_used", "mergeable", "similar",
)  # fmt: skip
"""In the order in which they are told; where two of them would change one card, the first one does."""


class Finding(TypedDict):
    """One thing that is wrong.

    ``status`` and ``weight`` are what the card would be given: empty and None where nothing is to be changed (what is
    mergeable is merged by the consolidator's next run, what is similar is for a person to look at).
    """

    kind: FindingKind
    memory_id: str
    version: int
    content: str
    others: list[str]
    why: str
    """A code; :func:`memory_secretary.nodes.inspection_words.reason_of` has its sentence."""
    figures: dict[str, int | float | str]
    status: str
    weight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What an inspection looks at beside the cards.

    Attributes:
        now: the present moment.
        uses: the benefit counters by card.
        gone: turns that were forgotten.
        newest: gives a card's newest version, with who wrote it and when.
    """

    now: datetime
    uses: Mapping[str, Use]
    gone: Collection[str]
    newest: Callable[[str], CardVersion]


def is_change(finding: Finding) -> bool:
    """Whether a finding would change a card."""
    return bool(finding["status"]) or finding["weight"] is not None


def inspected(cards: Sequence[MemoryCard], known: Known) -> list[Finding]:
    """Everything that is wrong with these active cards; of each card one change at most.

    What its owner brought back or changed within the last :data:`UNUSED_AFTER` is left alone.
    """
    found = [
        *_orphaned(cards, known), *_harmful(cards, known), *_stale(cards, known), *_contradictory(cards),
        *_dead(cards, known), *_never_used(cards, known), *_mergeable(cards), *_similar(cards),
    ]  # fmt: skip
    taken: set[str] = set()
    kept: list[Finding] = []
    for finding in found:
        if is_change(finding):
            if finding["memory_id"] in taken or _wanted_by_the_user(finding, known):
                continue
            taken.add(finding["memory_id"])
        kept.append(finding)
    return kept


def _wanted_by_the_user(finding: Finding, known: Known) -> bool:
    newest = known.newest(finding["memory_id"])
    chosen = newest.role == Role.USER and newest.reason in ("restored", "edited")
    return chosen and known.now - newest.written_at < UNUSED_AFTER


def _finding(
    kind: FindingKind,
    card: MemoryCard,
    why: str,
    *,
    others: Sequence[str] = (),
    status: Status | None = None,
    weight: float | None = None,
    **figures: int | float | str,
) -> Finding:
    return Finding(
        kind=kind, memory_id=card.memory_id, version=card.version, content=card.content, others=list(others), why=why,
        figures=figures, status="" if status is None else status.value, weight=weight,
    )  # fmt: skip


# --- one card --------------------------------------------------------------------------------------------------------


def _orphaned(cards: Sequence[MemoryCard], known: Known) -> Iterator[Finding]:
    """What was concluded from something that is no longer held; and, only told, what stands in forgotten turns alone.

    Its owner may have wanted another part of that turn forgotten.
    """
    held = {card.memory_id for card in cards} | {ref for card in cards for ref in card.supersedes}
    for card in cards:
        turns = {item.event_id for item in card.evidence}
        if card.kind is Kind.INFERENCE and card.about is not None and card.about not in held:
            yield _finding("orphaned", card, "no_fact", others=[card.about], status=Status.QUARANTINED)
        elif turns and turns <= set(known.gone):
            yield _finding("orphaned", card, "no_evidence", others=sorted(turns))


def _harmful(cards: Sequence[MemoryCard], known: Known) -> Iterator[Finding]:
    """What stood in the briefs of runs that failed, far more often than runs fail anyway."""
    runs = known.uses.get(ALL_RUNS)
    for card in cards:
        use = known.uses.get(card.memory_id)
        if use is None or runs is None or use.failed < LEAST_HARM or card.weight <= CONTRADICTED_WEIGHT:
            continue
        share, usual = use.failed / use.recalled, runs.failed / runs.recalled
        if share >= HARMFUL_SHARE and share >= 2 * usual:
            said_so = card.type in INSTRUCTING  # what the user wants is not taken from them
            yield _finding(
                "harmful", card, "failed_with_it", failed=use.failed, recalled=use.recalled, usual=round(usual, 2),
                status=None if said_so else Status.QUARANTINED, weight=CONTRADICTED_WEIGHT if said_so else None,
            )  # fmt: skip


def _stale(cards: Sequence[MemoryCard], known: Known) -> Iterator[Finding]:
    """What ended some time ago."""
    for card in cards:
        if card.valid_until is not None and known.now - card.valid_until > STALE_AFTER:
            day = f"{card.valid_until:%Y-%m-%d}"
            yield _finding("stale", card, "ended", until=day, status=Status.SUPERSEDED)


def _dead(cards: Sequence[MemoryCard], known: Known) -> Iterator[Finding]:
    """What was outweighed or lay unused long ago and nobody has asked for since; and episodes that have faded."""
    for card in cards:
        use = known.uses.get(card.memory_id)
        quiet = known.now - max([card.at, *([use.last] if use else [])])
        if card.type is MemoryType.EPISODE and card.tier is Tier.SHORT and quiet > FADED_AFTER:
            yield _finding("dead", card, "faded", days=quiet.days, status=Status.ARCHIVED)
        elif card.weight <= CONTRADICTED_WEIGHT and quiet > UNUSED_AFTER:
            lowered = known.now - known.newest(card.memory_id).written_at
            if lowered > UNUSED_AFTER:
                yield _finding("dead", card, "outweighed", days=quiet.days, status=Status.SUPERSEDED)


def _never_used(cards: Sequence[MemoryCard], known: Known) -> Iterator[Finding]:
    """What no run was ever given, though there were many; what holds whatever is asked does not have to be."""
    runs = known.uses.get(ALL_RUNS)
    if runs is None or runs.recalled < LEAST_RUNS or known.now - runs.since < UNUSED_AFTER:
        return
    for card in cards:
        holds_anyway = card.type in INSTRUCTING or is_identity(card.attribute) or card.weight <= CONTRADICTED_WEIGHT
        holds_anyway |= card.is_learned_method  # it comes only where methods are switched on
        if card.memory_id in known.uses or holds_anyway or known.now - card.at < UNUSED_AFTER:
            continue
        days = (known.now - card.at).days
        yield _finding("never_used", card, "unused", days=days, runs=runs.recalled, weight=CONTRADICTED_WEIGHT)


# --- several cards ---------------------------------------------------------------------------------------------------


def _contradictory(cards: Sequence[MemoryCard]) -> Iterator[Finding]:
    """Two values of one attribute of one subject; the weaker one gives way, where it has not done so already."""
    about: dict[Hashable, list[MemoryCard]] = defaultdict(list)
    for card in cards:
        subject, attribute, value = triple(card)
        if subject and attribute and value:
            about[(card.scope.user, card.scope.agent, subject, attribute)].append(card)
    for rivals in about.values():
        for card in rivals:
            others = [one for one in rivals if triple(one) != triple(card) and not ended_before(one, card)]
            over = [one for one in others if weaker(one, card) is card and not for_a_time(one)]
            if over:
                lowered = card.weight <= CONTRADICTED_WEIGHT
                yield _finding(
                    "contradictory", card, "outweighed_already" if lowered else "other_value",
                    others=[one.memory_id for one in over], weight=None if lowered else CONTRADICTED_WEIGHT,
                )  # fmt: skip


def _mergeable(cards: Sequence[MemoryCard]) -> Iterator[Finding]:
    """What says the same and has not been merged yet."""
    for group in groups_of(cards):
        *others, newest = group.members
        if others:
            yield _finding("mergeable", newest, "says_the_same", others=[card.memory_id for card in others])


def _similar(cards: Sequence[MemoryCard]) -> Iterator[Finding]:
    """Pairs that have most of their words in common, the same numbers and the same negation, and are not the same."""
    forms = {card.memory_id: form(card.content) for card in cards}
    by_id = {card.memory_id: card for card in cards}
    for one, other in sorted(_near(forms)):
        share = alike(forms[one], forms[other])
        kin = by_id[one].type is by_id[other].type and by_id[one].scope.user == by_id[other].scope.user
        linked = other in by_id[one].supersedes or one in by_id[other].supersedes
        if kin and not linked and forms[one] != forms[other] and share >= LEAST_ALIKE:
            yield _finding("similar", by_id[one], "much_alike", others=[other], share=round(share, 2))


def _near(forms: Mapping[str, tuple[str, ...]]) -> set[tuple[str, str]]:
    """Pairs that share one of their rarest words, so that not every card is held against every other."""
    known = Counter(word for words in forms.values() for word in set(words))
    sharing: dict[str, list[str]] = defaultdict(list)
    for memory_id, words in forms.items():
        for word in sorted(set(words), key=lambda word: (known[word], word))[: max(2, len(set(words)) // 2)]:
            sharing[word].append(memory_id)
    crowds = (sorted(ids) for ids in sharing.values() if 1 < len(ids) <= _CROWD)
    return {(one, other) for ids in crowds for n, one in enumerate(ids) for other in ids[n + 1 :]}
