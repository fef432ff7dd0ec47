"""The others that recall is held beside, over a few passages; a package that is not installed is named."""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest
import recall
from langchain_core.embeddings import Embeddings
from recall_peers import PEERS

EN = ["The kiln was repaired.", "Jo is our childminder.", "Repairing the kilns costs 80 euros.", "Fine weather."]
ZH = ["窑炉昨天修好了。", "我们的保姆是小周。", "修窑炉要八百元。", "天气不错。"]


class Counting(Embeddings):
    """Which of three words a text has."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[0.1, *(float(word in text.lower()) for word in ("kiln", "childminder", "weather"))] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def test_the_store_ranks_by_the_embedder_and_gives_so_many() -> None:
    search = PEERS["langgraph-store"](EN, Counting())
    assert set(search("Which kiln?", 2)) == {0, 2}
    assert len(search("Which kiln?", 10)) == 4


@pytest.mark.parametrize(
    ("passages", "question", "found"),
    [(EN, "Who repairs the kiln?", {0, 2}), (ZH, "谁来修窑炉？", {0, 2}), (EN, "zqxv flibber", set())],
)
def test_words_find_what_shares_one(passages: list[str], question: str, found: set[int]) -> None:
    for package in ("bm25s", "Stemmer", "jieba"):
        pytest.importorskip(package)
    assert set(PEERS["bm25"](passages, Counting())(question, 10)) == found


def test_an_unknown_peer_and_a_missing_package_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentTypeError, match="'bm52' is none of bm25, langgraph-store"):
        recall.known_peers("bm52")
    monkeypatch.setattr(recall, "find_spec", lambda name: None)
    with pytest.raises(ArgumentTypeError, match="pip install bm25s PyStemmer jieba"):
        recall.known_peers("langgraph-store,bm25")
    assert recall.known_peers("langgraph-store") == ["langgraph-store"]
