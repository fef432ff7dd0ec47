"""What goes with a card that its owner wants forgotten, and how it leaves the disk."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, exists, func, or_, select

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.card_rows import digest, read_cards
from memory_secretary.memory.codec import to_micros
from memory_secretary.memory.queue_entries import waiting_with
from memory_secretary.memory.records import Event, MemoryCard, Status
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.schema import (
    card_keys,
    card_links,
    card_readers,
    card_supersedes,
    card_uses,
    card_versions,
    cards,
    events,
    task_states,
    tombstones,
)

_TELLING_BYTES = 12
"""Shorter contents (one word, three Chinese characters) stand in turns that are about something else."""
ERASED = "[forgotten on the user's wish]"
"""What stands in the place of a turn's words once they are erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What is forgotten with a card, or would be.

    Attributes:
        card: the card that was named, as it is now; ``restore`` brings it back until ``vacuum``.
        cards: every card that is taken out: this one, the same words in another tier, the long card that was made
            of it, and the short ones that it was made of; none where all of that was forgotten before.
        events: turns with its words, which no search finds any more; a reference still reads them until ``vacuum``.
        queued: entries of the queue that these turns are taken off, so that they never become cards.
        versions: wordings of these cards that stay on the disk until ``vacuum``.
    """

    card: MemoryCard
    cards: tuple[str, ...]
    events: tuple[str, ...]
    queued: int
    versions: int

    @property
    def nothing_new(self) -> bool:
        """Whether all of it was forgotten before, so that nothing changes."""
        return not self.cards and not self.events

    @property
    def outlook(self) -> str:
        """What forgetting would do, for a person who is asked, in the language spoken here."""
        if self.nothing_new:
            return _already()
        en, zh = self._named()
        return said(
            f"Forgetting takes out of every search: {en}. Until a vacuum, restore brings them back.",
            f"遗忘会把这些移出所有检索：{zh}。彻底抹去之前，可用 `memory restore` 恢复。",
        )

    @property
    def sentence(self) -> str:
        """What happened and what is still on the disk, for a person, in the language spoken here."""
        if self.nothing_new:
            return _already()
        en, zh = self._named()
        kept = counted(self.versions, "version") + (" and the turns" if self.events else "")
        kept_zh = f"{self.versions} 个版本" + ("和这些对话" if self.events else "")
        return said(
            f"Taken out of every search: {en}. For restore, {kept} stay on the disk until a vacuum.",
            f"已移出所有检索：{zh}。{kept_zh}仍在磁盘上，彻底抹去（`memory vacuum`）之前，可用 `memory restore` 恢复。",
        )

    def _named(self) -> tuple[str, str]:
        """What is taken out, in both languages."""
        itself = self.card.memory_id in self.cards
        same, turns = len(self.cards) - itself, len(self.events)
        parts = [("the card", "这张卡片")] if itself else []
        if same:
            parts.append(
                (f"{counted(same, 'card')} made of it or saying the same", f"由它整理成或内容相同的卡片 {same} 张")
            )
        if turns:
            off = ("", "")
            if self.queued:
                off = (" (never to become cards any more)", "（不再等待整理成卡片，恢复后也不再等待）")
            parts.append((f"{counted(turns, 'turn')} with its words{off[0]}", f"含有它的文字的对话 {turns} 条{off[1]}"))
        return ", ".join(en for en, _ in parts), "、".join(zh for _, zh in parts)


@dataclass(frozen=True, slots=True)
class Erasable:
    """What was forgotten and still stands on the disk, of all owners.

    Attributes:
        cards: forgotten cards.
        versions: their wordings.
        events: turns that went with them.
    """

    cards: int
    versions: int
    events: int


def _already() -> str:
    return said("It was forgotten before; nothing changes.", "它早已被遗忘；没有任何改动。")


def counted(n: int, noun: str) -> str:
    """A number with its English noun: ``1 card``, ``2 cards``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def reach(connection: Connection, card: MemoryCard) -> Forgotten:
    """What goes with a card when it is forgotten; nothing is changed."""
    owner, gone = card.scope.owner, unforgotten(connection, family(connection, card))
    spoken = spoken_in(connection, gone or [card])
    buried = _buried(connection, owner, spoken)
    ids, refs = tuple(one.memory_id for one in gone), [ref for ref in spoken if ref not in buried]
    return Forgotten(
        card=card,
        cards=ids,
        events=tuple(refs),
        queued=len(waiting_with(connection, owner, refs)),
        versions=versions_of(connection, owner, ids),
    )


