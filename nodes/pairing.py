"""Arguments of one call must stand together in one record: a small model mixes one's id with another's amount."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_secretary.nodes.grounding import folded, stands_in

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
        missing = tuple(name for name, value in exact if not stands_in(str(value), text))
        if not missing:
            return Pairing(True, ref, ())
        if best is None or len(missing) < len(best.missing):
            best = Pairing(False, ref, missing)
    return best or Pairing(False, None, tuple(name for name, _ in exact))


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
    base = re.sub(r"\[\d+\]", "", name.rsplit(".", 1)[-1]).casefold()
    return base in _PROSE_NAMES or len(value) > _FREE_TEXT or len(_WORD.findall(folded(value))) > _FEW_WORDS
