"""The lexical leg: tokens made in Python, a full-text index behind one small interface, BM25 over one owner's passages.

The index only finds candidates; the score is computed here, from the owner's own collection, so that a small
memory is ranked as well as a large one and no other owner's texts have a say.
"""

from __future__ import annotations

import json
import math
import re
import threading
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol

import snowballstemmer
from sqlalchemy import (
    Connection,
    Select,
    bindparam,
    column,
    delete,
    func,
    literal_column,
    select,
    table,
    text,
)

from memory_secretary.memory.day_words import day_tokens
from memory_secretary.memory.filters import SHAPES_KEPT, Bounds, Shape, listed, passage_inside
from memory_secretary.memory.passages import Passage
from memory_secretary.memory.schema import lexical_stats, passages
from memory_secretary.memory.term_counts import TermCounts, matching, owner_key

_CJK = (
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"  # kana, ideographs, Hangul
    "\U00020000-\U0003134f"
)
_RUN = re.compile(rf"([{_CJK}]+)|((?![{_CJK}])[^\W_](?:(?![{_CJK}])[^\W_]|[\u0300-\u036f])*)")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_IDENTIFIER = re.compile(r"(?<![a-z0-9])[a-z0-9]++(?:[-_./:][a-z0-9]++)+")  # no start, no way back inside a word
_MAX_TOKEN = 64
_MAX_QUERY_TERMS = 48
_MAX_QUERY_CHARS = 2000
_TELLING_TERMS = 8
_SOME = 2
"""So many times the passages that are wanted are ranked before it is asked which of them lie inside."""
_UNIGRAM_WEIGHT = 0.3
"""A single character of a longer CJK query says less than the pairs it stands in."""

K1, B = 1.2, 0.75
"""BM25's usual constants (Robertson and Zaragoza 2009)."""

LEAST_PASSAGES = 100
"""A smaller collection says nothing about how rare a word is, so it is treated as if it had so many passages."""

FREQUENT_PASSAGES = 2000
FREQUENT_SHARE = 0.1
"""A term in more passages than either of these only costs time: rarer terms of the query decide."""

STOPWORDS = frozenset(
    "a about an and are as at be been but by can could did do does for from get had has have he her him "
    "his how i if in is it its me my of on or our she should so than that the their them then there they "
    "this to us was we were what when where which who why will with would you your 的 了 吗 呢 是 在 我 你 他 她 它 "
    "们 和 与 也 都 就 这 那 有 吧 啊 は が の を に で と も へ か".split()
)
"""Words of a query that say nothing about its subject; they are never looked up unless nothing else is left."""

_stemmer = snowballstemmer.stemmer("english")
_stemming = threading.Lock()


@lru_cache(maxsize=16_384)
def _word(word: str) -> str:
    if len(word) > _MAX_TOKEN or not (word.isascii() and word.isalpha()):
        return word[:_MAX_TOKEN]
    with _stemming:  # the stemmer keeps its word in itself
        return str(_stemmer.stemWord(word))


def _folded(content: str) -> str:
    return unicodedata.normalize("NFKC", content).casefold()


def tokens(content: str) -> list[str]:
    """The lexical tokens of a text, repeated as often as they stand in it.

    NFKC and case folding, then: English words by their stem, other words as they are, every character and every
    pair of neighbours of Chinese, Japanese and Korean runs, and identifiers such as ``INV-2026-07`` and days such as
    ``8 May`` also as a whole.
    """
    return list(_of_passage(content)) if len(content) <= _PASSAGE else _tokens(content)


_PASSAGE = 600
"""Characters; the nodes of a run ask for the tokens of the same few goals, names and passages again and again."""


@lru_cache(maxsize=512)
def _of_passage(content: str) -> tuple[str, ...]:
    return tuple(_tokens(content))


def _tokens(content: str) -> list[str]:
    folded = _folded(content)
    if folded.isascii():  # the quick way to the same tokens, for tool outputs of megabytes
        return [*map(_word, _ASCII_WORD.findall(folded)), *_identifiers(folded), *day_tokens(folded, months=True)]
    return [token for token, _ in _weighted(folded, months=True)]


def _weighted(folded: str, *, months: bool) -> Iterator[tuple[str, float]]:
    for match in _RUN.finditer(folded):
        run, word = match.groups()
        if run is None:
            yield _word(word), 1.0
        elif len(run) == 1:
            yield run, 1.0
        else:
            yield from ((character, _UNIGRAM_WEIGHT) for character in run)
            yield from ((first + second, 1.0) for first, second in pairwise(run))
    for whole in (*_identifiers(folded), *day_tokens(folded, months=months)):
        yield whole, 1.0


