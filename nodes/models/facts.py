"""What a model's server says of itself: is it there, has it the model, which window is really in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from memory_secretary.memory.errors import ModelError, ModelUnreachable
from memory_secretary.memory.server_errors import missing_model, model_errors, not_the_protocol
from memory_secretary.nodes.models.handle import ModelHandle, Provider, Structured
from memory_secretary.nodes.models.probe import dialect_of, known_dialect
from memory_secretary.nodes.models.resolve import checked_name, resolve_model
from memory_secretary.nodes.models.structured import ask_text

ASK_SECONDS = 10.0
"""Limit of one small question to a server."""

_FILLER = "word "
"""One token, and its blank, in the tokenizers in use."""
_FILLED = 0.9
_REPLY_TOKENS = 8


class Kind(StrEnum):
    """Which server answers."""

    OLLAMA = "ollama"
    LLAMA_CPP = "llama.cpp"
    VLLM = "vllm"
    LM_STUDIO = "lm studio"
    OPENAI = "openai-compatible"
    """Any other server with OpenAI's protocol, hosted ones among them."""
    LIBRARY = "library"
    """A chat model handed in as an object, whose server is not ours to ask."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that lies in the server's memory now.

    Attributes:
        name: as the server calls it.
        size: bytes it takes in all, None where the server does not say.
        vram: bytes of them on the graphics card, None where the server does not say.
        window: tokens of the context it is loaded with, None where the server does not say.
    """

    name: str
    size: int | None = None
    vram: int | None = None
    window: int | None = None

    @property
    def vram_share(self) -> float | None:
        """The part of it that lies on the graphics card, 0 to 1."""
        return None if not self.size or self.vram is None else self.vram / self.size


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What is known of one model on its server; None always means that the server does not say.

    Attributes:
        server: how error sentences name it.
        model: the model's name there.
        kind: which server it is.
        reachable: whether it answered.
        problem: why it cannot be used, a sentence with its cure in both languages; None when it can.
        installed: the models it knows.
        present: whether the model is among them.
        window_asked: tokens that every call asks for, or counts on.
        window: tokens really in force; on Ollama only once the model is loaded.
        window_trained: tokens the model was made for.
        slots: prompts it keeps apart, each with the whole ``window``.
        loaded: what lies in its memory now.
        structured: how it is held to a schema; None while no probe has found out.
        better: the name to use instead, such as ``ollama:qwen2.5:7b`` for Ollama's OpenAI protocol, which ignores
            the window asked for; else empty.
    """

    server: str
    model: str
    kind: Kind
    reachable: bool
    window_asked: int
    problem: ModelError | None = None
    installed: tuple[str, ...] | None = None
    present: bool | None = None
    window: int | None = None
    window_trained: int | None = None
    slots: int | None = None
    loaded: tuple[LoadedModel, ...] | None = None
    structured: Structured | None = None
    better: str = ""


def server_facts(handle: ModelHandle, *, probe: bool = True) -> ServerFacts:
    """Ask a model's server about itself. Never raises for a server's fault: that is ``problem``.

    Args:
        handle: the model.
        probe: let the model answer one short question, if none is remembered, to find out how it can be held to a
            schema; this loads it. Without it only questions about the server are asked.
    """
    if not handle.url:
        return _bare(handle, Kind.LIBRARY, reachable=True, structured=handle.structured)
    kind = Kind.OLLAMA if handle.provider is Provider.OLLAMA else Kind.OPENAI
    try:
        with _Questions(handle) as server:
            facts = _of_ollama(handle, server) if kind is Kind.OLLAMA else _of_openai(handle, server)
            if facts.problem is None:
                facts = _with_dialect(facts, handle, probe=probe)
            return _with_loaded(facts, handle, server)
    except ModelError as error:
        return _bare(handle, kind, reachable=not isinstance(error, ModelUnreachable), problem=error)


def refuse_dead_server(spec: str, window: int) -> None:
    """Ask the server of a named model, before anything is begun, whether it is there and has the model.

    A server that is only slow to answer is let pass, and so is an embedded model, which has none yet.

    Args:
        spec: the model, as ``build_graph`` takes it.
        window: tokens of context that it will be asked for.

    Raises:
        MemorySecretaryError: it is down, lacks the model, refuses the key or is none; the sentence has the cure.
    """
    if checked_name(spec)[0] == "embedded":
        return
    with closing(resolve_model(spec, window=window)) as handle:
        problem = server_facts(handle, probe=False).problem
    if problem is not None and not isinstance(problem.__cause__, httpx.ReadTimeout):
        raise problem


def read_long_prompt(handle: ModelHandle) -> int | None:
    """Send one prompt of nine tenths of the window asked for; takes as long as reading that takes.

    Returns:
        The tokens that the server says it read; None where it does not say.

    Raises:
        ContextTruncated: it read less than was sent, or refuses so long a prompt; the sentence has both numbers.
        ModelError: the server cannot be reached or failed.
    """
    words = int(handle.window * _FILLED) - _REPLY_TOKENS
    reply = ask_text(handle, [HumanMessage(f"{_FILLER * words}\nSay yes.")], max_tokens=_REPLY_TOKENS)
    return reply.prompt_tokens


def _bare(handle: ModelHandle, kind: Kind, **known: Any) -> ServerFacts:
    return ServerFacts(server=handle.server, model=handle.name, kind=kind, window_asked=handle.window, **known)


def _with_dialect(facts: ServerFacts, handle: ModelHandle, *, probe: bool) -> ServerFacts:
    """The facts with the way to hold the model to a schema, or with what stands in the way of finding out."""
    try:
        dialect = dialect_of(handle) if probe else known_dialect(handle)
    except ModelError as error:
        return replace(facts, problem=error)
    return replace(facts, structured=dialect.structured if dialect else None)


# --- each kind of server -----------------------------------------------------------------------------------------


class _Questions:
    """Small questions to a server; an answer is JSON data, or None where the server has no such page."""

    def __init__(self, handle: ModelHandle) -> None:
        key = getattr(handle.model, "openai_api_key", None)
        secret = key.get_secret_value() if isinstance(key, SecretStr) else ""
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self._handle = handle
        self._http = httpx.Client(timeout=ASK_SECONDS, headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, url: str, body: Mapping[str, Any] | None = None) -> Any:
        """The answer to GET, or with a body to POST.

        Raises:
            ModelError: no answer, or the key is refused.
        """
        with model_errors(self._handle.server, self._handle.name):
            answer = self._http.get(url) if body is None else self._http.post(url, json=body)
            if answer.status_code in (401, 403):
                answer.raise_for_status()
        return _json(answer) if answer.status_code == httpx.codes.OK else None


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _of_ollama(handle: ModelHandle, server: _Questions) -> ServerFacts:
    """What Ollama says: the models it has, and of ours how long a text it was made for."""
    facts = _bare(handle, Kind.OLLAMA, reachable=True)
    listed = _entries(server.get(f"{handle.url}/api/tags"), "models")
    if listed is None:
        said = f"no list of models at {handle.url}/api/tags"
        return replace(facts, problem=not_the_protocol(handle.server, handle.name, said))
    installed = tuple(str(entry.get("name")) for entry in listed)
    if not _has(installed, handle.name):
        problem = missing_model(handle.server, handle.name)
        return replace(facts, installed=installed, present=False, problem=problem)
    shown = server.get(f"{handle.url}/api/show", {"model": handle.name})
    return replace(facts, installed=installed, present=True, window_trained=_trained(shown))


def _trained(shown: Any) -> int | None:
    """The context length that stands in a model's file, under a key that begins with its architecture."""
    known = shown.get("model_info") if isinstance(shown, Mapping) else None
    lengths = [value for key, value in (known or {}).items() if key.endswith(".context_length")]
    return _number(lengths[0]) if lengths else None


