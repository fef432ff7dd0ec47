"""Which month a piece of text speaks of, in English and Chinese."""

from __future__ import annotations

import re

MONTH_WORD = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_ENGLISH = re.compile(rf"\b{MONTH_WORD}\b", re.IGNORECASE)
_MODAL = re.compile(r"(?<!\bin )(?<!\bof )(?<!\bfor )(?<!\bby )(?<!\bsince )(?<!\buntil )(?<!\d )may\b(?! \d)")
"""A small ``may`` says that something is possible, unless a month would stand there."""
_CHINESE = re.compile(r"(\d{1,2}|十[一二]?|[一二三四五六七八九])月")
_NUMERIC = re.compile(r"(?<!\d)(?:19|20)\d\d\s*[-/.年]\s*(\d{1,2})(?!\d)")
_ABBREVIATIONS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMERALS = {c: n for n, c in enumerate("一二三四五六七八九十", 1)} | {"十一": 11, "十二": 12}


def months_in(text: str) -> set[int]:
    """The months (1 to 12) that a text names: ``March``, ``2025-03``, ``3月``, ``三月``."""
    english = (match for match in _ENGLISH.finditer(text) if not _MODAL.match(text, match.start()))
    found = {_ABBREVIATIONS.index(match.group()[:3].casefold()) + 1 for match in english}
    for match in _CHINESE.finditer(text):
        found.add(int(match.group(1)) if match.group(1).isdigit() else _NUMERALS[match.group(1)])
    found |= {int(match.group(1)) for match in _NUMERIC.finditer(text)}
    return {month for month in found if 1 <= month <= 12}
