"""Cards: written as new versions, never overwritten; superseded, contradicted and forgotten by the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, and_, delete, or_, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller, sees_card
from memory_secretary.memory.card_checks import checked, checked_access, checked_evidence
from memory_secretary.memory.card_reads import CardReads, current, matching, version_of, written
from memory_secretary.memory.card_rows import digest, link, version_row, write_version
from memory_secretary.memory.card_rules import admit
from memory_secretary.memory.clock import Clock, IdSource
from memory_secretary.memory.codec import checked_zone, in_zone, key_digest, member, safe_moment, safe_text
from memory_secretary.memory.contradictions import CONTRADICTED_WEIGHT, ended_before, for_a_time, weaker
from memory_secretary.memory.database import Database
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.errors import InvalidRecord, VersionConflict
from memory_secretary.memory.events import events_of
from memory_secretary.memory.forgetting import (
    Forgotten,
    bury,
    family,
    orphaned,
    reach,
    spoken_in,
    unbury,
    unforgotten,
    versions_of,
)
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.indexing import Indexing, prepare, touch
from memory_secretary.memory.passages import card_passages, event_passages
from memory_secretary.memory.queue_entries import strike_off_queue
from memory_secretary.memory.records import CardVersion, Evidence, Kind, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import Right, Role, Tier
from memory_secretary.memory.schema import card_keys, card_supersedes, card_versions, cards, tombstones

Sources = Mapping[str, int]
"""The cards that a new one takes the place of, each with the version that was read."""
EDITABLE = frozenset(
    "type content related_ids access_level subject attribute value applies_to valid_from valid_until confidence "
    "supersedes evidence kind about".split()
)
"""What an edit may change; tier, status and weight have their own ways."""

ABSORBED = frozenset("related_ids subject attribute value applies_to confidence supersedes evidence at".split())
"""What a card takes over from others that say the same."""

MOST_EVIDENCE = 20
"""Places of evidence that a card keeps when it is said again and again: the first and the newest."""


class CardStore(CardReads):
    """Writes and reads cards of one ledger."""

    def __init__(
        self,
        database: Database,
        gate: Gate,
        indexing: Indexing,
        *,
        clock: Clock,
        new_id: IdSource,
        zone: str,
        personal: bool = False,
    ) -> None:
        super().__init__(database, gate, zone=zone)
        self._personal = personal
        self._indexing = indexing
        self._clock = clock
        self._new_id = new_id

    def write(self, caller: Caller, draft: CardDraft, *, sources: Sources | None = None) -> MemoryCard:
        """Write a new card; the same words of the same writer in the same tier are one card.

        What is said again in another turn gives the card that turn as further evidence; what is said again after
        something else was said of the same attribute is a new card.

        Args:
            caller: whose role may write the draft's tier.
            draft: the card.
            sources: cards that have to be active and of these versions still, or nothing is written.

        Raises:
            AccessDenied: the caller's role may not write ``draft.tier``.
            InvalidRecord: a field is unusable, or a rule forbids the card.
            VersionConflict: one of ``sources`` is another one by now.
        """
        self._gate.demand(caller, Right.WRITE, member(Tier, draft.tier, "tier"))
        card = self._card(caller, draft)
        with self._database.write() as connection:
            _demand_unchanged(connection, caller, sources or {})
            known = self._under_key(connection, caller, draft.idempotency_key)
            if known is not None:
                return known
            admit(connection, caller, card)
            earlier = self._in_the_same_words(connection, caller, card)
            if earlier is not None:
                return self._said_again(connection, caller, earlier, card)
            if caller.role is Role.USER:
                self._unbury(connection, card)
            self._put(connection, caller, card, before=None, reason="written")
            if draft.idempotency_key is not None:
                connection.execute(
                    card_keys.insert().values(
                        owner=caller.owner, key=key_digest(draft.idempotency_key), memory_id=card.memory_id
                    )
                )
            return written(connection, caller, card.memory_id)

    def put_in(self, caller: Caller, card: MemoryCard) -> bool:
        """Take in a card from elsewhere with its own id and times; returns whether its id was new.

        Raises:
            AccessDenied: only the user may import, and only into the short and long tiers.
        """
        self._demand_import(caller, card.tier)
        card = checked(card, personal=self._personal)
        with self._database.write() as connection:
            known = connection.execute(
                select(cards.c.memory_id).where(cards.c.owner == caller.owner, cards.c.memory_id == card.memory_id)
            ).first()
            if known is None:
                self._put(connection, caller, card, before=None, reason="imported")
        return known is None

    def put_in_version(self, caller: Caller, version: CardVersion) -> bool:
        """Take in an earlier version of a card from elsewhere; returns whether it was new.

        Raises:
            AccessDenied: only the user may import.
            InvalidRecord: a field is unusable.
        """
        self._demand_import(caller, version.card.tier)
        card = checked(version.card, personal=self._personal)
        row = version_row(card, role=Role(version.role), reason=version.reason, at=version.written_at)
        with self._database.write() as connection:
            return connection.execute(card_versions.insert().prefix_with("OR IGNORE"), row).rowcount > 0

    def put_in_tombstone(self, caller: Caller, grave: Mapping[str, Any]) -> bool:
        """Take in what :meth:`tombstones` gave elsewhere; returns whether it was new.

        Raises:
            AccessDenied: only the user may import.
        """
        self._demand_import(caller, Tier.SHORT)
        row = {name: grave[name] for name in ("memory_id", "digest", "role", "at")} | {"owner": caller.owner}
        with self._database.write() as connection:
            return connection.execute(tombstones.insert().prefix_with("OR IGNORE"), row).rowcount > 0

    def tombstones(self, caller: Caller) -> list[dict[str, Any]]:
        """What the owner had forgotten: ids and digests, no words."""
        self._gate.demand(caller, Right.READ, Tier.SHORT)
        columns = (tombstones.c.memory_id, tombstones.c.digest, tombstones.c.role, tombstones.c.at)
        query = select(*columns).where(tombstones.c.owner == caller.owner).order_by(tombstones.c.memory_id)
        with self._database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def edit(
        self, caller: Caller, memory_id: str, changes: dict[str, Any], *, expected_version: int | None = None
    ) -> MemoryCard:
        """Write a new version with other fields.

        Args:
            caller: whose role may write the card's tier.
            memory_id: the card.
            changes: new values of fields in :data:`EDITABLE`.
            expected_version: the version that was read; None takes whatever is current.

        Raises:
            AccessDenied: the role may not write that tier, or the card is another person's.
            InvalidRecord: a field cannot be edited, or its value is unusable.
            NotFound: there is no such card that the caller may see.
            VersionConflict: the card has another version by now.
        """
        unknown = changes.keys() - EDITABLE
        if unknown:
            msg = f"{min(unknown)} cannot be edited: only {', '.join(sorted(EDITABLE))} can"
            raise InvalidRecord(msg, zh=f"{min(unknown)} 不能修改：只能改 {'、'.join(sorted(EDITABLE))}")
        before = self.get(caller, memory_id)
        self._gate.demand(caller, Right.WRITE, before.tier)
        self._demand_own(caller, before)
        with self._database.write() as connection:
            before = _expected(current(connection, caller, memory_id), expected_version)
            card = checked(replace(before, version=before.version + 1, **_typed(changes)), personal=self._personal)
            admit(connection, caller, card)
            self._put(connection, caller, card, before=before, reason="edited")
            return written(connection, caller, memory_id)

    def absorb(
        self, caller: Caller, memory_id: str, changes: dict[str, Any], *, expected_version: int, sources: Sources
    ) -> MemoryCard:
        """Let a card take over what others hold that say the same, and take their place.

        Args:
            caller: whose role may write the card's tier.
            memory_id: the card.
            changes: new values of fields in :data:`ABSORBED`.
            expected_version: the version that was read.
            sources: the others, which have to be active and of these versions still.

        Raises:
            AccessDenied: the role may not write that tier.
            InvalidRecord: a field cannot be taken over, or its value is unusable.
            NotFound: there is no such card that the caller may see.
            VersionConflict: one of them is another one by now.
        """
        foreign = changes.keys() - ABSORBED
        if foreign:
            msg = f"{min(foreign)} cannot be taken over from other cards: only {', '.join(sorted(ABSORBED))} can"
            raise InvalidRecord(msg, zh=f"{min(foreign)} 不能从其他卡片接过来：只能接 {'、'.join(sorted(ABSORBED))}")
        self._gate.demand(caller, Right.WRITE, self.get(caller, memory_id).tier)
        with self._database.write() as connection:
            before = _expected(current(connection, caller, memory_id), expected_version)
            _demand_unchanged(connection, caller, sources)
            at = safe_moment(changes.get("at", before.at))
            timestamp = before.timestamp if at == before.at else in_zone(at, ZoneInfo(self._zone)).isoformat()
            changed = replace(before, version=before.version + 1, timestamp=timestamp, **_typed(changes))
            card = checked(changed, personal=self._personal)
            admit(connection, caller, card)
            self._put(connection, caller, card, before=before, reason="merged")
            return written(connection, caller, memory_id)

    def set_status(
        self,
        caller: Caller,
        memory_id: str,
        *,
        status: Status | None = None,
        weight: float | None = None,
        reason: str,
        expected_version: int | None = None,
    ) -> MemoryCard:
        """Write a new version with another status or weight and nothing else.

        Raises:
            AccessDenied: the role may not change the status of that tier, or the card is another person's.
            NotFound: there is no such card that the caller may see.
            VersionConflict: the card has another version by now.
        """
        before = self.get(caller, memory_id)
        self._gate.demand(caller, Right.STATUS, before.tier)
        self._demand_own(caller, before)
        with self._database.write() as connection:
            before = _expected(current(connection, caller, memory_id), expected_version)
            card = replace(
                before,
                version=before.version + 1,
                status=before.status if status is None else member(Status, status, "status"),
                weight=before.weight if weight is None else checks.share(weight, "weight"),
            )
            why = safe_text(reason, "reason")
            self._put(connection, caller, card, before=before, reason=why, weigh=weight is None)
            return current(connection, caller, memory_id)

    def forget(self, caller: Caller, memory_id: str, *, expected_version: int | None = None) -> Forgotten:
        """Archive a card with what says the same, take it out of every index, and bury its words.

        Buried words are learned again only when the user says them anew.

        Raises:
            AccessDenied: only the person whose card it is may forget it.
            NotFound: there is no such card in this scope.
            VersionConflict: the card has another version by now.
        """
        self._demand_user(caller, memory_id, "forget")
        with self._database.write() as connection:
            named = _expected(current(connection, caller, memory_id), expected_version)
            done, gone = reach(connection, named), unforgotten(connection, family(connection, named))
            if done.nothing_new:
                return done
            for card in gone:
                archived = replace(card, version=card.version + 1, status=Status.ARCHIVED)
                self._put(connection, caller, archived, before=card, reason="forgotten")
                bury(connection, caller.role, card, self._clock())
            for card in orphaned(connection, gone) if gone else ():
                active = replace(card, version=card.version + 1, status=Status.ACTIVE)
                self._put(connection, caller, active, before=card, reason="what replaced it was forgotten")
            for event in events_of(connection, caller.owner, done.events):
                self._indexing.changed(connection, caller.owner, Tier.WORKING, event.event_id, [])
                bury(connection, caller.role, event, self._clock())
            touch(connection, caller.owner, events=1)
            strike_off_queue(connection, caller.owner, done.events)
            kept = versions_of(connection, caller.owner, done.cards)
            return replace(done, card=current(connection, caller, memory_id), versions=kept)

    def would_forget(self, caller: Caller, memory_id: str) -> Forgotten:
        """What :meth:`forget` would take out; nothing is changed.

        Raises:
            AccessDenied: only the person whose card it is may forget it.
            NotFound: there is no such card in this scope.
        """
        card = self._demand_user(caller, memory_id, "forget")
        with self._database.read() as connection:
            return reach(connection, card)

    def restore(
        self, caller: Caller, memory_id: str, version: int | None = None, *, expected_version: int | None = None
    ) -> MemoryCard:
        """Make a card current again, at full weight, as it is or with the words of an earlier version.

        Raises:
            AccessDenied: only the person whose card it is may restore it.
            NotFound: there is no such card, or no such version of it, in this scope.
            VersionConflict: the card has another version by now.
        """
        self._demand_user(caller, memory_id, "restore")
        if version is not None:
            checks.whole(version, "version", least=1)
        with self._database.write() as connection:
            before = _expected(current(connection, caller, memory_id), expected_version)
            source = before if version is None else version_of(connection, caller, memory_id, version, self._zone)
            weight = 1.0 if source.weight == CONTRADICTED_WEIGHT else source.weight
            card = replace(source, scope=before.scope, version=before.version + 1, status=Status.ACTIVE, weight=weight)
            superseding = and_(card_supersedes.c.owner == caller.owner, card_supersedes.c.superseded_id == memory_id)
            connection.execute(delete(card_supersedes).where(superseding))
            self._unbury(connection, card)
            self._put(connection, caller, card, before=before, reason="restored", weigh=False)
            return current(connection, caller, memory_id)

    def _card(self, caller: Caller, draft: CardDraft) -> MemoryCard:
        at = self._clock() if draft.at is None else draft.at
        moment = safe_moment(at)
        zone = checked_zone(draft.zone or getattr(at.tzinfo, "key", None) or self._zone)
        return checked(
            MemoryCard(
                memory_id=f"mem_{self._new_id()}",
                type=member(MemoryType, draft.type, "type"),
                content=draft.content,
                source_agent=draft.source_agent or caller.scope.agent or caller.role.value,
                related_ids=checks.texts(draft.related_ids, "related_ids", one=True),
                timestamp=moment.astimezone(ZoneInfo(zone)).isoformat(),
                access_level=checked_access(draft.access_level),
                tier=member(Tier, draft.tier, "tier"),
                scope=caller.scope,
                subject=draft.subject,
                attribute=draft.attribute,
                value=draft.value,
                applies_to=checks.texts(draft.applies_to, "applies_to", one=True),
                at=moment,
                valid_from=draft.valid_from,
                valid_until=draft.valid_until,
                weight=draft.weight,
                confidence=draft.confidence,
                supersedes=checks.texts(draft.supersedes, "supersedes", one=True),
                evidence=checked_evidence(draft.evidence),
                kind=member(Kind, draft.kind, "kind"),
                about=draft.about,
            ),
            personal=self._personal,
        )

    def _under_key(self, connection: Connection, caller: Caller, key: str | None) -> MemoryCard | None:
        if key is None:
            return None
        same_key = and_(card_keys.c.owner == caller.owner, card_keys.c.key == key_digest(key))
        known = connection.execute(select(card_keys.c.memory_id).where(same_key)).scalar()
        return None if known is None else current(connection, caller, known)

    def _in_the_same_words(self, connection: Connection, caller: Caller, card: MemoryCard) -> MemoryCard | None:
        scope = card.scope
        same_words = and_(
            sees_card(caller),
            cards.c.digest == digest(card.content),
            cards.c.status == Status.ACTIVE.value,
            cards.c.tier == card.tier.value,
            cards.c.type == card.type.value,
            cards.c.user.is_not_distinct_from(scope.user),
            cards.c.agent.is_not_distinct_from(scope.agent),
        )
        twins = matching(connection, caller, same_words, None)
        return next((twin for twin in twins if _says_the_same(twin, card) and not _is_news(card, twin)), None)

    def _said_again(self, connection: Connection, caller: Caller, earlier: MemoryCard, card: MemoryCard) -> MemoryCard:
        """The card that stands for these words already, with the new turn among its evidence."""
        new = [item for item in card.evidence if item not in earlier.evidence]
        if new:
            evidence = most_telling((*earlier.evidence, *new))
            again = replace(earlier, version=earlier.version + 1, evidence=evidence)
            self._put(connection, caller, again, before=earlier, reason="said again", weigh=False)
        return current(connection, caller, earlier.memory_id)

    def _put(
        self,
        connection: Connection,
        caller: Caller,
        card: MemoryCard,
        *,
        before: MemoryCard | None,
        reason: str,
        weigh: bool = True,
    ) -> None:
        """Write one version and everything that follows from it, in the caller's transaction.

        Without ``weigh`` the card's weight stands, whatever contradicts it: somebody has just chosen it.
        """
        if before is None and _is_superseded(connection, card):
            card = replace(card, status=Status.SUPERSEDED)
        write_version(connection, card, role=caller.role, reason=reason, at=self._clock())
        self._reindex(connection, card, before)
        if card.status is Status.ACTIVE:
            self._supersede(connection, caller, card)
            if weigh:
                self._weigh_contradictions(connection, caller, card)
        touch(connection, caller.owner, cards=1)

    def _unbury(self, connection: Connection, card: MemoryCard) -> None:
        """The user brought these words back: searches find them and their turns."""
        owner = card.scope.owner
        lifted = unbury(connection, owner, card.content, [card.memory_id])
        if lifted:
            lifted += unbury(connection, owner, card.content, spoken_in(connection, [card]))
        for event in events_of(connection, owner, lifted):
            self._indexing.added(connection, owner, Tier.WORKING, prepare(event_passages(event)))

    def _reindex(self, connection: Connection, card: MemoryCard, before: MemoryCard | None) -> None:
        now = [] if card.status is Status.ARCHIVED else card_passages(card)
        earlier = [] if before is None or before.status is Status.ARCHIVED else card_passages(before)
        if before is None:
            self._indexing.added(connection, card.scope.owner, card.tier, prepare(now))
        elif now != earlier:
            self._indexing.changed(connection, card.scope.owner, card.tier, card.memory_id, prepare(now))

    def _supersede(self, connection: Connection, caller: Caller, card: MemoryCard) -> None:
        """The newer card wins at once, in whatever tier the older one lies: over what became of it, too."""
        if not card.supersedes:
            return
        made_of_it = select(card_supersedes.c.memory_id).where(
            card_supersedes.c.owner == caller.owner, card_supersedes.c.superseded_id.in_(card.supersedes)
        )
        settled = and_(cards.c.tier == Tier.LONG.value, cards.c.memory_id.in_(made_of_it))
        named = cards.c.memory_id.in_(card.supersedes)
        older = and_(
            sees_card(caller),
            named if card.tier is Tier.LONG else or_(named, settled),
            cards.c.memory_id != card.memory_id,
            cards.c.status == Status.ACTIVE.value,
        )
        for old in matching(connection, caller, older, None):
            closed = replace(old, version=old.version + 1, status=Status.SUPERSEDED)
            self._put(connection, caller, closed, before=old, reason=f"superseded by {card.memory_id}")

    def _weigh_contradictions(self, connection: Connection, caller: Caller, card: MemoryCard) -> None:
        """Two values of one attribute of one subject: the weaker card loses weight, and the two are linked."""
        if not (card.subject and card.attribute and card.value) or card.weight < 1.0:
            return
        rivals = and_(
            sees_card(caller),
            cards.c.subject == card.subject,
            cards.c.attribute == card.attribute,
            cards.c.value.not_in(("", card.value)),
            cards.c.memory_id != card.memory_id,
            cards.c.status == Status.ACTIVE.value,
        )
        for rival in matching(connection, caller, rivals, None):
            link(connection, caller.owner, card.memory_id, rival.memory_id)
            older = weaker(rival, card)
            newer = card if older is rival else rival
            if older.weight == 1.0 and not ended_before(card, rival) and not for_a_time(newer):
                lighter = replace(older, version=older.version + 1, weight=CONTRADICTED_WEIGHT)
                self._put(connection, caller, lighter, before=older, reason="contradicted by a newer card")
                card = lighter if older is card else card

    def _demand_import(self, caller: Caller, tier: Tier) -> None:
        if caller.role is not Role.USER:
            self._gate.refuse(caller, "import", tier)
        self._gate.demand(caller, Right.WRITE, tier)

    def _demand_user(self, caller: Caller, memory_id: str, wanted: str) -> MemoryCard:
        card = self.get(caller, memory_id)
        if caller.role is not Role.USER:
            self._gate.refuse(caller, wanted, card.tier)
        self._demand_own(caller, card)
        return card

    def _demand_own(self, caller: Caller, card: MemoryCard) -> None:
        """In a team, a person changes only cards that they or no person wrote."""
        if caller.role is Role.USER and card.scope.user not in (None, caller.scope.user):
            self._gate.refuse(caller, "change another person's card", card.tier)


def _typed(changes: dict[str, Any]) -> dict[str, Any]:
    """Changes with lists as tuples and words as members of their enumerations."""
    kinds: dict[str, type[StrEnum]] = {"type": MemoryType, "kind": Kind}
    return {
        name: member(kinds[name], value, name) if name in kinds else tuple(value) if isinstance(value, list) else value
        for name, value in changes.items()
    }


def most_telling(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """At most :data:`MOST_EVIDENCE` places: where it was first said, and the newest."""
    kept = tuple(dict.fromkeys(evidence))
    return kept if len(kept) <= MOST_EVIDENCE else (kept[0], *kept[1 - MOST_EVIDENCE :])


def _is_news(card: MemoryCard, twin: MemoryCard) -> bool:
    """Whether the same words are said anew after others had contradicted them: they hold again from now on."""
    return twin.weight == CONTRADICTED_WEIGHT and card.at > twin.at


def _demand_unchanged(connection: Connection, caller: Caller, sources: Sources) -> None:
    """Pass when all of these cards are active and as they were read.

    Raises:
        VersionConflict: one is not.
    """
    query = select(cards.c.memory_id).where(sees_card(caller), cards.c.status == Status.ACTIVE.value)
    for memory_id, version in sources.items():
        same = and_(cards.c.memory_id == memory_id, cards.c.version == checks.whole(version, "sources"))
        if connection.execute(query.where(same)).first() is None:
            msg = f"{memory_id} is not as it was read by now (version {version}): read it again, then write"
            raise VersionConflict(msg, zh=f"{memory_id} 已不是读取时的样子（版本 {version}）：请重新读取后再写入")


def _says_the_same(one: MemoryCard, other: MemoryCard) -> bool:
    """Whether two cards with the same words are one: nothing else about them differs that recall would show."""
    names = ("access_level", "subject", "attribute", "value", "about", "applies_to", "valid_from", "valid_until")
    return all(getattr(one, name) == getattr(other, name) for name in names) and set(other.supersedes) <= set(
        one.supersedes
    )


def _expected(card: MemoryCard, version: int | None) -> MemoryCard:
    if version is not None and card.version != checks.whole(version, "expected_version"):
        msg = f"{card.memory_id} has version {card.version} by now, not {version}: read it again, then write"
        zh = f"{card.memory_id} 现在已是版本 {card.version}，而不是 {version}：请重新读取后再写入"
        raise VersionConflict(msg, zh=zh)
    return card


def _is_superseded(connection: Connection, card: MemoryCard) -> bool:
    """Whether a card that is already here supersedes this one, which arrives late."""
    query = (
        select(cards.c.memory_id)
        .join(
            card_supersedes,
            and_(card_supersedes.c.owner == cards.c.owner, card_supersedes.c.memory_id == cards.c.memory_id),
        )
        .where(
            card_supersedes.c.owner == card.scope.owner,
            card_supersedes.c.superseded_id == card.memory_id,
            cards.c.status == Status.ACTIVE.value,
        )
    )
    return connection.execute(query).first() is not None
