"""Arguments of one call must stand together in one record: a small model mixes one's id with another's amount."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from memory_secretary.memory.periods import dates_in
from memory_secretary.nodes.grounding import folded, stands_in
from memory_secretary.nodes.numbers import numbers_in

_MONEY = {
    "EUR": r"\beuros?\b|€|欧元",
    "USD": r"\bdollars?\b|\$|美元|美金",
    "GBP": r"\bpounds?\b|£|英镑",
    "CNY": r"\b(?:yuan|rmb)\b|[¥￥]|元|块|人民币",
    "JPY": r"\byen\b|[¥￥]|日元|円",
}
"""How currencies are called where their code does not stand."""
_FREE_TEXT = 60
"""Characters; a longer string is prose, which no record holds word for word."""
_FEW_WORDS = 4
_WORD = re.compile(r"[^\s\u3400-\u9fff]+|[\u3400-\u9fff]{1,3}")
"""A word, or as much of a Chinese text as says about as much."""
_PROSE_NAMES = frozenset(
    {"content", "text", "message", "body", "note", "comment", "query", "expression", "question", "subject", "reason"}
)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Whether a call's arguments belong together.

    ``record`` is the source that holds all of them, or, when none does, the one that holds most; ``missing`` are
    the arguments that do not stand in that record, nested ones by their path (``payments[0].id``).
    """

    ok: bool
    record: str | None
    missing: tuple[str, ...]


def paired(arguments: Mapping[str, Any], records: Iterable[tuple[str, str]]) -> Pairing:
    """Check that every exact argument stands in one and the same record.

    A value stands there word for word, or as people write it: ``2026-12-01`` as *1 December 2026*, 2 as *two*,
    300 as 三百, ``EUR`` as *euros*.

    Args:
        arguments: the call's arguments; prose (by name, number of words or length) and booleans are exempt.
        records: pairs of reference and full text, the request among them; the request may complete any record,
            so hand it in joined to each when that is wanted.

    Returns:
        ok when nothing exact is left over in the best record.
    """
    exact = [(name, value) for name, value in _leaves(arguments) if not _is_prose(name, value)]
    if not exact:
        return Pairing(True, None, ())
    best: Pairing | None = None
    for ref, text in records:
        missing = tuple(name for name, value in exact if not _is_told(value, text))
        if not missing:
            return Pairing(True, ref, ())
        if best is None or len(missing) < len(best.missing):
            best = Pairing(False, ref, missing)
    return best or Pairing(False, None, tuple(name for name, _ in exact))


def _is_told(value: Any, text: str) -> bool:
    said = str(value)
    if stands_in(said, text):
        return True
    if isinstance(value, int | float):
        return Decimal(said) in {number.value for number in numbers_in(text) if not number.text[0].isdigit()}
    if said in _MONEY:
        return re.search(_MONEY[said], text, re.IGNORECASE) is not None
    days = dates_in(said)
    return bool(days) and re.fullmatch(r"[\d/.年月日-]+", said) is not None and days <= dates_in(text)


def has_exact(arguments: Mapping[str, Any]) -> bool:
    """Whether a call has any argument that would stand in a record: neither prose nor a switch."""
    return any(not _is_prose(name, value) for name, value in _leaves(arguments))


def is_prose_name(name: str) -> bool:
    """Whether an argument of this name takes prose (``text``, ``message`` …), which no record holds word for word."""
    return re.sub(r"\[\d+\]", "", name.rsplit(".", 1)[-1]).casefold() in _PROSE_NAMES


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no container, with its path: ``payments[0].id``."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for position, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{position}]")
    else:
        yield path, value


def _is_prose(name: str, value: Any) -> bool:
    if value is None or isinstance(value, bool) or value == "":
        return True
    if not isinstance(value, str):
        return False
    return is_prose_name(name) or len(value) > _FREE_TEXT or len(_WORD.findall(folded(value))) > _FEW_WORDS
