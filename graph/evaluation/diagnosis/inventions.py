"""Invention: a number, id or name that stands in nothing which was said or read before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice

from memory_secretary.graph.evaluation.diagnosis.messages import Call
from memory_secretary.graph.evaluation.diagnosis.missing import told_before
from memory_secretary.graph.evaluation.diagnosis.shared import Error, Trace, cut, sentence_with, terms
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.candidates import pattern_of
from memory_secretary.nodes.grounding import is_identifier, stands_in, ungrounded
from memory_secretary.nodes.numbers import number_set
from memory_secretary.nodes.passages import passages

_KEYS = re.compile(
    r"(?:^|_)(?:id|ids|name|path|file|email|to|recipient|account|ref|record|number|no)$|编号|账号|文件|收件",
    re.IGNORECASE,
)
"""Arguments whose values come from somewhere."""
_CODE = re.compile(r"[A-Z]{2,}[-_]?\d{2,}")
_MOMENT = re.compile(r"\d{4}-\d\d|\d{1,2}:\d\d|\d{1,2} ?[ap]m\b", re.IGNORECASE)
"""Days and times are worked out."""
_MAKES_NEW = re.compile(
    r"write|create|save|add|new|put|upload|generate|insert|register|make|写|新建|创建|保存", re.IGNORECASE
)
"""A tool that makes something may be given a name of the assistant's own."""
_COMPUTES = re.compile(
    r"\b(?:total|sum|add|average|mean|difference|how (?:many|much)|percent|ratio|convert|calculate|compute|estimate|"
    r"count|compare|altogether|combined|per|rate|round|growth|change)\b|"
    r"合计|总|共|平均|差|多少|百分|比例|换算|计算|估|几|率|增|减",
    re.IGNORECASE,
)
"""An answer to such a question holds numbers that stand nowhere, and rightly so."""
_BULLET = re.compile(r"^\s*\d{1,2}[.)、]\s*")
_DIGITS = 2
"""Digits that a number of an answer must have at the least: small ones count and number what is listed."""


def invention(trace: Trace) -> Iterator[Error]:
    """A number, id or name in a call or an answer that stands in nothing which was said or read before."""
    sources = ""
    for at, message in enumerate(trace):
        if message.role != "assistant":
            sources += f"\n{message.text}"
            continue
        for call in message.calls:
            for value in _made_up(call, sources):
                needed = _alike(trace, at, value)
                yield Error(at, cut(call_text(call.name, call.arguments)), *needed)
            sources += f"\n{' '.join(map(str, call.arguments.values()))}"  # what is said of it later is no news
        if not message.calls:
            yield from _made_up_answer(trace, at, sources)


def _made_up(call: Call, sources: str) -> Iterator[str]:
    """The identifiers of a call that stand nowhere, part by part."""
    if _MAKES_NEW.search(call.name):
        return
    for name, value in call.arguments.items():
        if not isinstance(value, str) or not is_identifier(value) or "://" in value:
            continue
        telling = "@" in value or _CODE.search(value) or (_KEYS.search(name) and any(map(str.isdigit, value)))
        if telling and not _MOMENT.match(value) and not _known(value, sources):
            yield value


def _known(value: str, sources: str) -> bool:
    """Whether a value stands in the sources, or each part of a path does."""
    parts = [part for part in re.split(r"[/\\#:]", value) if part]
    return stands_in(value, sources) or (len(parts) > 1 and all(stands_in(part, sources) for part in parts))


def _alike(trace: Trace, at: int, value: str) -> tuple[int | None, str]:
    """The newest text before that has a value of the same shape: what was to be copied."""
    shape = _shape(value)
    for n in range(at - 1, -1, -1):
        if trace[n].role in ("user", "tool"):
            words = re.findall(r"[\w./@#-]*\w", trace[n].text, re.ASCII)
            like = next((word for word in words if _shape(word) == shape), None)
            if like:
                return n, cut(sentence_with(trace[n].text, like))
    return None, ""


def _shape(value: str) -> str:
    return "@" if "@" in value else pattern_of(value)


def _made_up_answer(trace: Trace, at: int, sources: str) -> Iterator[Error]:
    """A sentence of an answer with a number or identifier that stands nowhere, where nothing had to be computed."""
    asked = " ".join(trace[n].text for n in range(at) if trace[n].role == "user")
    work = any(trace[n].role == "tool" for n in range(at))
    if not work or _COMPUTES.search(asked):
        return
    for piece in passages(trace[at].text):
        said = _BULLET.sub("", piece.text)
        lost = [value for value in ungrounded(said, [sources]) if sum(map(str.isdigit, value)) >= _DIGITS]
        lost = [value for value in lost if not _follows(value, sources)]
        if lost and not _COMPUTES.search(said):
            yield Error(at, cut(piece.text), *_about(trace, at, piece.text, lost[0]))
            return


_MOST_NUMBERS = 1000


def _follows(value: str, sources: str) -> bool:
    """Whether a number stands in a row of a table, or is the sum or difference of two that were read."""
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", value):
        return False
    if value in re.findall(r"\d+(?:\.\d+)?", sources):  # 408,149,199 may be one number or three
        return True
    known = {Decimal(number) for number in islice(number_set(sources), _MOST_NUMBERS)}
    wanted = Decimal(value)
    return any(wanted - one in known or wanted + one in known for one in known)


def _about(trace: Trace, at: int, sentence: str, value: str) -> tuple[int | None, str]:
    """The newest text that speaks of what a made-up value stands beside, with a value of its own."""
    words = terms(sentence.replace(value, " "))
    words -= {word for word in words if any(map(str.isdigit, word))}
    return told_before(trace, at, words) or (None, "")
