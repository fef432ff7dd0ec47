"""From a name such as ``ollama:qwen2.5:7b`` to a chat model that is ready to be asked."""

from __future__ import annotations

import os
from collections.abc import Callable

from langchain_core.language_models import BaseChatModel

from memory_secretary.memory.addresses import checked_url, ollama_url
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.models.handle import ModelHandle, Provider, Structured
from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, Progress, cached, ensure_weights

__all__ = ["ModelHandle", "Provider", "Structured", "resolve_model"]

KEEP_ALIVE = "30m"
"""How long Ollama keeps the model loaded after a call: longer than a tool or a reader's pause takes."""

RETRIES = 1
"""Times that a failed call to an OpenAI-compatible server is tried again; more would hide a server that is down."""

TIMEOUT = 120.0
"""Seconds that one call to a server may take."""

EMBEDDED_TIMEOUT = 600.0
"""Seconds that one call to an embedded model may take: without a GPU a full secretary's window is read for minutes."""

OPENAI_URL = "https://api.openai.com/v1"
"""Where OpenAI's own server is; what ``openai:`` means when no address is set."""

_ROUTE = "/chat/completions"
"""What servers' manuals show behind their address, and clients add themselves."""
_OPENAI_EXAMPLE = "http://127.0.0.1:8080/v1"


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
    provider, name = checked_name(spec)
    if provider == "embedded":
        return _embedded(name or DEFAULT_WEIGHTS, window, slots, temperature, timeout or EMBEDDED_TIMEOUT, progress)
    make = _ollama if provider == "ollama" else _openai
    return make(name, window, temperature, timeout or TIMEOUT, base_url)


def checked_name(spec: str) -> tuple[str, str]:
    """Provider and model of a name; the model of ``embedded`` may be empty.

    Raises:
        SettingsError: the name cannot be understood.
    """
    provider, _, name = spec.partition(":")
    if provider == "embedded" or (provider in ("ollama", "openai") and name):
        return provider, name
    msg = f"no model is called {spec!r}: use one of ollama:NAME, openai:NAME, embedded, embedded:FILE.gguf"
    raise SettingsError(
        msg, zh=f"没有名为 {spec!r} 的模型：请用 ollama:名称、openai:名称、embedded、embedded:文件.gguf 之一"
    )


def check_model(spec: str) -> None:
    """Refuse a name whose model cannot be there: unknown weights, no such file, no key. Nothing is asked or fetched.

    Raises:
        SettingsError: the name cannot be understood, or a key or an address is missing or unusable.
        ModelError: there are no such weights.
    """
    provider, name = checked_name(spec)
    if provider == "embedded":
        cached(name or DEFAULT_WEIGHTS)
    elif provider == "openai":
        _openai_access(None)
    else:
        ollama_url(os.environ.get("OLLAMA_HOST", ""))


def _given(model: BaseChatModel, window: int) -> ModelHandle:
    """A model that the user made. An Ollama client without a window gets ours: Ollama cuts silently at its own."""
    classes = {cls.__name__ for cls in type(model).__mro__}
    if "ChatOllama" in classes:
        own = getattr(model, "num_ctx", None)
        sized = model if own else model.model_copy(update={"num_ctx": window})
        url = getattr(model, "base_url", None) or ollama_url(os.environ.get("OLLAMA_HOST", ""))
        return _handle(sized, min(own or window, window), url, Provider.OLLAMA)
    if "BaseChatOpenAI" in classes:
        return _handle(model, window, getattr(model, "openai_api_base", None) or OPENAI_URL, Provider.OPENAI)
    name = type(model).__name__
    return ModelHandle(model=model, name=name, window=window, count=estimate_tokens, server=name)


def _ollama(name: str, window: int, temperature: float, timeout: float, base_url: str | None) -> ModelHandle:
    from langchain_ollama import ChatOllama

    url = checked_url(base_url) if base_url else ollama_url(os.environ.get("OLLAMA_HOST", ""))
    model = ChatOllama(
        model=name, base_url=url, num_ctx=window, temperature=temperature, keep_alive=KEEP_ALIVE,
        reasoning=False, client_kwargs={"timeout": timeout},
    )  # fmt: skip
    return _handle(model, window, url, Provider.OLLAMA)


