"""In how many of an owner's passages each term stands: counted once, and from then on in what was added alone."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, String, bindparam, column, func, literal_column, select, table, text

from memory_secretary.memory.schema import passages

_OWNERS, _TERMS = 32, 512
"""Owners, and terms of each, whose counts are kept."""
_MOST_ADDED = 200
"""After more new passages than this, counting anew is as quick."""
_LAST = select(func.coalesce(func.max(passages.c.id), 0))
_ADDED: Select[Any] = (
    select(literal_column("lexical.text", String))
    .select_from(passages.join(table("lexical", column("rowid")), text("lexical.rowid = passages.id")))
    .where(passages.c.owner == bindparam("of"), passages.c.id > bindparam("last"))
)
_COUNTING = "SELECT ?, count(*) FROM (SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT ?)"


def owner_key(owner: str) -> str:
    """How an owner is called in the index."""
    return hashlib.sha256(owner.encode()).hexdigest()[:16]


def matching(owner: str, terms: Collection[str]) -> str:
    """The index's expression for the owner's passages that hold any of ``terms``."""
    any_of = " OR ".join(f'"{term}"' for term in terms)  # tokens hold letters and digits only
    return f'owner : "{owner_key(owner)}" AND text : ({any_of})'


class _Counted(NamedTuple):
    """Of one owner: the last passage, how many there were, and in how many of them each term stands."""

    last: int
    size: int
    terms: Mapping[str, int]


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
        new = _counted(connection, owner, [term for term in terms if term not in kept], cap)
        found = {term: min(cap + 1, kept[term]) if term in kept else new[term] for term in terms}
        others = {term: count for term, count in kept.items() if term not in found}
        exact = {term: count for term, count in (kept | new).items() if term in found and 0 < count <= cap}
        with self._lock:
            self._owners[owner] = _Counted(last, size, dict(list((others | exact).items())[-_TERMS:]))
            self._owners.move_to_end(owner)
            while len(self._owners) > _OWNERS:
                self._owners.popitem(last=False)
        return found

    def _kept(self, connection: Connection, owner: str, last: int, size: int) -> dict[str, int]:
        """What was counted before with what was added since, if nothing was removed."""
        with self._lock:
            before = self._owners.get(owner)
        if before is None or last < before.last or not 0 <= size - before.size <= _MOST_ADDED:
            return {}
        added = connection.execute(_ADDED, {"of": owner, "last": before.last}).scalars().all()
        if before.size + len(added) != size:
            return {}
        terms = dict(before.terms)
        for stored in added:
            for term in terms.keys() & set(stored.split(" ")):
                terms[term] += 1
        return terms


def _counted(connection: Connection, owner: str, terms: Collection[str], cap: int) -> dict[str, int]:
    if not terms:
        return {}
    values = [value for term in terms for value in (term, matching(owner, [term]), cap + 1)]
    counted = connection.exec_driver_sql(" UNION ALL ".join([_COUNTING] * len(terms)), tuple(values))
    return {str(term): int(count) for term, count in counted}
