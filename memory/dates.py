"""Days that are named by their distance ("tomorrow", "下周三"), resolved against the moment at which it was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from memory_secretary.memory.codec import in_zone

_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        "monday mon|tuesday tue tues|wednesday wed|thursday thu thur thurs|friday fri|saturday sat|sunday sun".split(
            "|"
        )
    )
    for name in names.split()
}
_CHINESE_WEEKDAYS = {name: number for number, name in enumerate("一二三四五六")} | {"日": 6, "天": 6}
_CHINESE_NUMBERS = {name: number for number, name in enumerate("一二三四五六七八九十", start=1)} | {"两": 2, "几": 0}
_NUMBERS = {name: n for n, name in enumerate("one two three four five six seven eight nine ten".split(), start=1)}
_NUMBERS |= {"a": 1, "an": 1, "couple of": 2}

_NAMED_DAYS = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0,
    "this afternoon": 0, "this evening": 0, "the day after tomorrow": 2, "tomorrow": 1,
    "大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "昨日": -1, "今天": 0, "今晚": 0, "今日": 0, "今早": 0,
    "大后天": 3, "大後天": 3, "后天": 2, "後天": 2, "明天": 1, "明晚": 1, "明早": 1, "明日": 1,
}  # fmt: skip
_WEEKS = {"next": 1, "this": 0, "上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_BEFORE = frozenset({"ago", "前", "以前", "之前"})
_FROM_NOW = re.compile(r"[^\u3400-\u9fff]?|[我们你您他她它就在会将要于约概过请那是等到还已也都再只且]")
"""What may stand before a Chinese distance from today; after a noun or verb (收货十天之后) it is one from that."""

_DAY_NAMES = "|".join(sorted(map(re.escape, _NAMED_DAYS), key=len, reverse=True))
_ENGLISH_DAYS = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_SPOKEN = re.compile(
    rf"(?P<named>(?<![a-z])(?:{_DAY_NAMES})(?![a-z]))"
    rf"|(?<![a-z])(?P<which>last|next|this) (?P<weekday>{_ENGLISH_DAYS})(?![a-z])"
    rf"|(?P<zh_which>上上|下下|[上下这這本])(?:个|個)?(?:周|星期|礼拜|禮拜)(?P<zh_weekday>[一二三四五六日天])"
    rf"|(?<![a-z0-9.])(?P<in>in )?(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)}) (?P<unit>day|week)s?(?P<ago> ago)?(?![a-z])"
    rf"|(?P<zh_count>\d{{1,3}}|[{''.join(_CHINESE_NUMBERS)}]) ?(?P<zh_unit>天|周|个星期|個星期|星期)"
    rf"(?P<zh_side>以前|之前|前|以后|之后|后|以後|之後|後)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SpokenDay:
    """A day as it was named, and which one that is.

    Attributes:
        words: as they stand in the text.
        start: their offset in the text, in characters.
        day: the day that is meant, in the speaker's zone.
    """

    words: str
    start: int
    day: date


def spoken_days(text: str, at: datetime, zone: tzinfo = UTC) -> list[SpokenDay]:
    """The days that a text names by their distance, in English or Chinese, in the order in which they stand there.

    "Last Friday" is the latest one before that day; other named weekdays are those of the calendar week that is said
    (Monday first): on Sunday, 1 March 2026, "下周三" is 4 March. What is no date of the calendar any more is left out.

    Args:
        text: what was said.
        at: when it was said (aware).
        zone: where the speaker was, whose calendar counts.
    """
    today = in_zone(at, zone).date()
    return list(_found(text, today))


def with_days(text: str, at: datetime, zone: tzinfo) -> str:
    """The named days and their dates, to stand beside a text: ``下周三 = 2026-03-04``; empty when there are none."""
    days = {one.words: one.day for one in spoken_days(text, at, zone)}
    return ", ".join(f"{words} = {day.isoformat()}" for words, day in days.items())


def _found(text: str, today: date) -> Iterator[SpokenDay]:
    for match in _SPOKEN.finditer(text):
        if match["zh_count"] and not _FROM_NOW.fullmatch(text[max(0, match.start() - 1) : match.start()]):
            continue
        try:
            day = _day(match, today)
        except OverflowError:
            continue
        if day is not None:
            yield SpokenDay(match[0].strip(), match.start(), day)


def _day(match: re.Match[str], today: date) -> date | None:
    part = {name: value.lower() for name, value in match.groupdict().items() if value}
    if "named" in part:
        return today + timedelta(days=_NAMED_DAYS[part["named"]])
    if "weekday" in part:
        if part["which"] == "last":
            return today - timedelta(days=(today.weekday() - _WEEKDAYS[part["weekday"]] - 1) % 7 + 1)
        return _of_week(today, _WEEKS[part["which"]], _WEEKDAYS[part["weekday"]])
    if "zh_weekday" in part:
        return _of_week(today, _WEEKS[part["zh_which"]], _CHINESE_WEEKDAYS[part["zh_weekday"]])
    if "zh_count" in part:
        days = _number(part["zh_count"]) * (1 if part["zh_unit"] == "天" else 7)
        back = part["zh_side"] in _BEFORE
    else:
        days = _number(part["count"]) * (1 if part["unit"] == "day" else 7)
        back = "ago" in part
        if back == ("in" in part):  # "for two days" names no day
            return None
    return None if days == 0 else today + timedelta(days=-days if back else days)


def _of_week(today: date, weeks: int, weekday: int) -> date:
    return today + timedelta(days=weekday - today.weekday() + 7 * weeks)


def _number(words: str) -> int:
    return int(words) if words.isdigit() else {**_NUMBERS, **_CHINESE_NUMBERS}[words]
