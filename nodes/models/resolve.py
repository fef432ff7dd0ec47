"""From a name such as ``ollama:qwen2.5:7b`` to a chat model that is ready to be asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.models.handle import ModelHandle, Provider, Structured
from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, Progress, ensure_weights

__all__ = ["ModelHandle", "Provider", "Structured", "resolve_model"]

KEEP_ALIVE = "30m"
"""How long Ollama keeps the model loaded after a call: longer than a tool or a reader's pause takes."""

RETRIES = 1
"""Times that a failed call to an OpenAI-compatible server is tried again; more would hide a server that is down."""

TIMEOUT = 120.0
"""Seconds that one call to a server may take."""

EMBEDDED_TIMEOUT = 600.0
"""Seconds that one call to an embedded model may take: without a GPU a full secretary's window is read for minutes."""

_OLLAMA_PORT = 11434


def resolve_model(
    spec: str | BaseChatModel,
    *,
    window: int,
    slots: int = 2,
    temperature: float = 0.0,
    timeout: float | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> ModelHandle:
    """Make a chat model ready. No request is sent, but an embedded model is fetched and its server started.

    Args:
        spec: ``ollama:<model>``, ``openai:<model>``, ``embedded``, ``embedded:<name or GGUF path>``, or a chat model.
        window: tokens of context to ask for; both roles of one model must ask for the same.
        slots: prompts an embedded server keeps apart, one per role; each gets the whole window.
        temperature: of sampling.
        timeout: seconds that one call may take; None means 120, and 600 for an embedded model.
        base_url: where the server is; None means the provider's own variable (``OLLAMA_HOST``,
            ``OPENAI_BASE_URL``), then its default.
        progress: told how the download of weights goes.

    Raises:
        SettingsError: the name or the address cannot be understood.
        ModelError: an embedded model cannot be fetched or started.
    """
    if isinstance(spec, BaseChatModel):
        return _given(spec, window)
    provider, _, name = spec.partition(":")
    if provider == "embedded":
        return _embedded(name or DEFAULT_WEIGHTS, window, slots, temperature, timeout or EMBEDDED_TIMEOUT, progress)
    if provider == "ollama" and name:
        return _ollama(name, window, temperature, timeout or TIMEOUT, base_url)
    if provider == "openai" and name:
        return _openai(name, window, temperature, timeout or TIMEOUT, base_url)
    msg = f"no model is called {spec!r}: use ollama:<model>, openai:<model>, embedded or embedded:<path of a GGUF file>"
    raise SettingsError(msg)


def _given(model: BaseChatModel, window: int) -> ModelHandle:
    """A model that the user made. An Ollama client without a window gets ours: Ollama cuts silently at its own."""
    classes = {cls.__name__ for cls in type(model).__mro__}
    if "ChatOllama" in classes:
        own = getattr(model, "num_ctx", None)
        sized = model if own else model.model_copy(update={"num_ctx": window})
        url = getattr(model, "base_url", None) or ollama_url(os.environ.get("OLLAMA_HOST", ""))
        return _handle(sized, min(own or window, window), f"Ollama at {url}", Provider.OLLAMA)
    if "BaseChatOpenAI" in classes:
        url = getattr(model, "openai_api_base", None) or "api.openai.com"
        return _handle(model, window, f"the server at {url}", Provider.OPENAI)
    name = type(model).__name__
    return ModelHandle(model=model, name=name, window=window, count=estimate_tokens, server=name)


def _ollama(name: str, window: int, temperature: float, timeout: float, base_url: str | None) -> ModelHandle:
    from langchain_ollama import ChatOllama

    url = checked_url(base_url) if base_url else ollama_url(os.environ.get("OLLAMA_HOST", ""))
    model = ChatOllama(
        model=name, base_url=url, num_ctx=window, temperature=temperature, keep_alive=KEEP_ALIVE,
        reasoning=False, client_kwargs={"timeout": timeout},
    )  # fmt: skip
    return _handle(model, window, f"Ollama at {url}", Provider.OLLAMA)


def _openai(name: str, window: int, temperature: float, timeout: float, base_url: str | None) -> ModelHandle:
    url = base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    key = os.environ.get("OPENAI_API_KEY")
    if not key and not url:
        msg = "set OPENAI_API_KEY, or OPENAI_BASE_URL to the address of a local server such as http://127.0.0.1:8080/v1"
        raise SettingsError(msg)
    model = _chat_openai(name, checked_url(url) if url else None, key or "none", temperature, timeout, retries=RETRIES)
    return _handle(model, window, f"the server at {url or 'api.openai.com'}", Provider.OPENAI)


def _embedded(
    name: str, window: int, slots: int, temperature: float, timeout: float, progress: Progress | None
) -> ModelHandle:
    """A model of our own: its server takes schemas, keeps slots and counts tokens, so nothing has to be probed."""
    from memory_secretary.nodes.models.server import POOL

    server = POOL.take(ensure_weights(name, progress=progress), window=window, slots=slots)
    return ModelHandle(
        model=_chat_openai(server.name, server.base_url, "none", temperature, timeout, retries=0),
        name=server.name,
        window=server.window,
        count=server.count,
        server=f"the embedded model's server (log: {server.log})",
        provider=Provider.LLAMA_CPP,
        structured=Structured.SCHEMA,
        slots=slots,
        release=_once(lambda: POOL.give_back(server)),
    )


def _chat_openai(
    name: str, url: str | None, key: str, temperature: float, timeout: float, *, retries: int
) -> BaseChatModel:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    return ChatOpenAI(
        model=name, base_url=url, api_key=SecretStr(key), temperature=temperature, timeout=timeout,
        max_retries=retries, stream_usage=True,
    )  # fmt: skip


def _handle(model: BaseChatModel, window: int, server: str, provider: Provider) -> ModelHandle:
    """A handle of a server that still has to be probed."""
    name = str(getattr(model, "model_name", None) or getattr(model, "model", type(model).__name__))
    return ModelHandle(
        model=model, name=name, window=window, count=estimate_tokens, server=server, provider=provider, structured=None
    )


def checked_url(url: str) -> str:
    """``url`` if it is one: clients fall back to localhost without a word when it is not.

    Raises:
        SettingsError: no ``http://`` or ``https://`` in front, no host, or a port that is none.
    """
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound or url != url.strip():
        msg = f"{url!r} is not the address of a server: write it like http://127.0.0.1:{_OLLAMA_PORT}"
        raise SettingsError(msg)
    return url.rstrip("/")


def ollama_url(host: str) -> str:
    """What ``OLLAMA_HOST`` means to a client: scheme and port may be left out, 0.0.0.0 is this machine.

    Raises:
        SettingsError: it cannot be understood.
    """
    bare = host.strip().strip("\"'")
    if "://" in bare:
        return checked_url(bare.replace("://0.0.0.0", "://127.0.0.1"))
    address, slash, path = bare.partition("/")
    name, colon, port = (address, "", "") if address.endswith("]") else address.rpartition(":")
    if not colon:
        name, port = address, str(_OLLAMA_PORT)
    local = name in ("", "0.0.0.0", "[::]")
    return checked_url(f"http://{'127.0.0.1' if local else name}:{port}{slash}{path}")


def _once(action: Callable[[], None]) -> Callable[[], None]:
    """``action`` for its first call only: a handle is closed once, however many roles share it."""
    left = [action]

    def run() -> None:
        if left:
            left.pop()()

    return run
