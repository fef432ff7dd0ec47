"""A card as it may be stored: every field checked before it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from memory_secretary.memory import checks
from memory_secretary.memory.codec import safe_moment, safe_text
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.records import Evidence, MemoryCard
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.tokens import clean


def checked(card: MemoryCard, *, personal: bool) -> MemoryCard:
    """The card as it may be stored: texts cleaned and masked, numbers and moments in range.

    Raises:
        InvalidRecord: a field is unusable; the sentence names it.
    """
    if not isinstance(card.content, str) or not card.content.strip():
        msg = "content is empty: say in one sentence what is to be remembered"
        raise InvalidRecord(msg, zh="内容是空的：请用一句话说明要记住什么")
    if card.tier is Tier.WORKING:
        msg = "a card lies in the tier short or long; what happens in a session is recorded as an event"
        raise InvalidRecord(msg, zh="卡片只能在 short 或 long 层；会话里发生的事请记为事件")
    text = partial(safe_text, personal=personal)
    valid_from, valid_until = _validity(card)
    return replace(
        card,
        memory_id=checks.text(card.memory_id, "memory_id"),
        source_agent=checks.text(card.source_agent, "source_agent"),
        version=checks.whole(card.version, "version", least=1),
        content=text(card.content, "content"),
        subject=text(card.subject, "subject"),
        attribute=text(card.attribute, "attribute"),
        value=text(card.value, "value"),
        applies_to=tuple(text(item, "applies_to") for item in checks.texts(card.applies_to, "applies_to", one=True)),
        related_ids=tuple(map(clean, checks.texts(card.related_ids, "related_ids", one=True))),
        supersedes=tuple(map(clean, checks.texts(card.supersedes, "supersedes", one=True))),
        evidence=checked_evidence(card.evidence),
        about=None if card.about is None else text(card.about, "about"),
        access_level=checked_access(card.access_level),
        at=safe_moment(card.at),
        valid_from=valid_from,
        valid_until=valid_until,
        weight=checks.share(card.weight, "weight"),
        confidence=checks.share(card.confidence, "confidence"),
    )


def _validity(card: MemoryCard) -> tuple[datetime | None, datetime | None]:
    first = None if card.valid_from is None else safe_moment(card.valid_from, "valid_from")
    last = None if card.valid_until is None else safe_moment(card.valid_until, "valid_until")
    if first is not None and last is not None and first > last:
        msg = f"valid_from ({first.isoformat()}) lies after valid_until ({last.isoformat()}): exchange them"
        zh = f"valid_from（{first.isoformat()}）晚于 valid_until（{last.isoformat()}）：请对调"
        raise InvalidRecord(msg, zh=zh)
    return first, last


def checked_evidence(given: Any) -> tuple[Evidence, ...]:
    """Evidence as it may be stored.

    Raises:
        InvalidRecord: it is no list of :class:`Evidence`.
    """
    items = tuple(given) if isinstance(given, list | tuple) else (None,)
    if all(isinstance(item, Evidence) and isinstance(item.event_id, str) for item in items):
        return tuple(Evidence(event_id=item.event_id, quote=safe_text(item.quote, "a quote")) for item in items)
    wanted = "a list of Evidence(event_id=…, quote=…)"
    raise checks.refused("evidence", wanted, "由 Evidence(event_id=…, quote=…) 组成的列表", given)


def checked_access(level: str | Sequence[str]) -> str | tuple[str, ...]:
    """An access level as it may be stored.

    Raises:
        InvalidRecord: it is neither a known word nor names of agents.
    """
    if level in ("all", "team", "private"):
        return str(level)
    names = (level,) if isinstance(level, str) else tuple(level) if isinstance(level, list | tuple | set) else ()
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        msg = f"access_level is 'all', 'team', 'private' or names of agents, not {level!r}"
        raise InvalidRecord(msg, zh=f"access_level 只能是 'all'、'team'、'private' 或智能体的名字，不能是 {level!r}")
    return names