def _openai(name: str, window: int, temperature: float, timeout: float, base_url: str | None) -> ModelHandle:
    url, key = _openai_access(base_url)
    model = _chat_openai(name, url, key or "none", temperature, timeout, retries=RETRIES)
    return _handle(model, window, url or OPENAI_URL, Provider.OPENAI)


def _openai_access(base_url: str | None) -> tuple[str | None, str]:
    """Address and key of an OpenAI-compatible server; no address means OpenAI's own.

    Raises:
        SettingsError: neither is set, or one of them is unusable.
    """
    url = base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    named = "" if base_url else "OPENAI_BASE_URL"
    url = checked_url(url, named, _OPENAI_EXAMPLE).removesuffix(_ROUTE) if url else None
    key = _checked_key(os.environ.get("OPENAI_API_KEY", ""))
    if not key and not url:
        msg = "set OPENAI_API_KEY, or OPENAI_BASE_URL to the address of a local server such as http://127.0.0.1:8080/v1"
        zh = "请设置 OPENAI_API_KEY，或把 OPENAI_BASE_URL 设为本地服务的地址，如 http://127.0.0.1:8080/v1"
        raise SettingsError(msg, zh=zh)
    return url, key


def _checked_key(key: str) -> str:
    """The key without the blanks around it that copying leaves.

    Raises:
        SettingsError: it holds a character that no key has and no request can carry.
    """
    bare = key.strip()
    if not (bare.isascii() and bare.isprintable()) or " " in bare:
        msg = "OPENAI_API_KEY holds characters that no key has: copy it again, without quotes, blanks or other words"
        raise SettingsError(msg, zh="OPENAI_API_KEY 含有密钥里不会有的字符：请重新复制，不要带引号、空格或别的文字")
    return bare


def _embedded(
    name: str, window: int, slots: int, temperature: float, timeout: float, progress: Progress | None
) -> ModelHandle:
    """A model of our own: its server takes schemas, keeps slots and counts tokens, so nothing has to be probed."""
    from memory_secretary.nodes.models.server import POOL

    _refuse_beyond(name, window)
    server = POOL.take(ensure_weights(name, progress=progress), window=window, slots=slots)
    return ModelHandle(
        model=_chat_openai(server.name, server.base_url, "none", temperature, timeout, retries=0),
        name=server.name,
        window=server.window,
        count=server.count,
        server=f"the embedded model's server (log: {server.log})",
        url=server.base_url,
        provider=Provider.LLAMA_CPP,
        structured=Structured.SCHEMA,
        slots=slots,
        release=_once(lambda: POOL.give_back(server)),
    )


def _refuse_beyond(name: str, window: int) -> None:
    """Refuse a window that pinned weights were not made for, before anything is fetched or started.

    Raises:
        SettingsError: it is larger.
    """
    weights = cached(name).weights
    if weights and 0 < weights.trained < window:
        fits = weights.trained
        msg = (
            f"{weights.name} was made for {fits} tokens and a window of {window} is asked for: set executor_window "
            f"and secretary_window (--window, MEMORY_SECRETARY_EXECUTOR_WINDOW …) to {fits} or less"
        )
        zh = (
            f"{weights.name} 训练时只支持 {fits} 词元，却要求 {window} 的窗口：请把 executor_window 和 "
            f"secretary_window（--window、MEMORY_SECRETARY_EXECUTOR_WINDOW 等）设为 {fits} 或更小"
        )
        raise SettingsError(msg, zh=zh)


def _chat_openai(
    name: str, url: str | None, key: str, temperature: float, timeout: float, *, retries: int
) -> BaseChatModel:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    return ChatOpenAI(
        model=name, base_url=url, api_key=SecretStr(key), temperature=temperature, timeout=timeout,
        max_retries=retries, stream_usage=True,
    )  # fmt: skip


def _handle(model: BaseChatModel, window: int, url: str, provider: Provider) -> ModelHandle:
    """A handle of a server that still has to be probed."""
    name = str(getattr(model, "model_name", None) or getattr(model, "model", type(model).__name__))
    server = f"Ollama at {url}" if provider is Provider.OLLAMA else f"the server at {url}"
    return ModelHandle(
        model=model, name=name, window=window, count=estimate_tokens, server=server, url=url, provider=provider,
        structured=None,
    )  # fmt: skip


def _once(action: Callable[[], None]) -> Callable[[], None]:
    """``action`` for its first call only: a handle is closed once, however many roles share it."""
    left = [action]

    def run() -> None:
        if left:
            left.pop()()

    return run
