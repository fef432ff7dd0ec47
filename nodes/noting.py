"""Which value of a record answers a field: the candidates, found and ranked by code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import MONTH_WORD, months_in
from memory_secretary.nodes.measures import unit_after
from memory_secretary.nodes.numbers import Number, numbers_in
from memory_secretary.nodes.passages import Passage

_CALENDAR_AFTER = re.compile(
    rf"\s?(?:月|年|日|号|点|时\d|(?:st|nd|rd|th)\b|(?:of )?{MONTH_WORD}\b|[-/:]\d|%|％)", re.IGNORECASE
)
_CALENDAR_BEFORE = re.compile(rf"(?:第|\b{MONTH_WORD}\s|\d[-/:])$", re.IGNORECASE)
_SIGNS = r"[$€£¥]|(?:EUR|USD|GBP|CNY|RMB)\b"
_CURRENCY = re.compile(rf"{_SIGNS}|(?:yuan|euros?|dollars?|pounds?)\b|[元块]|欧元|美元", re.IGNORECASE)
_CURRENCY_BEFORE = re.compile(rf"(?:{_SIGNS})\s?$", re.IGNORECASE)
_IN_NAME = re.compile(r"[A-Za-z][-_]$")
"""What makes a number a part of a name: ``REC-259``."""
_IN_PATH = re.compile(r"\w\[$")
"""What makes a number a place in a list: ``entries[2]: …``."""
_CLAUSE_END = re.compile(r"[|,，;；。!?！？]|\.\s")
_NAME = re.compile(r"\b[A-Z][\w'’-]+(?:\.? [A-Z][\w'’-]+)*")
"""A name in English, whole: ``Quarry Street School`` is not ``Hollin Lane School``."""
_NO_NAMES = "At The In For Of From And But We It This That A An".split()
"""Words that begin a sentence with a capital and name nothing."""
_BEGINNING = re.compile(rf"^(?:{'|'.join(_NO_NAMES)}) ")
_CHINESE_NAME = 3
"""Characters of a name at least, of which two may be the kind (``…门诊``)."""
_REAL = re.compile(r"\bactual|实际")
AGGREGATE_ZH = re.compile(
    r"一共|总共|合计|总计|最高|最低|最多|最少|最大|最小|平均|相差|多少|哪个|哪些|哪几|几个月|个月|全年|每个月|每月|各月|"
    r"月份|月报|加起来|告诉|找出来?|挑出来?|列出来?|出来|"
    r"超过|控制线|记录|一份|一个|逐份|看完|回答|全部|最后|其他|我们|一遍|一件|实际|一直|到底|现在|已经|还有|想知道|这件事|请|的|是|在|要|了"
)
"""Words that say what becomes of the values or where they stand; what is left between them may name something."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_ELSEWHERE = re.compile(
    r"\b(?:last|previous|prior|earlier|year ago|had been|had ended|"
    r"plan(?:ned)?|budget(?:ed)?|forecast|target|limit|allow(?:ed|ance)|expect(?:ed)?|instead of|"
    r"meant to|hoped|aimed|intended|wanted to)\b"
    r"|上个?月|去年|同期|原来|原先|本来|计划|预算|预测|预计|目标|控制线|限额|打算|希望",
    re.IGNORECASE,
)
"""Words before a number that say it is an earlier, planned or allowed figure and not the record's own."""
_BECAME = re.compile(
    r"\b(?:it|this|that) (?:was|is|became|came to)\s*$|结果是?\s*$|\b(?:in fact|in the end)\b", re.IGNORECASE
)
"""Words before a number that say it is what the matter came to."""
_COMPARED = re.compile(
    r"(?:\b(?:from|after|before|against|than|over|by|further|another)\s*|[比如]|[多少增减涨降升]了?|又|再|另)$",
    re.IGNORECASE,
)
"""Words right before a number that make it a comparison or a difference."""
_OWN, _OTHER, _KNOWN = 1.5, 0.2, 0.2
_BEHIND = 8
"""Characters after a number in which it may still be called a target (``30件是目标``)."""
_AFTER = 16
"""Characters after a number in which a month may still belong to it (``61 in September``)."""
_IN_MONTH = re.compile(rf"\b(?:in|for|during)\s+{MONTH_WORD}\b", re.IGNORECASE)
"""A month that is said of the number before it and not of the one after it."""
_UNIT_BONUS = 2.0
_STEM = 5
"""Letters of a word that must agree to find it in a line; endings differ."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number that may answer a field: the line it stands in (from 0), its spelling there, how well it fits."""

    line: int
    text: str
    score: float
    unit: str = ""
    """The unit, of the goal's or of a common kind, with the blanks before it, as it stands in the line; or empty."""

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
    of_name = set(re.findall(r"\d{2,}", label.partition("\n")[0]))
    for position, (nearness, line) in enumerate(lines):
        text = unicodedata.normalize("NFKC", line)
        spots = _spots(text, field)
        numbers = [number for number in numbers_in(text) if not _is_calendar(text, number)]
        asked = [_asked_of(text, number, goal, field) for number in numbers]
        for number, near in zip(numbers, asked, strict=True):
            unit = _unit(text, number, goal, field)
            if number.text == "一" or (not unit and len(number.text) == 1 and not number.text.isdigit()):
                continue  # 一次 is *once* and 每一次 *each time*
            if number.text in of_name and not unit:
                continue  # the record's own name once more (*Invoice 101*)
            fit = _closeness(number, spots, text) * (_UNIT_BONUS if unit else 1.0)
            fit *= _covered(text, field) ** 3 * _belongs(text, number, numbers, own, named)
            fit *= _OTHER if near < max(asked) else 1.0
            if number.text in known:
                fit *= _KNOWN
            unit = unit or unit_after(text, number.start + len(number.text))
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


