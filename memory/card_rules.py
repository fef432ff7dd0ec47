"""What may become a card: the rules that every new card passes, whoever writes it."""

from __future__ import annotations

from sqlalchemy import Connection, Row, func, select

from memory_secretary.memory.access import Caller
from memory_secretary.memory.card_rows import digest
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.forgetting import buried
from memory_secretary.memory.records import Action, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import Role
from memory_secretary.memory.schema import cards, events, tombstones

Sources = dict[str, Row[str, str, str, str, str]]
"""The events that a card's evidence names, by id."""

INSTRUCTING = frozenset({MemoryType.PREFERENCE, MemoryType.RULE, MemoryType.CONSTRAINT})
"""Types that tell a model what to do; only the user's own words make them, no tool's text and no document's."""


def admit(connection: Connection, caller: Caller, card: MemoryCard) -> None:
    """Pass a new card or refuse it.

    Raises:
        InvalidRecord: the sentence says which rule the card breaks.
    """
    if caller.role is Role.USER:
        return
    _not_forgotten(connection, card)
    sources = _sources(connection, card)
    _quoted(card, sources)
    _not_fed_back(sources)
    if card.type in INSTRUCTING and not _from_user(connection, card, sources):
        msg = f"a {card.type} must rest on the user's own words: give evidence from events whose actor is the user"
        raise InvalidRecord(msg, zh=f"{card.type} 必须出自用户自己的话：请以用户的事件为证据")


def _sources(connection: Connection, card: MemoryCard) -> Sources:
    ids = [item.event_id for item in card.evidence]
    query = select(events.c.event_id, events.c.actor, events.c.action, events.c.observation, events.c.thought).where(
        events.c.owner == card.scope.owner, events.c.event_id.in_(ids)
    )
    return {row.event_id: row for row in connection.execute(query)}


def _quoted(card: MemoryCard, sources: Sources) -> None:
    for item in card.evidence:
        source = sources.get(item.event_id)
        if source is None:
            msg = f"evidence names {item.event_id!r}, which is no event of this owner: name the event it stands in"
            raise InvalidRecord(msg, zh=f"证据所指的 {item.event_id!r} 不是该用户的事件：请写出它所在的事件")
        if not item.quote.strip() or (item.quote not in source.observation and item.quote not in source.thought):
            msg = f"the quote {item.quote[:60]!r} does not stand in {item.event_id}: quote the event word for word"
            raise InvalidRecord(msg, zh=f"引文 {item.quote[:60]!r} 不在 {item.event_id} 中：请逐字引用该事件")


def _not_fed_back(sources: Sources) -> None:
    if sources and all(source.action == Action.BRIEF for source in sources.values()):
        msg = "a card whose only source is recalled memory is refused: give the event the memory came from"
        raise InvalidRecord(msg, zh="只来自召回记忆的卡片会被拒绝：请给出该记忆所出的事件")


def _from_user(connection: Connection, card: MemoryCard, sources: Sources) -> bool:
    if sources:
        return all(source.actor == "user" for source in sources.values())
    # A consolidated card may rest on instructing cards instead: those passed this rule when they were written.
    earlier = select(cards.c.memory_id).where(
        cards.c.owner == card.scope.owner,
        cards.c.memory_id.in_([*card.supersedes, *card.related_ids]),
        cards.c.type.in_([kind.value for kind in INSTRUCTING]),
    )
    return connection.execute(earlier).first() is not None


def _not_forgotten(connection: Connection, card: MemoryCard) -> None:
    owner, words = card.scope.owner, digest(card.content)
    grave = select(func.max(tombstones.c.at)).where(tombstones.c.owner == owner, tombstones.c.digest == words)
    at = connection.execute(grave).scalar()
    if (at is not None and not _said_anew(connection, card, words, at)) or _rests_on_the_forgotten(connection, card):
        msg = (
            "this was forgotten on the user's wish: only the user can bring it back, with remember() or restore(), or "
            "by saying it anew"
        )
        raise InvalidRecord(msg, zh="这是按用户的意愿遗忘的：只有用户能用 remember()、restore() 或重新说出来找回")


def _said_anew(connection: Connection, card: MemoryCard, words: str, buried_at: int) -> bool:
    """Whether the user has said it since it was forgotten, or a card that holds these words again came of that."""
    owner = card.scope.owner
    ids = [item.event_id for item in card.evidence]
    said = select(events.c.event_id).where(
        events.c.owner == owner, events.c.event_id.in_(ids), events.c.actor == "user", events.c.at > buried_at
    )
    learned = select(cards.c.memory_id).where(
        cards.c.owner == owner, cards.c.digest == words, cards.c.status == Status.ACTIVE.value
    )
    return any(connection.execute(query).first() is not None for query in (said, learned))


def _rests_on_the_forgotten(connection: Connection, card: MemoryCard) -> bool:
    """Whether a new card's evidence lies in forgotten turns alone: other words do not make them a memory again."""
    ids = {item.event_id for item in card.evidence}
    return bool(ids) and card.version == 1 and buried(connection, card.scope.owner, ids) == ids