def _identifiers(folded: str) -> Iterator[str]:
    for identifier in _IDENTIFIER.findall(folded):
        yield re.sub(r"[^a-z0-9]", "", identifier)[:_MAX_TOKEN]


@lru_cache(maxsize=1)
def _stop_tokens() -> frozenset[str]:
    return frozenset(token for word in STOPWORDS for token in tokens(word))


def query_terms(query: str) -> dict[str, float]:
    """The distinct terms of a query and their weights; stop words only when nothing else is left.

    At most 2,000 characters and 48 terms of a query are looked at.
    """
    weights: dict[str, float] = {}
    for token, weight in _weighted(_folded(query[:_MAX_QUERY_CHARS]), months=False):
        weights[token] = max(weight, weights.get(token, 0.0))
    telling = {token: weight for token, weight in weights.items() if token not in _stop_tokens()}
    return dict(list((telling or weights).items())[:_MAX_QUERY_TERMS])


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A passage that shares terms with the query.

    Attributes:
        ref: the record it belongs to.
        kind: ``event`` or ``card``.
        start: offset in the record, in characters.
        length: of the passage, in characters.
        score: BM25, 0 or more.
        coverage: share of the query's weight (of its eight most telling terms, if it has more) that the passage
            holds, 0..1; comparable between queries.
    """

    ref: str
    kind: str
    start: int
    length: int
    score: float
    coverage: float


class LexicalIndex(Protocol):
    """Full-text search inside a ledger transaction; one implementation per database."""

    def add(self, connection: Connection, owner: str, prepared: Sequence[tuple[Passage, list[str]]]) -> None:
        """Take in passages with their tokens."""

    def remove(self, connection: Connection, owner: str, refs: Collection[str]) -> None:
        """Drop every passage of these records."""

    def search(self, connection: Connection, query: str, limit: int, bounds: Bounds) -> list[LexicalHit]:
        """The best passages inside ``bounds``."""


_lexical = table("lexical", column("rowid"), column("owner"), column("text"))
_SIZE = select(lexical_stats.c.passages, lexical_stats.c.tokens).where(lexical_stats.c.owner == bindparam("of"))
_ADD_PASSAGE, _ADD_TEXT = passages.insert(), _lexical.insert()
_LAST_PASSAGE = select(func.coalesce(func.max(passages.c.id), 0))


class Fts5Index:
    """SQLite's FTS5, holding our tokens; a column with the owner's key keeps every search inside one owner."""

    def __init__(self) -> None:
        self._counts = TermCounts()

    def add(self, connection: Connection, owner: str, prepared: Sequence[tuple[Passage, list[str]]]) -> None:
        """Take in passages with their tokens."""
        # The transaction is exclusive, so the next numbers are ours.
        first = 1 + connection.execute(_LAST_PASSAGE).scalar_one()
        numbered = list(enumerate(prepared, start=first))
        rows = [
            {
                "id": number, "owner": owner, "ref": passage.ref, "kind": passage.kind, "start": passage.start,
                "length": passage.length, "tokens": len(words),
            }
            for number, (passage, words) in numbered
        ]  # fmt: skip
        key = owner_key(owner)
        connection.execute(_ADD_PASSAGE, rows)
        connection.execute(
            _ADD_TEXT,
            [{"rowid": number, "owner": key, "text": " ".join(words)} for number, (_, words) in numbered],
        )
        _count(connection, owner, len(prepared), sum(len(words) for _, words in prepared))

    def remove(self, connection: Connection, owner: str, refs: Collection[str]) -> None:
        """Drop every passage of these records."""
        doomed = (passages.c.owner == owner) & passages.c.ref.in_(refs)
        size = connection.execute(
            select(func.count(), func.coalesce(func.sum(passages.c.tokens), 0)).where(doomed)
        ).one()
        connection.execute(delete(_lexical).where(_lexical.c.rowid.in_(select(passages.c.id).where(doomed))))
        connection.execute(delete(passages).where(doomed))
        _count(connection, owner, -size[0], -size[1])

    def search(self, connection: Connection, query: str, limit: int, bounds: Bounds) -> list[LexicalHit]:
        """The best passages inside ``bounds``."""
        weights = query_terms(query)
        size = connection.execute(_SIZE, {"of": bounds.owner}).one_or_none()
        if not weights or size is None or size[0] == 0:
            return []
        cap = int(max(FREQUENT_PASSAGES, FREQUENT_SHARE * size[0]))
        found = self._counts.of(connection, bounds.owner, weights, size=size[0], cap=cap)
        collection = _Collection(passages=size[0], mean_tokens=size[1] / size[0], found=found, weights=weights)
        telling = {term: found[term] for term in _telling(found, cap)}
        hits = [collection.hit(*found) for found in _candidates(connection, telling, limit, bounds)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.ref, hit.start))


class _Collection:
    """What BM25 knows about an owner's passages and the query."""

    def __init__(self, passages: int, mean_tokens: float, found: dict[str, int], weights: dict[str, float]) -> None:
        self._mean_tokens = mean_tokens
        self._gains = {term: weight * _rarity(found[term], passages) for term, weight in weights.items()}
        self._whole = sum(sorted(self._gains.values(), reverse=True)[:_TELLING_TERMS])

    def hit(self, ref: str, kind: str, start: int, length: int, stored: str) -> LexicalHit:
        """A candidate with its BM25 and its coverage."""
        words = stored.split(" ")
        counts = {term: words.count(term) for term in self._gains.keys() & set(words)}
        norm = K1 * (1 - B + B * len(words) / self._mean_tokens)
        score = sum(self._gains[term] * n * (K1 + 1) / (n + norm) for term, n in counts.items())
        covered = sum(self._gains[term] for term in counts)
        return LexicalHit(ref, kind, start, length, score, min(1.0, covered / self._whole))