def _of_openai(handle: ModelHandle, server: _Questions) -> ServerFacts:
    """What a server with OpenAI's protocol says in its list of models, and more where it is one we know."""
    listed = _entries(server.get(f"{handle.url}/models"), "data")
    installed = None if listed is None else tuple(str(entry.get("id")) for entry in listed)
    present = None if installed is None else _has(installed, handle.name)
    facts = _bare(handle, Kind.OPENAI, reachable=True, installed=installed, present=present)
    own = next((entry for entry in listed or () if entry.get("id") == handle.name), None)
    owners = {str(entry.get("owned_by")) for entry in listed or ()}
    if "llamacpp" in owners:
        return _of_llama_cpp(facts, (listed or [{}])[0], server, handle)
    if "vllm" in owners:
        return replace(facts, kind=Kind.VLLM, window=_number((own or {}).get("max_model_len")))
    if "organization_owner" in owners:
        return replace(facts, kind=Kind.LM_STUDIO)
    if _is_ollama(server.get(f"{_root(handle)}/api/version")):
        return replace(facts, kind=Kind.OLLAMA, better=f"ollama:{handle.name}")
    return facts


def _of_llama_cpp(facts: ServerFacts, entry: Mapping[str, Any], server: _Questions, handle: ModelHandle) -> ServerFacts:
    """llama.cpp has one model, whatever name it is called by."""
    props = server.get(f"{_root(handle)}/props")
    props = props if isinstance(props, Mapping) else {}
    meta = entry.get("meta") or {}
    window = _number((props.get("default_generation_settings") or {}).get("n_ctx"))
    loaded = LoadedModel(str(entry.get("id")), size=_number(meta.get("size")), window=window)
    return replace(
        facts, kind=Kind.LLAMA_CPP, present=True, window=window, slots=_number(props.get("total_slots")),
        window_trained=_number(meta.get("n_ctx_train")), loaded=(loaded,),
    )  # fmt: skip


