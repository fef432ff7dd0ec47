"""A stand-in for an Ollama server: its documented protocol on the loopback, scripted or backed by a real model.

It does what a real one does to a careless client: it drops the front of a prompt that is too long and answers with
HTTP 200, loads the model again when ``num_ctx`` changes, answers 404 for a model that was not pulled.
"""

from __future__ import annotations

import json
import math
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.request import Request, urlopen

DEFAULT_NUM_CTX = 4096
MADE_AT = "2026-03-01T08:00:00Z"
PROBE_QUESTION = "Which colour has the sky at noon?"


@dataclass(frozen=True)
class Fault:
    """A way to fail: an HTTP error, an error line in mid stream, or a connection that just ends."""

    status: int = 200
    error: str = ""
    text_before: str = ""


@dataclass(frozen=True)
class Said:
    """A scripted reply with more than text."""

    text: str = ""
    tool_calls: tuple[dict[str, Any], ...] = ()
    thinking: str = ""


Answer = str | dict[str, Any] | Said | Fault
Script = Callable[[dict[str, Any]], Answer]


def tokens_of(text: str) -> list[str]:
    """The stand-in's tokens: one for each Chinese character, else up to four characters of a word."""
    return re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]{1,4}|[^\w\s]|\s+", text)


def count(text: str) -> int:
    return len(tokens_of(text))


@dataclass
class StandInOllama:
    """``with StandInOllama(replies=["hi"]) as server: ChatOllama(base_url=server.url, …)``.

    ``replies`` is a list that is used up, or a function of the request; ``backend`` is the ``…/v1`` address of an
    OpenAI-compatible server that answers instead. ``obeys`` says which formats hold the replies to them; others are
    accepted and ignored, unless ``refuses_format`` is set. ``refuses_with`` fails every chat. ``vram`` is how many
    bytes of each loaded model lie on the graphics card.
    """

    replies: Sequence[Answer] | Script = ()
    models: tuple[str, ...] = ("qwen2.5:7b", "bge-m3:latest")
    backend: str | None = None
    obeys: tuple[str, ...] = ("schema", "json")
    refuses_format: bool = False
    refuses_with: Fault | None = None
    largest_num_ctx: int = 32_768
    vram: int = 0
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    loads: list[tuple[str, int]] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._queue = list(self.replies) if isinstance(self.replies, Sequence) else []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests so far."""
        return [body for path, body in self.requests if path == "/api/chat"]

    def has(self, model: str) -> bool:
        return any(known in (model, f"{model}:latest") for known in self.models)

    def load(self, model: str, num_ctx: int) -> None:
        """Load the model unless it is loaded with this very window."""
        with self._lock:
            last = next((ctx for name, ctx in reversed(self.loads) if name == model), None)
            if last != num_ctx:
                self.loads.append((model, num_ctx))

    def answer(self, body: dict[str, Any]) -> Answer:
        forced = forced_object(body.get("format")) if "schema" in self.obeys else None
        if forced is not None:
            return forced
        if PROBE_QUESTION in body["messages"][-1]["content"] and self.backend is None:
            return {"colour": "blue"} if body.get("format") == "json" and "json" in self.obeys else "It is blue."
        if self.backend is not None:
            return _from_backend(self.backend, body)
        if callable(self.replies):
            return self.replies(body)
        with self._lock:
            return self._queue.pop(0) if self._queue else Fault(500, "the stand-in has no reply left")


def forced_object(schema: Any) -> dict[str, Any] | None:
    """The only object a schema allows, when it allows one only."""
    if not isinstance(schema, dict) or not schema.get("properties"):
        return None
    rules = schema["properties"]
    return {name: rule["const"] for name, rule in rules.items()} if all("const" in r for r in rules.values()) else None


def kept_messages(messages: list[dict[str, Any]], num_ctx: int) -> list[dict[str, Any]]:
    """What a window of ``num_ctx`` leaves: the oldest messages go, system messages and the last one stay."""
    kept = list(messages)
    while sum(count(message["content"]) for message in kept) >= num_ctx:
        oldest = next((m for m in kept[:-1] if m["role"] != "system"), None)
        if oldest is None:
            return _newest_tokens(kept, num_ctx - 1)
        kept.remove(oldest)
    return kept


def _newest_tokens(messages: list[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    """Cut from the front, in the middle of a message if need be."""
    kept: list[dict[str, Any]] = []
    for message in reversed(messages):
        words = tokens_of(message["content"])[-room:] if room else []
        room -= len(words)
        kept.insert(0, {**message, "content": "".join(words)})
    return [message for message in kept if message["content"]]


def embedding_of(text: str, size: int = 64) -> list[float]:
    """A bag of words as a unit vector: like texts get like vectors."""
    vector = [0.0] * size
    for word in re.findall(r"[\u3040-\u9fff]|\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % size] += 1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def _from_backend(url: str, body: dict[str, Any]) -> str:
    ask: dict[str, Any] = {"messages": body["messages"], "temperature": body.get("options", {}).get("temperature", 0)}
    if isinstance(body.get("format"), dict):
        ask["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": body["format"]}}
    elif body.get("format") == "json":
        ask["response_format"] = {"type": "json_object"}
    if body.get("options", {}).get("num_predict"):
        ask["max_tokens"] = body["options"]["num_predict"]
    request = Request(f"{url}/chat/completions", json.dumps(ask).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=300) as reply:
        return str(json.load(reply)["choices"][0]["message"]["content"])


def _handler_for(server: StandInOllama) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            server.requests.append((self.path, {}))
            known = {"/api/tags": _tags, "/api/ps": _ps, "/api/version": lambda _: {"version": "0.13.0"}}
            if self.path in known:
                self._json(known[self.path](server))
            else:
                self._json({"error": "not found"}, 404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, body))
            if not server.has(body.get("model", "")):
                self._json({"error": f"model '{body.get('model')}' not found"}, 404)
            elif self.path == "/api/chat":
                self._chat(body)
            elif self.path == "/api/show":
                self._json(_show())
            elif self.path == "/api/embed":
                server.load(body["model"], (body.get("options") or {}).get("num_ctx", DEFAULT_NUM_CTX))
                self._json(_embed(body))
            else:
                self._json({"error": "not found"}, 404)

        def _chat(self, body: dict[str, Any]) -> None:
            unsupported = Fault(400, "format is not supported")
            refusal = server.refuses_with or (unsupported if body.get("format") and server.refuses_format else None)
            if refusal is not None:
                self._json({"error": refusal.error}, refusal.status)
                return
            options = body.get("options") or {}
            num_ctx = min(options.get("num_ctx", DEFAULT_NUM_CTX), server.largest_num_ctx)
            server.load(body["model"], num_ctx)
            messages = kept_messages(body["messages"], num_ctx)
            server.prompts.append("\n".join(message["content"] for message in messages))
            answer = server.answer({**body, "messages": messages})
            if isinstance(answer, Fault) and answer.status != 200:
                self._json({"error": answer.error}, answer.status)
                return
            read = sum(count(message["content"]) for message in messages)
            lines = list(_lines(body["model"], answer, read, options.get("num_predict", -1)))
            self._stream(lines if body.get("stream", True) else [_merged(lines)])

        def _stream(self, lines: list[dict[str, Any]]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.end_headers()
            for line in lines:
                self.wfile.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")

        def _json(self, body: dict[str, Any], status: int = 200) -> None:
            payload = json.dumps(body, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

    return Handler


def _lines(model: str, answer: Answer, read: int, limit: int) -> Iterator[dict[str, Any]]:
    """The lines of a chat reply, a piece of text each, then the closing one with the counts."""
    said = _said(answer)
    words = tokens_of(said.text)
    shown = words[:limit] if limit >= 0 else words
    head = {"model": model, "created_at": MADE_AT, "done": False}
    if said.thinking:
        yield {**head, "message": {"role": "assistant", "content": "", "thinking": said.thinking}}
    for word in shown:
        yield {**head, "message": {"role": "assistant", "content": word}}
    if said.tool_calls:
        calls = [{"function": call} for call in said.tool_calls]
        yield {**head, "message": {"role": "assistant", "content": "", "tool_calls": calls}}
    if isinstance(answer, Fault):
        if answer.error:
            yield {"error": answer.error}
        return
    yield {
        **head, "message": {"role": "assistant", "content": ""}, "done": True,
        "done_reason": "length" if len(shown) < len(words) else "stop",
        "total_duration": 5_000_000, "load_duration": 1_000_000,
        "prompt_eval_count": read, "prompt_eval_duration": 2_000_000,
        "eval_count": len(shown), "eval_duration": 2_000_000,
    }  # fmt: skip


def _said(answer: Answer) -> Said:
    if isinstance(answer, Said):
        return answer
    if isinstance(answer, Fault):
        return Said(answer.text_before)
    return Said(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))


def _merged(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply to a request that asked for no stream."""
    messages = [line["message"] for line in lines if "message" in line]
    whole: dict[str, Any] = {"role": "assistant", "content": "".join(message["content"] for message in messages)}
    for message in messages:
        whole |= {key: message[key] for key in ("tool_calls", "thinking") if key in message}
    return {**lines[-1], "message": whole}