def _rarity(found: int, passages: int) -> float:
    """Lucene's inverse document frequency, which is never negative."""
    size = max(passages, LEAST_PASSAGES)
    frequency = min(max(1, found), size)
    return math.log1p((size - frequency + 0.5) / (frequency + 0.5))


def _count(connection: Connection, owner: str, passages_more: int, tokens_more: int) -> None:
    more = {"of": owner, "more_passages": passages_more, "more_tokens": tokens_more}
    if connection.execute(_COUNT_MORE, more).rowcount == 0:
        row = {"owner": owner, "passages": passages_more, "tokens": tokens_more}
        connection.execute(lexical_stats.insert(), row)


_COUNT_MORE = (
    lexical_stats.update()
    .where(lexical_stats.c.owner == bindparam("of"))
    .values(
        passages=lexical_stats.c.passages + bindparam("more_passages"),
        tokens=lexical_stats.c.tokens + bindparam("more_tokens"),
    )
)


def _telling(found: dict[str, int], cap: int) -> list[str]:
    """The terms to look up: those that occur, without the very frequent ones, and at least the rarest."""
    known = [term for term, count in found.items() if count]
    return [term for term in known if found[term] <= cap] or sorted(known, key=found.__getitem__)[:1]


def _candidates(
    connection: Connection, terms: Mapping[str, int], limit: int, bounds: Bounds
) -> Sequence[Sequence[Any]]:
    """The best passages that hold any of ``terms``, given with the number of passages that hold each.

    Looking up whose a passage is takes longer than ranking it. So where most are inside, it is asked of the best ones
    only, and of all of them when that leaves too few of more. What the caller knows already is left out before.
    """
    if not terms:
        return []
    values = bounds.values | {"match": matching(bounds.owner, terms), "limit": limit, "some": _SOME * limit}
    if not bounds.is_narrow:
        best = connection.execute(_best(bounds.shape, among_all=False), values).scalars().all()
        rows = _inside(connection, best, bounds)[:limit]
        if len(rows) == limit or len(best) < _SOME * limit:
            return rows
    return _inside(connection, connection.execute(_best(bounds.shape, among_all=True), values).scalars().all(), bounds)


@lru_cache(maxsize=2 * SHAPES_KEPT)
def _best(shape: Shape, *, among_all: bool) -> Select[Any]:
    """The numbers of the best passages: of all that are not known already, or of those inside."""
    distance = func.bm25(literal_column("lexical"), 0.0, 1.0)  # the owner's column has no weight
    best = select(_lexical.c.rowid).where(text("lexical MATCH :match"))
    if among_all or shape.exclude:
        best = best.select_from(passages.join(_lexical, _lexical.c.rowid == passages.c.id))
    if shape.exclude:  # of a run that goes on, most of what its query finds
        best = best.where(passages.c.ref.not_in(listed("known_refs")))
    if among_all:
        best = best.where(passage_inside(shape))
    return best.order_by(distance, _lexical.c.rowid).limit(bindparam("limit" if among_all else "some"))


def _inside(connection: Connection, numbers: Sequence[int], bounds: Bounds) -> list[Sequence[Any]]:
    """Those of the passages that are inside, in the order given."""
    rows = connection.execute(_stored(bounds.shape), bounds.values | {"numbers": json.dumps(list(numbers))})
    found = {number: stored for number, *stored in rows}
    return [found[number] for number in numbers if number in found]


@lru_cache(maxsize=SHAPES_KEPT)
def _stored(shape: Shape) -> Select[Any]:
    columns = passages.c
    return (
        select(columns.id, columns.ref, columns.kind, columns.start, columns.length, _lexical.c.text)
        .select_from(passages.join(_lexical, _lexical.c.rowid == columns.id))
        .where(columns.id.in_(listed("numbers")), passage_inside(shape))
    )
