"""Reading an answer as a judge does: which numbers and months it names, how long it is."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_FULL = tuple(name.lower() for name in MONTH_NAMES)
_SHORT = {"Jan": 1, "Feb": 2, "Mar": 3, "Apr": 4, "Jun": 6, "Jul": 7, "Aug": 8, "Sep": 9, "Sept": 9}
_SHORT |= {"Oct": 10, "Nov": 11, "Dec": 12}
_CHINESE = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MONTHS = {name: month for month, name in enumerate(_FULL, start=1)} | {k.lower(): v for k, v in _SHORT.items()}
_NUMERALS = {word: number for number, word in enumerate(_CHINESE, start=1)} | {"两": 2}

_ENGLISH = "(?i:" + "|".join(name for name in _FULL if name != "may") + ")|May|" + "|".join(_SHORT)
_HAN = "十[一二]|[一二三四五六七八九十]"
_MONTH = re.compile(
    rf"(?<![A-Za-z])(?P<name>{_ENGLISH})(?![A-Za-z])"
    rf"|(?<![\d.])20\d\d\s*[-/.年]\s*(?P<dated>1[0-2]|0?[1-9])(?!\d)\s*月?"
    rf"|(?<![\d./])(?P<slashed>1[0-2]|0?[1-9])/20\d\d"
    rf"|(?<![\d.])(?P<digits>1[0-2]|0?[1-9])\s*月"
    rf"|(?<!十)(?P<han>{_HAN})月"
    rf"|(?<![A-Za-z])[Mm]onth\s+(?P<counted>1[0-2]|[1-9])(?!\d|[.,]\d)"
)
_WHOLE_YEAR = re.compile(
    r"(?<![A-Za-z])Jan(?:uary)?(?:\s+2025)?\s*(?:to|through|until|and|[-–—])\s*Dec(?:ember)?(?![A-Za-z])"
    r"|(?<!\d)(?:1|一)\s*月?份?\s*[至到~\-–—]\s*(?:12|十二)\s*月"
)
_NUMBER = re.compile(r"(?<![\d.])(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?P<myriad>\s*万)?")
_COUNTED = re.compile(  # from two up: "one month" and 一个月 seldom count anything
    r"(?P<han>十[一二]|[二三四五六七八九十两])\s*个(?=\s*(?:月|[。,;!?]|$))"
    rf"|(?<![A-Za-z])(?i:(?P<word>{'|'.join(_WORDS)}))(?![A-Za-z])"
)
_CLAUSE_END = re.compile(r"[;。!?\n]|\.(?!\d)|,(?!\d{3})")


def months(text: str) -> set[int]:
    """The months named in ``text``, as 1 to 12; "January to December" names none in particular."""
    return {_month(match) for match in _MONTH.finditer(_WHOLE_YEAR.sub(" ", plain(text)))}


def numbers(text: str) -> set[Decimal]:
    """The numbers in ``text`` that are not part of a month's name: 15,432 = 15432.0 = 1.5432万; seven = 七个 = 7."""
    rest = _MONTH.sub(" ", _WHOLE_YEAR.sub(" ", plain(text)))
    digits = {_decimal(match) for match in _NUMBER.finditer(rest)}
    words = {_counted(match) for match in _COUNTED.finditer(rest)}
    return digits | words


def clauses(text: str) -> list[str]:
    """``text`` cut at commas and stops, but not inside a number."""
    return [part for part in _CLAUSE_END.split(plain(text)) if part.strip()]


def sentences(text: str) -> int:
    """How many sentences ``text`` has; a line of a list is one."""
    return sum(_sentences_of_line(line) for line in text.splitlines() if line.strip())


def length(text: str, lang: str) -> int:
    """Words in English, characters without blanks in Chinese."""
    return len("".join(text.split())) if lang == "zh" else len(text.split())


def plain(text: str) -> str:
    """One way of writing for widths, blanks inside numbers and Chinese commas."""
    joined = re.sub(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3})", "", text)
    return unicodedata.normalize("NFKC", joined.replace("，", ", ").replace("、", ", "))


def _month(match: re.Match[str]) -> int:
    if match["name"]:
        return _MONTHS[match["name"].lower()]
    if match["han"]:
        return _NUMERALS[match["han"]]
    return int(match["dated"] or match["slashed"] or match["digits"] or match["counted"])


def _decimal(match: re.Match[str]) -> Decimal:
    figure = match[0].removesuffix(match["myriad"] or "")
    return Decimal(figure.replace(",", "")) * (10_000 if match["myriad"] else 1)


def _counted(match: re.Match[str]) -> Decimal:
    return Decimal(_NUMERALS[match["han"]] if match["han"] else _WORDS.index(match["word"].lower()) + 2)


def _sentences_of_line(line: str) -> int:
    line = line.strip().rstrip("\"')*”）")
    ends = len(re.findall(r"[.!?](?=\s+[^\s\d])|[。！？](?=.)", line))
    return ends + 1
