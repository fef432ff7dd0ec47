"""One call to a chat model: its options where the client takes them, and the failures that look like success."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from memory_secretary.memory.errors import ContextTruncated, ModelUnreachable
from memory_secretary.memory.server_errors import model_errors
from memory_secretary.memory.tokens import clean
from memory_secretary.nodes.models.handle import ModelHandle, Provider

Timer = Callable[[], float]
"""Gives seconds since some fixed moment; differences of two readings are durations."""

_WORD = re.compile(r"[^\W\d_\u3040-\u9fff\uac00-\ud7a3]+")
"""A word of a script with blanks: at the least one token, since tokenizers in use do not join words."""
_DIGITS = re.compile(r"\d")
_LEAST_DIGIT = 1 / 3
"""Tokens a digit makes at the least: some tokenizers join three."""
_CJK = re.compile(r"[\u3040-\u9fff\uac00-\ud7a3]")
_LEAST_CJK = 0.35
"""Tokens a Chinese, Japanese or Korean character makes at the least (Qwen's tokenizer: about 0.5)."""


def call(
    handle: ModelHandle,
    messages: Sequence[BaseMessage],
    format_: Mapping[str, Any] | None,
    max_tokens: int,
    config: RunnableConfig,
    timer: Timer,
) -> tuple[AIMessage, float]:
    """Make one call.

    Args:
        handle: the model.
        messages: the prompt.
        format_: the reply's format in OpenAI's words, or None for text.
        max_tokens: limit of the reply, where the client takes one.
        config: callbacks and tags.
        timer: the clock that the call is timed with.

    Returns:
        The message, and how many seconds it took.

    Raises:
        ModelError: the server failed or broke off; a subclass says how and the sentence names the cure.
        ContextTruncated: the server read fewer tokens than the prompt has at the least.
    """
    ready = _ready(handle, format_, max_tokens)
    start = timer()
    with model_errors(handle.server, handle.name):
        message = ready.invoke([_sendable(part) for part in messages], config)
    seconds = timer() - start
    _refuse_broken(handle, message)
    _refuse_truncated(handle, messages, message)
    return message, seconds


def _sendable(message: BaseMessage) -> BaseMessage:
    """The message without half characters, which no JSON request can carry."""
    content = message.content
    if isinstance(content, str) and (cleaned := clean(content)) != content:
        return message.model_copy(update={"content": cleaned})
    return message


def _ready(
    handle: ModelHandle, format_: Mapping[str, Any] | None, max_tokens: int
) -> Runnable[LanguageModelInput, AIMessage]:
    """The model with this call's options where its client takes them."""
    if handle.provider is Provider.OLLAMA:
        return _ready_ollama(handle.model, format_, max_tokens)
    if handle.provider in (Provider.OPENAI, Provider.LLAMA_CPP):
        return _ready_openai(handle, format_, max_tokens)
    return handle.model


def _ready_ollama(
    model: BaseChatModel, format_: Mapping[str, Any] | None, max_tokens: int
) -> Runnable[LanguageModelInput, AIMessage]:
    """A copy of the client: per-call options would replace all others, the window among them."""
    sized = model.model_copy(update={"num_predict": max_tokens})
    if format_ is None:
        return sized
    return sized.bind(format=format_["json_schema"]["schema"] if "json_schema" in format_ else "json")


def _ready_openai(
    handle: ModelHandle, format_: Mapping[str, Any] | None, max_tokens: int
) -> Runnable[LanguageModelInput, AIMessage]:
    """All in the raw body: as arguments of the client they would start its own parsing, which raises on cut replies."""
    body = dict(getattr(handle.model, "extra_body", None) or {})
    if format_ is not None:
        body["response_format"] = dict(format_)
    if handle.slot is not None:
        body["id_slot"] = handle.slot
    if not getattr(handle.model, "openai_api_base", None):
        return handle.model.bind(extra_body=body, max_tokens=max_tokens)
    body["max_tokens"] = max_tokens  # local servers know this word, not all know the newer one the client would send
    return handle.model.bind(extra_body=body)


def end_reason(message: AIMessage) -> str | None:
    """Why the reply ended, as its server said it."""
    known = message.response_metadata
    return known.get("done_reason") or known.get("finish_reason")


def _refuse_broken(handle: ModelHandle, message: AIMessage) -> None:
    """Ollama's client returns half a reply as if it were whole when the server dies while speaking."""
    if handle.provider is Provider.OLLAMA and end_reason(message) is None:
        msg = f"{handle.server} broke off in the middle of a reply of {handle.name}: look at its log and run again"
        raise ModelUnreachable(msg)


def _refuse_truncated(handle: ModelHandle, messages: Sequence[BaseMessage], message: AIMessage) -> None:
    """Notice a server that dropped the front of the prompt and answered as if nothing had happened."""
    read = message.usage_metadata["input_tokens"] if message.usage_metadata else None
    least = least_tokens("".join(part.text for part in messages))
    if read and read < least:
        msg = (
            f"{handle.server} read {read} tokens of a prompt of at least {least}, so its window is smaller than the "
            f"{handle.window} asked for: give {handle.name} a larger window there, or set executor_window lower"
        )
        raise ContextTruncated(msg)


def least_tokens(text: str) -> int:
    """A count that no tokenizer in use stays below, to notice a cut prompt; four fifths of the real one in English."""
    words, digits, cjk = (len(kind.findall(text)) for kind in (_WORD, _DIGITS, _CJK))
    return int(words + digits * _LEAST_DIGIT + cjk * _LEAST_CJK)