def family(connection: Connection, card: MemoryCard) -> list[MemoryCard]:
    """The card and what says the same in another tier: equal words, and the two sides of a consolidation."""
    owner = card.scope.owner
    made_of_it = select(card_supersedes.c.memory_id).where(
        card_supersedes.c.owner == owner, card_supersedes.c.superseded_id == card.memory_id
    )
    consolidated = and_(cards.c.tier == Tier.LONG.value, cards.c.memory_id.in_(made_of_it))
    merged = or_(cards.c.tier == Tier.SHORT.value, _closed_by_the_consolidator())
    sources = and_(merged, cards.c.memory_id.in_(card.supersedes))
    other_tier = consolidated if card.tier is Tier.SHORT else sources
    same = or_(cards.c.memory_id == card.memory_id, cards.c.digest == digest(card.content), other_tier)
    mine = or_(cards.c.user.is_(None), cards.c.user.is_not_distinct_from(card.scope.user))
    rows = connection.execute(select(cards).where(cards.c.owner == owner, same, mine)).all()
    return read_cards(connection, owner, rows)


def _closed_by_the_consolidator() -> ColumnElement[bool]:
    """A card that was merged into another one says the same; one that somebody replaced does not."""
    return exists().where(
        card_versions.c.owner == cards.c.owner,
        card_versions.c.memory_id == cards.c.memory_id,
        card_versions.c.version == cards.c.version,
        card_versions.c.role == Role.CONSOLIDATOR.value,
        cards.c.status == Status.SUPERSEDED.value,
    )


def unforgotten(connection: Connection, found: Sequence[MemoryCard]) -> list[MemoryCard]:
    """Those of the cards that are still to be forgotten."""
    gone = _buried(connection, found[0].scope.owner, [card.memory_id for card in found])
    return [card for card in found if card.status is not Status.ARCHIVED or card.memory_id not in gone]


def _buried(connection: Connection, owner: str, refs: Collection[str]) -> set[str]:
    """Those of the records that were forgotten."""
    query = select(tombstones.c.memory_id).where(tombstones.c.owner == owner, tombstones.c.memory_id.in_(refs))
    return set(connection.execute(query).scalars())


def orphaned(connection: Connection, gone: Sequence[MemoryCard]) -> list[MemoryCard]:
    """Short cards that a forgotten long card hid and that nothing hides any more."""
    owner, ids = gone[0].scope.owner, [card.memory_id for card in gone]
    hidden = {ref for card in gone if card.tier is Tier.LONG for ref in card.supersedes} - set(ids)
    newer = cards.alias("newer")
    still = exists().where(
        card_supersedes.c.owner == owner,
        card_supersedes.c.superseded_id == cards.c.memory_id,
        newer.c.owner == owner,
        newer.c.memory_id == card_supersedes.c.memory_id,
        newer.c.status == Status.ACTIVE.value,
    )
    alone = and_(cards.c.status == Status.SUPERSEDED.value, cards.c.tier == Tier.SHORT.value, ~still)
    rows = connection.execute(select(cards).where(cards.c.owner == owner, cards.c.memory_id.in_(hidden), alone)).all()
    return read_cards(connection, owner, rows)


def spoken_in(connection: Connection, gone: Sequence[MemoryCard]) -> list[str]:
    """Events that are evidence of the cards or hold their words; what a tool brought stays as it is.

    The turns that a learned method rests on say something else, and stay.
    """
    refs = {item.event_id for card in gone if not card.is_learned_method for item in card.evidence}
    words = holding([card.content for card in gone])
    query = select(events.c.event_id).where(
        events.c.owner == gone[0].scope.owner,
        events.c.actor != "tool",
        or_(events.c.event_id.in_(refs), *words),
    )
    return list(connection.execute(query.order_by(events.c.seq)).scalars())


def holding(texts: Iterable[str]) -> list[ColumnElement[bool]]:
    """Conditions on ``events``, one for each text that is long enough to tell: it stands in what was said."""
    telling = [text.strip().lower() for text in texts if len(text.strip().encode()) >= _TELLING_BYTES]
    return [func.instr(func.lower(events.c.observation), text) > 0 for text in telling]


