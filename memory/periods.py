"""Which months and days a piece of text speaks of, in English and Chinese."""

from __future__ import annotations

import re
from datetime import date

MONTH_WORD = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
MONTH = re.compile(rf"\b{MONTH_WORD}\b|(?:\d{{1,2}}|十[一二]?|[一二三四五六七八九])月份?", re.IGNORECASE)
"""One month by its name or number."""
TIME = re.compile(rf"{MONTH.pattern}|[零〇一二三四五六七八九\d]+年", re.IGNORECASE)
"""When something was so, not what."""
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
    found = {_month(match.group()) for match in english}
    for match in _CHINESE.finditer(text):
        found.add(int(match.group(1)) if match.group(1).isdigit() else _NUMERALS[match.group(1)])
    found |= {int(match.group(1)) for match in _NUMERIC.finditer(text)}
    return {month for month in found if 1 <= month <= 12}


_MORE_MONTHS = re.compile(
    r"\b(?:since|until|till|through|between|before|after|up to|except|without|but not|leave out|ignore|skip|compared?|"
    r"versus|vs|than|average|mean|trend|change[ds]?|every|other|year|months|monthly|quarter|earlier|later|correct\w*)\b"
    r"|\bfrom\b.*\b(?:to|on)\b|至|到|以来|[之以]?[前后]|除|不算|不计|去掉|相比|比较|对比|同比|环比|平均|趋势|变化|每|各|全年|其[他它余]"
    r"|半年|季度|逐月|更正|订正",
    re.IGNORECASE | re.DOTALL,
)
"""Words with which a request that names months may be about others, too."""


def months_asked(request: str) -> set[int]:
    """The months that a request is about and no other; empty where it may be about any."""
    return set() if _MORE_MONTHS.search(request) else months_in(request)


_DAY_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH_WORD})\.?,? ((?:19|20)\d\d)\b", re.IGNORECASE
)
_MONTH_FIRST = re.compile(rf"\b({MONTH_WORD})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? ((?:19|20)\d\d)\b", re.IGNORECASE)


def dates_in(text: str) -> set[date]:
    """The days that a text names in full: ``2026-12-01``, ``1 December 2026``, ``2026年12月1日``."""
    found = [(year, int(month), day) for year, month, day in _DAY_ISO.findall(text)]
    found += [(year, _month(month), day) for day, month, year in _DAY_FIRST.findall(text)]
    found += [(year, _month(month), day) for month, day, year in _MONTH_FIRST.findall(text)]
    return {day for parts in found if (day := _day(*parts)) is not None}


def _month(word: str) -> int:
    return _ABBREVIATIONS.index(word[:3].casefold()) + 1


def _day(year: str, month: int, day: str) -> date | None:
    try:
        return date(int(year), month, int(day))
    except ValueError:  # 31 February
        return None
