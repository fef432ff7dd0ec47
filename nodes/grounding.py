"""Whatever a model writes is checked against its source: numbers, identifiers, quotes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from memory_secretary.nodes.numbers import normal_number, number_set, numbers_in, ungrouped

_MEASURE = r"\d[\d.]*[A-Za-z]+(?![\w/@-]|\.\w)"
"""A number with its unit or ending (``450kg``, ``3rd``), which is compared by its value."""
_IDENTIFIER = re.compile(rf"\b(?!{_MEASURE})(?=[\w./@-]*\d)(?=[\w./@-]*[A-Za-z])\w[\w./@-]*\w\b", re.ASCII)
"""Of ASCII characters only: Chinese is written without blanks, so a number would take its whole sentence along."""
_LETTERS = r"a-z\u00df-\u052f"
"""Latin, Greek and Cyrillic after case folding; Chinese words have no borders."""
_BLANK = re.compile(r"\s+")
_LETTER_AND_MORE = re.compile(r"[\W\d]*+[^\W\d].*[\d/@]|\D*+\d.*[^\W\d]", re.DOTALL)
"""A letter before a digit, slash or at sign, or a digit before a letter; from the first one on, and no other."""


def folded(text: str) -> str:
    """A text as it is compared: NFKC, case-folded, blanks run together, thousands commas out."""
    return _folded_line(text) if len(text) <= _LINE else _folded(text)


_LINE = 200
"""Characters; names and the lines of a listing are compared with each other again and again."""


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _BLANK.sub(" ", ungrouped(plain)).strip()


_folded_line = lru_cache(maxsize=1024)(_folded)


def is_identifier(value: str) -> bool:
    """Whether a text is one id, path or address (``ORD-17``, ``notes/a.md``): no word, number, date or condition."""
    if re.search(r"[=<>~;；]", value) and "://" not in value:
        return False
    return re.fullmatch(r"\S+", value) is not None and _LETTER_AND_MORE.match(value) is not None


def stands_in(value: str, source: str) -> bool:
    """Whether a value stands in a source word for word after folding, not as part of a longer number or word.

    Zeros at the end of a decimal do not count: 450 stands in ``450.00``. A unit may follow a number without a blank.
    """
    wanted = folded(value)
    return bool(wanted) and _pattern(wanted).search(folded(source)) is not None


@lru_cache(maxsize=256)
def _pattern(wanted: str) -> re.Pattern[str]:
    """The wanted text with borders where it begins or ends with a digit or a letter."""
    number = re.fullmatch(r"([+-]?\d+)(?:\.(\d+))?", wanted)
    if number:
        decimals = (number.group(2) or "").rstrip("0")
        body = re.escape(number.group(1)) + (rf"\.{decimals}0*" if decimals else r"(?:\.0+)?")
        return re.compile(rf"(?<![\d{_LETTERS}])(?<![^a-z]\.)(?<!^\.){body}(?!\d|\.\d)")
    start = rf"(?<![.\d{_LETTERS}])" if re.match(rf"[\d{_LETTERS}]", wanted) else ""
    end = rf"(?!\.?\d|[{_LETTERS}])" if re.search(r"\d$", wanted) else rf"(?![\d{_LETTERS}])"
    return re.compile(start + re.escape(wanted) + (end if re.search(rf"[\d{_LETTERS}]$", wanted) else ""))


def ungrounded(text: str, sources: Iterable[str]) -> list[str]:
    """The identifiers, then the numbers of a text that stand in none of the sources, each in order.

    Numbers are compared by value (1,000 = 1000, 三天 = 3); the small counts 0 to 3 are let through,
    since a sentence may count what it lists.
    """
    source = "\n".join(sources)
    known = number_set(source) | {"0", "1", "2", "3"}
    identifiers = [word for word in _IDENTIFIER.findall(text) if not stands_in(word, source)]
    numbers = [normal_number(number.value) for number in numbers_in(_IDENTIFIER.sub(" ", text))]
    return identifiers + [number for number in dict.fromkeys(numbers) if number not in known]
