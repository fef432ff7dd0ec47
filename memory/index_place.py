"""Where the vector indexes of a memory lie: the one in use, and beside it the one that is to take its place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memory_secretary.memory.indexing import GENERATION_KEY, NEXT_KEY, Indexing
from memory_secretary.memory.reembedding import BATCH_BESIDE, Reembedding

if TYPE_CHECKING:
    from memory_secretary.memory.embedders import Embedder
    from memory_secretary.memory.index import VectorIndex


class IndexPlace:
    """Opens the index in use, and fills and opens its successor.

    Args:
        indexing: notes which index is in use.
        folder: where they lie; None with no ``url`` keeps them in memory.
        url: of a Chroma server.
    """

    def __init__(self, indexing: Indexing, folder: Path | None, url: str | None) -> None:
        self._indexing = indexing
        self._folder = folder
        self._url = url
        self._opened: VectorIndex | None = None

    def open(self, folder: Path | None, url: str | None, embedder: Embedder, rebuild: bool) -> VectorIndex:
        """The index in use.

        Raises:
            EmbedderMismatch: it was made with another embedder.
            IndexUnavailable: another process has it, or Chroma is down or damaged.
        """
        from memory_secretary.memory.index import VectorIndex

        generation = int(self._indexing.fact(GENERATION_KEY) or 0)
        index = VectorIndex.open(path=folder, url=url, embedder=embedder, rebuild=rebuild, generation=generation)
        self._opened = index
        if generation and self._indexing.fact(NEXT_KEY) is None:
            index.drop_others()
        return index

    @property
    def in_memory(self) -> bool:
        """Whether an index ends when it is closed, so that it cannot have a successor."""
        return self._folder is None and self._url is None

    @property
    def opened(self) -> VectorIndex | None:
        """The index in use, where this process has it open."""
        return None if self._opened is None or self._opened.closed else self._opened

    def fill_beside(self, job: Reembedding) -> int:
        """Take a few records into the successor of an index that is open; returns how many.

        Raises:
            IndexUnavailable: the index in use is not open here, or Chroma is down or damaged.
            ModelError: the embedding server cannot be used.
        """
        from memory_secretary.memory.chroma import not_open

        if self.opened is None:
            raise not_open(str(self._folder or self._url))
        return job.take_in(self.opened.beside(job.begin(), job.embedder), BATCH_BESIDE)

    def fill_alone(self, job: Reembedding) -> None:
        """Take everything into the successor of an index that nobody has open.

        Raises:
            IndexUnavailable: another process has it, or Chroma is down or damaged.
            ModelError: the embedding server cannot be used.
        """
        from memory_secretary.memory.index import VectorIndex

        generation = job.begin()
        index = VectorIndex.open(path=self._folder, url=self._url, embedder=job.embedder, generation=generation)
        try:
            while job.take_in(index):
                pass
        finally:
            index.close()
