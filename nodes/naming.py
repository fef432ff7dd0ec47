"""Where a text names records that a task knows: by their keys, their files' names, or the one month they are about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory_secretary.memory.periods import months_in
from memory_secretary.nodes.candidates import words_of

_BEFORE, _AFTER = r"(?<![A-Za-z0-9_/.-])", r"(?![A-Za-z0-9_/-]|\.[A-Za-z0-9])"
"""Borders of ASCII characters only: Chinese is written without blanks."""
_FILE = re.compile(r"(?:.*/)?([^/]+?)(?:\.[A-Za-z]\w{0,4})?")
_UNTELLING = frozenset({"id", "no", "number", "code", "key", "name", "get", "read", "show", "fetch", "view", "lookup"})
PERSON = re.compile(r"\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)+")
"""A name of two words or more in English."""
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭"
    "陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常汤章申"
)
"""The commonest Chinese family names (Ministry of Public Security, 2019), and a few more."""
_PERSON_ZH = re.compile(rf"(?=([{SURNAMES}][\u4e00-\u9fff]{{2}}))|(?=([{SURNAMES}][\u4e00-\u9fff]))")
_LEAST = 3
"""Characters of a file's name that may stand for the whole path."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A record that a text names, and where; a record that is named by its month alone stands nowhere (0 to 0)."""

    subject: str
    start: int
    end: int


class Names:
    """What the records of a task are called.

    Args:
        subjects: the records, each with the words that may stand before it where it is a bare number.
    """

    def __init__(self, subjects: Mapping[str, Collection[str]]):
        self.subjects = frozenset(subjects)
        counts = Counter(map(_stem, subjects))
        short = {_stem(one): one for one in subjects if counts[_stem(one)] == 1 and _may_stand(_stem(one))}
        forms = {**short, **{one: one for one in subjects}}
        self._forms = [
            (form.casefold(), subject, re.compile(_pattern(form, subjects[subject]), re.IGNORECASE))
            for form, subject in sorted(forms.items(), key=lambda pair: -len(pair[0]))
        ]
        shapes = {re.sub(r"\d+", r"\\d+", re.escape(one)) for one in subjects if not one.isdigit()}
        self._shapes = [re.compile(f"{_BEFORE}{shape}{_AFTER}", re.IGNORECASE) for shape in sorted(shapes)]
        self._months = {one: months for one in subjects if (months := months_in(one))}

    def known(self, text: str) -> list[Mention]:
        """The places where records of the task are named, in the order of the text (which is NFKC-folded)."""
        folded = text.casefold()
        patterns = ((subject, pattern) for form, subject, pattern in self._forms if form in folded)
        return _apart(Mention(subject, *m.span()) for subject, pattern in patterns for m in pattern.finditer(text))

    def alike(self, text: str) -> list[Mention]:
        """The same with names of the same shape: ``WS-104`` where ``WS-778`` is known."""
        shaped = [Mention(m.group(), *m.span()) for shape in self._shapes for m in shape.finditer(text)]
        return _apart([*self.known(text), *shaped])

    def by_month(self, text: str) -> list[Mention]:
        """The one record whose name has the one month that a text names; else nothing."""
        months = months_in(text) if self._months else set()
        found = [subject for subject, own in self._months.items() if own == months]
        return [Mention(found[0], 0, 0)] if len(months) == 1 and len(found) == 1 else []


def person_in(statements: Sequence[str], cells: Collection[str] = ()) -> str:
    """The one person whom a record's statements about itself name; empty where that is nobody or not plain.

    In English the only name of two words or more; in Chinese the longest that two statements have in common, or that
    is a cell of the record by itself.
    """
    english = {name for text in statements for name in PERSON.findall(text) if not re.search(r"\d", name)}
    seen = [{name for pair in _PERSON_ZH.findall(text) for name in pair if name} for text in statements]
    counts = Counter(name for names in seen for name in names)
    known = [name for name, count in counts.items() if count > 1 or name in cells]
    longest = [name for name in known if not any(name != other and name in other for other in known)]
    found = [*english, *longest]
    return found[0] if len(found) == 1 else ""


