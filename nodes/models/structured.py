"""Asking a model, for JSON under a schema or for plain text, in the best way its server can."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import ModelError
from memory_secretary.memory.server_errors import words_of
from memory_secretary.nodes.models.border import find_json, strip_reasoning
from memory_secretary.nodes.models.calls import Timer, call, end_reason
from memory_secretary.nodes.models.dialect import Dialect, adapted, response_format, shaped, spoken
from memory_secretary.nodes.models.handle import ModelHandle, Structured
from memory_secretary.nodes.models.patience import heard
from memory_secretary.nodes.models.probe import NOT_STREAMED, dialect_of, known_dialect, learn, may_adapt, tagged


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        text: the reply without its reasoning.
        data: the JSON object in it, or None.
        problem: why ``data`` is None or ``text`` is unusable, in one sentence; else empty.
        prompt_tokens: tokens of the prompt as the server counted them, or None.
        cached_tokens: how many of them it had in its prompt cache, or None.
        completion_tokens: tokens of the reply as the server counted them, or None.
        cut: whether the reply was cut off by its length limit.
        seconds: how long the call took.
        tool_calls: native calls, as ``{"name", "args", "id"}``; ``args`` of a malformed one is its text.
    """

    text: str
    data: dict[str, Any] | None
    problem: str
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cut: bool
    seconds: float
    tool_calls: list[dict[str, Any]] = field(default_factory=list)


def ask_json(
    handle: ModelHandle,
    messages: Sequence[BaseMessage],
    schema: dict[str, Any],
    *,
    max_tokens: int,
    tags: Sequence[str] = NOT_STREAMED,
    config: RunnableConfig | None = None,
    timer: Timer = time.perf_counter,
    on_text: Callable[[str], None] | None = None,
) -> Reply:
    """Ask for one JSON object under ``schema``.

    Where the server can be held to the schema, it is; else the schema is added to the last message and the object is
    looked for in the text. A reply without an object is no error: ``problem`` says why.

    Args:
        handle: the model.
        messages: the prompt.
        schema: JSON schema of an object; alternatives belong inside a property, not at the root.
        max_tokens: limit of the reply.
        tags: of the call; without ``nostream`` LangGraph streams its tokens to the user.
        config: the node's own, so that callbacks see the call.
        timer: the clock that the call is timed with.
        on_text: is given the raw reply piece by piece while it is written.

    Raises:
        ModelError: the server failed; a subclass says how and the sentence names the cure.
        ContextTruncated: the server read fewer tokens than the prompt can have.
    """

    def say(dialect: Dialect) -> tuple[AIMessage, float]:
        asked = shaped(messages, dialect, schema)
        format_ = response_format(dialect.structured, schema)
        return call(spoken(handle, dialect), asked, format_, max_tokens, tagged(config, tags), timer, heard(on_text))

    message, seconds = _said(handle, dialect_of(handle, config=config), say)
    return _reply(message, seconds, schema)


def as_sent(
    handle: ModelHandle,
    messages: Sequence[BaseMessage],
    schema: dict[str, Any],
    *,
    config: RunnableConfig | None = None,
) -> list[BaseMessage]:
    """The prompt as :func:`ask_json` sends it: with the schema in words where the server cannot be held to it.

    Raises:
        ModelError: the server cannot be reached or has no such model.
    """
    return shaped(messages, dialect_of(handle, config=config), schema)


def ask_text(
    handle: ModelHandle,
    messages: Sequence[BaseMessage],
    *,
    max_tokens: int,
    tags: Sequence[str] = NOT_STREAMED,
    config: RunnableConfig | None = None,
    timer: Timer = time.perf_counter,
) -> Reply:
    """Ask for plain text; ``data`` of the reply is always None. Arguments and errors as in :func:`ask_json`."""

    def say(dialect: Dialect) -> tuple[AIMessage, float]:
        asked, settings = shaped(messages, dialect), tagged(config, tags)
        return call(spoken(handle, dialect), asked, None, max_tokens, settings, timer, heard(None))

    message, seconds = _said(handle, known_dialect(handle) or Dialect(), say)
    return _reply(message, seconds, None)


def structured_mode(handle: ModelHandle, *, config: RunnableConfig | None = None) -> Structured:
    """How ``handle`` is held to a schema, found by one probe for each server and model and remembered.

    Raises:
        ModelError: the server cannot be reached or has no such model; nothing is remembered then.
    """
    return dialect_of(handle, config=config).structured


def _said(
    handle: ModelHandle, dialect: Dialect, say: Callable[[Dialect], tuple[AIMessage, float]]
) -> tuple[AIMessage, float]:
    """The reply, without what the server turns out to refuse after all; that is remembered, so it happens once."""
    while True:
        try:
            return say(dialect)
        except ModelError as error:
            refusal = words_of(error.__cause__ or error)
            better = adapted(dialect, refusal) if handle.structured is None and may_adapt(error) else None
            if better is None:
                raise
        if known_dialect(handle) is not None:  # what was never probed is not written down as if it had been
            learn(handle, better)
        dialect = better


# --- the reply ---------------------------------------------------------------------------------------------------


def _reply(message: AIMessage, seconds: float, schema: dict[str, Any] | None) -> Reply:
    usage: Mapping[str, Any] = message.usage_metadata or {}
    text = strip_reasoning(message.text)
    data, problem = _data(text, message, schema)
    return Reply(
        text=text,
        data=data,
        problem=problem,
        prompt_tokens=usage.get("input_tokens"),
        cached_tokens=usage.get("input_token_details", {}).get("cache_read"),
        completion_tokens=usage.get("output_tokens"),
        cut=end_reason(message) == "length",
        seconds=seconds,
        tool_calls=_native_calls(message),
    )


def _data(text: str, message: AIMessage, schema: dict[str, Any] | None) -> tuple[dict[str, Any] | None, str]:
    """The object in the reply and, without one, the reason."""
    if not text and message.text.strip():
        return None, said("the reply holds nothing but unfinished reasoning", "回复里只有没写完的思考")
    if schema is None:
        return None, "" if text else said("the reply is empty", "回复是空的")
    found = find_json(text, required=schema.get("required", ()))
    return found.data, said(f"the reply {found.problem}", f"回复{found.problem}") if found.problem else ""


def _native_calls(message: AIMessage) -> list[dict[str, Any]]:
    made = (*message.tool_calls, *message.invalid_tool_calls)
    return [{key: each.get(key) for key in ("name", "args", "id")} for each in made]
