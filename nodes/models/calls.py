"""One call to a chat model: its options where the client takes them, and the failures that look like success."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, message_chunk_to_message
from langchain_core.runnables import Runnable, RunnableConfig

from memory_secretary.memory.errors import ModelRefused
from memory_secretary.memory.server_errors import blames_request, broken_reply, cut_prompt, model_errors
from memory_secretary.memory.tokens import clean
from memory_secretary.nodes.models.handle import ModelHandle, Provider
from memory_secretary.nodes.models.patience import awaited

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
    on_text: Callable[[str], None] | None = None,
) -> tuple[AIMessage, float]:
    """Make one call.

    Args:
        handle: the model.
        messages: the prompt.
        format_: the reply's format in OpenAI's words, or None for text.
        max_tokens: limit of the reply, where the client takes one.
        config: callbacks and tags.
        timer: the clock that the call is timed with.
        on_text: is given the reply's text piece by piece as it comes; all at once from a server that cannot stream.

    Returns:
        The message, and how many seconds it took.

    Raises:
        ModelError: the server failed or broke off; a subclass says how and the sentence names the cure.
        ContextTruncated: the server read fewer tokens than the prompt has at the least.
        GivenUp: nobody waits for the reply any more.
    """
    prompt = [_sendable(part) for part in messages]
    start = timer()
    message = awaited(lambda: _answered(handle, prompt, format_, max_tokens, config, on_text))
    seconds = timer() - start
    _refuse_broken(handle, message)
    _refuse_truncated(handle, messages, message)
    return message, seconds


_no_streams: set[tuple[str, str]] = set()
"""Servers and models that were asked for a stream and gave none; they are not asked again."""


def _answered(
    handle: ModelHandle,
    prompt: list[BaseMessage],
    format_: Mapping[str, Any] | None,
    max_tokens: int,
    config: RunnableConfig,
    on_text: Callable[[str], None] | None,
) -> AIMessage:
    """The reply, in pieces where somebody is to hear them and the server can."""
    message = None
    if on_text and (handle.server, handle.name) not in _no_streams:
        message = _streamed(handle, _ready(handle, format_, max_tokens, stream=True), prompt, config, on_text)
    if message is None:
        with model_errors(handle.server, handle.name):
            message = _ready(handle, format_, max_tokens, stream=False).invoke(prompt, config)
        if on_text:
            _no_streams.add((handle.server, handle.name))
            on_text(message.text)
    return message


def _streamed(
    handle: ModelHandle,
    ready: Runnable[LanguageModelInput, AIMessage],
    prompt: list[BaseMessage],
    config: RunnableConfig,
    on_text: Callable[[str], None],
) -> AIMessage | None:
    """The reply, put together of its pieces; None where the server refuses to stream or sends nothing."""
    message: AIMessage | None = None
    try:
        with model_errors(handle.server, handle.name):
            for piece in ready.stream(prompt, config):
                message = piece if message is None else cast(AIMessage, message + piece)
                on_text(piece.text)
    except ModelRefused as error:
        if message is not None or not blames_request(error.__cause__ or error, error):
            raise
    except (NotImplementedError, ValueError):  # LangChain's ways of saying that nothing was streamed
        if message is not None:
            raise
    return None if message is None else cast(AIMessage, message_chunk_to_message(message))


def _sendable(message: BaseMessage) -> BaseMessage:
    """The message without half characters, which no JSON request can carry."""
    content = message.content
    if isinstance(content, str) and (cleaned := clean(content)) != content:
        return message.model_copy(update={"content": cleaned})
    return message


def _ready(
    handle: ModelHandle, format_: Mapping[str, Any] | None, max_tokens: int, *, stream: bool
) -> Runnable[LanguageModelInput, AIMessage]:
    """The model with this call's options where its client takes them."""
    if handle.provider is Provider.OLLAMA:
        return _ready_ollama(handle.model, format_, max_tokens)
    if handle.provider in (Provider.OPENAI, Provider.LLAMA_CPP):
        return _ready_openai(handle, format_, max_tokens, stream=stream)
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
    handle: ModelHandle, format_: Mapping[str, Any] | None, max_tokens: int, *, stream: bool
) -> Runnable[LanguageModelInput, AIMessage]:
    """All in the raw body: as arguments of the client they would start its own parsing, which raises on cut replies.

    LangGraph's ``messages`` stream would make every call a stream, without usage from a server of one's own: which
    calls are streams is decided here, and those ask for the usage.
    """
    model = _telling_usage(handle.model) if stream else handle.model
    how: dict[str, Any] = {} if stream else {"stream": False}
    body = dict(getattr(handle.model, "extra_body", None) or {})
    if format_ is not None:
        body["response_format"] = dict(format_)
    if handle.slot is not None:
        body["id_slot"] = handle.slot
    if not getattr(handle.model, "openai_api_base", None):
        return model.bind(extra_body=body, max_tokens=max_tokens, **how)
    body[handle.limit] = max_tokens  # local servers know the old word, not all know the newer one of the client
    return model.bind(extra_body=body, **how)


def _telling_usage(model: BaseChatModel) -> BaseChatModel:
    """The client asking for the usage at a stream's end, unless it was told whether to."""
    told = getattr(model, "stream_usage", None) is not None
    return model if told else model.model_copy(update={"stream_usage": True})


def end_reason(message: AIMessage) -> str | None:
    """Why the reply ended, as its server said it."""
    known = message.response_metadata
    return known.get("done_reason") or known.get("finish_reason")


def _refuse_broken(handle: ModelHandle, message: AIMessage) -> None:
    """Ollama's client returns half a reply as if it were whole when the server dies while speaking."""
    if handle.provider is Provider.OLLAMA and end_reason(message) is None:
        raise broken_reply(handle.server, handle.name)


def _refuse_truncated(handle: ModelHandle, messages: Sequence[BaseMessage], message: AIMessage) -> None:
    """Notice a server that dropped the front of the prompt and answered as if nothing had happened."""
    read = message.usage_metadata["input_tokens"] if message.usage_metadata else None
    least = least_tokens("".join(part.text for part in messages))
    if read and read < least:
        raise cut_prompt(handle.server, handle.name, read=read, least=least, window=handle.window)


def least_tokens(text: str) -> int:
    """A count that no tokenizer in use stays below, to notice a cut prompt; four fifths of the real one in English."""
    words, digits, cjk = (len(kind.findall(text)) for kind in (_WORD, _DIGITS, _CJK))
    return int(words + digits * _LEAST_DIGIT + cjk * _LEAST_CJK)
