"""The same task through real clients: ChatOllama and ChatOpenAI speak to servers on the loopback."""

from __future__ import annotations

import asyncio

import pytest
import stand_in_openai as dialects
from invoices import ANSWER, CONFIG, GOAL, World, clerk, make_graph
from langchain_core.messages import AIMessage
from stand_in_ollama import Fault, StandInOllama
from stand_in_openai import StandInOpenAI

from memory_secretary.graph import Settings, build_graph
from memory_secretary.memory.errors import ModelError, ModelMissing, ModelRefused, ModelUnreachable, SettingsError
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models import probe
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.tools.workspace import workspace_tools

pytestmark = pytest.mark.integration

ASKED = {"messages": [("user", GOAL)]}
RULE = clerk().rule


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    """None of the caller's keys and addresses."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)


def replies(body):
    """What the clerk says to a request: by the brief alone, wherever the system text with its menu stands."""
    return RULE(body["messages"][-1]["content"].rpartition("in the user's language.\n")[2])


def assert_same_kind(out):
    assert isinstance(out["messages"][-1], AIMessage)
    assert (out["messages"][-1].text, out["status"], out["stop_reason"]) == (ANSWER, "done", "")
    assert out["figures"]["tool_calls"] == 7
    assert 0 < out["figures"]["largest_prompt"] < 2048


# --- Ollama --------------------------------------------------------------------------------------------------------


def test_chat_ollama_gives_the_same_kind_of_result_with_one_window(tmp_path, memory, monkeypatch):
    with StandInOllama(replies=replies) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        graph = make_graph(World(tmp_path), memory, "ollama:qwen2.5:7b")
        assert_same_kind(graph.invoke(ASKED, CONFIG))
        streamed = [
            chunk.text
            for chunk, _ in graph.stream(ASKED, {"configurable": {"thread_id": "t2"}}, stream_mode="messages")
        ]
    assert "".join(streamed) == ANSWER
    assert server.loads == [("qwen2.5:7b", 8192)], "both roles, the probe and both runs: loaded once"
    assert all(body["options"]["num_ctx"] == 8192 for body in server.chats())


async def test_chat_ollama_gives_it_in_every_way_of_calling(tmp_path, memory, monkeypatch):
    with StandInOllama(replies=replies) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        for number, way in enumerate(("ainvoke", "batch", "astream")):
            (tmp_path / way).mkdir()
            graph = make_graph(World(tmp_path / way), memory, "ollama:qwen2.5:7b")
            assert_same_kind(await called(graph, way, {"configurable": {"thread_id": f"w{number}"}}))


async def called(graph, way, config):
    """The state at the end of a run that was asked for in this way."""
    config = {**config, "recursion_limit": 500}
    if way == "ainvoke":
        return await graph.ainvoke(ASKED, config)
    if way == "batch":
        [out] = await asyncio.to_thread(graph.batch, [ASKED], [config])
        return out
    return [part async for part in graph.astream(ASKED, config, stream_mode="values")][-1]


def test_embeddings_on_the_same_ollama_leave_the_chat_model_loaded(tmp_path, monkeypatch):
    with StandInOllama(replies=replies) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        with TieredMemory.open(tmp_path / "memory", embedder="ollama:bge-m3") as memory:
            assert_same_kind(make_graph(World(tmp_path), memory, "ollama:qwen2.5:7b").invoke(ASKED, CONFIG))
            memory.reindex()
    assert "/api/embed" in {path for path, _ in server.requests}
    assert [load for load in server.loads if load[0] == "qwen2.5:7b"] == [("qwen2.5:7b", 8192)]


@pytest.mark.parametrize("embedder", ["executor", "ollama:qwen2.5:7b"])
def test_embedding_with_the_executor_itself_loads_it_once(tmp_path, monkeypatch, embedder):
    with StandInOllama(replies=replies) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        with TieredMemory.open(tmp_path / "memory", embedder=embedder) as memory:
            assert_same_kind(make_graph(World(tmp_path), memory, "ollama:qwen2.5:7b").invoke(ASKED, CONFIG))
            memory.reindex()
            assert (memory.embedder, memory.notices) == ("ollama:qwen2.5:7b", [])
    assert "/api/embed" in {path for path, _ in server.requests}
    assert server.loads == [("qwen2.5:7b", 8192)]


@pytest.mark.parametrize("obeys", [("json",), ()])
def test_chat_ollama_without_schemas_gives_it_too(tmp_path, memory, monkeypatch, obeys):
    with StandInOllama(replies=replies, obeys=obeys) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        assert_same_kind(make_graph(World(tmp_path), memory, "ollama:qwen2.5:7b").invoke(ASKED, CONFIG))


def test_a_server_that_fails_in_mid_run_is_named_and_the_thread_can_go_on(tmp_path, memory, monkeypatch):
    asked = iter(range(1000))

    def breaks(body):
        return Fault(500, "out of memory") if next(asked) == 6 else replies(body)

    with StandInOllama(replies=breaks) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        graph = make_graph(World(tmp_path), memory, "ollama:qwen2.5:7b")
        with pytest.raises(ModelError, match="out of memory"):
            graph.invoke(ASKED, CONFIG)
        out = graph.invoke({"messages": []}, CONFIG)
    assert (out["status"], out["messages"][-1].text) == ("done", ANSWER)
    assert World(tmp_path).runs("read_invoice") == ["INV-1", "INV-2", "INV-3"]


# --- OpenAI's protocol, as each server speaks it ---------------------------------------------------------------------

PROBES = [
    (dialects.LLAMA_CPP, 1),
    (dialects.VLLM, 1),
    (dialects.VLLM_GEMMA, 2),
    (dialects.VLLM_REASONING, 2),
    (dialects.LM_STUDIO, 1),
    (dialects.LM_STUDIO_OLD, 3),
    (dialects.DASHSCOPE, 3),
    (dialects.DEEPSEEK, 2),
    (dialects.DEEPSEEK_OLD, 2),
    (dialects.SILICONFLOW, 3),
    (dialects.QUIET, 2),
    (dialects.OPENAI_REASONING, 3),
    (dialects.OLLAMA_V1, 1),
]
"""Questions it takes to find out what each server takes."""


@pytest.mark.parametrize(("speech", "probes"), PROBES, ids=[speech.name for speech, _ in PROBES])
def test_a_run_ends_with_an_answer_on_each_server_and_only_the_probe_is_ever_refused(
    tmp_path, memory, monkeypatch, speech, probes
):
    with StandInOpenAI(speech, replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        out = make_graph(World(tmp_path), memory, "openai:some-model").invoke(ASKED, CONFIG)
        assert_same_kind(out)
        chats = server.chats()
        asked = [body for body in chats if dialects.PROBE_QUESTION in body["messages"][-1]["content"]]
        assert asked == chats[:probes], "found out once, at the start"
        assert all(body in asked for body in server.refused)
        steps = len(chats) - probes - out["figures"]["secretary_calls"]
        assert 0 < steps <= out["figures"]["steps"], "a request for each call, none again"
        assert not any("tools" in body for body in chats), "some servers refuse native tools; none is needed"


@pytest.mark.parametrize("speech", [dialects.DASHSCOPE, dialects.VLLM_GEMMA], ids=lambda speech: speech.name)
def test_a_second_process_asks_no_probe(tmp_path, memory, monkeypatch, speech):
    with StandInOpenAI(speech, replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        make_graph(World(tmp_path), memory, "openai:some-model").invoke(ASKED, CONFIG)
        before, refused = len(server.chats()), len(server.refused)
        monkeypatch.setattr(probe, "_found", {})
        make_graph(World(tmp_path), memory, "openai:some-model").invoke(ASKED, {"configurable": {"thread_id": "t2"}})
        assert dialects.PROBE_QUESTION not in server.chats()[before]["messages"][-1]["content"]
        assert len(server.refused) == refused


async def test_an_asynchronous_run_and_its_stream_are_the_same(tmp_path, memory, monkeypatch):
    with StandInOpenAI(dialects.DASHSCOPE, replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        graph = make_graph(World(tmp_path), memory, "openai:some-model")
        assert_same_kind(await graph.ainvoke(ASKED, CONFIG))
        config = {"configurable": {"thread_id": "t2"}}
        streamed = [chunk.text async for chunk, _ in graph.astream(ASKED, config, stream_mode="messages")]
    assert "".join(streamed) == ANSWER


# --- faults ----------------------------------------------------------------------------------------------------------

PAGE = "<!DOCTYPE html><html><body>Not here</body></html>"
OPENAI_FAULTS = [
    ("no such page", {"base": "/compatible"}, {}, ModelUnreachable, "/v1", "/v1", 1),
    ("a web page for an answer", {}, {"fails": (200, PAGE)}, ModelUnreachable, "/v1", "/v1", 1),
    ("an answer of another protocol", {}, {"fails": (200, {"hello": 1})}, ModelUnreachable, "protocol", "协议", 1),
    ("LM Studio without /v1", {"base": "", "speech": dialects.LM_STUDIO}, {}, ModelUnreachable, "/v1", "/v1", 1),
    ("no such model", {}, {"model": "another"}, ModelMissing, "GET /v1/models", "模型", 1),
    ("the wrong key", {}, {"key": "right"}, ModelRefused, "OPENAI_API_KEY", "密钥", 1),
    (
        "nothing left to spend", {},
        {"fails": (402, dialects.openai_error("Insufficient Balance"))}, ModelRefused, "top it up", "充值", 1,
    ),
    (
        "too many requests", {},
        {"fails": (429, dialects.openai_error("Rate limit reached"))}, ModelRefused, "wait", "稍等", 2,
    ),
    ("a server that fails", {}, {"fails": (500, dialects.openai_error("boom"))}, ModelError, "log", "日志", 2),
]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "how", "kind", "cure", "zh", "requests"), [case[1:] for case in OPENAI_FAULTS],
    ids=[case[0] for case in OPENAI_FAULTS],
)  # fmt: skip
def test_each_fault_of_a_server_ends_a_run_in_one_sentence_after_few_requests(
    tmp_path, memory, monkeypatch, where, how, kind, cure, zh, requests
):
    with StandInOpenAI(where.get("speech", dialects.VLLM), replies, **how) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.root}{where['base']}" if "base" in where else server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "wrong")
        with pytest.raises(kind) as caught:
            make_graph(World(tmp_path), memory, "openai:some-model").invoke(ASKED, CONFIG)
        assert len(server.requests) == requests, "the client tries again once where that may help, and nobody else"
    sentence = str(caught.value)
    assert (cure in sentence, zh in caught.value.sentence("zh")) == (True, True), (sentence, caught.value.zh)
    assert "\n" not in sentence


def test_a_server_that_is_down_is_named_with_its_cure(tmp_path, memory, monkeypatch):
    with StandInOpenAI(dialects.VLLM) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    with pytest.raises(ModelUnreachable, match="OPENAI_BASE_URL") as caught:
        make_graph(World(tmp_path), memory, "openai:some-model").invoke(ASKED, CONFIG)
    assert "连接不上" in caught.value.zh


def test_a_model_that_ollama_has_not_pulled_comes_with_the_command_that_pulls_it(tmp_path, memory, monkeypatch):
    with StandInOllama(models=("other",)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        with pytest.raises(ModelMissing, match=r"`ollama pull qwen2\.5:7b`") as caught:
            make_graph(World(tmp_path), memory, "ollama:qwen2.5:7b").invoke(ASKED, CONFIG)
    assert "`ollama pull qwen2.5:7b`" in caught.value.zh


def test_a_graph_without_key_and_address_is_refused_when_it_is_built(tmp_path, memory):
    with pytest.raises(SettingsError, match="OPENAI_API_KEY") as caught:
        make_graph(World(tmp_path), memory, "openai:some-model")
    assert "OPENAI_API_KEY" in caught.value.zh


# --- a real small model behind one of them ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    """The embedded 0.5B."""
    made = resolve_model("embedded:0.5b", window=1536)
    yield made
    made.close()


@pytest.mark.model
def test_a_real_model_behind_a_strict_template_ends_a_short_task(tmp_path, memory, small):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "tank.txt").write_text("The tank holds 120 litres of oil.", "utf-8")
    settings = Settings(user_id="ana", executor_window=1536, secretary_window=1536, max_steps=2)
    with StandInOpenAI(dialects.VLLM_GEMMA, backend=small.model.openai_api_base) as server:
        handle = resolve_model("openai:some-model", window=1536, base_url=server.url, timeout=600)
        graph = build_graph(handle, memory=memory, tools=workspace_tools(tmp_path / "files"), settings=settings)
        out = graph.invoke({"messages": [("user", "Read tank.txt. How much oil does it hold?")]}, CONFIG)
        chats = server.chats()
    assert isinstance(out["messages"][-1], AIMessage)
    assert out["messages"][-1].text.strip()
    assert out["status"] in ("done", "stopped")
    assert out["figures"]["largest_prompt"] <= 1536
    assert all(body in chats[:3] for body in server.refused), "only the probe is ever refused"
