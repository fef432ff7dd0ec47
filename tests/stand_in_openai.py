"""A stand-in for the servers that speak OpenAI's chat completions, each with the restrictions and error bodies it has.

A dialect is data: what the server takes, how it says no, what it tells of itself. Replies are scripted, or come from
a real server that speaks the protocol without restrictions.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.request import Request, urlopen

from stand_in_ollama import PROBE_QUESTION, count, embedding_of, forced_object, tokens_of

Body = dict[str, Any]
Script = Callable[[Body], str | Body]
Refusal = tuple[int, Any]
"""An HTTP status and the answer's body: data, or text as it is."""

ROUTE = "/chat/completions"


def openai_error(message: str, kind: str = "invalid_request_error", code: Any = None) -> Body:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def vllm_error(message: str) -> Body:
    return openai_error(message, "BadRequestError", 400)


def dashscope_error(message: str) -> Body:
    return {**openai_error(message, code="invalid_parameter_error"), "request_id": "ebf0"}


@dataclass(frozen=True)
class Speech:
    """One server's dialect.

    ``holds`` are the formats it holds replies to; those in ``takes`` beyond them are accepted and ignored; any other
    is refused by ``format_error`` (a status and a function of the format's name).
    """

    name: str
    takes: tuple[str, ...] = ("json_schema", "json_object", "text")
    holds: tuple[str, ...] = ("json_schema", "json_object")
    format_error: tuple[int, Callable[[str], Any]] = (400, lambda name: openai_error(f"response_format {name}"))
    wants_word_json: Any = None
    refuses_system: Any = None
    refuses_second_system: Any = None
    refuses_unalternating: Any = None
    refuses_max_tokens: Any = None
    refuses_temperature: Any = None
    refuses_thinking: Any = None
    """What it says unless ``enable_thinking`` is false and no stream is asked for."""
    reasons: int = 0
    """Tokens of reasoning before each reply, unless told not to; they count against the reply's limit."""
    base: str = "/v1"
    models: Callable[[str], list[Body]] = lambda model: [{"id": model, "object": "model", "owned_by": "system"}]
    no_route: Refusal = (404, openai_error("Not Found"))
    no_model: Refusal = (404, openai_error("The model `{model}` does not exist.", code="model_not_found"))
    wrong_key: Refusal = (401, openai_error("Incorrect API key provided.", code="invalid_api_key"))
    pages: Mapping[str, Any] = field(default_factory=dict)
    """Its own pages, by path."""


