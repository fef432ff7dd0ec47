"""Which value of a record answers a field: found by code where one number plainly does, else offered as a choice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.nodes.numbers import Number, numbers_in
from memory_secretary.nodes.periods import MONTH_WORD, months_in

_CALENDAR_AFTER = re.compile(
    rf"\s?(?:月|年|日|号|点|时\d|(?:st|nd|rd|th)\b|(?:of )?{MONTH_WORD}\b|[-/:]\d|%|％)", re.IGNORECASE
)
_CALENDAR_BEFORE = re.compile(rf"(?:第|\b{MONTH_WORD}\s|\d[-/:])$", re.IGNORECASE)
_SIGNS = r"[$€£¥]|(?:EUR|USD|GBP|CNY|RMB)\b"
_CURRENCY = re.compile(rf"{_SIGNS}|(?:yuan|euros?|dollars?|pounds?)\b|[元块]|欧元|美元", re.IGNORECASE)
_CURRENCY_BEFORE = re.compile(rf"(?:{_SIGNS})\s?$", re.IGNORECASE)
_IN_NAME = re.compile(r"[A-Za-z][-_]$")
"""What makes a number a part of a name: ``REC-259``."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_ELSEWHERE = re.compile(
    r"\b(?:last|previous|prior|earlier|year ago|had been|had ended|"
    r"plan(?:ned)?|budget(?:ed)?|forecast|target|limit|allow(?:ed|ance)|expect(?:ed)?|instead of)\b"
    r"|上个?月|去年|同期|原来|原先|计划|预算|预测|预计|目标|控制线|限额",
    re.IGNORECASE,
)
"""Words before a number that say it is an earlier, planned or allowed figure and not the record's own."""
_COMPARED = re.compile(
    r"(?:\b(?:from|after|before|against|than|over|by|further|another)\s*|[比如]|[多少增减涨降升]了?|又|再|另)$",
    re.IGNORECASE,
)
"""Words right before a number that make it a comparison or a difference."""
_OWN, _OTHER, _KNOWN = 1.5, 0.25, 0.2
_BEHIND = 8
"""Characters after a number in which it may still be called a target (``30件是目标``)."""
_AFTER = 16
"""Characters after a number in which a month may still belong to it (``61 in September``)."""
_IN_MONTH = re.compile(rf"\b(?:in|for|during)\s+{MONTH_WORD}\b", re.IGNORECASE)
"""A month that is said of the number before it and not of the one after it."""
_UNIT_BONUS = 2.0
_CLEAR = 1.5
"""The best candidate must be this many times better than the next one of another value to need no model."""
_STEM = 5
"""Letters of a word that must agree to find it in a line; endings differ."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that may answer a field: the line it stands in (from 0), its spelling there, how well it fits."""

    line: int
    text: str
    score: float
    unit: str = ""
    """The unit with the blanks before it, as it stands in the line; or empty."""

    @property
    def value(self) -> str:
        """The number with its unit, as it stands in the line after NFKC folding."""
        return f"{self.text}{self.unit}"


def candidates(
    lines: Sequence[tuple[float, str]], field: str, goal: str, *, label: str = "", known: Collection[str] = ()
) -> list[Candidate]:
    """The numbers of a record's best lines that could answer a field, best first.

    Args:
        lines: pairs of nearness (see :func:`memory_secretary.nodes.digest.rank`) and text.
        field: what is looked for, in the goal's words.
        goal: the user's words, whose units count (``litres``, ``升``).
        label: the record's name and title, whose month is the record's own.
        known: values of this field that other records gave; they are rarely this record's too.

    A number fits the better the nearer its line is to the field, the nearer it stands to the field's own words, and
    if a word of the goal (its unit) follows it; the worse if words before it say that it is an earlier or a planned
    figure, or if another month stands beside it. Dates and percentages are no candidates.
    """
    found: list[Candidate] = []
    own, named = months_in(label), _words_of(label)
    for position, (nearness, line) in enumerate(lines):
        text = unicodedata.normalize("NFKC", line)
        spots = _spots(text, field)
        numbers = [number for number in numbers_in(text) if not _is_calendar(text, number)]
        for number in numbers:
            unit = _unit(text, number, goal, field)
            if number.text == "一" or (not unit and len(number.text) == 1 and not number.text.isdigit()):
                continue  # 一次 is *once* and 每一次 *each time*
            fit = _closeness(number, spots, text) * (_UNIT_BONUS if unit else 1.0)
            fit *= _covered(text, field) ** 3 * _belongs(text, number, numbers, own, named)
            if number.text in known:
                fit *= _KNOWN
            found.append(Candidate(position, number.text, nearness * fit, unit))
    return sorted(found, key=lambda candidate: -candidate.score)


