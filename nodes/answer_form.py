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

_NO_CURRENCY = re.compile(
    r"\b(?:no|without|not|never)\b[^.,;!?]{0,24}\bcurrency (?:signs?|symbols?)"
    r"|(?:不|别|勿|没有?|无|去掉)[^，。；！？]{0,6}货币(?:符号|单位)|货币(?:符号|单位)[^，。；！？]{0,4}(?:不|别|勿|去掉)",
    re.IGNORECASE,
)
_MONEY = r"[¥￥$€£]|\b(?:EUR|USD|GBP|CNY|RMB)\b"
_SIGN = re.compile(rf"(?:{_MONEY})\s?(?=\d)|(?<=\d)\s?(?:{_MONEY}|元(?!素|件|旦)|块钱)")
_QUOTE, _QUOTE_ZH = 24, 8
"""Letters, and Chinese signs, of an instruction that no answer has by chance."""
_ECHO, _ECHO_ZH = 12, 6
"""The same of a question; a greeting may well be answered by itself."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W\u3400-\u9fff_]+(?:['’.,:/-][^\W\u3400-\u9fff_]+)*")
_AFTER_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？\n])")
_CIRCLE = 40
"""Bytes of a sentence that nobody says twice in one answer."""
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


_YOURS = (
    (r"\bI['’]?m\b", "you are"), (r"\bI am\b", "you are"), (r"\bam I\b", "are you"), (r"\bI was\b", "you were"),
    (r"\bI['’]ve\b", "you have"), (r"\bI['’]d\b", "you would"), (r"\bI['’]ll\b", "you will"), (r"\bI\b", "you"),
    (r"\bmyself\b", "yourself"), (r"\b(?-i:m)y\b", "your"), (r"\bMy\b", "Your"), (r"\bmine\b", "yours"),
    (r"\bme\b", "you"),
    (r"我(?!们)", "你"),
)  # fmt: skip
"""The first person and the second."""


def to_you(answer: str) -> str:
    """An answer about the user in which the user speaks, as it is said to them; small models copy their words."""
    for first, second in _YOURS:
        answer = re.sub(first, second, answer)
    return re.sub(r"(?:^|(?<=[.!?]\s))you\b", "You", answer)


def said_again(answer: str) -> bool:
    """Whether an answer has begun to say a whole sentence again: small models go round in circles to the last token."""
    sentences = [part.strip() for part in _AFTER_SENTENCE.split(answer)]
    long = [part for part in sentences if len(part.encode()) >= _CIRCLE]
    return len(long) > len(set(long))


def said_once(answer: str) -> str:
    """An answer up to where it begins to go round in circles."""
    kept, end = set[str](), 0
    for part in _AFTER_SENTENCE.split(answer):
        at = answer.find(part, end)
        if part.strip() in kept and len(part.strip().encode()) >= _CIRCLE:
            return answer[:end].rstrip()
        kept.add(part.strip())
        end = at + len(part)
    return answer


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


def echoes(answer: str, goal: str, instructions: Iterable[str]) -> bool:
    """Whether an answer is the question again, or quotes what the executor was told to do.

    Args:
        answer: the executor's.
        goal: the user's words.
        instructions: sentences of the prompt; what stands in braces in them may be anything.
    """
    said = _letters(answer)
    if said == _letters(goal) and len(said) >= (_ECHO_ZH if _HAN.search(said) else _ECHO):
        return True
    parts = (_letters(part) for text in instructions for part in re.split(r"\{[^}]*\}|[.。：:；;](?=\s|\S)", text))
    return any(len(part) >= (_QUOTE_ZH if _HAN.search(part) else _QUOTE) and part in said for part in parts)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def no_currency(texts: Iterable[str]) -> bool:
    """Whether the user wants amounts without signs of currency: "no currency signs", 不要带货币符号."""
    return any(_NO_CURRENCY.search(text) for text in texts)


def bare_amounts(answer: str) -> str:
    """An answer without the signs of currency beside its numbers."""
    return _SIGN.sub("", answer)


def _limits(sentence: str) -> Iterator[Limit]:
    for match in (match for pattern in _PATTERNS for match in pattern.finditer(sentence)):
        number = "1" if match["n"].lower() in ("a", "a single") else match["n"]
        value = numbers_in(number)
        if len(value) == 1 and value[0].text == number and value[0].value >= 1:
            yield Limit(int(value[0].value), _unit(match["unit"].lower()))


def _unit(word: str) -> str:
    return "lines" if word.startswith("line") else _UNITS_OF[word[0]]
