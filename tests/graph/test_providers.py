"""The same task through real clients: ChatOllama and ChatOpenAI speak to servers on the loopback."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from invoices import ANSWER, CONFIG, GOAL, World, clerk, make_graph
from langchain_core.messages import AIMessage
from stand_in_ollama import Fault, StandInOllama

from memory_secretary.memory.errors import ModelError

ASKED = {"messages": [("user", GOAL)]}
RULE = clerk().rule


def replies(body):
    """What the clerk says to an Ollama request."""
    return RULE(body["messages"][-1]["content"])


class StandInOpenAI:
    """A server with OpenAI's chat completions, held to schemas as far as its probe can tell, that answers by a rule."""

    def __init__(self, rule):
        self.rule = rule
        self.bodies = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def text(self, body):
        colour = (
            body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {}).get("colour")
        )
        reply = {"colour": colour["const"]} if colour else self.rule(body["messages"][-1]["content"])
        return reply if isinstance(reply, str) else json.dumps(reply)

    def _handler(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format, *args):
                """Say nothing."""

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.bodies.append(body)
                payload = json.dumps(
                    {
                        "id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
                        "choices": [{"index": 0, "finish_reason": "stop",
                                     "message": {"role": "assistant", "content": server.text(body)}}],
                        "usage": {"prompt_tokens": 1200, "completion_tokens": 10, "total_tokens": 1210},
                    }
                ).encode()  # fmt: skip
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

        return Handler


def assert_same_kind(out):
    assert isinstance(out["messages"][-1], AIMessage)
    assert (out["messages"][-1].text, out["status"], out["stop_reason"]) == (ANSWER, "done", "")
    assert out["figures"]["tool_calls"] == 7
    assert 0 < out["figures"]["largest_prompt"] < 2048


@pytest.mark.integration
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
    assert len({window for _, window in server.loads}) == 1
    assert all(body["options"]["num_ctx"] == 8192 for body in server.chats())


@pytest.mark.integration
@pytest.mark.parametrize("obeys", [("json",), ()])
def test_chat_ollama_without_schemas_gives_it_too(tmp_path, memory, monkeypatch, obeys):
    with StandInOllama(replies=replies, obeys=obeys) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        assert_same_kind(make_graph(World(tmp_path), memory, "ollama:qwen2.5:7b").invoke(ASKED, CONFIG))


@pytest.mark.integration
async def test_chat_openai_gives_the_same_kind_of_result(tmp_path, memory, monkeypatch):
    with StandInOpenAI(RULE) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        out = await make_graph(World(tmp_path), memory, "openai:some-model").ainvoke(ASKED, CONFIG)
    assert_same_kind(out)
    assert out["figures"]["largest_prompt"] == 1200
    assert {body["model"] for body in server.bodies} == {"some-model"}


@pytest.mark.integration
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
