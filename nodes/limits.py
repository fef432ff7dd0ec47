"""Numbers that a sentence makes a limit (*more than 320*, *320 or less*, *超过320*), with their direction."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from memory_secretary.memory.task_state import Relation
from memory_secretary.nodes.noting import values_in
from memory_secretary.nodes.numbers import Number

HOLDS: Mapping[Relation, Callable[[Decimal, Decimal], bool]] = {
    "over": operator.gt,
    "from": operator.ge,
    "under": operator.lt,
    "upto": operator.le,
}
"""Whether a value lies on the named side of a limit."""

_BETWEEN = (
    r"(?:\s+(?:an?|the|our|my|limit|threshold|mark|line|level|figure|value|of|as many as|is|are|has|have|with|at))*"
)
_MORE = r"(?:more|greater|higher|larger|bigger|above|over|beyond|exceed(?:s|ing|ed)?|in excess of|surpass(?:es|ing)?)"
_LESS = r"(?:less|fewer|lower|smaller|below|under|beneath|short of)"
_NO = r"(?:\bno|\bnot|\bnever|n't|\bcannot)"
_BEFORE: tuple[tuple[Relation, str], ...] = (
    ("upto", rf"\bat (?:the )?most|\bup to|\bmaximum(?: of)?|{_NO} {_MORE}(?: than)?"),
    ("upto", r"不超过|不高于|不多于|不大于|至多|最多"),
    ("from", rf"\bat (?:the )?least|\bminimum(?: of)?|{_NO} {_LESS}(?: than)?"),
    ("from", r"\breach(?:es|ing|ed)?|\bstarting (?:at|from)|至少|不少于|不低于|不小于|(?<![未没不])达到?|(?<!不)满"),
    ("under", rf"\b{_LESS}(?: than)?|低于|少于|小于|不到|不足|不满|未达到?|没到|没达到"),
    ("over", rf"\b{_MORE}(?: than)?|\bpast|超过|高于|多于|大于|超出|突破|不止"),
)
_AFTER: tuple[tuple[Relation, str], ...] = (
    ("from", r"(?:\s*\w+){0,2}?\s+(?:or|and) (?:more|above|over|up|higher|upwards)\b|\+"),
    ("from", r"[\u3400-\u9fff]{0,3}?(?:及|或)?以上"),
    ("upto", r"(?:\s*\w+){0,2}?\s+(?:or|and) (?:less|fewer|below|under|lower)\b"),
    ("upto", r"[\u3400-\u9fff]{0,3}?(?:及|或)?(?:以下|以内)"),
)
_STARTS = [
    (relation, re.compile(rf"(?:{words}){_BETWEEN}[了过]?\s*[€$£¥￥]?$", re.IGNORECASE)) for relation, words in _BEFORE
]
_ENDS = [(relation, re.compile(words, re.IGNORECASE)) for relation, words in _AFTER]
_NEAR = 60
"""Characters before a number in which the words that make it a limit stand."""


_CALLED = re.compile(
    r"\b(?:limits?|thresholds?|ceilings?|caps?|maxim(?:um|a))\b|上限|限额|限值|限度|控制线|红线|阈值|标准线",
    re.IGNORECASE,
)


def speaks_of_limit(text: str) -> bool:
    """Whether a text calls something a limit."""
    return _CALLED.search(text) is not None


@dataclass(frozen=True, slots=True)
class Bound:
    """A number as a limit; ``start`` is where it stands in the folded text."""

    relation: Relation
    value: Decimal
    start: int


def bounds_in(text: str) -> list[Bound]:
    """The numbers of a text that it makes limits, in order."""
    folded = unicodedata.normalize("NFKC", text)
    found = ((number, _relation(folded, number)) for number in values_in(folded))
    return [Bound(relation, number.value, number.start) for number, relation in found if relation]


def _relation(text: str, number: Number) -> Relation | None:
    before, after = text[max(0, number.start - _NEAR) : number.start], text[number.start + len(number.text) :]
    ends = (relation for relation, words in _ENDS if words.match(after))
    starts = (relation for relation, words in _STARTS if words.search(before))
    return next(ends, None) or next(starts, None)
