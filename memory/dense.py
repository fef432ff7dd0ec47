"""The dense leg: opens the vector index when first needed, keeps it up to date, steps aside when it cannot work."""

from __future__ import annotations

import logging
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING

from memory_secretary.memory.background import BackgroundWork
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.errors import (
    EmbedderError,
    EmbedderMismatch,
    IndexUnavailable,
    MemorySecretaryError,
    ModelError,
)
from memory_secretary.memory.index_entries import entries_by_shelf
from memory_secretary.memory.indexing import Work
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.program import is_commanded
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.situations import MOST, SHELF, fit, usual

if TYPE_CHECKING:
    from memory_secretary.memory.embedders import Embedder
    from memory_secretary.memory.index import VectorIndex

    OpenIndex = Callable[[Path | None, str | None, Embedder, bool], VectorIndex]

_log = logging.getLogger(__name__)

BATCH_RECORDS = 64
MOST_AT_ONCE = 2_000
QUICK = timedelta(seconds=1)
"""Records taken into the index at a time; what was taken in stays when the process stops between batches. Four times
as many as before after a batch that took less than ``QUICK``, up to so many records and passages: Chroma takes 2,000 at
once in a third of the time of 64 and 64, but an embedder may need minutes for them."""

BACKGROUND_PASSAGES = 64
"""A record of more lexical passages than this waits for reindex(): closing the memory waits for the record in hand."""

SMALL_BATCH = 4
SMALL_RECORD = 4
FOREGROUND_TIME = timedelta(seconds=0.5)
"""A recall takes in a few small records (of at most so many passages) at a time and begins no further ones after so
long; the rest follows in the background. On two cores multilingual-e5-small embeds about ten passages a second."""

REST = timedelta(minutes=1)
"""After a failure the index is left alone for so long, then tried again."""

_CACHED_QUERIES = 256
_CACHED_PASSAGES = 512
"""Some 12 kB each with 384 dimensions."""

UNRELATED = (
    "The committee postponed its vote until next spring.",
    "Boil the pasta for nine minutes and drain it well.",
    "The striker scored twice in the second half.",
    "Volcanic soils are rich in minerals.",
    "She tuned the violin before the concert.",
    "Replace the air filter every two years.",
    "国王在城堡里接见了使者。",
    "把面粉和黄油拌匀，放进烤箱。",
    "球队在加时赛中获胜。",
    "望远镜拍到了一颗彗星。",
)
"""Sentences about nothing a memory holds: a query is close to a passage only beyond its closeness to these."""


@dataclass(frozen=True, slots=True)
class DenseHit:
    """A passage that means something like the query.

    Attributes:
        ref: the record.
        start: offset of the passage, in characters.
        similarity: cosine, 0..1.
        closeness: how much of the way from unrelated (0) to the same (1) it lies; comparable between embedders.
    """

    ref: str
    start: int
    similarity: float
    closeness: float


class CachedVectors:
    """An embedder that remembers the vectors of the last queries, which survive writes, and of the last passages.

    The same page that is fetched again has the same passages, in whichever batch they are taken in.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.max_chars = embedder.max_chars
        self._embedder = embedder
        self._vectors: OrderedDict[str, list[float] | None] = OrderedDict()
        self._passages: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()
        self._unrelated: list[list[float]] | None = None

    @property
    def known_dimension(self) -> int | None:
        """Length of the vectors as far as it is known by now."""
        return self._embedder.known_dimension

    def dimension(self) -> int:
        """Length of the vectors."""
        return self._embedder.dimension()

    def embed_documents(self, texts: Sequence[str]) -> list[list[float] | None]:
        """Vectors of passages; None where none can be had, which is tried again the next time."""
        with self._lock:
            known = {text: self._passages[text] for text in texts if text in self._passages}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        made = dict(zip(new, self._embedder.embed_documents(new), strict=True)) if new else {}
        with self._lock:
            for text, vector in {**known, **made}.items():
                if vector is not None:
                    self._passages[text] = vector
                    self._passages.move_to_end(text)
            while len(self._passages) > _CACHED_PASSAGES:
                self._passages.popitem(last=False)
        return [known[text] if text in known else made[text] for text in texts]

    def embed_query(self, text: str) -> list[float] | None:
        """Vector of a query; None when none can be had."""
        with self._lock:
            if text in self._vectors:
                self._vectors.move_to_end(text)
                return self._vectors[text]
        vector = self._embedder.embed_query(text)
        with self._lock:
            self._vectors[text] = vector
            while len(self._vectors) > _CACHED_QUERIES:
                self._vectors.popitem(last=False)
        return vector

    def background(self, query: str) -> float:
        """The query's highest cosine to an unrelated sentence, 0..1; 0 when the query has no vector."""
        vector = self.embed_query(query)
        if vector is None:
            return 0.0
        with self._lock:
            if self._unrelated is None:
                made = self._embedder.embed_documents(UNRELATED)
                self._unrelated = [_unit(one) for one in made if one is not None]
        unit = _unit(vector)
        return max(0.0, *(math.fsum(map(mul, unit, other)) for other in self._unrelated))

    def to_usual(self, query: str) -> list[float]:
        """The query's cosines to the usual situations."""
        vectors = [vector for text in (query, *usual(query)) if (vector := self.embed_query(text)) is not None]
        asked, *others = map(_unit, vectors)
        return [math.fsum(map(mul, asked, other)) for other in others]


