"""Arguments of one call must stand together in one record: a small model mixes one's id with another's amount."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_secretary.nodes.grounding import folded, stands_in

_FREE_TEXT = 60
"""Characters; a longer string is prose, which no record holds word for word."""
_PROSE_NAMES = frozenset(
    {"content", "text", "message", "body", "note", "comment", "query", "expression", "question", "subject", "reason"}
)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Whether a call's arguments belong together.

    ``record`` is the source that holds all of them, or, when none does, the one that holds most; ``missing`` are
    the arguments that do not stand in that record.
    """

    ok: bool
    record: str | None
    missing: tuple[str, ...]


def paired(arguments: Mapping[str, Any], records: Iterable[tuple[str, str]]) -> Pairing:
    """Check that every exact argument stands in one and the same record.

    Args:
        arguments: the call's arguments; prose (by name, blank count or length) and booleans are exempt.
        records: pairs of reference and full text, the request among them; the request may complete any record,
            so hand it in joined to each when that is wanted.

    Returns:
        ok when nothing exact is left over in the best record.
    """
    exact = {name: value for name, value in _leaves(arguments) if not _is_prose(name, value)}
    if not exact:
        return Pairing(True, None, ())
    best: Pairing | None = None
    for ref, text in records:
        missing = tuple(name for name, value in exact.items() if not stands_in(str(value), text))
        if not missing:
            return Pairing(True, ref, ())
        if best is None or len(missing) < len(best.missing):
            best = Pairing(False, ref, missing)
    return best or Pairing(False, None, tuple(exact))


def _leaves(arguments: Mapping[str, Any]) -> list[tuple[str, Any]]:
    leaves: list[tuple[str, Any]] = []
    for name, value in arguments.items():
        if isinstance(value, Mapping):
            leaves += _leaves(value)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            leaves += [(f"{name}[{i}]", inner) for i, inner in enumerate(value) if not isinstance(inner, Mapping)]
        else:
            leaves.append((name, value))
    return leaves


def _is_prose(name: str, value: Any) -> bool:
    if value is None or isinstance(value, bool) or value == "":
        return True
    if not isinstance(value, str):
        return False
    base = re.sub(r"\[\d+\]$", "", name).casefold()
    return base in _PROSE_NAMES or len(value) > _FREE_TEXT or len(folded(value).split()) > 4
