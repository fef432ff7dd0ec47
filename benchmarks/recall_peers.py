"""Other ways to search the same passages, each used as its own documentation says; these packages nothing else needs.

- ``bm25``: bm25s with its defaults, over stemmed English words without stop words as its README has them. It says
  nothing about Chinese, which is cut into words by jieba's mode for search engines. Passages that share no word with
  the question do not count as found. Needs ``pip install bm25s PyStemmer jieba``.
- ``langgraph-store``: LangGraph's InMemoryStore with the same embedder, one item a passage.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from langchain_core.embeddings import Embeddings

from memory_secretary.nodes.language import language_of

Search = Callable[[str, int], list[int]]
"""The places of at most so many passages for a question, best first."""


def bm25(passages: Sequence[str], _: Embeddings) -> Search:
    """Words alone."""
    import bm25s

    words = chinese_words if language_of("\n".join(passages)) == "zh" else english_words()
    retriever = bm25s.BM25()
    retriever.index(words(passages), show_progress=False)

    def search(question: str, k: int) -> list[int]:
        found = retriever.retrieve(words([question]), k=min(k, len(passages)), show_progress=False)
        places, scores = found.documents[0], found.scores[0]
        return [int(place) for place, score in zip(places, scores, strict=True) if score > 0]

    return search


def english_words() -> Callable[[Sequence[str]], list[list[str]]]:
    """Each text as its words, as the README of bm25s makes them."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    return lambda texts: bm25s.tokenize(
        list(texts), stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
    )


def chinese_words(texts: Sequence[str]) -> list[list[str]]:
    """Each text as jieba's words for search engines, without punctuation."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    return [[word for word in jieba.lcut_for_search(text) if any(map(str.isalnum, word))] for text in texts]


def langgraph_store(passages: Sequence[str], embedder: Embeddings) -> Search:
    """Vectors alone, in LangGraph's own store."""
    from langgraph.store.memory import InMemoryStore

    dimension = len(embedder.embed_documents([passages[0]])[0])
    store = InMemoryStore(index={"dims": dimension, "embed": embedder, "fields": ["text"]})
    for place, text in enumerate(passages):
        store.put(("passages",), str(place), {"text": text})

    def search(question: str, k: int) -> list[int]:
        return [int(item.key) for item in store.search(("passages",), query=question, limit=k)]

    return search


PEERS: Mapping[str, Callable[[Sequence[str], Embeddings], Search]] = {"bm25": bm25, "langgraph-store": langgraph_store}
