"""Days as they are written in English and Chinese, each as one token, so that every way of writing finds the others."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MONTHS = {
    name: number
    for number, names in enumerate(
        "jan|january feb|february mar|march apr|april may jun|june "
        "jul|july aug|august sep|sept|september oct|october nov|november dec|december".split(),
        start=1,
    )
    for name in names.split("|")
}
_DIGITS = "一二三四五六七八九"
_NUMERAL = "[0-9]{1,2}|[一二三四五六七八九十]{1,3}"
_DAYS = tuple(  # each begins with what it consumes, and looks back only then: five times as quick on long texts
    re.compile(pattern)
    for pattern in (
        r"[0-9](?<![0-9].)[0-9]{3}[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})(?![0-9])",
        r"(?P<day>[0-9](?<![0-9].)[0-9]?)(?:st|nd|rd|th)? (?:of )?(?P<month>[a-z]{3,9})(?![a-z])",
        r"(?P<month>[jfmasond](?<![a-z].)[a-z]{2,8})\.? (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?![0-9])",
    )
)
_CHINESE_DAY = re.compile(rf"(?<![0-9])(?P<month>{_NUMERAL})月(?:(?P<day>{_NUMERAL})[日号])?")


def _numeral(number: int) -> str:
    tens, ones = divmod(number, 10)
    said = (_DIGITS[tens - 1] if tens > 1 else "") + ("十" if tens else "")
    return said + (_DIGITS[ones - 1] if ones else "")


_NUMBERS = {_numeral(number): number for number in range(1, 32)} | _MONTHS


def day_tokens(folded: str, *, months: bool) -> Iterator[str]:
    """A token for each day that a text names by its date, and for each month in Chinese.

    ``8 may 2026``, ``may 8th``, ``2026-05-08``, ``5月8日`` and ``五月八号`` all give ``date0508``, and ``五月`` gives
    ``date05``. The year is a word of its own anyway, and so is an English month alone.

    Args:
        folded: the text after NFKC and case folding.
        months: also give the month of each day, so that who asks for the month finds it.
    """
    for pattern in (*_DAYS, _CHINESE_DAY) if "月" in folded else _DAYS:
        for match in pattern.finditer(folded):
            month, day = _number(match["month"]), _number(match["day"])
            named = 1 <= day <= 31
            if 1 <= month <= 12 and (months or not named):
                yield f"date{month:02}"
            if 1 <= month <= 12 and named:
                yield f"date{month:02}{day:02}"


def _number(written: str | None) -> int:
    """0 for what is no number of a day or month."""
    if written is None:
        return 0
    return int(written) if written.isdecimal() else _NUMBERS.get(written, 0)
