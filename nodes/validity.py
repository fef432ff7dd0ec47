"""Until when a statement says that it holds: *until 20 March*, 到3月20日为止."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from memory_secretary.memory.codec import in_zone
from memory_secretary.memory.dates import spoken_days
from memory_secretary.memory.day_words import day_tokens

_NEAREST = timedelta(days=183)
"""A day without a year that lies further ahead is meant to be the last one of its name, and has passed."""
_NUMERAL = r"[0-9一二三四五六七八九十]{1,3}"
_DAY_ZH = (
    rf"(?:(?:[0-9]{{4}}|今|明)年)?{_NUMERAL}月{_NUMERAL}[日号]|(?:下下?|这|本)(?:周|星期|礼拜)[一二三四五六日天]|"
    r"[明后]天"
)
_UNTIL = re.compile(
    r"\b(?:until|till|up (?:un)?to|through)\s+(?:and including\s+)?(?=(?P<day>[^.;:!?]{3,30}))"
    rf"|(?:直到|截至|截止[到至]?|有效期?[至到])(?P<zh_after>{_DAY_ZH})"
    rf"|[到至](?P<zh_to>{_DAY_ZH})(?:为止|止|之前|以前)"
    rf"|(?P<zh_before>{_DAY_ZH})(?:之前|以前)",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"[\d一二三四五六七八九十今明]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_LEADING = re.compile(
    rf"(?:the )?(?:end of )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?(?:the )?"
    rf"(?={_BEGINS.pattern}|next|this|tomorrow)",
    re.IGNORECASE,
)
"""What may stand between *until* and its day."""
_YEAR = re.compile(r"(?<!\d)(20\d\d)(?!\d)")


def valid_until(text: str, at: datetime, zone: str) -> datetime | None:
    """The end of the last day on which a statement says that it holds; None where it names none, or one that is over.

    Args:
        text: the statement.
        at: when it was said (aware).
        zone: the speaker's IANA zone, whose midnight ends the day.

    Returns:
        The midnight after that day, aware.
    """
    where = ZoneInfo(zone)
    for match in _UNTIL.finditer(text):
        day = _day(next(part for part in match.groups() if part), at, where)
        if day is not None and day >= in_zone(at, where).date():
            return datetime.combine(day + timedelta(days=1), time(), where)
    return None


def _day(words: str, at: datetime, zone: ZoneInfo) -> date | None:
    """The day that the words begin with."""
    lead = _LEADING.match(words)
    words = words[lead.end() :] if lead else words
    spoken = [one for one in spoken_days(words, at, zone) if one.start == 0]
    if spoken:
        return spoken[0].day
    named = next(iter(day_tokens(words.casefold(), months=False)), "") if _begins_with_a_day(words) else ""
    if len(named) != len("date0000"):
        return None
    today, year = in_zone(at, zone).date(), _YEAR.search(words)
    return _dated(int(named[4:6]), int(named[6:]), today, int(year[1]) if year else None, "明年" in words)


def _begins_with_a_day(words: str) -> bool:
    return _BEGINS.match(words) is not None


def _dated(month: int, day: int, today: date, year: int | None, next_year: bool) -> date | None:
    """A day of a calendar; without a year the next one of its name, if that is near."""
    if year is not None or next_year:
        return _real(year or today.year + 1, month, day)
    found = [one for one in (_real(today.year + more, month, day) for more in (0, 1)) if one is not None]
    coming = [one for one in found if today <= one <= today + _NEAREST]
    return coming[0] if coming else None


def _real(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # 30 February
        return None
