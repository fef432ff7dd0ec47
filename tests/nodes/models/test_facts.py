from dataclasses import replace

import pytest
import stand_in_openai as dialects
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from stand_in_ollama import StandInOllama
from stand_in_openai import StandInOpenAI

from memory_secretary.memory.errors import ContextTruncated, ModelMissing, ModelRefused, ModelUnreachable
from memory_secretary.nodes.models.facts import Kind, LoadedModel, read_long_prompt, server_facts
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.models.structured import Structured


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def ollama(server, name="qwen2.5:7b", window=4096):
    return resolve_model(f"ollama:{name}", window=window, base_url=server.url)


def openai(server, window=4096, url=None):
    return resolve_model("openai:some-model", window=window, base_url=url or server.url)


def test_a_chat_model_of_the_users_own_has_no_server_to_ask():
    handle = resolve_model(FakeMessagesListChatModel(responses=[AIMessage("hi")]), window=2048)
    facts = server_facts(handle)
    assert (facts.kind, facts.reachable, facts.window_asked) == (Kind.LIBRARY, True, 2048)
    assert (facts.structured, facts.installed, facts.window, facts.problem) == (Structured.TEXT, None, None, None)


# --- Ollama --------------------------------------------------------------------------------------------------------


@pytest.mark.integration
def test_ollama_tells_its_models_the_window_in_force_and_what_lies_on_the_card():
    with StandInOllama(vram=2_341_543_666) as server:
        facts = server_facts(ollama(server))
    assert (facts.kind, facts.reachable, facts.present, facts.problem) == (Kind.OLLAMA, True, True, None)
    assert facts.installed == ("qwen2.5:7b", "bge-m3:latest")
    assert (facts.window_asked, facts.window, facts.window_trained) == (4096, 4096, 32_768)
    assert facts.structured is Structured.SCHEMA
    (loaded,) = facts.loaded
    assert (loaded.name, loaded.size, loaded.window) == ("qwen2.5:7b", 4_683_087_332, 4096)
    assert loaded.vram_share == pytest.approx(0.5)


@pytest.mark.integration
def test_without_a_probe_nothing_is_loaded_and_nothing_asked_of_the_model():
    with StandInOllama() as server:
        facts = server_facts(ollama(server), probe=False)
        assert (server.chats(), server.loads) == ([], [])
    assert (facts.structured, facts.window, facts.loaded, facts.problem) == (None, None, (), None)


@pytest.mark.integration
def test_a_window_that_the_server_caps_is_seen():
    with StandInOllama(largest_num_ctx=1024) as server:
        facts = server_facts(ollama(server))
    assert (facts.window_asked, facts.window) == (4096, 1024)


@pytest.mark.integration
def test_a_model_without_a_tag_is_the_latest():
    with StandInOllama() as server:
        assert server_facts(ollama(server, "bge-m3"), probe=False).present is True


@pytest.mark.integration
def test_a_missing_model_is_a_problem_with_the_command_and_is_not_probed():
    with StandInOllama(models=("other",)) as server:
        facts = server_facts(ollama(server))
        assert server.chats() == []
    assert (facts.reachable, facts.present, facts.installed) == (True, False, ("other",))
    assert isinstance(facts.problem, ModelMissing)
    assert "ollama pull qwen2.5:7b" in str(facts.problem)


@pytest.mark.integration
def test_a_server_that_is_down_is_a_problem_and_no_exception():
    with StandInOllama() as server:
        handle = ollama(server)
    facts = server_facts(handle)
    assert (facts.reachable, facts.present, facts.loaded) == (False, None, None)
    assert isinstance(facts.problem, ModelUnreachable)


@pytest.mark.integration
def test_another_server_at_ollamas_address_is_named():
    with StandInOpenAI(dialects.LLAMA_CPP) as server:
        facts = server_facts(resolve_model("ollama:some-model", window=512, base_url=server.root))
    assert isinstance(facts.problem, ModelUnreachable)
    assert "openai:some-model" in str(facts.problem)


# --- OpenAI's protocol -----------------------------------------------------------------------------------------------


@pytest.mark.integration
def test_llama_cpp_tells_its_window_and_its_slots():
    with StandInOpenAI(dialects.LLAMA_CPP) as server:
        facts = server_facts(openai(server, window=8192))
    assert (facts.kind, facts.window_asked, facts.window, facts.slots) == (Kind.LLAMA_CPP, 8192, 4096, 2)
    assert (facts.window_trained, facts.structured, facts.problem) == (32_768, Structured.SCHEMA, None)
    assert facts.loaded == (LoadedModel("some-model", size=491_400_032, window=4096),)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("speech", "kind", "window", "structured"),
    [
        (dialects.VLLM, Kind.VLLM, 8192, Structured.SCHEMA),
        (dialects.LM_STUDIO, Kind.LM_STUDIO, 4096, Structured.SCHEMA),
        (dialects.DEEPSEEK, Kind.OPENAI, None, Structured.OBJECT),
        (dialects.SILICONFLOW, Kind.OPENAI, None, Structured.TEXT),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_other_servers_are_known_by_their_lists(speech, kind, window, structured):
    with StandInOpenAI(speech) as server:
        facts = server_facts(openai(server))
    assert (facts.kind, facts.window, facts.structured) == (kind, window, structured)
    assert (facts.present, facts.better, facts.problem) == (True, "", None)


@pytest.mark.integration
def test_ollama_behind_openais_protocol_is_found_out_and_the_better_name_given():
    with StandInOpenAI(dialects.OLLAMA_V1) as server:
        facts = server_facts(openai(server, window=16_384))
    assert (facts.kind, facts.better) == (Kind.OLLAMA, "ollama:some-model")
    assert (facts.window_asked, facts.window) == (16_384, 4096)
    assert facts.loaded[0].vram_share == pytest.approx(0.75)


@pytest.mark.integration
def test_a_refused_key_is_a_problem_of_a_server_that_is_there(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    with StandInOpenAI(dialects.VLLM, key="right") as server:
        facts = server_facts(openai(server))
    assert isinstance(facts.problem, ModelRefused)
    assert facts.reachable


@pytest.mark.integration
def test_the_key_is_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    with StandInOpenAI(dialects.VLLM, key="right") as server:
        assert server_facts(openai(server)).problem is None


@pytest.mark.integration
def test_an_address_without_v1_is_a_problem_with_its_cure():
    with StandInOpenAI(dialects.VLLM) as server:
        facts = server_facts(openai(server, url=server.root))
    assert isinstance(facts.problem, ModelUnreachable)
    assert "/v1" in str(facts.problem)


@pytest.mark.integration
def test_a_hosted_server_whose_list_lacks_the_model_is_believed_when_it_answers():
    quiet = replace(dialects.DEEPSEEK, models=lambda model: [{"id": "another", "owned_by": "deepseek"}])
    with StandInOpenAI(quiet) as server:
        facts = server_facts(openai(server))
    assert (facts.present, facts.problem, facts.structured) == (False, None, Structured.OBJECT)


# --- a long prompt ---------------------------------------------------------------------------------------------------


@pytest.mark.integration
def test_a_long_prompt_shows_the_window_really_in_force():
    with StandInOllama(["yes", "yes"]) as server:
        assert read_long_prompt(ollama(server, window=2048)) > 0.8 * 2048
    with (
        StandInOllama(["yes", "yes"], largest_num_ctx=512) as server,
        pytest.raises(ContextTruncated, match="2048"),
    ):
        read_long_prompt(ollama(server, window=2048))
