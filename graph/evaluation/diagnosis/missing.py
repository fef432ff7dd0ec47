"""Missing information: what was told is denied, or items that were read are passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_secretary.graph.evaluation.diagnosis.shared import (
    Error,
    Trace,
    calls,
    cut,
    result_of,
    terms,
    turns,
)
from memory_secretary.nodes.candidates import pattern_of
from memory_secretary.nodes.grounding import is_identifier, stands_in
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.passages import passages

_DENIES = re.compile(
    r"\b(?:i (?:do not|don't|cannot|can't|could not|couldn't) (?:know|have|find|recall|remember|see|tell)|"
    r"(?:i (?:have|see)|there is|there's) no (?:information|record|data|mention|details?)|"
    r"no (?:information|data|details?) (?:is |was )?(?:available|provided|given)|"
    r"(?:was|were|is|are|has|have) (?:not|never) (?:been )?(?:provided|mentioned|given|specified|told)|"
    r"(?:could|can|would) you (?:please )?(?:provide|tell|give|share|repeat)|"
    r"please (?:provide|tell|give|share|repeat))\b|"
    r"(?:不知道|不清楚|不记得|无法(?:得知|确定|知道|找到|获取)|没有(?:找到|提供|提到|说明|相关|关于)|"
    r"未(?:提供|提到|说明|找到))|"
    r"请(?:您|你)?(?:再)?(?:提供|告诉|告知|说明)",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:not found|no such|unknown|error|failed|denied|missing|does not exist|unavailable|none|null|n/?a|no)\b|"
    r"没有|未找到|不存在|错误|失败|未知|缺",
    re.IGNORECASE,
)
_HEDGES = (
    "know have find recall remember see tell information record data mention detail available provide give specify "
    "share repeat please sorry unfortunately apologize could would need help answer question "
    "知道 清楚 记得 无法 得知 确定 找到 提供 提到 说明 相关 关于 信息 抱歉 对不起 请 您 你 告诉 告知 没有 需要 我"
)
_SPOKEN_OF = 0.7
"""Share of a denial's words that a text must have to hold what is denied."""


def missing_information(trace: Trace) -> Iterator[Error]:
    """The assistant says that it does not know what stands in an earlier message, or leaves out items of a list."""
    for at, message in enumerate(trace):
        if message.role != "assistant" or message.calls:
            continue
        for piece in passages(message.text):
            denied = terms(_DENIES.sub(" ", piece.text)) - terms(_HEDGES) if _DENIES.search(piece.text) else set()
            told = told_before(trace, at, denied)
            if told:
                yield Error(at, cut(piece.text), told[0], cut(told[1]))
                break
    yield from _items_left_out(trace)


def told_before(trace: Trace, at: int, denied: set[str]) -> tuple[int, str] | None:
    """The newest message, and its sentence, that tells what is denied: its words, with a number or name beside them."""
    if len(denied) < 2:
        return None
    for n in range(at - 1, -1, -1):
        if trace[n].role not in ("user", "tool"):
            continue
        for piece in passages(trace[n].text):
            text = piece.text
            tells = not text.rstrip().endswith(("?", "？")) and not _NEGATIVE.search(text) and _has_value(text, denied)
            if tells and len(denied & terms(text)) >= _SPOKEN_OF * len(denied):
                return n, text
    return None


def _has_value(text: str, denied: set[str]) -> bool:
    """Whether a sentence has a number or identifier that is not among the words that were asked for."""
    words = re.findall(r"[^\s,;:，；：。()（）]+", text)
    named = {word.strip(".") for word in words if is_identifier(word.strip("."))}
    values = named | {number.text for number in numbers_in(text)}
    return any(not terms(value) <= denied for value in values)


_EACH = re.compile(r"\beach\b|\bevery\b|每[一个份条张笔家]?|分别|逐[一个条份]", re.IGNORECASE)
_CHOOSES = re.compile(
    r"\b(?:which|who|whose|that|only|exceed\w*|over|above|below|under|more than|less than|total|sum|average|highest|"
    r"lowest|most|least|largest|smallest|if|overdue|open|unpaid|late|due|done|still|not|no|except)\b|"
    r"哪|只|超|低于|高于|最|总|合计|平均|如果|凡|未|没|不|逾期",
    re.IGNORECASE,
)
"""Whoever chooses or adds up need not name every item."""
_LEAST_ITEMS = 3


def _items_left_out(trace: Trace) -> Iterator[Error]:
    """The user asks for each item; an answer names some of those that were read, and passes over others."""
    for request, turn in turns(trace):
        goal, answer = trace[request].text, turn[-1] if turn else request
        if trace[answer].role != "assistant" or trace[answer].calls or not trace[answer].text:
            continue
        if not _EACH.search(goal) or _CHOOSES.search(goal):
            continue
        read = _items_read(trace, turn)
        named = [item for item in read if stands_in(item, trace[answer].text)]
        lost = [item for item in read if item not in named]
        if len(read) >= _LEAST_ITEMS and named and lost:
            at = read[lost[0]]
            yield Error(answer, cut(trace[answer].text), at, cut(f"{lost[0]}: {trace[at].text}"))


def _items_read(trace: Trace, turn: Sequence[int]) -> dict[str, int]:
    """The identifiers of the commonest shape that calls were about, each with the message of its result."""
    read: dict[str, int] = {}
    for at, call in calls(trace, turn):
        result = result_of(trace, at, call)
        if result is None or _NEGATIVE.search(trace[result].text[:80]):
            continue
        for value in call.arguments.values():
            if isinstance(value, str) and is_identifier(value):
                read.setdefault(value, result)
    shapes = [pattern_of(value) for value in read]
    common = max(shapes, key=shapes.count, default="")
    return {value: at for value, at in read.items() if pattern_of(value) == common}
