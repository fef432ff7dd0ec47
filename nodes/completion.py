"""What a record's state implies in the words of a question: an *open* invoice is not paid, a *settled* one is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_secretary.memory.lexical import tokens
from memory_secretary.nodes.conditions import NOT, opposite

_PAID = frozenset(tokens("paid settled cleared")) | frozenset("付结缴")
_DONE = frozenset(tokens("done completed finished closed resolved")) | frozenset("完毕")
_WAITS = frozenset(tokens("open outstanding owing pending unsettled")) | frozenset("待欠")
_UNFINISHED = _WAITS | frozenset(tokens("overdue awaiting progress")) | frozenset("逾")
"""Marks, as :func:`~memory_secretary.nodes.conditions.marks` gives them, of what is paid, done, or neither."""
_PARTLY = frozenset(tokens("partly partially part half"))
_BESIDE = frozenset("款钱费清成")
"""Characters beside those of :data:`_PAID` and :data:`_DONE` that say nothing more (付款, 结清, 完成)."""


_PLAINER = (
    (re.compile("打款|转账|转款|汇款|到账|入账|支付|缴费|结账|付讫|付清"), "付款"),
    (re.compile(r"\b(?:still |yet )?to be (?:paid|settled)\b|\bnot (?:yet )?received\b", re.IGNORECASE), "not paid"),
    (re.compile(r"\bpayment (?:was |has been |is )?received\b|\breceived with thanks\b", re.IGNORECASE), "paid"),
    (re.compile(r"\bthank(?:s| you) for (?:your |the )?payment\b", re.IGNORECASE), "paid"),
)
"""What says in other words that something is paid or not."""


def in_plain_words(text: str) -> str:
    """A record's text with the common word for *paid* in place of others (打款, *payment received*)."""
    for others, word in _PLAINER:
        text = others.sub(word, text)
    return text


def asked_plainly(asked: frozenset[str]) -> frozenset[str]:
    """The marks of a question without those that say nothing more than a word for *paid* or *done* does."""
    return asked - _BESIDE if _bare(asked) & (_PAID | _DONE | _WAITS) else asked


def of_completion() -> frozenset[str]:
    """All marks that tell whether something is paid or done, and their denials."""
    words = _PAID | _DONE | _UNFINISHED | _PARTLY
    return words | {NOT + word for word in words}


def with_implied(own: frozenset[str], asked: frozenset[str]) -> frozenset[str]:
    """The marks of a record and those of the question's that they imply.

    Args:
        own: what the record says of itself.
        asked: the words of the question.
    """
    own = _without_parts(own)
    said = _bare(own)
    return own | {mark for mark in _implied(own, asked) if mark.removeprefix(NOT) not in said}


def _without_parts(own: frozenset[str]) -> frozenset[str]:
    """The marks without *paid* and *done* where that is only so in part: something is *outstanding*, or it says so."""
    return own - _PAID - _DONE if own & (_WAITS | _PARTLY) else own


def _implied(own: frozenset[str], asked: frozenset[str]) -> Iterator[str]:
    for kind in (_PAID, _DONE):
        finished = _finished(own, kind)
        if finished is not None:
            yield from (word if finished else opposite(word) for word in _bare(asked) & kind)
    finished = _finished(own, _PAID | _DONE)
    if finished:
        yield from (opposite(word) for word in asked & _UNFINISHED)
    if finished is False:
        yield from asked & _WAITS
        yield from (word for word in asked if word.startswith(NOT) and opposite(word) not in _UNFINISHED)


def _finished(own: frozenset[str], kind: frozenset[str]) -> bool | None:
    """Whether a record says that what ``kind`` means has happened; None where it does not tell."""
    if any(NOT + word in own for word in kind):
        return False
    return True if own & kind else False if own & _UNFINISHED else None


def _bare(marks: frozenset[str]) -> frozenset[str]:
    return frozenset(mark.removeprefix(NOT) for mark in marks)
