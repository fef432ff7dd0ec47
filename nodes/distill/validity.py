"""From when and until when a statement holds, as its own words or those of its document say."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo

from memory_secretary.memory.periods import MONTH_WORD, dates_in, months_in

_YEAR = r"(?:19|20)\d\d"
_DATE = (
    rf"(?:{_YEAR}\s*[-/.年]\s*\d{{1,2}}\s*[-/.月]\s*\d{{1,2}}(?!\d)\s*[日号]?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH_WORD}\.?,? {_YEAR}\b"
    rf"|{MONTH_WORD}\.? \d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR}\b"
    rf"|{MONTH_WORD}\.? {_YEAR}\b|{_YEAR}\s*年\s*\d{{1,2}}\s*月[底末]?|{_YEAR}-\d{{2}}(?![-\d]))"
)
_MONTH_ONLY = re.compile(rf"{MONTH_WORD}\.? {_YEAR}|{_YEAR}\s*[-年]\s*\d{{1,2}}\s*月?[底末]?", re.IGNORECASE)
_GAP = r"[\s:：为是]{0,3}"
_TO = r"\s*(?:-|–|—|~|～|\bto\b|\bthrough\b|\buntil\b|\btill\b|至|到)\s*"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_UNTIL = _any(
    rf"\b(?:until|till|through|valid to|expir\w+(?: on| date)?|ends? on|end date|up to(?: and including)?){_GAP}"
    rf"(?:and including |the end of |end of )?({_DATE})",
    rf"(?:有效期?限?(?:至|到|截止)|截[至止]到?|到期日?|失效日期|直[到至]){_GAP}({_DATE})",
    rf"({_DATE})\s*(?:止|为止|到期|失效|之?前有效|以前有效)",
    rf"{_DATE}{_TO}({_DATE})",
)
_FROM = _any(
    rf"\b(?:effective(?: date| from| as of)?|in force (?:from|since)|valid (?:from|as of)|with effect from|"
    rf"applies from|starting|from|since|as of){_GAP}({_DATE})",
    rf"(?:自|从|生效日期?){_GAP}({_DATE})",
    rf"({_DATE})\s*(?:起|开始|生效)",
    rf"({_DATE}){_TO}{_DATE}",
)
_SAME_YEAR = re.compile(r"((?:19|20)\d\d\s*年)(\s*\d{1,2}\s*月\s*\d{1,2}\s*[日号]?\s*[至到—~～-]\s*)(?=\d{1,2}\s*月)")
"""A Chinese stretch of time names the year once."""
_OF_THE_DOCUMENT = re.compile(
    r"^\W*(?:(?:this|these|the|our)\s+(?:[\w-]+ ){0,3}?(?:polic\w+|document|list|offer|agreement|contract|rules?|guide|"
    r"guidelines|version|edition|tariff|prices?|terms|plan|schedule|regulations?|handbook|manual)\b"
    r"|[本此该][\u4e00-\u9fff]{1,10}|(?:valid(?:ity)?|effective|in force|expires|expiry)\b|有效期|生效|失效)",
    re.IGNORECASE,
)
"""Says how long the document holds, and so all that stands in it."""


@dataclass(frozen=True, slots=True)
class Validity:
    """The first and the last day on which something holds; None where nothing is said."""

    first: date | None = None
    last: date | None = None

    def over(self, other: Validity) -> Validity:
        """This one, and where it says nothing the other; days in the wrong order say nothing."""
        first, last = self.first or other.first, self.last or other.last
        return Validity() if first and last and first > last else Validity(first, last)

    def moments(self, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
        """From the beginning of the first to the end of the last day in a zone."""
        first = None if self.first is None else datetime.combine(self.first, time.min, zone)
        last = None if self.last is None else datetime.combine(self.last, time(23, 59, 59), zone)
        return first, last


def validity(text: str) -> Validity:
    """The days that a text gives with such words as "valid until", "effective", 有效期至, 自…起."""
    whole = _SAME_YEAR.sub(r"\1\2\1", text)
    return Validity(_day(_FROM.search(whole), last=False), _day(_UNTIL.search(whole), last=True)).over(Validity())


def validity_of_document(texts: Iterable[str]) -> Validity:
    """What those of a document's statements say that are about the document itself; the first word on it counts."""
    found = Validity()
    for text in texts:
        if _OF_THE_DOCUMENT.match(text):
            found = found.over(validity(text))
    return found


def named_by_model(first: str, last: str, source: str) -> Validity:
    """What a model gave as the days, where they stand in its source."""
    known = dates_in(source)
    return Validity(_known(first, known), _known(last, known)).over(Validity())


def _known(words: str, known: set[date]) -> date | None:
    days = dates_in(words)
    return days.pop() if len(days) == 1 and days <= known else None


def _day(match: re.Match[str] | None, *, last: bool) -> date | None:
    words = next((group for group in match.groups() if group), "") if match else ""
    days = dates_in(words)
    if days:
        return days.pop()
    year, months = re.search(_YEAR, words), months_in(words)
    if not year or len(months) != 1 or not _MONTH_ONLY.fullmatch(words):
        return None
    month = months.pop()
    return date(int(year[0]), month, monthrange(int(year[0]), month)[1] if last else 1)
