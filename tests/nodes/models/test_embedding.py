from __future__ import annotations

import pytest
import stand_in_openai as dialects
from policy import PolicyModel
from stand_in_ollama import StandInOllama
from stand_in_openai import StandInOpenAI

from memory_secretary.memory.errors import EmbedderMismatch, SettingsError
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.embedding import embedder_of, lend_embedder
from memory_secretary.nodes.models.resolve import resolve_model

ANA = Scope(user="ana")


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)


def ollama(server, name="qwen2.5:7b"):
    return resolve_model(f"ollama:{name}", window=4096, base_url=server.url)


def openai(server):
    return resolve_model("openai:some-model", window=4096, base_url=server.url)


def test_a_model_without_a_server_of_its_own_cannot_embed():
    handle = resolve_model(PolicyModel(rule=lambda prompt: ""), window=2048)
    with pytest.raises(SettingsError, match="embedder='embedded'") as raised:
        embedder_of(handle)
    assert "不能做嵌入" in raised.value.sentence("zh")


def test_a_memory_with_an_embedder_of_its_own_keeps_it():
    handle = resolve_model(PolicyModel(rule=lambda prompt: ""), window=2048)
    with TieredMemory.open(":memory:", embedder=None) as memory:
        lend_embedder(handle, memory)
        assert memory.embedder == ""


@pytest.mark.integration
def test_the_executors_ollama_embeds_in_the_executors_window():
    with StandInOllama() as server, TieredMemory.open(":memory:", embedder="executor") as memory:
        card = memory.remember(ANA, "my dog is called Doudou")
        assert memory.embedder == "executor"
        assert memory.recall(ANA, "dog", mode="lexical")[0].ref == card.memory_id
        lend_embedder(ollama(server), memory)
        assert memory.embedder == "ollama:qwen2.5:7b"
        assert memory.recall(ANA, "my dog is called Doudou", mode="semantic")[0].ref == card.memory_id
        assert server.loads == [("qwen2.5:7b", 4096)]


@pytest.mark.integration
def test_the_executors_openai_server_embeds_with_the_executors_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-right")
    with (
        StandInOpenAI(dialects.LLAMA_CPP, key="sk-right", embeds=True) as server,
        TieredMemory.open(":memory:", embedder="executor") as memory,
    ):
        handle = openai(server)
        monkeypatch.delenv("OPENAI_API_KEY")
        lend_embedder(handle, memory)
        card = memory.remember(ANA, "my dog is called Doudou")
        assert memory.recall(ANA, "my dog is called Doudou", mode="semantic")[0].ref == card.memory_id


@pytest.mark.integration
def test_a_server_that_cannot_embed_is_refused_with_the_cure():
    with (
        StandInOpenAI(dialects.LLAMA_CPP) as server,
        pytest.raises(SettingsError, match="some-model cannot embed: "),
    ):
        embedder_of(openai(server))


@pytest.mark.integration
def test_an_index_of_another_embedder_is_not_mixed_with_the_executors(tmp_path):
    with StandInOllama() as server:
        with TieredMemory.open(tmp_path, embedder="executor") as memory:
            lend_embedder(ollama(server), memory)
            memory.remember(ANA, "my dog is called Doudou")
            memory.recall(ANA, "my dog is called Doudou", mode="semantic")
            memory.reindex()
        with TieredMemory.open(tmp_path, embedder="executor") as memory:
            server.models = (*server.models, "llama3.2:3b")
            with pytest.raises(EmbedderMismatch, match=r"qwen2\.5:7b"):
                lend_embedder(ollama(server, "llama3.2:3b"), memory)
