"""The vector index: Chroma with our own vectors, one collection for each owner and shelf.

It can be remade from the ledger at any time, so it is never the only place of anything.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from memory_secretary.memory.chroma import client_of, forget, in_use, locked, release, wipe
from memory_secretary.memory.chunks import chunks
from memory_secretary.memory.clock import random_id
from memory_secretary.memory.embedders import Embedder, lightly_normalised
from memory_secretary.memory.errors import EmbedderError, EmbedderMismatch
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.server_errors import index_errors
from memory_secretary.memory.situations import SHELF
from memory_secretary.memory.tokens import clean

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection as ChromaCollection
    from filelock import BaseFileLock

logger = logging.getLogger(__name__)

SHELVES = (*(tier.value for tier in Tier), SHELF)
"""Each with a collection of its own for every owner."""

OVERLAP = 100
"""Characters that neighbouring chunks of one text share."""

_PREFIX = "ms"
_SEARCH_WIDTH = 400
"""With Chroma's default of 100 the search loses exact top hits; at 400 it finds 99.7 % of the true ten nearest in 8,000
random vectors."""

_BUILD_WIDTH = 200
"""With 400 a vector takes half as long again to add, and the ten nearest of 8,000 random vectors, of 6,000 about 500
topics and of 3,000 equally alike are found as well with 200 (all, all, and 99.9 %)."""

_NEIGHBOURS = 128
"""With Chroma's default of 16, records that are equally alike ("invoice 1 was paid", "invoice 2 was paid", …) lose
touch with each other: of 3,000 such, half could not be reached by any query. With 128 nearly all are; a vector then
takes about twice as long to add, and about 1 kB more on disk."""

_MOST_REFS = 5_000
"""SQLite takes about 32,000 parameters in one question."""

_PROBED = 100
"""Chunks that are sought by their own vectors at a time."""

_SAME = 1e-3
"""Cosine distance up to which two vectors are the same but for rounding."""

_CHUNKS_PER_REF = 2
"""Asked for at first for each wished record; doubled while the hits are too few different records."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A text to be found by its meaning.

    Attributes:
        ref: id of the event or card it belongs to; several entries may share it.
        start: offset of ``text`` in the record, in characters.
        text: what is embedded; longer than the embedder's limit, it is cut into chunks.
    """

    ref: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class IndexHit:
    """The best chunk of a record.

    Attributes:
        ref: id of the event or card.
        start: offset of the chunk in the record, in characters.
        similarity: ``1 - cosine distance``, clipped to 0..1; higher is nearer.
    """

    ref: str
    start: int
    similarity: float


class VectorIndex:
    """Search by meaning over the records of many owners; open it with :meth:`open`."""

    def __init__(
        self, client: ClientAPI, embedder: Embedder, *, where: str, prefix: str, lock: BaseFileLock | None
    ) -> None:
        """Use :meth:`open`, which locks the folder and checks the embedder."""
        self._client = client
        self._embedder = embedder
        self._where = where
        self._prefix = prefix
        self._lock = lock
        self._process = os.getpid()
        self._places: dict[str, ChromaCollection] = {}
        self._absent: set[str] = set()
        self.closed = False
        _OPENED.add(self)

    @classmethod
    def open(
        cls, *, path: Path | None, url: str | None, embedder: Embedder, rebuild: bool = False, generation: int = 0
    ) -> VectorIndex:
        """Open or create an index.

        Args:
            path: folder of a persistent index; one process at a time may have it open.
            url: address of a Chroma server (``http://127.0.0.1:8000``), which any number of processes may use; it wins
                over ``path``. With neither, the index lives in memory and ends with :meth:`close`.
            embedder: makes the vectors. Nothing is embedded here unless the index already holds vectors.
            rebuild: empty the index first, whatever embedder it was made with; heals a damaged folder too.
            generation: which of the indexes that lie beside one another there.

        Raises:
            IndexUnavailable: another process has the folder open, or Chroma is down or damaged.
            EmbedderMismatch: the index holds vectors of another embedder; nothing was changed.
        """
        lock = locked(path) if path is not None and url is None else None
        where = url or (str(path) if path is not None else "memory")
        prefix = _PREFIX if lock is not None or url is not None else f"{_PREFIX}-{random_id()}"
        try:
            if rebuild and lock is not None and path is not None:
                wipe(path)
            with index_errors(where):
                client = client_of(path, url)
        except BaseException:
            if lock is not None:
                forget(where)
                lock.release()
            raise
        index = cls(client, embedder, where=where, prefix=_numbered(prefix, generation), lock=lock)
        try:
            index._prepare(rebuild=rebuild)
        except BaseException:
            index.close()
            raise
        return index

    def add(self, owner: str, shelf: str, entries: Sequence[IndexEntry], *, normalise: bool = False) -> list[str]:
        """Take in texts; a chunk that is there already (same ``ref`` and offset) is replaced.

        Args:
            owner: the isolation border, ``Scope.owner``.
            shelf: the records' tier, or that of the situations, which are embedded as the queries are.
            entries: the texts; a record's earlier chunks at other offsets stay until :meth:`remove`.
            normalise: give a text without a usable vector another try in plain words.

        Returns:
            The refs that have a chunk without a usable vector, each once, in order; what could be embedded is stored.

        Raises:
            ModelError: the embedding server cannot be used at all; nothing more was stored.
            EmbedderMismatch: the collection's vectors have another length.
            IndexUnavailable: Chroma is down or damaged.
        """
        pieces = {_id(piece): piece for entry in entries for piece in self._pieces(entry)}
        texts = list(dict.fromkeys(piece.text for piece in pieces.values()))
        vectors = self._as_queries(texts) if shelf == SHELF else self._vectors(texts, normalise=normalise)
        found = [(key, piece, vectors[piece.text]) for key, piece in pieces.items()]
        stored = [(key, piece, vector) for key, piece, vector in found if vector is not None]
        if stored:
            self._store(owner, shelf, stored)
        kept = {piece.ref for _, piece, _ in found}
        without = [piece.ref for _, piece, vector in found if vector is None]
        without += [entry.ref for entry in entries if entry.ref not in kept]
        for ref in dict.fromkeys(without):
            logger.warning("record %s has a passage without a usable vector; it is found by its words only", ref)
        return list(dict.fromkeys(without))

    def search(
        self, owner: str, shelves: Collection[str], query: str, k: int, *, refs: Collection[str] | None = None
    ) -> list[IndexHit]:
        """The records nearest to a query.

        Args:
            owner: the isolation border.
            shelves: where to look.
            query: what is sought, in words.
            k: at most so many records.
            refs: only these records; None for all.

        Returns:
            The best chunk of each record, nearest first; fewer than ``k`` when there are no more records.

        Raises:
            EmbedderError: the query got no usable vector.
            ModelError: the embedding server cannot be used.
            EmbedderMismatch: the collection's vectors have another length.
            IndexUnavailable: Chroma is down or damaged.
        """
        places = [place for shelf in shelves if (place := self._existing(owner, shelf)) is not None]
        if k < 1 or not places or (refs is not None and not refs):
            return []
        vector = self._embedder.embed_query(query)
        if vector is None:
            msg = f"embedder {self._embedder.name} has no usable vector for this query; search by its words instead"
            raise EmbedderError(msg, zh=f"嵌入模型 {self._embedder.name} 对这个查询没有可用的向量；请改用词语检索")
        best: dict[str, IndexHit] = {}
        for place in places:
            for hit in self._nearest(place, vector, k, refs):
                if hit.ref not in best or hit.similarity > best[hit.ref].similarity:
                    best[hit.ref] = hit
        return sorted(best.values(), key=lambda hit: (-hit.similarity, hit.ref))[:k]

    @property
    def max_chars(self) -> int:
        """The longest text that the embedder takes in one piece, in characters."""
        return self._embedder.max_chars

    def beside(self, generation: int, embedder: Embedder) -> VectorIndex:
        """Another index in the same place, with another embedder; it ends when this one is closed."""
        prefix = _numbered(self._prefix.rstrip("0123456789"), generation)
        return VectorIndex(self._client, embedder, where=self._where, prefix=prefix, lock=self._lock)

    def refs(self, owner: str, shelf: str) -> set[str]:
        """The records of which a shelf holds a chunk."""
        place = self._existing(owner, shelf)
        if place is None:
            return set()
        with self._errors():
            return {_ref(key) for key in place.get(include=[])["ids"]}

    def unreachable(self, owner: str, shelf: str, most: int) -> set[str]:
        """The records of which a chunk is not among the hits of a search with its own vector.

        Args:
            owner: the isolation border.
            shelf: where to look.
            most: chunks that are tried, evenly spread; equal vectors hide each other, so as near a hit is as good.
        """
        place = self._existing(owner, shelf)
        if place is None:
            return set()
        lost: set[str] = set()
        with self._errors():
            ids = sorted(place.get(include=[])["ids"])
            for some in _batches(ids[:: max(1, -(-len(ids) // most))], _PROBED):
                lost |= _not_found(place, some)
        return lost

    def drop_others(self) -> None:
        """Delete the indexes that lie beside this one."""
        base = re.compile(re.escape(self._prefix.rstrip("0123456789")) + r"\d*\.")
        with self._errors():
            for place in self._client.list_collections():
                if base.match(place.name) and not place.name.startswith(f"{self._prefix}."):
                    self._client.delete_collection(place.name)

    def remove(self, owner: str, refs: Collection[str], *, shelves: Collection[str] = SHELVES) -> None:
        """Delete every chunk of these records on these shelves; unknown ones are no error."""
        for shelf in shelves if refs else ():
            place = self._existing(owner, shelf)
            for some in _batches(sorted(refs), _MOST_REFS):
                if place is not None:
                    with self._errors():
                        place.delete(where=_of_refs(some))

    def drop(self) -> None:
        """Delete all vectors of all owners; the next :meth:`add` begins anew."""
        self._places.clear()
        self._absent.clear()
        with self._errors():
            for place in self._collections():
                self._client.delete_collection(place.name)

    def close(self) -> None:
        """Release the folder; what lived in memory is gone. Closing twice is no error."""
        self.closed = True
        if self._process != os.getpid():
            return
        if self._in_memory:  # Chroma shares what is in memory
            self.drop()
        try:
            release(self._client)
        finally:
            if self._lock is not None:
                self._lock.release()

    @property
    def _in_memory(self) -> bool:
        return self._prefix.startswith(f"{_PREFIX}-")

    def _prepare(self, *, rebuild: bool) -> None:
        if rebuild:
            self.drop()
        with self._errors():
            places = self._collections()
        for place in places:
            self._check(place, self._embedder.dimension())

    def _check(self, place: ChromaCollection, dimension: int) -> None:
        made = place.metadata or {}
        if (made.get("embedder"), made.get("dimension")) == (self._embedder.name, dimension):
            return
        before = (made.get("embedder"), made.get("dimension"))
        raise EmbedderMismatch.between(before, (self._embedder.name, dimension), where=self._where)

    def _collections(self) -> list[ChromaCollection]:
        """Those of this index: a server may hold others."""
        return [place for place in self._client.list_collections() if place.name.startswith(f"{self._prefix}.")]

    def _existing(self, owner: str, shelf: str) -> ChromaCollection | None:
        """A shelf's collection where there is one; only on a server may another process have made it since."""
        from chromadb.errors import NotFoundError

        name = self._name(owner, shelf)
        with self._errors():
            if name not in self._places and name not in self._absent:
                try:
                    self._places[name] = self._client.get_collection(name, embedding_function=None)
                except NotFoundError:
                    if self._lock is not None or self._in_memory:
                        self._absent.add(name)
        return self._places.get(name)

    def _collection(self, owner: str, shelf: str, dimension: int) -> ChromaCollection:
        """Chroma ignores the wished metadata where the collection exists, so they are read back and compared."""
        with self._errors():
            place = self._client.get_or_create_collection(
                self._name(owner, shelf),
                embedding_function=None,
                configuration={"hnsw": graph_settings()},
                metadata={"embedder": self._embedder.name, "dimension": dimension, "tier": shelf},
            )
        self._check(place, dimension)
        self._places[place.name] = place
        self._absent.discard(place.name)
        return place

    def _name(self, owner: str, shelf: str) -> str:
        digest = hashlib.sha256(f"{owner}\0{shelf}".encode()).hexdigest()[:40]
        return f"{self._prefix}.{digest}"

    def _pieces(self, entry: IndexEntry) -> Iterator[IndexEntry]:
        limit = self._embedder.max_chars
        for chunk in chunks(clean(entry.text), limit, min(OVERLAP, limit // 4)):
            if chunk.text.strip():
                yield IndexEntry(entry.ref, entry.start + chunk.start, chunk.text)

    def _as_queries(self, texts: Sequence[str]) -> dict[str, list[float] | None]:
        return {text: self._embedder.embed_query(text) for text in texts}

    def _vectors(self, texts: Sequence[str], *, normalise: bool) -> dict[str, list[float] | None]:
        vectors = dict(zip(texts, self._embedder.embed_documents(texts), strict=True))
        if normalise:
            plain = {text: lightly_normalised(text) for text, vector in vectors.items() if vector is None}
            again = {text: words for text, words in plain.items() if words}
            vectors |= dict(zip(again, self._embedder.embed_documents(list(again.values())), strict=True))
        return vectors

    def _store(self, owner: str, shelf: str, stored: Sequence[tuple[str, IndexEntry, list[float]]]) -> None:
        place = self._collection(owner, shelf, len(stored[0][2]))
        with self._errors():
            for some in _batches(stored, self._client.get_max_batch_size()):
                place.upsert(
                    ids=[key for key, _, _ in some],
                    embeddings=[vector for _, _, vector in some],
                    metadatas=[{"ref": piece.ref} for _, piece, _ in some],
                )

    def _nearest(
        self, place: ChromaCollection, vector: list[float], k: int, refs: Collection[str] | None
    ) -> list[IndexHit]:
        self._check(place, len(vector))
        if refs is None:
            return self._best_chunks(place, vector, k, None)
        return [
            hit
            for some in _batches(sorted(refs), _MOST_REFS)
            for hit in self._best_chunks(place, vector, k, _of_refs(some))
        ]

    def _best_chunks(
        self, place: ChromaCollection, vector: list[float], k: int, where: dict[str, Any] | None
    ) -> list[IndexHit]:
        """Ask for more chunks until they belong to enough records, or there are no more.

        A chunk's id says all that is to be known of it; reading its metadata takes longer than the search.
        """
        wished = k * _CHUNKS_PER_REF
        while True:
            with self._errors():
                answer = place.query(
                    query_embeddings=list[Sequence[float] | Sequence[int]]([vector]),
                    n_results=wished,
                    where=where,
                    include=["distances"],
                )
            best = _hits(answer, k)
            if len(best) >= k or len(answer["ids"][0]) < wished:
                return best
            wished *= 2

    def _errors(self) -> Any:
        """Chroma's errors become ours; a fork must not use the parent's folder, which would ruin the index for good."""
        if os.getpid() != self._process:
            raise in_use(self._where)
        return index_errors(self._where)


def _numbered(prefix: str, generation: int) -> str:
    """In memory, where the prefix is random, there is one index only."""
    return f"{prefix}{generation}" if generation and prefix == _PREFIX else prefix


def _not_found(place: ChromaCollection, ids: Sequence[str]) -> set[str]:
    """Of these chunks the records that a search with the chunk's own vector does not bring."""
    held = place.get(ids=list(ids), include=["embeddings"])
    vectors = [list(map(float, vector)) for vector in held["embeddings"]]  # type: ignore[union-attr]
    answer = place.query(query_embeddings=vectors, n_results=1, include=["distances"])  # type: ignore[arg-type]
    nearest = [found[0] if found else 1.0 for found in answer["distances"] or ()]
    return {_ref(key) for key, distance in zip(held["ids"], nearest, strict=True) if distance > _SAME}


def _id(piece: IndexEntry) -> str:
    return f"{piece.ref}:{piece.start}"


def _ref(key: str) -> str:
    return key.rpartition(":")[0]


def _hits(answer: Mapping[str, Any], k: int) -> list[IndexHit]:
    """Of one query the best chunks of the nearest ``k`` records, nearest first."""
    best: dict[str, IndexHit] = {}
    for key, distance in zip(answer["ids"][0], answer["distances"][0], strict=True):
        ref, _, start = key.rpartition(":")
        if ref not in best:
            best[ref] = IndexHit(ref, int(start), min(1.0, max(0.0, 1.0 - distance)))
            if len(best) == k:
                break
    return list(best.values())


def _of_refs(refs: Sequence[str]) -> dict[str, Any]:
    return {"ref": {"$in": list(refs)}}


def _batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]


def _leave_to_the_parent() -> None:
    """In a fork: Chroma's threads stayed behind, so whatever closes or clears away its client would wait for ever."""
    for index in list(_OPENED):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(index))


_OPENED: WeakSet[VectorIndex] = WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)


def graph_settings() -> CreateHNSWConfiguration:
    """How Chroma is to build and search the graph of vectors."""
    return {
        "space": "cosine",
        "ef_search": _SEARCH_WIDTH,
        "ef_construction": _BUILD_WIDTH,
        "max_neighbors": _NEIGHBOURS,
    }