def bury(connection: Connection, role: Role, record: MemoryCard | Event, at: datetime) -> None:
    """Leave a tombstone, so that these words are not learned again."""
    if isinstance(record, Event):
        ref, words = record.event_id, record.observation
    else:
        ref, words = record.memory_id, record.content
    owner = record.scope.owner
    connection.execute(delete(tombstones).where(tombstones.c.owner == owner, tombstones.c.memory_id == ref))
    row = {"owner": owner, "memory_id": ref, "digest": digest(words), "role": role.value, "at": to_micros(at)}
    connection.execute(tombstones.insert(), row)


def unbury(connection: Connection, owner: str, words: str, refs: Collection[str] = ()) -> list[str]:
    """Take the tombstones off these words and records; returns the records that had one."""
    same = or_(tombstones.c.digest == digest(words), tombstones.c.memory_id.in_(refs))
    found = connection.execute(
        delete(tombstones).where(tombstones.c.owner == owner, same).returning(tombstones.c.memory_id)
    )
    return list(found.scalars())


def buried(connection: Connection, owner: str, refs: Collection[str]) -> set[str]:
    """Which of these records were forgotten."""
    query = select(tombstones.c.memory_id).where(tombstones.c.owner == owner, tombstones.c.memory_id.in_(refs))
    return set(connection.execute(query).scalars())


def is_buried(owner: ColumnElement[str], ref: ColumnElement[str]) -> ColumnElement[bool]:
    """Condition on any table: this record was forgotten."""
    return exists().where(tombstones.c.owner == owner, tombstones.c.memory_id == ref)


def versions_of(connection: Connection, owner: str, memory_ids: Collection[str]) -> int:
    """How many wordings of these cards stand in the ledger."""
    kept = select(func.count()).where(card_versions.c.owner == owner, card_versions.c.memory_id.in_(memory_ids))
    return connection.execute(kept).scalar_one()


def erasable(connection: Connection) -> Erasable:
    """How much :func:`erase` would delete."""

    def count(table: Table, condition: ColumnElement[bool]) -> int:
        return connection.execute(select(func.count()).select_from(table).where(condition)).scalar_one()

    doomed = exists().where(
        cards.c.owner == card_versions.c.owner, cards.c.memory_id == card_versions.c.memory_id, _doomed_card()
    )
    return Erasable(count(cards, _doomed_card()), count(card_versions, doomed), count(events, _doomed_event()))


def erase(connection: Connection) -> Erasable:
    """Delete the words of everything that was forgotten, of all owners; only the tombstones stay."""
    found = erasable(connection)
    for row in connection.execute(select(cards.c.owner, cards.c.memory_id).where(_doomed_card())).all():
        for table in (card_versions, card_readers, card_links, card_supersedes, card_keys, card_uses, cards):
            of_card = and_(table.c.owner == row.owner, table.c.memory_id == row.memory_id)
            connection.execute(delete(table).where(of_card))
        back = and_(card_links.c.owner == row.owner, card_links.c.related_id == row.memory_id)
        connection.execute(delete(card_links).where(back))
    _erase_goals(connection)
    connection.execute(events.update().where(_doomed_event()).values(observation=ERASED, thought="", arguments=None))
    return found


def _erase_goals(connection: Connection) -> None:
    """The goals of finished tasks that were forgotten turns; an open task still needs its own."""
    of_task = and_(events.c.owner == task_states.c.owner, func.instr(task_states.c.state, events.c.event_id) > 0)
    rows = select(task_states.c.owner, task_states.c.thread, task_states.c.state, events.c.event_id)
    ended = rows.join(events, of_task).where(task_states.c.finished == 1, _doomed_event())
    for row in connection.execute(ended).all():
        state = json.loads(row.state)
        if state["goal_ref"] == row.event_id:
            same = and_(task_states.c.owner == row.owner, task_states.c.thread == row.thread)
            erased = json.dumps({**state, "goal": ERASED, "amendments": []}, ensure_ascii=False)
            connection.execute(task_states.update().where(same).values(state=erased))


def _doomed_card() -> ColumnElement[bool]:
    return and_(cards.c.status == Status.ARCHIVED.value, is_buried(cards.c.owner, cards.c.memory_id))


def _doomed_event() -> ColumnElement[bool]:
    return and_(is_buried(events.c.owner, events.c.event_id), events.c.observation != ERASED)