def _with_loaded(facts: ServerFacts, handle: ModelHandle, server: _Questions) -> ServerFacts:
    """The facts with what lies in the server's memory now, which a probe may just have loaded."""
    if facts.kind is Kind.OLLAMA and facts.reachable:
        listed = _entries(server.get(f"{_root(handle)}/api/ps"), "models")
        loaded = None if listed is None else tuple(_loaded_by_ollama(entry) for entry in listed)
        return replace(facts, loaded=loaded, window=_window_of(handle.name, loaded))
    if facts.kind is Kind.LM_STUDIO:
        listed = _entries(server.get(f"{_root(handle)}/api/v0/models"), "data") or []
        loaded = tuple(_loaded_by_lm_studio(entry) for entry in listed if entry.get("state") == "loaded")
        trained = next((entry.get("max_context_length") for entry in listed if entry.get("id") == handle.name), None)
        return replace(facts, loaded=loaded, window=_window_of(handle.name, loaded), window_trained=_number(trained))
    return facts


def _loaded_by_ollama(entry: Mapping[str, Any]) -> LoadedModel:
    return LoadedModel(
        str(entry.get("name")),
        size=_number(entry.get("size")),
        vram=_number(entry.get("size_vram")),
        window=_number(entry.get("context_length")),
    )


def _loaded_by_lm_studio(entry: Mapping[str, Any]) -> LoadedModel:
    return LoadedModel(str(entry.get("id")), window=_number(entry.get("loaded_context_length")))


# --- reading answers ---------------------------------------------------------------------------------------------


def _entries(answer: Any, key: str) -> list[Mapping[str, Any]] | None:
    """The list of objects under ``key``; None when the answer is something else."""
    found = answer.get(key) if isinstance(answer, Mapping) else None
    return [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, list) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _has(names: Sequence[str], name: str) -> bool:
    """Whether a model is among those installed; Ollama adds a tag where none was given."""
    return name in names or f"{name}:latest" in names


def _window_of(name: str, loaded: Sequence[LoadedModel] | None) -> int | None:
    return next((each.window for each in loaded or () if _has([each.name], name)), None)


def _is_ollama(answer: Any) -> bool:
    return isinstance(answer, Mapping) and isinstance(answer.get("version"), str)


def _root(handle: ModelHandle) -> str:
    """Where the server's own pages are, beside those of OpenAI's protocol."""
    if handle.provider is Provider.OLLAMA:
        return handle.url
    parts = urlsplit(handle.url)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/v1')}"
