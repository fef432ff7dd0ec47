"""In how many of an owner's passages each term stands: counted once, and from then on in what was added alone."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from memory_secretary.memory.schema import passages

_OWNERS, _TERMS = 32, 512
"""Owners, and terms of each, whose counts are kept."""
_LAST = select(func.coalesce(func.max(passages.c.id), 0))
_ADDED = select(func.count()).where(passages.c.owner == bindparam("of"), passages.c.id > bindparam("last"))
_NONE = (0, 0)
_COUNTING = "SELECT ?, count(*) FROM (SELECT 1 FROM lexical WHERE lexical MATCH ? AND rowid > ? LIMIT ?)"


def owner_key(owner: str) -> str:
    """How an owner is called in the index."""
    return hashlib.sha256(owner.encode()).hexdigest()[:16]


def matching(owner: str, terms: Collection[str]) -> str:
    """The index's expression for the owner's passages that hold any of ``terms``."""
    any_of = " OR ".join(f'"{term}"' for term in terms)  # tokens hold letters and digits only
    return f'owner : "{owner_key(owner)}" AND text : ({any_of})'


class _Counted(NamedTuple):
    """Of one owner: the last passage, how many there were, and each term with its count and the last one counted."""

    last: int
    size: int
    terms: Mapping[str, tuple[int, int]]


class TermCounts:
    """Counts the passages of terms; a run asks for its goal's words at every step.

    When any passage was removed, all is counted anew. A removal escapes notice only if as many passages came under the
    same numbers; then a term may seem a little more or less rare than it is, but none is overlooked, since of a term
    that stands nowhere nothing is kept.
    """

    def __init__(self) -> None:
        self._owners: OrderedDict[str, _Counted] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, connection: Connection, owner: str, terms: Collection[str], *, size: int, cap: int) -> dict[str, int]:
        """In how many of the owner's passages each term stands, counted no further than just above ``cap``.

        Args:
            connection: an open transaction.
            owner: the isolation border.
            terms: what is looked for.
            size: how many passages the owner has in that transaction.
            cap: a term in more passages is frequent, however many they are.
        """
        last = int(connection.execute(_LAST).scalar_one())
        kept = self._kept(connection, owner, last, size)
        values: list[str | int] = []
        for term in terms:
            values += (term, matching(owner, [term]), kept.get(term, _NONE)[1], cap + 1)
        counted = connection.exec_driver_sql(" UNION ALL ".join([_COUNTING] * len(terms)), tuple(values))
        found = {str(term): min(cap + 1, kept.get(term, _NONE)[0] + int(more)) for term, more in counted}
        exact = {term: (count, last) for term, count in found.items() if 0 < count <= cap}
        others = {term: count for term, count in kept.items() if term not in found}
        newest = list((others | exact).items())[-_TERMS:]
        with self._lock:
            self._owners[owner] = _Counted(last, size, dict(newest))
            self._owners.move_to_end(owner)
            while len(self._owners) > _OWNERS:
                self._owners.popitem(last=False)
        return found

    def _kept(self, connection: Connection, owner: str, last: int, size: int) -> Mapping[str, tuple[int, int]]:
        """What is known of the owner's terms, if nothing was removed since."""
        with self._lock:
            before = self._owners.get(owner)
        if before is None or last < before.last:
            return {}
        added = connection.execute(_ADDED, {"of": owner, "last": before.last}).scalar_one()
        return before.terms if before.size + added == size else {}