LLAMA_CPP = Speech(
    "llama.cpp",
    models=lambda model: [{"id": model, "owned_by": "llamacpp", "meta": {"n_ctx_train": 32_768, "size": 491_400_032}}],
    no_route=(404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}),
    wrong_key=(401, {"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}}),
    pages={"/props": {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2}},
)
VLLM = Speech(
    "vLLM with a strict template",
    refuses_second_system=vllm_error("System message must be at the beginning."),
    refuses_unalternating=vllm_error(
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
    ),
    models=lambda model: [{"id": model, "object": "model", "owned_by": "vllm", "max_model_len": 8192}],
    no_route=(404, {"detail": "Not Found"}),
    no_model=(404, openai_error("The model `{model}` does not exist.", "NotFoundError", 404)),
    wrong_key=(401, {"error": "Unauthorized"}),
)
VLLM_GEMMA = Speech(
    "vLLM with a template without system messages",
    refuses_system=vllm_error("System role not supported"),
    refuses_unalternating=vllm_error("Conversation roles must alternate user/assistant/user/assistant/..."),
    models=VLLM.models,
    no_route=VLLM.no_route,
)
VLLM_REASONING = Speech("vLLM with a model that reasons first", reasons=2000, models=VLLM.models)
LM_STUDIO = Speech(
    "LM Studio",
    takes=("json_schema", "text"),
    format_error=(400, lambda _: {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
    models=lambda model: [{"id": model, "object": "model", "owned_by": "organization_owner"}],
    no_route=(200, {"error": "Unexpected endpoint or method. (POST /chat/completions). Returning 200 anyway"}),
    pages={
        "/api/v0/models": {
            "data": [
                {"id": "some-model", "state": "loaded", "max_context_length": 32_768, "loaded_context_length": 4096},
                {"id": "other", "state": "not-loaded", "max_context_length": 8192},
            ]
        }
    },
)
LM_STUDIO_OLD = Speech(
    "LM Studio whose runtime ignores schemas", takes=LM_STUDIO.takes, holds=(), format_error=LM_STUDIO.format_error
)
DASHSCOPE = Speech(
    "DashScope",
    takes=("json_object", "text"),
    holds=("json_object",),
    format_error=(400, lambda name: dashscope_error(f"'response_format.type' specified is invalid: {name}")),
    wants_word_json=dashscope_error(
        "<400> InternalError.Algo.InvalidParameter: 'messages' must contain the word 'json' in some form, "
        "to use 'response_format' of type 'json_object'."
    ),
    refuses_thinking=dashscope_error("parameter.enable_thinking must be set to false for non-streaming calls"),
    base="/compatible-mode/v1",
    no_model=(
        404,
        {**openai_error("The model `{model}` does not exist or you do not have access to it.", code="model_not_found")},
    ),
)
DEEPSEEK = Speech(
    "DeepSeek",
    takes=("json_object", "text"),
    holds=("json_object",),
    format_error=(
        400,
        lambda _: openai_error("This response_format type is unavailable now", code="invalid_request_error"),
    ),
    wants_word_json=openai_error(
        "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'."
    ),
    no_model=(400, openai_error("Model Not Exist", code="invalid_request_error")),
    wrong_key=(401, openai_error("Authentication Fails, Your api key: ****none is invalid", "authentication_error")),
)
DEEPSEEK_OLD = Speech(
    "DeepSeek of 2025",
    takes=DEEPSEEK.takes,
    holds=DEEPSEEK.holds,
    format_error=(
        422,
        lambda name: (
            "Failed to deserialize the JSON body into the target type: response_format: "
            f"response_format.type `{name}` is unavailable now at line 1 column 900"
        ),
    ),
    wants_word_json=DEEPSEEK.wants_word_json,
)
SILICONFLOW = Speech(
    "SiliconFlow",
    takes=("text",),
    holds=(),
    format_error=(
        400,
        lambda name: {"code": 20015, "message": f"response_format {name} is not supported", "data": None},
    ),
    no_model=(400, {"code": 20012, "message": "Model does not exist. Please check it carefully.", "data": None}),
    wrong_key=(401, "Invalid token"),
)
QUIET = Speech("a server that ignores every format", holds=())
OPENAI_REASONING = Speech(
    "a proxy of OpenAI's reasoning models",
    refuses_max_tokens=openai_error(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        code="unsupported_parameter",
    ),
    refuses_temperature=openai_error(
        "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) is supported.",
        code="unsupported_value",
    ),
)
OLLAMA_V1 = Speech(
    "Ollama's /v1",
    models=lambda model: [{"id": model, "object": "model", "owned_by": "library"}],
    no_route=(404, "404 page not found"),
    no_model=(404, openai_error("model '{model}' not found", "api_error")),
    pages={
        "/api/version": {"version": "0.13.0"},
        "/api/ps": {
            "models": [
                {"name": "some-model", "size": 6_000_000_000, "size_vram": 4_500_000_000, "context_length": 4096}
            ]
        },
    },
)


@dataclass
class StandInOpenAI:
    """``with StandInOpenAI(DEEPSEEK, rule) as server: ChatOpenAI(base_url=server.url, …)``.

    ``replies`` is a list that is used up, or a function of the request; ``backend`` is the ``…/v1`` address of a
    server that answers instead. ``key`` is demanded where it is given; ``fails`` answers every chat with a refusal;
    ``embeds`` serves vectors too.
    """

    speech: Speech
    replies: Sequence[str | Body] | Script = ()
    model: str = "some-model"
    backend: str | None = None
    key: str = ""
    fails: Refusal | None = None
    embeds: bool = False
    requests: list[tuple[str, Body]] = field(default_factory=list)
    refused: list[Body] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._queue = list(self.replies) if isinstance(self.replies, Sequence) else []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.root}{self.speech.base}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def chats(self) -> list[Body]:
        """The bodies of the chat requests so far, refused ones among them."""
        return [body for path, body in self.requests if path.endswith(ROUTE)]

    def refusal(self, body: Body) -> Refusal | None:
        """What the dialect does not take in a request."""
        if body.get("model") != self.model:
            status, words = self.speech.no_model
            return status, json.loads(json.dumps(words).replace("{model}", str(body.get("model"))))
        wanted = body.get("response_format", {}).get("type", "text")
        if wanted not in self.speech.takes:
            status, words_of = self.speech.format_error
            return status, words_of(wanted)
        words = next(_objections(self.speech, body, wanted), None)
        return None if words is None else (400, words)

    def answer(self, body: Body) -> tuple[str, int]:
        """The reply to a request that was taken, and how many tokens of prompt were read for it."""
        read = sum(count(message["content"]) for message in body["messages"])
        shape = body.get("response_format", {})
        held = shape.get("type") in self.speech.holds
        forced = forced_object(shape.get("json_schema", {}).get("schema")) if held else None
        if forced is not None:
            return json.dumps(forced), read
        if PROBE_QUESTION in body["messages"][-1]["content"] and self.backend is None:
            return '{"colour": "blue"}' if held else "It is blue.", read
        if self.backend is not None:
            return _from_backend(self.backend, body, held=held)
        reply = self.replies(body) if callable(self.replies) else self._queue.pop(0)
        return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False), read


def _objections(speech: Speech, body: Body, wanted: str) -> Iterator[Any]:
    """The bodies of what a dialect says no with, for each of its rules that a request breaks."""
    roles = [message["role"] for message in body["messages"]]
    turns = roles[1:] if roles[:1] == ["system"] else roles
    text = " ".join(message["content"] for message in body["messages"])
    broken = {
        "refuses_system": "system" in roles,
        "refuses_second_system": "system" in roles[1:],
        "refuses_unalternating": turns != ["user", "assistant"] * (len(turns) // 2) + ["user"] * (len(turns) % 2),
        "wants_word_json": wanted == "json_object" and "json" not in text.lower(),
        "refuses_max_tokens": "max_tokens" in body,
        "refuses_temperature": "temperature" in body,
        "refuses_thinking": not body.get("stream") and body.get("enable_thinking") is not False,
    }
    return (getattr(speech, rule) for rule, is_broken in broken.items() if is_broken and getattr(speech, rule))


def _from_backend(url: str, body: Body, *, held: bool) -> tuple[str, int]:
    ask = {key: body[key] for key in ("messages", "temperature") if key in body}
    ask["max_tokens"] = body.get("max_tokens", body.get("max_completion_tokens"))
    if held:
        ask["response_format"] = body["response_format"]
    request = Request(f"{url}{ROUTE}", json.dumps(ask).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=300) as reply:
        said = json.load(reply)
    return said["choices"][0]["message"]["content"], said["usage"]["prompt_tokens"]


def _vectors(body: Body) -> Body:
    data = [
        {"object": "embedding", "index": place, "embedding": embedding_of(text)}
        for place, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def _handler_for(server: StandInOpenAI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            server.requests.append((self.path, {}))
            if self._locked():
                return
            if self.path == f"{server.speech.base}/models":
                self._send(200, {"object": "list", "data": server.speech.models(server.model)})
            elif self.path in server.speech.pages:
                self._send(200, server.speech.pages[self.path])
            else:
                self._send(*server.speech.no_route)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, body))
            vectors = server.embeds and self.path == f"{server.speech.base}/embeddings"
            if not vectors and self.path != f"{server.speech.base}{ROUTE}":
                self._send(*server.speech.no_route)
                return
            if self._locked():
                return
            if vectors:
                self._send(200, _vectors(body))
                return
            no = server.fails or server.refusal(body)
            if no is not None:
                server.refused.append(body)
                self._send(*no)
            else:
                self._reply(body, *server.answer(body))

        def _locked(self) -> bool:
            """Whether the key is missing or wrong; the answer has been given then."""
            if not server.key or self.headers.get("Authorization") == f"Bearer {server.key}":
                return False
            self._send(*server.speech.wrong_key)
            return True

        def _reply(self, body: Body, text: str, read: int) -> None:
            limit = body.get("max_tokens", body.get("max_completion_tokens", 10_000))
            quiet = body.get("chat_template_kwargs", {}).get("enable_thinking") is False
            reasoning = 0 if quiet else server.speech.reasons
            words = tokens_of(text)[: max(0, limit - reasoning)]
            cut = len(words) < len(tokens_of(text))
            usage = {"prompt_tokens": read, "completion_tokens": len(words), "total_tokens": read + len(words)}
            head = {"id": "c1", "created": 1, "model": body["model"]}
            end = "length" if cut else "stop"
            if body.get("stream"):
                self._stream([*_chunks(head, words, end), {**head, "choices": [], "usage": usage}])
                return
            message: Body = {"role": "assistant", "content": "".join(words)}
            if reasoning:
                message["reasoning_content"] = "Let me think. " * 3
            choice = {"index": 0, "finish_reason": end, "message": message}
            self._send(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})

        def _stream(self, chunks: list[Body]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for chunk in chunks:
                line = json.dumps({**chunk, "object": "chat.completion.chunk"}, ensure_ascii=False)
                self.wfile.write(f"data: {line}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, status: int, body: Any) -> None:
            page = isinstance(body, str) and body.startswith(("<", "404"))
            payload = body.encode() if page else json.dumps(body, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if page else "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

    return Handler


def _chunks(head: Body, words: list[str], end: str) -> Iterator[Body]:
    """A stream's pieces, a token each, then the one that says why it ended."""
    for word in words:
        yield {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]}
