"""Numbers as people write them, in English and Chinese, brought to one form for comparison."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

_GROUPING = re.compile(r"[, ']")


def _grouped(separator: str) -> str:
    """A number with its thousands set apart; cells of a comma-separated row (``C-104,350,paid``) are none."""
    return (
        rf"(?<![A-Za-z0-9.])(?<![A-Za-z]-)\d{{1,3}}(?P<gap>{separator})\d{{3}}(?:(?P=gap)\d{{3}})*(?:\.\d+)?"
        r"(?!\.?\d|,[A-Za-z]|,\d{3}(?!\d)|,\d{1,2}(?!\d|,\d{3}))"
    )


_COMMAS = re.compile(_grouped(","))
_WESTERN = re.compile(rf"{_grouped(_GROUPING.pattern)}|\d+(?:\.\d+)?")
_NO_NUMBER = re.compile(r"十分(?![钟之0-9零一二三四五六七八九十])")
"""十分 is *very*, unless it is a time or a share."""
_CHINESE = re.compile(r"[零〇一二两三四五六七八九十百千万亿]+")
_UNIT_AFTER = re.compile(r"\s?(万亿|千万|百万|万|亿|千(?![克米瓦卡伏赫帕字位])|百(?![分货]))")
"""Chinese units that may follow digits (``5千``, but not the kilometre of ``5千米``)."""
_POWER = {"百": 2, "千": 3, "万": 4, "百万": 6, "千万": 7, "亿": 8, "万亿": 12}
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10_000, "亿": 100_000_000}
_UNITS = _SMALL | _LARGE
_WORDS = {
    word: value
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text: where it stands (in the folded text), how it is written, and its value."""

    start: int
    text: str
    value: Decimal


def numbers_in(text: str) -> list[Number]:
    """All numbers of a text in order: ``1,284``, ``15432.0``, ``1.2万``, ``三百二十``, ``twelve``.

    Positions and spellings are those of the text after NFKC folding.
    """
    folded = unicodedata.normalize("NFKC", text)
    found = [*_joined(_western(folded)), *_chinese(folded), *_words(folded)]
    return sorted(found, key=lambda number: number.start)


def _western(text: str) -> Iterator[Number]:
    for match in _WESTERN.finditer(text):
        digits = _GROUPING.sub("", match.group())
        unit = _UNIT_AFTER.match(text, match.end())
        if unit:
            value = Decimal(f"{digits}e{_POWER[unit.group(1)]}")
            yield Number(match.start(), match.group() + unit.group(), value)
        else:
            yield Number(match.start(), match.group(), Decimal(digits))


def _joined(numbers: Iterable[Number]) -> list[Number]:
    """1亿2000万 and 3万5千 are one number each."""
    found: list[Number] = []
    for number in numbers:
        last = found[-1] if found else number
        if 0 < _power(number) < _power(last) and last.start + len(last.text) == number.start:
            found[-1] = Number(last.start, last.text + number.text, last.value + number.value)
        else:
            found.append(number)
    return found


def _power(number: Number) -> int:
    """The power of ten of the unit that a number ends with; 0 without one."""
    return _POWER.get(number.text.lstrip("0123456789., '"), _POWER.get(number.text[-1:], 0))


def _chinese(text: str) -> Iterator[Number]:
    for match in _CHINESE.finditer(text):
        value = _chinese_value(match.group())
        after_digit = match.start() > 0 and text[match.start() - 1].isdigit()
        if value is not None and not after_digit and not _NO_NUMBER.match(text, match.start()):
            yield Number(match.start(), match.group(), value)


def _words(text: str) -> Iterator[Number]:
    for match in _WORD.finditer(text):
        yield Number(match.start(), match.group(), Decimal(_WORDS[match.group().casefold()]))


def _chinese_value(text: str) -> Decimal | None:
    """三百二十 → 320, 一万二 → 12000, 两万亿 → 2000000000000; None when the characters make no number (百万, 万一)."""
    if text[0] not in _DIGITS and text[0] != "十":
        return None
    if len(text) > 1 and all(c in _DIGITS for c in text):
        return Decimal("".join(str(_DIGITS[c]) for c in text))
    total = section = digit = 0
    unit = 10
    for c in text:
        if c in _DIGITS:
            digit = _DIGITS[c]
            unit = unit if digit else 10
            continue
        unit = _UNITS[c]
        if c in _SMALL:
            section += (digit or 1) * unit
        elif total < unit:
            total = (total + section + digit) * unit
            section = 0
        else:
            total += (section + digit) * unit
            section = 0
        digit = 0
    return Decimal(total + section + digit * unit // 10)  # a last digit right after a unit counts tenths of it


def normal_number(value: Decimal) -> str:
    """One spelling for equal numbers: 15432.0 and 15,432 both give ``15432``."""
    plain = f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def ungrouped(text: str) -> str:
    """The text with the thousands commas of its numbers taken out; other commas stay."""
    return _COMMAS.sub(lambda match: match.group().replace(",", ""), text)


def number_set(text: str) -> set[str]:
    """The numbers of a text in their one spelling."""
    return {normal_number(number.value) for number in numbers_in(text)}
