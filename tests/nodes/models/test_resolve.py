import pytest
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import ModelError, SettingsError
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.models.resolve import (
    Provider,
    Structured,
    check_model,
    resolve_model,
)


@pytest.fixture(autouse=True)
def no_servers_named(monkeypatch):
    for name in ("OLLAMA_HOST", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_ollama_gets_its_window_its_address_and_a_time_limit():
    handle = resolve_model("ollama:qwen2.5:7b", window=4096, timeout=7)
    model = handle.model
    assert isinstance(model, ChatOllama)
    assert (model.model, model.num_ctx, model.temperature) == ("qwen2.5:7b", 4096, 0.0)
    assert model.base_url == "http://127.0.0.1:11434"
    assert model.keep_alive == "30m"
    assert model.client_kwargs == {"timeout": 7}
    assert (handle.name, handle.window, handle.server) == ("qwen2.5:7b", 4096, "Ollama at http://127.0.0.1:11434")
    assert (handle.provider, handle.structured, handle.count) == (Provider.OLLAMA, None, estimate_tokens)


def test_ollama_is_where_its_variable_says(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "192.168.1.9:8000")
    assert "http://192.168.1.9:8000" in resolve_model("ollama:m", window=1).server
    assert "http://10.0.0.1:1" in resolve_model("ollama:m", window=1, base_url="http://10.0.0.1:1").server


def test_openai_honours_its_variables_and_needs_no_key_for_a_server_of_ones_own(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")
    handle = resolve_model("openai:qwen:7b", window=4096, timeout=7)
    model = handle.model
    assert isinstance(model, ChatOpenAI)
    assert (model.model_name, model.openai_api_base) == ("qwen:7b", "http://127.0.0.1:8080/v1")
    assert (model.request_timeout, model.stream_usage, model.max_retries) == (7, True, 1)
    assert handle.name == "qwen:7b"


def test_openai_without_key_and_address_is_refused_with_the_cure():
    with pytest.raises(SettingsError, match=r"OPENAI_API_KEY.*OPENAI_BASE_URL"):
        resolve_model("openai:gpt", window=4096)


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions", "/chat/completions/"])
def test_an_address_copied_with_its_route_or_a_stroke_is_the_same_address(monkeypatch, tail):
    monkeypatch.setenv("OPENAI_BASE_URL", f"https://example.org/v1{tail}")
    handle = resolve_model("openai:m", window=1)
    assert (handle.url, handle.model.openai_api_base) == ("https://example.org/v1", "https://example.org/v1")


def test_a_key_is_freed_of_blanks_around_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " sk-abc\n")
    assert resolve_model("openai:m", window=1).model.openai_api_key.get_secret_value() == "sk-abc"


@pytest.mark.parametrize("key", ["sk-“abc”", "sk-abc sk-def", "我的密钥", "sk-a\nb"])
def test_what_can_be_no_key_is_refused_in_both_languages(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(SettingsError, match="OPENAI_API_KEY") as caught:
        resolve_model("openai:m", window=1)
    assert "密钥" in caught.value.zh
    assert key not in str(caught.value) + caught.value.zh


@pytest.mark.parametrize("spec", ["", "qwen2.5:7b", "ollama", "ollama:", "openai:", "anthropic:x", "Embedded"])
def test_other_names_are_refused_with_the_choices(spec):
    with pytest.raises(SettingsError, match=r"ollama:NAME.*embedded"):
        resolve_model(spec, window=4096)


def test_a_model_of_the_users_own_is_taken_as_it_is():
    model = FakeMessagesListChatModel(responses=[AIMessage("hi")])
    handle = resolve_model(model, window=2048)
    assert handle.model is model
    assert (handle.window, handle.structured, handle.provider) == (2048, Structured.TEXT, Provider.OTHER)
    assert handle.for_role(1) is handle
    handle.close()


def test_an_ollama_client_without_a_window_gets_ours_and_one_with_a_window_keeps_it():
    bare = ChatOllama(model="m")
    assert resolve_model(bare, window=2048).model.num_ctx == 2048
    assert bare.num_ctx is None, "the user's own client is not changed"
    small, large = ChatOllama(model="m", num_ctx=1024), ChatOllama(model="m", num_ctx=9000)
    assert resolve_model(small, window=2048).window == 1024
    assert resolve_model(large, window=2048).window == 2048
    assert resolve_model(large, window=2048).model is large


def test_an_openai_client_of_the_users_own_is_known_as_one():
    model = ChatOpenAI(model="m", base_url="http://127.0.0.1:8080/v1", api_key="none")
    handle = resolve_model(model, window=2048)
    assert (handle.provider, handle.name) == (Provider.OPENAI, "m")
    assert "http://127.0.0.1:8080/v1" in handle.server


@pytest.mark.model
def test_an_embedded_model_is_served_once_for_both_roles_and_stopped_at_the_last_close():
    first, second = (resolve_model("embedded:0.5b", window=512) for _ in range(2))
    assert first.model.openai_api_base == second.model.openai_api_base
    assert (first.window, first.structured) == (512, Structured.SCHEMA)
    assert (first.for_role(0).slot, first.for_role(1).slot, first.for_role(2).slot) == (0, 1, 0)
    first.close()
    first.for_role(1).close()
    assert second.count("one two") == 2
    second.close()


@pytest.mark.parametrize("spec", ["embedded:9b", "embedded:/nope.gguf", "openai:some-model", "foo:bar"])
def test_a_model_that_cannot_be_there_is_refused_before_anything_is_asked(spec):
    with pytest.raises((SettingsError, ModelError)):
        check_model(spec)


@pytest.mark.parametrize("spec", ["embedded", "embedded:0.5b", "ollama:qwen2.5:7b", "openai:some-model"])
def test_a_model_that_may_be_there_passes_unasked(monkeypatch, spec):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    check_model(spec)


def test_a_host_that_is_none_is_refused_before_anything_begins(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "localhost:abc")
    with pytest.raises(SettingsError, match="OLLAMA_HOST='localhost:abc'"):
        check_model("ollama:m")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_window_that_embedded_weights_were_not_made_for_is_refused_before_anything_is_fetched(lang):
    with speaking(lang), pytest.raises(SettingsError, match=r"32768.*EXECUTOR_WINDOW") as caught:
        resolve_model("embedded:0.5b", window=2_000_000)
    assert ("训练" in str(caught.value)) == (lang == "zh")
