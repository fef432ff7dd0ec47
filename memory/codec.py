"""How values stand in the ledger: moments as microseconds, nested data as JSON, text cleaned and masked."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from enum import StrEnum
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory_secretary.memory import checks
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.masking import mapped, mask, mask_data, mask_personal
from memory_secretary.memory.tokens import clean

_Kind = TypeVar("_Kind", bound=StrEnum)

_MOMENT, _DAY = "$datetime", "$date"
"""How a moment and a day within nested data stand in JSON: ``{"$date": "2026-03-01"}``."""

_DEEPEST, _LONGEST_NUMBER = 100, 10_000
"""Levels of nested data, and bits of a whole number: more, and JSON's own reader and writer give up."""

_FIRST_YEAR, _LAST_YEAR = 2, 9998
"""Of these every moment can be shown in every time zone; at the very ends of the calendar Python's dates overflow."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(at: datetime, name: str = "at") -> int:
    """Whole microseconds since 1970 UTC.

    Raises:
        InvalidRecord: when ``at`` has no time zone.
    """
    if not isinstance(at, datetime) or at.utcoffset() is None:
        msg = f"{name} must be a datetime with a time zone, e.g. datetime.now(UTC), not {at!r}"
        raise InvalidRecord(msg, zh=f"{name} 必须是带时区的 datetime，例如 datetime.now(UTC)，不能是 {at!r}")
    return (at - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware UTC moment."""
    return _EPOCH + micros * _MICROSECOND


def safe_moment(at: datetime, name: str = "at") -> datetime:
    """A moment as it may be stored, in UTC.

    Raises:
        InvalidRecord: it has no time zone, or lies outside the years that every zone can show.
    """
    micros = to_micros(at, name)
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        msg = f"{name} must lie in the years {_FIRST_YEAR} to {_LAST_YEAR}, not {at.isoformat()}"
        raise InvalidRecord(
            msg, zh=f"{name} 必须在公元 {_FIRST_YEAR} 年到 {_LAST_YEAR} 年之间，不能是 {at.isoformat()}"
        )
    return from_micros(micros)


def in_zone(at: datetime, zone: tzinfo) -> datetime:
    """The moment in a zone; one at an end of the calendar, which that zone cannot show, as it is."""
    try:
        return at.astimezone(zone)
    except OverflowError:
        return at


def zone_of(stamp: str, at: datetime) -> tzinfo:
    """The zone of a moment's own text: its offset; a text without one is the local time of ``at``."""
    written = datetime.fromisoformat(stamp)
    return written.tzinfo or timezone(written - at.replace(tzinfo=None))


def safe_text(value: object, name: str, *, personal: bool = False) -> str:
    """Text as it may be stored: valid UTF-8, secrets replaced by marks; with ``personal``, personal data too.

    Raises:
        InvalidRecord: when ``value`` is not a string.
    """
    if not isinstance(value, str):
        msg = f"{name} must be a string, not {type(value).__name__}"
        raise InvalidRecord(msg, zh=f"{name} 必须是字符串，不能是 {type(value).__name__}")
    masked = mask(clean(value))
    return mask_personal(masked) if personal else masked


def safe_data(value: Any, name: str, *, personal: bool = False) -> Any:
    """JSON-like data with every string (keys, too) cleaned and masked, as :func:`safe_text` does.

    Moments and days stay what they are: :func:`to_json` writes them, :func:`from_json` gives them back.

    Raises:
        InvalidRecord: when something in it is not JSON; the sentence names where it stands.
    """
    masked = mask_data(_clean_data(value, name, _DEEPEST))
    return mapped(masked, mask_personal) if personal else masked


def safe_arguments(value: Any, *, personal: bool = False) -> dict[str, Any] | None:
    """A call's arguments as they may be stored.

    Raises:
        InvalidRecord: they are no object, or something in them is not JSON.
    """
    if value is None:
        return None
    arguments: dict[str, Any] = safe_data(checks.fields(value, "arguments"), "arguments", personal=personal)
    return arguments