def nearest_number(line: str, phrase: str) -> float:
    """How near a number that could be a value stands to a phrase: from 1 (beside it) towards 0; 0 with none."""
    text = unicodedata.normalize("NFKC", line)
    spots = _spots(text, phrase)
    near = [_closeness(number, spots, text) for number in numbers_in(text) if not _is_calendar(text, number)]
    return max(near, default=0.0)


def values_in(text: str) -> list[Number]:
    """The numbers of a text that could be values: no dates, times, percentages or numbers of months."""
    return [number for number in numbers_in(text) if not _is_calendar(text, number)]


def is_money(text: str, number: Number) -> bool:
    """Whether a currency stands right before or after a number."""
    after = text[number.start + len(number.text) :].lstrip()
    return bool(_CURRENCY_BEFORE.search(text[: number.start]) or _CURRENCY.match(after))


def spelled(value: str) -> list[str]:
    """The numbers of a noted value as they are written."""
    return [number.text for number in numbers_in(value)]


def _covered(text: str, field: str) -> float:
    """The share of the field's words that a line has."""
    words = set(tokens(field))
    return len(words & set(tokens(text))) / len(words) if words else 1.0


def _words_of(label: str) -> str:
    return unicodedata.normalize("NFKC", label).casefold()


def _elsewhere(text: str, label: str) -> bool:
    """Whether a text speaks of another kind of figure, of which the record's own name does not speak."""
    return any(match.group().casefold() not in label for match in _ELSEWHERE.finditer(text))


def _belongs(text: str, number: Number, numbers: Sequence[Number], own: set[int], label: str) -> float:
    """Whether a number is the record's own figure, by the words between it and the numbers around it."""
    end = number.start + len(number.text)
    start = max((n.start + len(n.text) for n in numbers if n.start < number.start), default=0)
    stop = min((n.start for n in numbers if n.start > number.start), default=len(text))
    before, after = text[start : number.start], re.split(r"[,，;；。.]", text[end : min(stop, end + _AFTER)])[0]
    if _elsewhere(before, label) or _elsewhere(after[:_BEHIND], label) or _COMPARED.search(before):
        return _OTHER
    nearest = after if _IN_MONTH.search(after) else before.rsplit(";", 1)[-1]
    months = months_in(nearest) or months_in(after)
    if own and months:
        return _OWN if months & own else _OTHER
    return 1.0


def clear(found: Sequence[Candidate]) -> Candidate | None:
    """The best candidate when it is clearly better than the next of another spelling, else None."""
    if not found:
        return None
    rival = next((other for other in found if other.text != found[0].text), None)
    return found[0] if rival is None or found[0].score >= _CLEAR * rival.score else None


def _is_calendar(text: str, number: Number) -> bool:
    end = number.start + len(number.text)
    if _CALENDAR_AFTER.match(text, end) or _CALENDAR_BEFORE.search(text[: number.start]):
        return True
    if _YEAR.fullmatch(number.text) and not is_money(text, number):
        return True
    return bool(re.match(r"[A-Za-z]", text[number.start]) or _IN_NAME.search(text[: number.start]))


def _spots(text: str, field: str) -> list[tuple[int, int]]:
    """Where a field's words stand in a line: start and end of each."""
    lowered = text.casefold()
    words = {token for token in tokens(field) if len(token) > 1 or not token.isascii()}
    longest = {word for word in words if not any(word != other and word in other for other in words)}
    return [m.span() for word in longest for m in re.finditer(re.escape(word[:_STEM]), lowered)]


def _closeness(number: Number, spots: Sequence[tuple[int, int]], text: str) -> float:
    """From 1 (next to the field's words) towards 0; a sentence break between them counts as far."""
    end = number.start + len(number.text)
    gaps = [max(start - end, number.start - stop, 0) for start, stop in spots]
    return 1 / (1 + min(gaps) / 12) if gaps else 1 / (1 + len(text) / 12)


def _unit(text: str, number: Number, goal: str, field: str) -> str:
    """The word after a number when the goal has it too and the field's name does not: the unit that is asked for."""
    rest = text[number.start + len(number.text) :]
    after = rest.lstrip()
    gap = rest[: len(rest) - len(after)]
    word = re.match(r"[A-Za-z]{2,}", after)
    if word:
        known = set(tokens(goal)) - STOPWORDS - set(tokens(field))
        return f"{gap}{word.group()}" if set(tokens(word.group())) & known else ""
    run = re.split(r"[^\u3400-\u9fff]", after)[0][:4]
    longest = next((run[:n] for n in range(len(run), 0, -1) if run[:n] in goal), "")
    return f"{gap}{longest}" if longest else ""
