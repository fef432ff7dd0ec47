"""Cards as JSON: the public eight-field form, and the same with every field of ours beside them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from memory_secretary.memory import checks
from memory_secretary.memory.codec import in_zone, member
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.records import Evidence, Kind, MemoryCard, MemoryType, Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.scope import Scope

_MOMENT = "2026-03-01T09:30:00+08:00"
_FORMS = {"timestamp": (f"an ISO 8601 moment such as {_MOMENT}", f"ISO 8601 时刻，例如 {_MOMENT}")}
"""What a field that a card must have looks like where it is more than a text."""
_PUBLIC_TYPES = {MemoryType.PREFERENCE: "user_preference"}


def card_to_json(card: MemoryCard) -> dict[str, Any]:
    """Every field of a card but its scope's border, as plain JSON data."""
    return {
        "memory_id": card.memory_id,
        "type": card.type.value,
        "content": card.content,
        "source_agent": card.source_agent,
        "related_ids": list(card.related_ids),
        "timestamp": card.timestamp,
        "status": card.status.value,
        "access_level": card.access_level if isinstance(card.access_level, str) else list(card.access_level),
        "version": card.version,
        "tier": card.tier.value,
        "scope": {"user": card.scope.user, "team": card.scope.team, "agent": card.scope.agent,
                  "thread": card.scope.thread},
        "subject": card.subject,
        "attribute": card.attribute,
        "value": card.value,
        "applies_to": list(card.applies_to),
        "at": card.at.isoformat(),
        "valid_from": _moment_text(card.valid_from),
        "valid_until": _moment_text(card.valid_until),
        "weight": card.weight,
        "confidence": card.confidence,
        "supersedes": list(card.supersedes),
        "evidence": [{"event_id": item.event_id, "quote": item.quote} for item in card.evidence],
        "kind": card.kind.value,
        "about": card.about,
    }  # fmt: skip


def card_from_json(data: Mapping[str, Any], scope: Scope, zone: str) -> MemoryCard:
    """A card from its JSON form, put into ``scope``'s border.

    Args:
        data: at least ``memory_id``, ``type`` and ``content``; what is missing takes its default.
        scope: whose the card becomes; agent and thread of the data are kept.
        zone: the IANA zone that a time without one is in.

    Raises:
        InvalidRecord: fields are missing or unusable; the sentence names each of them.
    """
    at = data.get("at")
    read = checks.every(
        {
            "at": lambda: _moment(at or _required(data, "timestamp"), "timestamp", zone),
            "memory_id": lambda: _required(data, "memory_id"),
            "type": lambda: member(MemoryType, data.get("type"), "a card's type"),
            "content": lambda: _required(data, "content"),
            "source_agent": lambda: _text(data, "source_agent") or "import",
            "related_ids": lambda: _texts(data, "related_ids"),
            "timestamp": lambda: _text(data, "timestamp") if at else data.get("timestamp"),
            "status": lambda: member(Status, data.get("status", Status.ACTIVE), "a card's status"),
            "access_level": lambda: _access(data.get("access_level", "all")),
            "version": lambda: checks.whole(data.get("version", 1), "a card's version", least=1),
            "tier": lambda: member(Tier, data.get("tier", Tier.SHORT), "a card's tier"),
            "scope": lambda: _place(data.get("scope"), scope),
            "subject": lambda: _text(data, "subject"),
            "attribute": lambda: _text(data, "attribute"),
            "value": lambda: _text(data, "value"),
            "applies_to": lambda: _texts(data, "applies_to"),
            "valid_from": lambda: _optional_moment(data, "valid_from", zone),
            "valid_until": lambda: _optional_moment(data, "valid_until", zone),
            "weight": lambda: checks.share(data.get("weight", 1.0), "a card's weight"),
            "confidence": lambda: checks.share(data.get("confidence", 1.0), "a card's confidence"),
            "supersedes": lambda: _texts(data, "supersedes"),
            "evidence": lambda: _evidence(data.get("evidence", ())),
            "kind": lambda: member(Kind, data.get("kind", Kind.FACT), "a card's kind"),
            "about": lambda: checks.optional_text(data.get("about"), "a card's about"),
        }
    )
    return MemoryCard(**{**read, "timestamp": read["timestamp"] or read["at"].isoformat()})


def _place(given: Any, scope: Scope) -> Scope:
    """The border of ``scope`` with the data's agent and thread inside it."""
    place = {} if given is None else checks.fields(given, "a card's scope")
    user = scope.user if scope.team is None else place.get("user", scope.user)
    return Scope(user=user, team=scope.team, agent=place.get("agent"), thread=place.get("thread"))


def exported_json(card: MemoryCard) -> dict[str, Any]:
    """Every field, a preference under the public format's own name for it, so that such a card leaves as it came."""
    data = card_to_json(card)
    return data | {"type": _PUBLIC_TYPES.get(card.type, card.type.value)}


def public_json(card: MemoryCard) -> dict[str, Any]:
    """The eight fields of the public card format."""
    names = (
        "memory_id", "type", "content", "source_agent", "related_ids", "timestamp", "status", "access_level",
    )  # fmt: skip
    whole = exported_json(card)
    return {name: whole[name] for name in names}


def _required(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if value is None:
        form, form_zh = _FORMS.get(name, ("a text", "文字"))
        raise InvalidRecord(f"a card lacks {name}: give it as {form}", zh=f"卡片缺少 {name}：请补上（{form_zh}）")
    if not isinstance(value, str) or not value.strip():
        msg = f"a card needs {name} as a text that is not empty, not {value!r}"
        raise InvalidRecord(msg, zh=f"卡片的 {name} 必须是非空文字，不能是 {value!r}")
    return value


def _text(data: Mapping[str, Any], name: str) -> str:
    return checks.optional_text(data.get(name), f"a card's {name}") or ""


def _evidence(given: Any) -> tuple[Evidence, ...]:
    items = given if isinstance(given, list | tuple) else [given]
    if all(isinstance(item, dict) and {"event_id", "quote"} <= item.keys() for item in items):
        return tuple(
            Evidence(event_id=checks.text(item["event_id"], "event_id"), quote=checks.text(item["quote"], "quote"))
            for item in items
        )
    wanted = '[{"event_id": "evt_…", "quote": "…"}]'
    raise checks.refused("a card's evidence", f"a list such as {wanted}", f"列表，例如 {wanted}", given)


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = data.get(name, ())
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        msg = f"a card's {name} is a list of texts, not {value!r}"
        raise InvalidRecord(msg, zh=f"卡片的 {name} 必须是文字列表，不能是 {value!r}")
    return tuple(value)


def _access(value: Any) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else checks.texts(value, "a card's access_level")


def _moment(value: str, name: str, zone: str) -> datetime:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        msg = f"a card's {name} is an ISO 8601 moment such as {_MOMENT}, not {value!r}"
        zh = f"卡片的 {name} 必须是 ISO 8601 时刻，例如 {_MOMENT}，不能是 {value!r}"
        raise InvalidRecord(msg, zh=zh) from error
    return in_zone(at if at.tzinfo is not None else at.replace(tzinfo=ZoneInfo(zone)), UTC)


def _optional_moment(data: Mapping[str, Any], name: str, zone: str) -> datetime | None:
    value = data.get(name)
    return None if value is None else _moment(value, name, zone)


def _moment_text(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
