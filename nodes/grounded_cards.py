"""Items of a model's reply held against the statements of the user: what stands there becomes a card, else is refused.

The quote of a card is the user's own statement, word for word. A wording of the model's is kept only where its words,
numbers, names and negation stand in that statement; otherwise the card says it in the user's own words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.records import Kind, MemoryType
from memory_secretary.nodes.constraints import constraints_in
from memory_secretary.nodes.extraction import Item, Refusal
from memory_secretary.nodes.grounding import folded, stands_in, ungrounded
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.matters import matter_of
from memory_secretary.nodes.own_words import Line
from memory_secretary.nodes.spoken_of import USER
from memory_secretary.nodes.wishes import kind_of

_SAME = 0.6
"""Share of a wording's telling words that must stand in the statement."""
_LEAST_QUOTE = 4
"""Bytes of a quote that can tell one statement from another."""
NEGATION = re.compile(
    r"n['’]t\b|\b(?:not|no|never|without|cannot|none|neither|nor|nobody|nothing)\b|[不没无非未别勿莫禁]", re.IGNORECASE
)
_PLAIN = frozenset(
    tokens("user users user's I am speaker person says said tells has have likes wants the 用户 说 表示 自己")
)
"""Words by which a third person is spoken of, which need not stand in the statement."""
_SELF = re.compile(r"\b(?:user|i|i['’]\w+|my|me|we|our)\b|用户|我", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:dis)?likes?\b|\bloves?\b|\bhates?\b|allerg|hobb|prefer|喜欢|讨厌|过敏|爱好|偏好", re.IGNORECASE
)
"""Properties of which one may have several values at a time."""
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w’-]*[a-z][\w’-]*")
_FORBIDS = re.compile(
    r"\b(?:never|not|without|at most|no more than|only|except|unless)\b|n['’]t\b|不|勿|最多|只能|仅|除非", re.IGNORECASE
)
"""What makes a demand a limit."""
_LEAD = re.compile(
    r"^(?:(?:please )?(?:remember|note|keep in mind|make a note)\b(?: this)?[:,]?\s*(?:that\s+)?)+|"
    r"^(?:请|你|要|帮我|麻烦)*(?:记住|记得|记一下|记下来?)[：:，,\s]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """What may be written as a card.

    Attributes:
        line: the statement it rests on; its text is the quote.
        content: one fact, in the model's words or the user's own.
        type: what kind of knowledge.
        kind: a fact stands in the statement; an inference was concluded from it and is written with its fact.
        subject: ``user``, another person or thing, or empty.
        attribute: which property, or empty.
        value: the property's value as it stands in the statement, or empty.
        applies_to: the situations it is for, in words.
    """

    line: Line
    content: str
    type: MemoryType
    kind: Kind = Kind.FACT
    subject: str = ""
    attribute: str = ""
    value: str = ""
    applies_to: tuple[str, ...] = ()


def ground(item: Item, lines: Sequence[Line]) -> list[Grounded] | Refusal:
    """The card that an item gives, an inference after its fact; or why it gives none."""
    line = _source(item, lines)
    if isinstance(line, str):
        return Refusal(line, item.line)
    share = _share(item.content, line.text)
    fact = _fact(item, line, in_own_words=not _says_the_same(item.content, line, share))
    concluded = (
        item.kind == Kind.INFERENCE and item.content and share < _SAME and not _invented(item.content, line.text)
    )
    if not concluded:
        return [fact]
    bare = Grounded(line=line, content=own_words(line), type=type_of(line), subject=line.subject)
    inference = Grounded(
        line=line, content=item.content, type=MemoryType.FACT, kind=Kind.INFERENCE, subject=fact.subject,
        applies_to=fact.applies_to,
    )  # fmt: skip
    return [bare, inference]


def is_told(line: Line) -> bool:
    """Whether a statement is one to keep whatever a model thinks of it: a preference, or a matter with one value."""
    return type_of(line) is MemoryType.PREFERENCE or (line.subject == USER and bool(matter_of(line.text)))


def as_said(line: Line) -> Grounded:
    """A statement as a card in the user's own words."""
    return _fact(Item(), line, in_own_words=True)


def own_words(line: Line) -> str:
    """A statement without the request to remember it."""
    return _LEAD.sub("", " ".join(line.text.split())).strip() or line.text


def type_of(line: Line, named: str = "") -> MemoryType:
    """What kind of knowledge a statement is, as its words tell; only an episode has to be named.

    Only what is about the user, or about no person, can tell a model what to do.
    """
    other = MemoryType.EPISODE if named == MemoryType.EPISODE else MemoryType.FACT
    if line.subject not in ("", USER):
        return other
    if kind_of(own_words(line)) is MemoryType.PREFERENCE:
        return MemoryType.PREFERENCE
    if not constraints_in(line.text):
        return other
    return MemoryType.CONSTRAINT if _FORBIDS.search(line.text) else MemoryType.RULE


def _source(item: Item, lines: Sequence[Line]) -> Line | str:
    """The statement that an item rests on, or why there is none."""
    if item.quote:
        quote = folded(item.quote)
        found = [line for line in lines if len(quote.encode()) >= _LEAST_QUOTE and _holds(quote, folded(line.text))]
        if not found:
            return said(f"the quote {item.quote[:60]!r} stands in no line", f"引文 {item.quote[:60]!r} 不在任何一行里")
        return max(found, key=lambda line: _share(item.content, line.text))
    named = lines[item.line - 1] if item.line is not None and 1 <= item.line <= len(lines) else None
    if named is not None and (not item.content or _tells_of(item.content, named.text)):
        return named
    best = max(lines, key=lambda line: _share(item.content, line.text), default=None)
    if best is None or _share(item.content, best.text) < _SAME:
        shown = item.content[:60]
        return said(f"{shown!r} stands in no line", f"{shown!r} 不在任何一行里")
    return best


def _holds(quote: str, text: str) -> bool:
    """Whether one of two folded texts is the other's part; a model may quote more than the statement itself."""
    return quote in text or text in quote


def _tells_of(content: str, text: str) -> bool:
    """Whether a wording can be of a statement: it shares a telling word, or is in another language."""
    return _share(content, text) > 0 or language_of(content) != language_of(text)


def _says_the_same(content: str, line: Line, share: float) -> bool:
    """Whether a wording may stand for the statement: the same words, of the same person, with the same negation."""
    same_sense = len(NEGATION.findall(content)) == len(NEGATION.findall(line.text))
    told = bool(content) and share >= _SAME and same_sense and not _invented(content, line.text)
    return told and _names_subject(content, line.subject)


def _names_subject(content: str, subject: str) -> bool:
    if subject == USER:
        return _SELF.search(content) is not None
    return not subject or folded(subject) in folded(content)


def _invented(content: str, text: str) -> bool:
    """Whether a wording has a number, an identifier or a name that the statement has not."""
    names = (name for name in _NAME.findall(content) if name.casefold() not in ("user", "the", "user's"))
    return bool(ungrounded(content, [text])) or any(not _has_name(name, text) for name in names)


def _has_name(name: str, text: str) -> bool:
    return folded(re.sub(r"['’]s$", "", name)) in folded(text)


def _share(content: str, text: str) -> float:
    """The share of a wording's telling words that stand in a text."""
    words = _telling(content)
    return len(words & set(tokens(text))) / len(words) if words else 0.0


def _telling(content: str) -> set[str]:
    found = set(tokens(unicodedata.normalize("NFKC", content))) - STOPWORDS - _PLAIN
    return {token for token in found if len(token) > 1 or token.isdecimal()} or found


def _fact(item: Item, line: Line, *, in_own_words: bool) -> Grounded:
    value = item.value if item.value and stands_in(item.value, line.text) and not _is_whole(item.value, line) else ""
    when = item.when if _share(item.when, line.text) > 0 and not _is_whole(item.when, line) else ""
    attribute, one = _attribute(item, line)
    return Grounded(
        line=line,
        content=own_words(line) if in_own_words else item.content,
        type=type_of(line, item.type),
        subject=line.subject or (item.about if _is_named(item.about, line) else ""),
        attribute=attribute,
        value=(value or own_words(line)) if one else value if attribute else "",
        applies_to=tuple(dict.fromkeys(part for part in (when, attribute) if part))[:2],
    )


def _attribute(item: Item, line: Line) -> tuple[str, bool]:
    """Which property a statement is about, and whether code knows that it has one value at a time.

    A name of the model's counts only where the statement has it: two statements that a small model puts under one
    vague name (*preference*, *work*) would seem to contradict each other.
    """
    matter = matter_of(line.text) if line.subject == USER else ""
    if matter:
        return matter, True
    name = folded(item.attribute).replace("_", " ").strip(" .:：。'\"")
    stands = bool(re.search(r"[^\W\d]", name)) and _share(name, line.text) == 1 and not _SEVERAL.search(name)
    return name if stands and name != folded(item.value) else "", False


def _is_whole(part: str, line: Line) -> bool:
    """Whether a part repeats the statement instead of naming something in it."""
    return len(part) > 2 * len(line.text) / 3 and len(part) > 12


def _is_named(about: str, line: Line) -> bool:
    return bool(about) and folded(about) != USER and stands_in(about, line.text)
