"""What becomes of the cards of one owner: which settle in the long tier, which are one, which are over.

Pure: from cards to decisions, each about a few cards by their ids and versions. The same cards give the same decisions,
and cards that were settled give none, so a run that was broken off is taken up by running again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory_secretary.memory.cards import most_telling
from memory_secretary.memory.contradictions import (
    CONTRADICTED_WEIGHT,
    LEAST_CONFIDENCE,
    ended_before,
    for_a_time,
    weaker,
)
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.records import Kind, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.nodes.sameness import about_value, form

STABLE_AFTER: Mapping[MemoryType, timedelta | None] = {
    MemoryType.RULE: timedelta(days=1),
    MemoryType.CONSTRAINT: timedelta(days=1),
    MemoryType.METHOD: timedelta(days=1),
    MemoryType.PREFERENCE: timedelta(days=3),
    MemoryType.FACT: timedelta(days=7),
    MemoryType.EPISODE: None,
}
"""How long a card must have stood without contradiction to settle; an episode is what happened once and never does."""

Triple = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
_NO_TRIPLE: Triple = ((), (), ())


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that say the same, the newest last."""

    members: tuple[MemoryCard, ...]

    @property
    def newest(self) -> MemoryCard:
        """The one whose words stand for all."""
        return self.members[-1]

    @property
    def long(self) -> MemoryCard | None:
        """The newest of them that is long-term already."""
        return next((card for card in reversed(self.members) if card.tier is Tier.LONG), None)

    @property
    def sayings(self) -> int:
        """In how many turns it was said; what has no evidence was told at a moment of its own."""
        turns = {item.event_id for card in self.members for item in card.evidence}
        moments = {card.at for card in self.members if not card.evidence}
        return len(turns) + len(moments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One change, to be made as a whole or not at all.

    Attributes:
        kind: ``promoted`` (one card settles), ``merged`` (several are one from now on), ``ended`` (something else
            holds since) or ``lowered`` (something weightier says otherwise).
        group: the cards it is about.
        draft: the long card to be written in their place, or None.
        into: the long card that takes the others in, or that is changed, or None.
        changes: what changes of it.
    """

    kind: str
    group: Group
    draft: CardDraft | None = None
    into: MemoryCard | None = None
    changes: Mapping[str, Any] | None = None

    @property
    def sources(self) -> dict[str, int]:
        """The cards that are hidden by it, each with the version that was read."""
        return {card.memory_id: card.version for card in self.group.members if card is not self.into}


def decide(cards: Iterable[MemoryCard], now: datetime) -> list[Decision]:
    """Everything that is to be done about these active cards.

    Args:
        cards: short and long ones of one owner.
        now: the present moment.
    """
    groups = groups_of(cards)
    over = dict(_overruled(groups))
    found: list[Decision] = []
    for n, group in enumerate(groups):
        decision = _ending(group, over[n], now) if n in over else _settling(group, now)
        if decision is not None:
            found.append(decision)
    return found


# --- what says the same -----------------------------------------------------------------------------------------------


def groups_of(cards: Iterable[MemoryCard]) -> list[Group]:
    """The cards in groups that say the same, in a fixed order; what was only concluded is left out.

    Cards of one group have the same writer, readers, type and time of validity, and either the same words
    (:func:`~memory_secretary.nodes.sameness.form`) or the same value of the same attribute and nothing else to say.
    """
    alike: dict[Hashable, list[MemoryCard]] = defaultdict(list)
    for card in without_restored([card for card in cards if may_settle(card)]):
        alike[_keeper(card)].append(card)
    groups = [Group(tuple(sorted(one, key=_order))) for kept in alike.values() for one in _same(kept)]
    return sorted(groups, key=lambda group: _order(group.members[0]))


def may_settle(card: MemoryCard) -> bool:
    """Whether the consolidator looks at a card at all."""
    return card.status is Status.ACTIVE and card.kind is Kind.FACT


def without_restored(cards: Sequence[MemoryCard]) -> list[MemoryCard]:
    """Without those that a card names as replaced and that are active all the same: somebody brought them back."""
    replaced = {memory_id for card in cards for memory_id in card.supersedes}
    return [card for card in cards if card.memory_id not in replaced]


def _keeper(card: MemoryCard) -> Hashable:
    place = (card.scope.user, card.scope.agent, card.access_level)
    return (*place, card.type, card.valid_from, card.valid_until, card.about)


def _order(card: MemoryCard) -> tuple[datetime, str]:
    return (card.at, card.memory_id)


def _same(cards: Sequence[MemoryCard]) -> Iterator[list[MemoryCard]]:
    """The cards of one keeper that say the same; both ways to say the same are equalities, so no order matters."""
    leader = {card.memory_id: card.memory_id for card in cards}

    def first(memory_id: str) -> str:
        while leader[memory_id] != memory_id:
            memory_id = leader[memory_id]
        return memory_id

    for one, other in _pairs(cards):
        low, high = sorted((first(one.memory_id), first(other.memory_id)))
        leader[high] = low
    found: dict[str, list[MemoryCard]] = defaultdict(list)
    for card in cards:
        found[first(card.memory_id)].append(card)
    yield from found.values()


def _pairs(cards: Sequence[MemoryCard]) -> Iterator[tuple[MemoryCard, MemoryCard]]:
    worded: dict[Hashable, list[MemoryCard]] = defaultdict(list)
    valued: dict[Hashable, list[MemoryCard]] = defaultdict(list)
    for card in cards:
        worded[form(card.content)].append(card)
        rest = about_value(card.content, card.subject, card.attribute) if all(triple(card)) else None
        if rest is not None:
            valued[(triple(card), rest)].append(card)
    for same in worded.values():
        meant = {triple(card) for card in same} - {_NO_TRIPLE}
        if len(meant) > 1:  # the same words of different things: only what is wholly alike is one
            yield from ((one, other) for one in same for other in same if triple(one) == triple(other))
        else:
            yield from ((same[0], other) for other in same[1:])
    for same in valued.values():
        yield from ((same[0], other) for other in same[1:])


def triple(card: MemoryCard) -> Triple:
    """Subject, attribute and value of a card, in the form in which they are compared."""
    return (form(card.subject), form(card.attribute), form(card.value))


# --- what settles -----------------------------------------------------------------------------------------------------


def _settling(group: Group, now: datetime) -> Decision | None:
    newest, long = group.newest, group.long
    if long is not None and len(group.members) > 1:
        if long.weight < newest.weight:  # it was overruled, and is said again since
            return Decision(kind="merged", group=group, draft=_draft(group))
        return Decision(kind="merged", group=group, into=long, changes=_taken_in(group, long))
    if long is not None or not is_due(group, now):
        return None
    kind = "merged" if len(group.members) > 1 else "promoted"
    return Decision(kind=kind, group=group, draft=_draft(group))


def is_due(group: Group, now: datetime) -> bool:
    """Whether short cards settle: said more than once, or stable for as long as their type asks for.

    What is uncertain, outweighed or no longer valid does not.
    """
    newest = group.newest
    expired = newest.valid_until is not None and newest.valid_until < now
    wait = STABLE_AFTER[newest.type]
    if expired or newest.weight <= CONTRADICTED_WEIGHT or newest.confidence < LEAST_CONFIDENCE or wait is None:
        return False
    return group.sayings > 1 or now - group.members[0].at >= wait


def _draft(group: Group, **other: Any) -> CardDraft:
    """A long card with the newest one's words and all that the others hold beside."""
    newest, taken = group.newest, _taken_in(group, group.newest)
    taken["supersedes"] = tuple(dict.fromkeys(_hidden(group.members, newest)))
    fields = {
        "content": newest.content, "type": newest.type, "source_agent": newest.source_agent,
        "access_level": newest.access_level, "valid_from": newest.valid_from, "valid_until": newest.valid_until,
        "weight": newest.weight, "kind": newest.kind, "about": newest.about, **taken,
    }  # fmt: skip
    return CardDraft(**{**fields, **other})


def _taken_in(group: Group, keeper: MemoryCard) -> dict[str, Any]:
    """What a card of the group has when it stands for all of them."""
    members, ids = group.members, {card.memory_id for card in group.members}
    named = next((card for card in reversed(members) if triple(card) != _NO_TRIPLE), keeper)
    return {
        "subject": named.subject, "attribute": named.attribute, "value": named.value,
        "evidence": most_telling([item for card in members for item in card.evidence]),
        "applies_to": tuple(dict.fromkeys(text for card in members for text in card.applies_to)),
        "related_ids": tuple(dict.fromkeys(ref for card in members for ref in card.related_ids if ref not in ids)),
        "supersedes": tuple(dict.fromkeys([*keeper.supersedes, *_hidden(members, keeper)])),
        "confidence": max(card.confidence for card in members),
        "at": group.newest.at,
    }  # fmt: skip


def _hidden(members: Sequence[MemoryCard], keeper: MemoryCard) -> Iterator[str]:
    """What a keeper hides: the other members, and the cards that long ones among them were made of."""
    for card in members:
        yield from card.supersedes if card.tier is Tier.LONG else ()
        yield from (card.memory_id,) if card is not keeper else ()


# --- what is over -----------------------------------------------------------------------------------------------------


def _overruled(groups: Sequence[Group]) -> Iterator[tuple[int, MemoryCard]]:
    """Each group whose value of an attribute another one outweighs, by its place, with the newest card of that one."""
    about: dict[Hashable, list[int]] = defaultdict(list)
    for n, group in enumerate(groups):
        subject, attribute, value = _triple_of(group)
        if subject and attribute and value:
            scope = group.newest.scope
            about[(scope.user, scope.agent, subject, attribute)].append(n)
    for places in about.values():
        for n in places:
            mine, value = groups[n].newest, _triple_of(groups[n])[2]
            rivals = [groups[m].newest for m in places if _triple_of(groups[m])[2] != value]
            rivals = [rival for rival in rivals if not for_a_time(rival)]
            winners = [rival for rival in rivals if not ended_before(mine, rival) and weaker(rival, mine) is mine]
            if winners:
                yield n, min(winners, key=_order)


def _triple_of(group: Group) -> Triple:
    return next((found for card in reversed(group.members) if (found := triple(card)) != _NO_TRIPLE), _NO_TRIPLE)


def _ending(group: Group, winner: MemoryCard, now: datetime) -> Decision | None:
    """What becomes of cards that another one outweighs: kept in the long tier, with less weight and the day it ended.

    What outweighs them may be older and better known; then they only lose weight.
    """
    newest, long = group.newest, group.long
    since = winner.valid_from or winner.at
    ends = {"valid_until": since} if since > (newest.valid_from or newest.at) else {}
    if long is None:
        wait = STABLE_AFTER[newest.type]
        due = newest.weight > CONTRADICTED_WEIGHT or (wait is not None and now - group.members[0].at >= wait)
        draft = _draft(group, weight=min(newest.weight, CONTRADICTED_WEIGHT), **ends)
        return Decision(kind="ended", group=group, draft=draft) if due else None
    if len(group.members) > 1:
        return Decision(kind="merged", group=group, into=long, changes=_taken_in(group, long))
    if long.weight > CONTRADICTED_WEIGHT:
        return Decision(kind="lowered", group=group, into=long)
    return Decision(kind="ended", group=group, into=long, changes=ends) if ends else None
