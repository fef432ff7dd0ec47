"""What callers hand in, checked at the border: each check gives the value back, or says what was expected instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from memory_secretary.memory.errors import InvalidRecord

MOST = 2**63 - 2
"""The largest whole number that SQLite holds, less one: offsets are counted from 1 there."""


def refused(name: str, wanted: str, wanted_zh: str, value: object) -> InvalidRecord:
    """The error for a field that holds something else than it should."""
    shown = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
    shown = shown if len(shown) <= 60 else shown[:60] + "…"
    return InvalidRecord(f"{name} must be {wanted}, not {shown}", zh=f"{name} 必须是{wanted_zh}，不能是 {shown}")


def filters(given: Mapping[str, Any], taker: Callable[..., Any], *, after: int = 0) -> Mapping[str, Any]:
    """What is handed on by name to ``taker``, which knows every one of them.

    Args:
        given: the values by name.
        taker: a method whose parameters they are.
        after: its first parameters that are none.

    Raises:
        InvalidRecord: one is unknown; the sentence lists those there are.
    """
    there_are = list(signature(taker).parameters)[after:]
    for name in given:
        if name not in there_are:
            msg = f"there is no filter {name}, only {', '.join(there_are)}"
            raise InvalidRecord(msg, zh=f"没有 {name} 这个过滤条件，只有：{'、'.join(there_are)}")
    return given


def every(readers: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """What each of the readers gives, by name.

    Raises:
        InvalidRecord: some refused; the sentence is that of each of them.
    """
    read, refusals = {}, []
    for name, reader in readers.items():
        try:
            read[name] = reader()
        except InvalidRecord as error:
            refusals.append(error)
    if len(refusals) > 1:
        said = "; ".join(error.sentence("en") for error in refusals)
        raise InvalidRecord(said, zh="；".join(error.sentence("zh") for error in refusals))
    if refusals:
        raise refusals[0]
    return read


def text(value: Any, name: str) -> str:
    """A string that can be written as UTF-8.

    Raises:
        InvalidRecord: it is none.
    """
    if not _is_text(value):
        raise refused(name, "a string", "字符串", value)
    return str(value)


def optional_text(value: Any, name: str) -> str | None:
    """A string or None.

    Raises:
        InvalidRecord: it is neither.
    """
    return None if value is None else text(value, name)


def texts(value: Any, name: str, *, one: bool = False) -> tuple[str, ...]:
    """Several strings; a single one would fall apart into its letters, so it is refused.

    Args:
        value: what was handed in.
        name: of the field.
        one: take a single string as the only one instead.

    Raises:
        InvalidRecord: it is no collection of strings.
    """
    if isinstance(value, str) and one:
        return (value,)
    if not isinstance(value, list | tuple | set | frozenset) or not all(isinstance(item, str) for item in value):
        raise refused(name, "a list of strings, e.g. ['a', 'b']", "字符串列表，例如 ['a', 'b']", value)
    return tuple(value)


def whole(value: Any, name: str, *, least: int = 0, most: int = MOST) -> int:
    """A whole number within bounds.

    Raises:
        InvalidRecord: it is none, or out of them.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise refused(name, f"a whole number from {least} to {most}", f" {least} 到 {most} 的整数", value)
    return value


def share(value: Any, name: str) -> float:
    """A number in 0..1.

    Raises:
        InvalidRecord: it is none.
    """
    if not isinstance(value, int | float) or isinstance(value, bool) or math.isnan(value) or not 0.0 <= value <= 1.0:
        raise refused(name, "a number in 0..1", " 0 到 1 之间的数", value)
    return float(value)


def fields(value: Any, name: str) -> dict[str, Any]:
    """An object with named fields.

    Raises:
        InvalidRecord: it is none.
    """
    if not isinstance(value, dict):
        raise refused(name, "an object such as {'city': 'Oslo'}", "对象，例如 {'city': 'Oslo'}", value)
    return value


def _is_text(value: Any) -> bool:
    """Half of a surrogate pair is no text."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
