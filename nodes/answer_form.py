"""How long an answer may be by the user's own words, and whether one keeps to it; a small model does not count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.nodes.figures import asks_for_each
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.passages import passages
from memory_secretary.nodes.state import RecalledMemory, is_kept

_OF_ANSWERS = re.compile(
    r"\b(?:answer|repl(?:y|ies)|respon[ds]|say|tell|write|explain|describe|summar(?:i[sz]e|y|ies))"
    r"|[答回]复?|说|写|总结|概括|讲|解释",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:files?|messages?|mails?|e-?mails?|letters? to|notes? (?:to|in|for))\b|\w\.(?:md|txt|csv|json)\b"
    r"|文件|消息|邮件|短信|便条|留言",
    re.IGNORECASE,
)
"""What else may be written: its length is not the answer's."""
_UNIT = r"(?P<unit>words?|characters?|letters?|sentences?|lines?)\b"
_ENGLISH = (
    r"\b(?:at most|no more than|not more than|up to|within|a maximum of|max\.?|no longer than)\s+(?P<n>[\w-]+)\s+"
    + _UNIT,
    r"\b(?P<n>[\w-]+)\s+" + _UNIT + r"\s+(?:or (?:less|fewer)|at (?:the )?most|maximum|max\b)",
    r"\bin (?:just |only )?(?P<n>one|a single|a|\d+)\s+" + _UNIT + r"(?! each)",
    r"\b(?:be|as) (?P<n>one|a single)\s+" + _UNIT + r"(?! each)",
)
_NUMBER_ZH = r"(?P<n>\d+|[一二两三四五六七八九十百]+)\s*个?"
_UNIT_ZH = r"(?P<unit>汉?字(?!段|符?型)符?|词|句话?|行)"
_CHINESE = (
    r"(?:不超过|最多|至多|不多于|别超过|不要超过|控制在|限)[用在写说]?" + _NUMBER_ZH + _UNIT_ZH,
    _NUMBER_ZH + _UNIT_ZH + r"(?:以内|之内|以下|内)",
    r"[用是](?P<n>一)" + _UNIT_ZH + r"(?!一[个份条])",
)
_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (*_ENGLISH, *_CHINESE))

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W\u3400-\u9fff_]+(?:['’.,:/-][^\W\u3400-\u9fff_]+)*")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]+")


def _words(text: str) -> int:
    return len(_HAN.findall(text)) + len(_WORD.findall(text))


def _sentences(text: str) -> int:
    return len([part for part in _SENTENCE_END.split(text) if part.strip()])


def _lines(text: str) -> int:
    return len([line for line in text.splitlines() if line.strip()])


def _characters(text: str) -> int:
    return len(text.strip())


_COUNTED: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {"words": _words, "characters": _characters, "sentences": _sentences, "lines": _lines}
)
"""Chinese signs count as words in both languages: 十个字 leaves out what separates them."""
_UNITS_OF: Mapping[str, str] = MappingProxyType(
    {"w": "words", "c": "characters", "l": "characters", "s": "sentences", "字": "words", "汉": "words", "词": "words",
     "句": "sentences", "行": "lines"}
)  # fmt: skip

_UNITS_ZH = MappingProxyType({"words": "个字", "characters": "个字符", "sentences": "句", "lines": "行"})


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many of a unit: ``words`` (or Chinese signs), ``characters``, ``sentences``, ``lines``."""

    most: int
    unit: str

    @property
    def named(self) -> str:
        """The unit in the language spoken here."""
        return said(self.unit, _UNITS_ZH[self.unit])

    @property
    def room(self) -> int | None:
        """Characters that no answer within the limit needs; None where a cut text could pass for one within it."""
        each = {"words": 20, "characters": 2}.get(self.unit)
        return each and each * self.most + 100

    def count(self, answer: str) -> int:
        """How many of the unit an answer has."""
        return _COUNTED[self.unit](answer)


def limits_in(texts: Iterable[str]) -> list[Limit]:
    """The limits that sentences about an answer set: "in at most ten words", 不超过二十个字, "one line".

    "One line each" is none: it says how each of several things is written.
    """
    pieces = (piece.text for text in texts for piece in passages(text))
    about = (piece for piece in pieces if _OF_ANSWERS.search(piece) and not _OF_OTHERS.search(piece))
    found = (limit for piece in about for limit in _limits(piece))
    return list(dict.fromkeys(found))


def limits_for(task: TaskState, recalled: Sequence[RecalledMemory]) -> list[Limit]:
    """How long the answer may be: by the present request, else by what the user asked to keep in mind."""
    asked = limits_in([whole_goal(task), *task["constraints"]])
    if asked or asks_for_each(whole_goal(task)):
        return asked
    return limits_in(memory["line"] for memory in recalled if is_kept(memory))


def too_long(answer: str, limits: Iterable[Limit]) -> Limit | None:
    """The first limit that an answer breaks."""
    return next((limit for limit in limits if limit.count(answer) > limit.most), None)


def answer_room(limits: Iterable[Limit]) -> int | None:
    """Characters in which an answer within the limits is written, so that a small model cannot go on without end."""
    return min((limit.room for limit in limits if limit.room), default=None)


def in_one_line(answer: str, limits: Iterable[Limit]) -> str:
    """The answer on one line where a limit wants that; else unchanged."""
    if not any(limit == Limit(1, "lines") for limit in limits):
        return answer
    return " ".join(line.strip() for line in answer.splitlines() if line.strip())


def _limits(sentence: str) -> Iterator[Limit]:
    for match in (match for pattern in _PATTERNS for match in pattern.finditer(sentence)):
        number = "1" if match["n"].lower() in ("a", "a single") else match["n"]
        value = numbers_in(number)
        if len(value) == 1 and value[0].text == number and value[0].value >= 1:
            yield Limit(int(value[0].value), _unit(match["unit"].lower()))


def _unit(word: str) -> str:
    return "lines" if word.startswith("line") else _UNITS_OF[word[0]]
