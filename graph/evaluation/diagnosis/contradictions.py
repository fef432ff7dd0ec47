"""Contradiction: one thing is given two values, or what the user has forbidden is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memory_secretary.graph.evaluation.diagnosis.messages import Call
from memory_secretary.graph.evaluation.diagnosis.shared import Error, Trace, cut, terms
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.constraints import constraints_in
from memory_secretary.nodes.forbidden import FORBIDS, forbidden_tools
from memory_secretary.nodes.grounding import is_identifier, stands_in
from memory_secretary.nodes.numbers import normal_number, numbers_in

_COUNTS_ON = re.compile(
    r"\b(?:step|so far|done|remaining|left|already|now|then|first|next|page|attempt|progress|if|would|could|might|"
    r"about|approximately|around|between|previously|was wrong|at least|at most|up to|per)\b|[第剩已共约]|"
    r"目前|现在|到目前|还有|如果|大约|左右|之间|至少|最多|之前",
    re.IGNORECASE,
)
"""A clause with one of these may say another number later on and be right both times."""
_CLAUSE = re.compile(r"[;。；!?！？\n]|\.(?=\s|$)|[,，](?!\d{3}\b)")


def contradiction(trace: Trace) -> Iterator[Error]:
    """The assistant gives one thing two values with nothing new in between, or does what the user has forbidden."""
    stated: dict[tuple[str, ...], tuple[int, str, str]] = {}
    for at, message in enumerate(trace):
        if message.role == "user" or (message.role == "assistant" and not message.calls):
            for key, value, clause in _statements(message.text):
                earlier = stated.get(key)
                differs = earlier is not None and message.role == "assistant" and earlier[1] != value
                if earlier and differs and not _new_since(trace, earlier[0], at, value):
                    yield Error(at, cut(clause), earlier[0], cut(earlier[2]))
                else:
                    stated[key] = (at, value, clause)
    yield from _forbidden(trace)


def _statements(text: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """The clauses that give one thing one number: the words beside it, the number, the clause."""
    for clause in map(str.strip, _CLAUSE.split(text)):
        numbers = numbers_in(clause)
        if len(numbers) != 1 or _COUNTS_ON.search(clause) or clause.endswith(("?", "？")):
            continue
        number = numbers[0]
        rest = f"{clause[: number.start]} {clause[number.start + len(number.text) :]}"
        words = tuple(sorted(terms(rest)))
        if len(words) >= 2:
            yield words, normal_number(number.value), clause


def _new_since(trace: Trace, start: int, end: int, value: str) -> bool:
    """Whether a result or the user gave the other value after the first statement."""
    told = (trace[n].text for n in range(start + 1, end) if trace[n].role in ("user", "tool"))
    return any(value in {normal_number(number.value) for number in numbers_in(text)} for text in told)


def _forbidden(trace: Trace) -> Iterator[Error]:
    """Calls that a sentence of the user's forbids, by the tool's name or by what the call is about."""
    rules: list[tuple[int, str]] = []
    for at, message in enumerate(trace):
        if message.role == "user":
            rules += [(at, text) for text in constraints_in(message.text) if FORBIDS.search(text)]
        for call in message.calls:
            broken = next((rule for rule in rules if _breaks(call, rule[1])), None)
            if broken:
                yield Error(at, cut(call_text(call.name, call.arguments)), broken[0], cut(broken[1]))


_PART = re.compile(r"[,;，；:：]|\bbut\b|\band\b|但|而")
_FOR_NOW = re.compile(
    r"\b(?:unless|before|until|without|except|only|after|if)\b|除非|之前|以前|没有|如果|除了|只", re.IGNORECASE
)
"""What is not forbidden for good."""


def _breaks(call: Call, rule: str) -> bool:
    if _FOR_NOW.search(rule):
        return False
    if forbidden_tools([rule], [call.name]):
        return True
    clauses = [clause for clause in _PART.split(rule) if FORBIDS.search(clause)]
    does = terms(re.sub(r"[_\W]+", " ", call.name)) | _verbs(call.name)
    values = [value for value in call.arguments.values() if isinstance(value, str) and is_identifier(value)]
    return any(does & terms(clause) and any(stands_in(value, clause) for value in values) for clause in clauses)


_VERBS: Mapping[str, str] = {
    "pay": "付", "delete": "删", "remove": "删", "send": "发", "mail": "发", "cancel": "取消", "read": "读",
    "open": "开", "order": "订", "book": "订", "approve": "批", "close": "关", "refund": "退", "write": "写",
}  # fmt: skip
"""What tools are called in English, and the character that a Chinese sentence has for it."""


def _verbs(name: str) -> set[str]:
    words = re.split(r"[^a-z]+", name.lower())
    return {term for word in words if word in _VERBS for term in terms(_VERBS[word])}