def without_vectors(error: MemorySecretaryError) -> IndexUnavailable:
    """What to tell a user whose memory is searched by words alone, because of ``error``."""
    return IndexUnavailable(
        f"memory is searched by words alone: {error.sentence('en')}", zh=f"记忆目前只按词语检索：{error.sentence('zh')}"
    )


class DenseLeg:
    """Vector search over an owner's records, kept in step with the ledger.

    Attributes:
        notices: why it stepped aside, each said once.
        taken: how many records this process has taken into the index.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        clock: Clock,
        embedder: Embedder | None,
        folder: Path | None = None,
        url: str | None = None,
        open_index: OpenIndex | None = None,
    ) -> None:
        """Remember what to open; nothing is loaded here.

        Args:
            ledger: the records, and what the index has yet to do.
            clock: gives the present moment.
            embedder: makes the vectors; None searches by words until :meth:`use`.
            folder: where a persistent index lies; None with no ``url`` keeps it in memory.
            url: of a Chroma server.
            open_index: opens the index; None for Chroma.
        """
        self.notices: list[MemorySecretaryError] = []
        self.taken = 0
        self._ledger = ledger
        self._indexing = ledger.indexing
        self._clock = clock
        self._folder = folder
        self._url = url
        self._open = open_index or _open
        self._lock = threading.RLock()
        self._embedder = None if embedder is None else CachedVectors(embedder)
        self._index: VectorIndex | None = None
        self._resting_until: datetime | None = None
        self._rebuild = False
        self._noted: tuple[str, int | None] | None = None
        self._filling = threading.Lock()
        self._behind: dict[str, bool] = {}
        self._background = BackgroundWork(self._piece, "memory-index")

    def use(self, embedder: Embedder | None) -> None:
        """Search with this embedder from now on."""
        self.close()
        with self._lock:
            self._embedder = None if embedder is None else CachedVectors(embedder)
            self._noted = None
            self._resting_until = None

    def search(
        self, owner: str, tiers: Collection[Tier], query: str, k: int, *, refs: Collection[str] | None = None
    ) -> list[DenseHit] | None:
        """The nearest passages, nearest first; None when there is no dense leg now.

        Raises:
            EmbedderMismatch: the index was made with another embedder.
        """
        index, embedder = self._ready(), self._embedder
        if index is None or embedder is None:
            return None
        try:
            self._catch_up_briefly(index, owner)
            hits = index.search(owner, tiers, query, k, refs=refs)
            background = embedder.background(query)
        except EmbedderError as error:
            _log.warning("this query is answered by its words alone: %s", error)
            return None
        except (IndexUnavailable, ModelError) as error:
            self._step_aside(error)
            return None
        return [DenseHit(hit.ref, hit.start, hit.similarity, _closeness(hit.similarity, background)) for hit in hits]

    def fitting(self, owner: str, query: str, least: float, *, refs: Collection[str] | None = None) -> dict[str, float]:
        """The cards of which a situation fits the query, and how well (0.5 to 1); none without a dense leg.

        Args:
            owner: whose cards.
            query: what is asked.
            least: as :func:`~memory_secretary.memory.situations.fit` takes it.
            refs: only these records; None for all.
        """
        index, embedder = self._ready(), self._embedder
        if index is None or embedder is None:
            return {}
        try:
            near = index.search(owner, [SHELF], query, MOST, refs=refs)
            to_usual = embedder.to_usual(query) if near else []
        except EmbedderError:
            return {}
        except (IndexUnavailable, ModelError) as error:
            self._step_aside(error)
            return {}
        fits = {hit.ref: fit(hit.similarity, to_usual, least) for hit in near}
        return {ref: value for ref, value in fits.items() if value}

    def warm_up(self) -> None:
        """Load in the background what the first search will need, where there is an index; returns at once."""
        if self._indexing.embedder() is not None:
            self._background.start()

    def catch_up(self, owner: str, *, largest: int) -> int:
        """Take into the index all that the ledger holds and it does not; returns the number of records.

        Args:
            owner: whose records.
            largest: leave out records of more passages than this.
        """
        index, taken, batch = self._ready(), 0, BATCH_RECORDS
        if index is None:
            return 0
        with self._filling:
            self._clear_removed(index, owner)
            started = self._clock()
            while new := self._take_in(index, owner, batch, largest):
                taken += new
                quick = self._clock() - started < QUICK
                batch = min(4 * batch, MOST_AT_ONCE) if quick else batch
                started = self._clock()
        return taken

    def _catch_up_briefly(self, index: VectorIndex, owner: str) -> None:
        """Take in what little time allows and leave the rest, found by its words until then, to the background."""
        if not self._indexing.is_behind(owner, BACKGROUND_PASSAGES):
            return
        started = self._clock()
        if self._filling.acquire(timeout=FOREGROUND_TIME.total_seconds()):
            try:
                self._clear_removed(index, owner)
                while self._take_in(index, owner, SMALL_BATCH, SMALL_RECORD):
                    if self._clock() - started > FOREGROUND_TIME:
                        break
            finally:
                self._filling.release()
        if self._indexing.work(owner, "add", limit=1, largest=BACKGROUND_PASSAGES):
            self._behind[owner] = True
            self._background.start()

    def _piece(self) -> bool:
        """One piece of background work: load what is needed, then take in one record of those who wait."""
        try:
            index, embedder = self._ready(), self._embedder
            if index is None or embedder is None:
                return False
            embedder.background(UNRELATED[0])
            owner = next(iter(self._behind), None)
            if owner is None:
                return False
            with self._filling:
                if not self._take_in(index, owner, 1, BACKGROUND_PASSAGES):
                    del self._behind[owner]
        except (IndexUnavailable, ModelError) as error:
            self._step_aside(error)
            return False
        except (EmbedderError, EmbedderMismatch) as error:
            _log.warning("indexing waits for the next search: %s", error)
            return False
        return True

    def clear_removed(self, owner: str) -> None:
        """Take what was removed from the ledger out of an index that is open; a closed one does it when opened."""
        if self._index is not None:
            with self._lock:
                self._clear_removed(self._index, owner)

    def start_over(self) -> None:
        """Empty the index, whatever embedder it was made with; the ledger can fill it again."""
        self.close()
        with self._lock:
            self._rebuild = True
            self._noted = None
            self._resting_until = None
            self._ready()

    def close(self) -> None:
        """Let go of the index, once the record in hand is taken in."""
        self._background.stop()
        self._drop()

    def _drop(self) -> None:
        with self._lock:
            if self._index is not None:
                self._index.close()
            self._index = None

    def _ready(self) -> VectorIndex | None:
        with self._lock:
            if self._index is not None or self._embedder is None or self._is_resting():
                return self._index
            try:
                self._index = self._open(self._folder, self._url, self._embedder, self._rebuild)
            except (IndexUnavailable, EmbedderError, ModelError) as error:
                self._step_aside(error)
                return None
            self._rebuild = False
            self._note_embedder()
            return self._index

    def _note_embedder(self) -> None:
        """Note whose vectors these are, and again when their length has become known."""
        embedder = self._embedder
        if embedder is None:
            return
        now = (embedder.name, embedder.known_dimension)
        if now != self._noted:
            self._indexing.remember_embedder(*now)
            self._noted = now

    def _is_resting(self) -> bool:
        return self._resting_until is not None and self._clock() < self._resting_until

    def _step_aside(self, error: MemorySecretaryError) -> None:
        """Go on without vectors for a while, and say so once."""
        notice = without_vectors(error)
        with self._lock:
            if str(notice) not in map(str, self.notices):
                if not is_commanded():  # which prints the notices itself, in its user's language
                    _log.warning(str(notice))
                self.notices.append(notice)
            self._resting_until = self._clock() + REST
            self._drop()

    def _clear_removed(self, index: VectorIndex, owner: str) -> None:
        while gone := self._indexing.work(owner, "remove", limit=BATCH_RECORDS, largest=0):
            index.remove(owner, [item.ref for item in gone])
            self._indexing.done(gone)

    def _take_in(self, index: VectorIndex, owner: str, limit: int, largest: int) -> int:
        """Take in up to ``limit`` records of at most ``largest`` passages; returns how many there were."""
        work = _few(self._indexing.work(owner, "add", limit=limit, largest=largest))
        if not work:
            return 0
        made = entries_by_shelf(self._ledger, owner, [item.ref for item in work], index.max_chars)
        # An earlier wording may have had more passages. Nothing else is sought: Chroma, once asked, adds what it was
        # given since it last wrote its graph a second time, at ten times the cost.
        index.remove(owner, [item.ref for item in work if item.work == "replace"])
        failed = {ref for shelf, entries in made.items() for ref in index.add(owner, shelf, entries)}
        self._note_embedder()
        self._indexing.done(work, without_vector=failed)
        self.taken += len(work)
        return len(work)


def _open(folder: Path | None, url: str | None, embedder: Embedder, rebuild: bool) -> VectorIndex:
    from memory_secretary.memory.index import VectorIndex

    return VectorIndex.open(path=folder, url=url, embedder=embedder, rebuild=rebuild)


def _few(work: list[Work]) -> list[Work]:
    """As many of them as have no more than ``MOST_AT_ONCE`` passages together, but one at least."""
    sizes = accumulate(item.size for item in work)
    return [item for item, size in zip(work, sizes, strict=True) if size <= MOST_AT_ONCE] or work[:1]


def _closeness(similarity: float, background: float) -> float:
    if background >= 1.0:
        return 0.0
    return max(0.0, min(1.0, (similarity - background) / (1.0 - background)))


def _unit(vector: Sequence[float]) -> list[float]:
    """The same direction with length 1; nothing has that of the vector 0."""
    length = math.hypot(*vector)
    return [part / length for part in vector] if length else [0.0] * len(vector)
