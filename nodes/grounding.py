"""Whatever a model writes is checked against its source: numbers, identifiers, quotes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from memory_secretary.nodes.numbers import number_set

_IDENTIFIER = re.compile(r"\b(?=[\w./@-]*\d)(?=[\w./@-]*[^\W\d_])[\w][\w./@-]*\w\b")
_BLANK = re.compile(r"\s+")


def folded(text: str) -> str:
    """A text as it is compared: NFKC, case-folded, blanks run together, thousands separators out."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    return _BLANK.sub(" ", plain).strip()


def stands_in(value: str, source: str) -> bool:
    """Whether a value stands in a source word for word after folding, not as part of a longer number or word."""
    wanted = folded(value)
    if not wanted:
        return False
    start = r"(?<![a-z0-9.])" if re.match(r"[a-z0-9]", wanted) else ""
    end = (
        {True: r"(?!\d|[.,]\d)", False: r"(?![a-z0-9])"}[wanted[-1].isdigit()]
        if re.search(r"[a-z0-9]$", wanted)
        else ""
    )
    return re.search(start + re.escape(wanted) + end, folded(source)) is not None


def ungrounded(text: str, sources: Iterable[str]) -> list[str]:
    """The numbers and identifiers of a text that stand in none of the sources, in order.

    Numbers are compared by value (1,000 = 1000, 三天 = 3); the small counts 0 to 3 are let through,
    since a sentence may count what it lists.
    """
    source = "\n".join(sources)
    known = number_set(source) | {"0", "1", "2", "3"}
    plain = folded(source)
    missing = [word for word in _IDENTIFIER.findall(text) if folded(word) not in plain]
    rest = _IDENTIFIER.sub(" ", text)
    return missing + sorted(number_set(rest) - known)
