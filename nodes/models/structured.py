"""Asking a model, for JSON under a schema or for plain text, in the best way its server can."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs

from memory_secretary.memory.errors import ModelError
from memory_secretary.memory.server_errors import blames_request
from memory_secretary.nodes.models.border import find_json, strip_reasoning
from memory_secretary.nodes.models.calls import Timer, call, end_reason
from memory_secretary.nodes.models.handle import ModelHandle, Structured

NOT_STREAMED = ("nostream",)
"""LangGraph's tag for calls whose tokens are not sent to the user; the default, since steps and notes are no answer."""

_PROBE_TOKENS = 300
"""Enough for a short answer, and for a model that reasons first."""
_PROBE_WORD = "teal"

_ENFORCED = frozenset({"additionalProperties", "maxLength", "minItems", "maxItems"})


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

    Raises:
        ModelError: the server failed; a subclass says how and the sentence names the cure.
        ContextTruncated: the server read fewer tokens than the prompt can have.
    """
    mode = structured_mode(handle, config=config)
    asked = as_sent(handle, messages, schema, config=config)
    message, seconds = call(handle, asked, _format(mode, schema), max_tokens, _config(config, tags), timer)
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
    held = structured_mode(handle, config=config) is Structured.SCHEMA
    return list(messages) if held else _with_schema(messages, schema)


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
    message, seconds = call(handle, list(messages), None, max_tokens, _config(config, tags), timer)
    return _reply(message, seconds, None)


# --- which way a server can be held to a schema ---------------------------------------------------------------------

_found: dict[tuple[str, str], Structured] = {}
_probing = threading.Lock()


def structured_mode(handle: ModelHandle, *, config: RunnableConfig | None = None) -> Structured:
    """How ``handle`` is held to a schema, found by one probe for each server and model and remembered.

    Raises:
        ModelError: the server cannot be reached or has no such model; nothing is remembered then.
    """
    if handle.structured is not None:
        return handle.structured
    key = (handle.server, handle.name)
    with _probing:
        if key not in _found:
            _found[key] = _probe(handle, config)
        return _found[key]


def _probe(handle: ModelHandle, config: RunnableConfig | None) -> Structured:
    """The first way that visibly works: the reply is forced to a word the question does not name."""
    schema = {"type": "object", "properties": {"colour": {"const": _PROBE_WORD}}, "required": ["colour"]}
    question = [HumanMessage("Which colour has the sky at noon? Answer with a json object.")]
    for mode in (Structured.SCHEMA, Structured.OBJECT):
        text = _probe_text(handle, question, _format(mode, schema), config)
        if _obeyed(mode, text):
            return mode
    return Structured.TEXT


def _probe_text(
    handle: ModelHandle,
    question: Sequence[BaseMessage],
    format_: Mapping[str, Any] | None,
    config: RunnableConfig | None,
) -> str:
    """The probe's reply; empty when the server refuses the format."""
    try:
        message, _ = call(handle, question, format_, _PROBE_TOKENS, _config(config, NOT_STREAMED), time.perf_counter)
    except ModelError as error:
        if not blames_request(error.__cause__ or error, error):
            raise
        return ""
    return strip_reasoning(message.text)


def _obeyed(mode: Structured, text: str) -> bool:
    """Whether a probe's whole reply is what the format would force."""
    try:
        data = json.loads(text)
    except ValueError:
        return False
    return data == {"colour": _PROBE_WORD} if mode is Structured.SCHEMA else isinstance(data, dict)


def _with_schema(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> list[BaseMessage]:
    """The schema in words, at the very end so that the prompt's beginning stays in the server's cache."""
    last = messages[-1]
    rules = json.dumps(_terse(schema), ensure_ascii=False, separators=(",", ":"))
    words = f"{last.text}\n\nReply with one json object and nothing else. It must fit this JSON schema:\n{rules}"
    return [*messages[:-1], last.model_copy(update={"content": words})]


def _terse(schema: Any) -> Any:
    """The schema without what only a server could enforce: a model that reads it pays for every word."""
    if isinstance(schema, list):
        return [_terse(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    # a mapping under one of these names is an argument that happens to be called so, or the type of a dict's values
    return {key: _terse(part) for key, part in schema.items() if key not in _ENFORCED or isinstance(part, Mapping)}


def _format(mode: Structured, schema: dict[str, Any]) -> dict[str, Any] | None:
    """The format in OpenAI's words; the call translates it for other clients."""
    if mode is Structured.SCHEMA:
        return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    return {"type": "json_object"} if mode is Structured.OBJECT else None


def _config(config: RunnableConfig | None, tags: Sequence[str]) -> RunnableConfig:
    return merge_configs(config, {"tags": list(tags)})


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
        return None, "the reply holds nothing but unfinished reasoning"
    if schema is None:
        return None, "" if text else "the reply is empty"
    found = find_json(text, required=schema.get("required", ()))
    return found.data, found.problem


def _native_calls(message: AIMessage) -> list[dict[str, Any]]:
    made = (*message.tool_calls, *message.invalid_tool_calls)
    return [{key: each.get(key) for key in ("name", "args", "id")} for each in made]