def _clean_data(value: Any, name: str, levels: int) -> Any:
    if value is None or isinstance(value, bool | float | date):
        return value
    if isinstance(value, int) and value.bit_length() <= _LONGEST_NUMBER:
        return value
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int):
        msg = f"{name} is a number of more than 3,000 digits: give it as text"
        raise InvalidRecord(msg, zh=f"{name} 是超过 3000 位的数：请以文字给出")
    if levels < 0:
        top = re.split(r"[.\[]", name)[0]
        msg = f"{top} is nested more than {_DEEPEST} levels deep, or holds itself: make it flatter"
        raise InvalidRecord(msg, zh=f"{top} 的嵌套超过 {_DEEPEST} 层，或包含了自身：请减少层数")
    if isinstance(value, dict):
        return {
            _clean_key(key, name): clean(item)
            if isinstance(item, str)  # most are, and need no name
            else _clean_data(item, f"{name}.{key}", levels - 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean_data(item, f"{name}[{index}]", levels - 1) for index, item in enumerate(value)]
    msg = f"{name} is a {type(value).__name__}: only JSON data (text, numbers, dates, lists, objects) can be stored"
    raise InvalidRecord(msg, zh=f"{name} 是 {type(value).__name__}：只能保存 JSON 数据（文字、数、日期、列表、对象）")


def _clean_key(key: object, name: str) -> str:
    if not isinstance(key, str):
        msg = f"{name} has the key {key!r}: keys must be strings"
        raise InvalidRecord(msg, zh=f"{name} 的键 {key!r} 不是字符串：键必须是字符串")
    return clean(key)


def member(kind: type[_Kind], value: object, name: str) -> _Kind:
    """The member of an enumeration that a word names.

    Raises:
        InvalidRecord: there is none; the sentence lists those there are.
    """
    try:
        return kind(str(value))
    except ValueError as error:
        msg = f"{name} is one of {', '.join(kind)}, not {value!r}"
        raise InvalidRecord(msg, zh=f"{name} 只能是 {'、'.join(kind)} 之一，不能是 {value!r}") from error


def to_json(value: Any) -> str:
    """Compact JSON text in which non-ASCII stays readable; moments and days are written as objects of one key.

    Raises:
        TypeError: something else in it is not JSON.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_dated)


def from_json(text: str) -> Any:
    """What :func:`to_json` wrote, moments and days included."""
    return json.loads(text, object_hook=_undated)


def arguments_from_json(text: str) -> dict[str, Any]:
    """A call's arguments; what an earlier release stored that is no object stands under ``value``."""
    for read in (from_json, json.loads):  # an object that only looks like one of our days is an object
        value = read(text)
        if isinstance(value, dict):
            return value
    return {"value": from_json(text)}


def _dated(value: object) -> dict[str, str]:
    if isinstance(value, date):
        return {_MOMENT if isinstance(value, datetime) else _DAY: value.isoformat()}
    msg = f"{type(value).__name__} is not JSON"
    raise TypeError(msg)


def _undated(value: dict[str, Any]) -> Any:
    if len(value) != 1:
        return value
    ((key, text),) = value.items()
    kind = {_MOMENT: datetime, _DAY: date}.get(key)
    try:
        return value if kind is None else kind.fromisoformat(text)
    except (TypeError, ValueError):  # someone's own object that only looks like ours
        return value


def key_digest(key: str) -> str:
    """An idempotency key as it is stored: what it is made of, such as a call's arguments, may hold a secret.

    Raises:
        InvalidRecord: it is no string.
    """
    if not isinstance(key, str):
        raise checks.refused("idempotency_key", "a string", "字符串", key)
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def checked_zone(zone: str) -> str:
    """The IANA name as given.

    Raises:
        InvalidRecord: when this system knows no such zone.
    """
    checks.text(zone, "zone")
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        msg = f"zone {zone!r} is not an IANA time zone: use e.g. 'Asia/Shanghai' or 'UTC'"
        raise InvalidRecord(msg, zh=f"时区 {zone!r} 不是 IANA 时区：请用例如 'Asia/Shanghai' 或 'UTC'") from error
    return zone