_ROLES = (
    (r"\bkeepers?\b|保管", r"\bkeeper|\bkept by|保管人?"),
    (r"\bowners?\b|业主|所有人", r"\bowner|\bowned by|业主|所有人"),
    (r"\bauthors?\b|作者|撰写", r"\bauthor|\bwritten by|作者|撰写人?"),
    (r"\bcontacts?\b|联系人", r"\bcontact(?: person)?|联系人"),
    (r"\b(?:responsible|in charge)\b|负责", r"\bresponsible|\bin charge|负责人?"),
    (r"\b(?:clerks?|handl\w+)\b|经办", r"\bclerk|\bhandled by|经办人?"),
    (r"\b(?:customers?|clients?)\b|客户", r"\bcustomer|\bclient|客户"),
)
"""How goals call somebody by what they are to a record, and how records label them."""
_TELLS = re.compile(
    r"\b(?:message|mail|letter|notice|copy|word)\b[^.!?]{0,60}\b(?:go(?:es)?|sent|given) to\b"
    r"|\b(?:should|must|please|is to)\b[^.!?]{0,40}\b(?:told|informed|notified|tell|inform|notify|send|write)\b"
    r"|(?:应|请|要|须|得|也)[^，。！？]{0,10}(?:通知|告知|发给|发送|写信|转告|抄送)",
    re.IGNORECASE,
)
"""A record that asks for a message itself: data, and nobody whom the user named."""


_MARKUP = r"</?\w[^>]*>|\"\w{1,20}\" ?:"
"""A tag, or a key of JSON (``"name": "保管人", "entry": "…"``)."""


def person_in_role(record: str, goal: str) -> str:
    """The one person whom a record labels as the goal calls them (*the keeper* – ``kept by: …``, 由…保管), or empty."""
    found = set[str]()
    for asked, label in _ROLES:
        if re.search(asked, goal, re.IGNORECASE):
            found |= {m[1] for m in re.finditer(rf"(?i:{label})(?:\W|{_MARKUP}){{1,40}}?({PERSON.pattern})", record)}
            name, gap = rf"[{SURNAMES}][\u4e00-\u9fff]{{1,2}}", rf"(?:[^\w]|{_MARKUP}|[是为]){{1,40}}?"
            found |= {m[1] for m in re.finditer(rf"(?:{label}){gap}({name})(?![\u4e00-\u9fff])", record)}
            found |= {m[1] for m in re.finditer(rf"由({name})(?:{label})", record)}
    return found.pop() if len(found) == 1 else ""


def without_requests(statements: Sequence[str]) -> list[str]:
    """Statements without those that ask for a message to somebody."""
    return [text for text in statements if not _TELLS.search(text)]


def labels(action: str, arguments: Mapping[str, object]) -> frozenset[str]:
    """The words that stand before a record's bare number: ``get_order(order_id=17)`` → order."""
    words = {word for name in (action, *arguments) for word in words_of(name)}
    return frozenset(words - _UNTELLING)


def _stem(subject: str) -> str:
    """A file's name without its folder and ending."""
    match = _FILE.fullmatch(subject)
    return match.group(1) if match else subject


def _may_stand(short: str) -> bool:
    return len(short) >= _LEAST and not short.isdigit()


def _pattern(form: str, words: Collection[str]) -> str:
    if not form.isdigit():
        return f"{_BEFORE}{re.escape(form)}{_AFTER}"
    before = "|".join(
        [*(rf"\b{re.escape(word)}s?\s(?:no\.?\s|#)?" for word in sorted(words)), r"#", r"\bno\.?\s", "编号"]
    )
    return rf"(?:{before}){form}{_AFTER}|第{form}(?=[^\d,.])|{_BEFORE}{form}号"


def _apart(found: Iterable[Mention]) -> list[Mention]:
    """In the order of the text; of two that overlap, the one that was found first."""
    taken: list[Mention] = []
    for one in found:
        if all(one.end <= other.start or one.start >= other.end for other in taken):
            taken.append(one)
    return sorted(taken, key=lambda one: one.start)