def _tags(server: StandInOllama) -> dict[str, Any]:
    return {"models": [_entry(name) for name in server.models]}


def _ps(server: StandInOllama) -> dict[str, Any]:
    loaded = dict(server.loads)
    models = [
        _entry(name) | {"context_length": window, "size_vram": server.vram, "expires_at": MADE_AT}
        for name, window in loaded.items()
    ]
    return {"models": models}


def _entry(name: str) -> dict[str, Any]:
    return {
        "name": name, "model": name, "modified_at": MADE_AT, "size": 4_683_087_332, "digest": "845dbda0ea48",
        "details": _details(),
    }  # fmt: skip


def _details() -> dict[str, Any]:
    return {
        "format": "gguf",
        "family": "qwen2",
        "families": ["qwen2"],
        "parameter_size": "7.6B",
        "quantization_level": "Q4_K_M",
    }


def _show() -> dict[str, Any]:
    return {
        "modelfile": "", "parameters": "", "template": "", "details": _details(),
        "model_info": {"general.architecture": "qwen2", "qwen2.context_length": 32_768},
        "capabilities": ["completion", "tools"],
    }  # fmt: skip


def _embed(body: dict[str, Any]) -> dict[str, Any]:
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    return {
        "model": body["model"], "embeddings": [embedding_of(text) for text in texts],
        "total_duration": 1_000_000, "load_duration": 0, "prompt_eval_count": sum(count(text) for text in texts),
    }  # fmt: skip
