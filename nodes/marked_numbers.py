"""The numbers of words that put something right: which of them are called right, and which wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from memory_secretary.nodes.noting import values_in

Mark = Literal["right", "wrong", ""]

_FIGURE = "figure|value|number|count|amount|total|sum|entry|reading|one"
_CHECKED = "correct|corrected|right|true|real|proper|valid|checked|verified|revised|amended|accurate"
_WRITTEN = (
    "stated|given|entered|written|wrote|printed|misprinted|mistyped|typed|recorded|reported|noted|put|shown|listed"
)
_PUT_RIGHT = "correct|corrected|changed?|amend|amended|revised?|set|put right|updated?|altered|adjusted"
_ZH_WRITE = "写录记填报登抄印打算数弄"
_ZH_PUT_RIGHT = "更正|订正|修正|纠正|改正|修改|更改|调整"
_SHORT = r"[^\d，,。；;]{0,8}?"
_WRONG_BEFORE = (
    rf"\b(?:not|(?:should|must|ought)(?: not|n't) (?:be|read)|instead of|rather than|in place of|wrongly|says|said|"
    rf"states|reads|from|formerly|previously|originally|"
    rf"(?:{_WRITTEN})(?: wrongly| there| here| down| in)? (?:as|at))\b",
    r"不(?:应该?|该)是|而?不再?是|并?非|原(?:来|先|本|写|记|报)?[是为]?|之前|先前|此前|[由从]",
    rf"误[{_ZH_WRITE}]?(?:成|作|为)?|错[{_ZH_WRITE}]?(?:成|作|为)|[{_ZH_WRITE}](?:成了?|作|为|着|的是|了)",
)
_RIGHT_BEFORE = (
    r"\b(?:(?:should|must|ought to|has to|needs to)(?: now| rather| really)? "
    r"(?:be|read|say|show|have been|have read|have said)|"
    r"really|actually|in fact|in truth|in reality|turns? out to be|but|make (?:it|that)|replaced? (?:it )?(?:by|with)|"
    rf"(?:{_CHECKED})(?: (?:{_FIGURE}))?(?: is| was|:)|(?:{_CHECKED}) (?:{_FIGURE})|"
    rf"(?:{_PUT_RIGHT})(?: \S+){{0,6}}? to)\b",
    rf"应(?:该|当)?(?:{_ZH_PUT_RIGHT}|[改{_ZH_WRITE}])?(?:是|为|作|成)|应(?:该|当)?[改写记填读]",
    rf"(?:{_ZH_PUT_RIGHT}|改)(?:后|之后)?的?{_SHORT}[为成是作到]",
    rf"(?:正确|准确|有效|真实|最终|(?:核对|核实|复核|核查|清点)(?:过|之?后))的?{_SHORT}",
    r"其实|实际上|事实上|实际(?:应|数|值)?[是为]|[而才]是",
)
_BEFORE = re.compile(rf"(?P<wrong>{'|'.join(_WRONG_BEFORE)})|(?P<right>{'|'.join(_RIGHT_BEFORE)})", re.IGNORECASE)
"""Words before a number; the last ones of them count."""
_NEAR = r"[^\d,.;:，。；：?？]{0,24}?"
_RIGHT_AFTER = re.compile(
    rf"{_NEAR}(?:\b(?:is|was) (?:the )?(?:{_CHECKED})\b|\binstead\b(?! of)|,? which (?:replaces|counts)|"
    rf"为准|才对|才是|是对的|正确|没错)|"
    r"\s*[(（]?[,，、;；—–-]?\s*(?:and )?(?:not|instead of|rather than|in place of|而?不再?是|而?非|并非)"
    r"\s*(?:the )?[£€$¥]?\Z",
    re.IGNORECASE,
)
_WRONG_AFTER = re.compile(
    rf"{_NEAR}(?:(?:,? which|\b(?:it|that))? (?:is|was) (?:a |an )?"
    r"(?:wrong|incorrect|false|mistake|mistaken|mistyped|misprint|misprinted|slip|typo|error)\b|"
    rf"\b(?:is|was) (?:not|no longer) (?:{_CHECKED})\b|[{_ZH_WRITE}]错|有误|是错|不对|错误|作废)",
    re.IGNORECASE,
)
_READ = re.compile(r"\s*[,，]?\s*(?:please )?(?:read|to|→|->|改为|改成|更正为|订正为)\s*", re.IGNORECASE)
"""All that stands between the two numbers of *for 532 read 523* and *from 532 to 523*."""
_OR = re.compile(r"\s*(?:or|and|或者?|还是|和)\s*", re.IGNORECASE)
"""Between two numbers of which the same is said."""
_MORE_AFTER = re.compile(r"\s*(?:[a-z]+ )?(?:too [a-z]+|more|less|fewer|higher|lower|above|below)\b", re.IGNORECASE)
_MORE_BEFORE = re.compile(r"(?:\bby\s*|[多少差高低加减][^\d，。]{0,2}|错了?\s*)\Z", re.IGNORECASE)
"""A number that says by how much another one was missed is no figure itself."""


@dataclass(frozen=True, slots=True)
class MarkedNumber:
    """A number, as it is written and what it comes to, and what the words around it call it."""

    text: str
    value: Decimal
    mark: Mark


def marked_numbers(text: str) -> list[MarkedNumber]:
    """The numbers of a text that could be values, in order; single words such as *一* and differences are none.

    Args:
        text: NFKC-folded, with the names in it that have digits masked.
    """
    numbers = [number for number in values_in(text) if len(number.text) > 1 or number.text.isdigit()]
    ends = [0, *(number.start + len(number.text) for number in numbers)]
    starts = [*(number.start for number in numbers), len(text)]
    between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    found: list[MarkedNumber] = []
    for number, before, after in zip(numbers, between, between[1:], strict=False):
        if not (_MORE_AFTER.match(after) or _MORE_BEFORE.search(before)):
            mark = found[-1].mark if found and _OR.fullmatch(before) else _mark(before, after, first=not found)
            found.append(MarkedNumber(number.text, number.value, mark))
    return found


def meant(
    numbers: Sequence[MarkedNumber], known: Decimal | None, *, marked: bool
) -> tuple[MarkedNumber, MarkedNumber | None] | None:
    """The right number, and the wrong one as far as it is named; None when several or none could be the right one.

    Args:
        numbers: of the words.
        known: the value that is put right; it is the wrong one wherever it stands.
        marked: take only a number that is called right; else one that alone is not called wrong will do.
    """
    wrong = [number for number in numbers if number.mark == "wrong" or number.value == known]
    right = [number for number in numbers if number.mark == "right"]
    if not right and not marked:
        right = [number for number in numbers if number not in wrong]
    if len({number.value for number in right}) != 1 or right[0].value == known:
        return None
    return right[0], wrong[0] if wrong else None


def _mark(before: str, after: str, *, first: bool) -> Mark:
    if _WRONG_AFTER.match(after):
        return "wrong"
    if _RIGHT_AFTER.match(after) or (not first and _READ.fullmatch(before)):
        return "right"
    last = max(_BEFORE.finditer(before), key=lambda match: match.end(), default=None)
    return "" if last is None else "right" if last.lastgroup == "right" else "wrong"