@lru_cache(maxsize=1024)
def spelled(value: str) -> tuple[str, ...]:
    """The numbers of a noted value as they are written."""
    return tuple(number.text for number in numbers_in(value))


def _asked_of(text: str, number: Number, goal: str, field: str) -> int:
    """How many of the goal's names, and of its words for a real figure, stand around a number, up to the next comma.

    In one line the figure of another place may stand beside its own name (``Benholm had 61, at Tarrow it was 88``).
    """
    end = number.start + len(number.text)
    start = max((m.end() for m in _CLAUSE_END.finditer(text, 0, number.start)), default=0)
    stop = next((m.start() for m in _CLAUSE_END.finditer(text, end)), len(text))
    clause, others = text[start:stop], goal.replace(field, " ")
    real = any(word in others for word in _REAL.findall(clause))
    return 2 * has_name_of(clause, others) + real


def has_name_of(text: str, goal: str) -> bool:
    """Whether a text has a name of the goal's, whole: ``Quarry Street School`` is not ``Hollin Lane School``."""
    names = (_BEGINNING.sub("", name) for name in _NAME.findall(text))
    return any(name in goal for name in names if name not in _NO_NAMES) or any(_alike(text, goal))


def _alike(text: str, goal: str) -> Iterator[str]:
    """The Chinese runs of two texts that may be the same name: long enough, and not the ends of two different names."""
    wanted = [*_chinese_runs(goal)]
    for run in _chinese_runs(text):
        for at in range(len(run) - _CHINESE_NAME + 1):
            part = run[at : at + _CHINESE_NAME]
            if any(other.startswith(part) or (at == 0 and part in other) for other in wanted):
                yield part


def _chinese_runs(text: str) -> Iterator[str]:
    for run in re.findall(r"[\u3400-\u9fff]+", text):
        yield from AGGREGATE_ZH.split(run)


def joined(pieces: Sequence[Passage], field: str, goal: str) -> list[Passage]:
    """The passages; one that speaks of the field takes in the next where only that has the goal's name.

    So *Benholm had 61 late deliveries.* keeps *At Tarrow it was 88.*
    """
    found: list[Passage] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last and _covered(last.text, field) == 1 and _covered(piece.text, field) < 1 and _goes_on(last, piece, goal):
            found[-1] = Passage(last.start, f"{last.text} {piece.text}")
        else:
            found.append(piece)
    return found


def _goes_on(last: Passage, piece: Passage, goal: str) -> bool:
    """Whether a sentence of the same paragraph gives the goal's name with a number, and the one before has no name."""
    if piece.start - (last.start + len(last.text)) > 1:
        return False
    return bool(numbers_in(piece.text)) and has_name_of(piece.text, goal) and not has_name_of(last.text, goal)


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
    before, after = text[start : number.start], re.split(r"[|,，;；。.]", text[end : min(stop, end + _AFTER)])[0]
    if _elsewhere(before, label) or _elsewhere(after[:_BEHIND], label) or _COMPARED.search(before):
        return _OTHER
    nearest = after if _IN_MONTH.search(after) else before.rsplit(";", 1)[-1]
    months = months_in(nearest) or months_in(after)
    if own and months:
        return _OWN if months & own else _OTHER
    return _OWN if _BECAME.search(before) else 1.0


def _is_calendar(text: str, number: Number) -> bool:
    end = number.start + len(number.text)
    if _CALENDAR_AFTER.match(text, end) or _CALENDAR_BEFORE.search(text[: number.start]):
        return True
    if _YEAR.fullmatch(number.text) and not is_money(text, number):
        return True
    before = text[: number.start]
    glued = before[-1:].isascii() and before[-1:].isalpha() and not is_money(text, number)
    return glued or bool(
        re.match(r"[A-Za-z]", text[number.start]) or _IN_NAME.search(before) or _IN_PATH.search(before)
    )


def _spots(text: str, field: str) -> list[tuple[int, int]]:
    """Where a field's words stand in a line: start and end of each."""
    lowered = text.casefold()
    words = {token for token in tokens(field) if len(token) > 1 or not token.isascii()}
    longest = {word for word in words if not any(word != other and word in other for other in words)}
    return [m.span() for word in longest for m in re.finditer(re.escape(word[:_STEM]), lowered)]


def _closeness(number: Number, spots: Sequence[tuple[int, int]], text: str) -> float:
    """From 1 (next to the field's words) towards 0; what names a row stands next to each of its cells."""
    end = number.start + len(number.text)
    if any(stop <= text.find(" | ") <= number.start for _, stop in spots):
        return 1.0
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
