"""What a server takes and what it refuses: one small record, and everything that depends on it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from memory_secretary.nodes.models.handle import ModelHandle, Provider, Structured

_QUIET: Mapping[str, Any] = {"enable_thinking": False, "chat_template_kwargs": {"enable_thinking": False}}
"""How hosted servers (the first) and servers that fill in the model's own template (the second) are told not to
let the model reason; each ignores the other's word."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one model on one server takes.

    Attributes:
        structured: the best way in which it can be held to a schema.
        system: whether it takes a system message; else its text opens the first user turn.
        limit: its word for the limit of a reply.
        temperature: whether it may be told the temperature.
        thinking: whether it is left to reason as it likes; else it is told not to.
    """

    structured: Structured = Structured.SCHEMA
    system: bool = True
    limit: str = "max_tokens"
    temperature: bool = True
    thinking: bool = True


_CURES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (r"use ['\"`]?max_completion_tokens", {"limit": "max_completion_tokens"}),
    (r"\btemperature\b", {"temperature": False}),
    (r"enable[_ ]thinking|thinking mode", {"thinking": False}),
    (r"system (?:role|message|prompt|instruction)|developer instruction|roles? must alternate", {"system": False}),
)
"""What a refusal names, and what is done without from then on. Turns alternate in everything we send, so a server
that demands it objects to the system message."""

_FORMAT_WORDS = r"response_format|json_schema|json_object|\bjson mode|\bschema|\bgrammar|guided|structured|\bformat\b"


def adapted(dialect: Dialect, refusal: str) -> Dialect | None:
    """The dialect without what a server refused.

    Args:
        dialect: what was spoken.
        refusal: the server's own words.

    Returns:
        A dialect that differs, each time in one thing more, or None when the words name nothing we could do without.
    """
    for words, change in _CURES:
        changed = replace(dialect, **change)
        if changed != dialect and re.search(words, refusal, re.IGNORECASE):
            return changed
    return weaker(dialect) if re.search(_FORMAT_WORDS, refusal, re.IGNORECASE) else None


def weaker(dialect: Dialect) -> Dialect | None:
    """The dialect with the next best way of asking for JSON; None after the last."""
    ways = list(Structured)
    after = ways[ways.index(dialect.structured) + 1 :]
    return replace(dialect, structured=after[0]) if after else None


def spoken(handle: ModelHandle, dialect: Dialect) -> ModelHandle:
    """The handle whose calls carry the dialect's options; other clients than OpenAI's have options of their own."""
    if handle.provider not in (Provider.OPENAI, Provider.LLAMA_CPP):
        return handle
    changes: dict[str, Any] = {} if dialect.temperature else {"temperature": None}
    if not dialect.thinking:
        changes["extra_body"] = {**_QUIET, **(getattr(handle.model, "extra_body", None) or {})}
    model = handle.model.model_copy(update=changes) if changes else handle.model
    return replace(handle, model=model, limit=dialect.limit)


def response_format(structured: Structured, schema: dict[str, Any]) -> dict[str, Any] | None:
    """The format in OpenAI's words; the call translates it for other clients."""
    if structured is Structured.SCHEMA:
        return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    return {"type": "json_object"} if structured is Structured.OBJECT else None


# --- messages ----------------------------------------------------------------------------------------------------


def shaped(
    messages: Sequence[BaseMessage], dialect: Dialect, schema: dict[str, Any] | None = None
) -> list[BaseMessage]:
    """The messages as every server takes them: one system message in front, then turns that alternate.

    A later system message becomes part of the user's turn, neighbours of the same role become one. Where the server
    cannot be held to ``schema``, it stands in words at the very end, so that the beginning stays in the prompt cache.
    """
    turns = _merged([_late_system_as_user(message, n, messages) for n, message in enumerate(messages)])
    if not dialect.system and turns and isinstance(turns[0], SystemMessage):
        turns = _merged([HumanMessage(turns[0].content), *turns[1:]])
    held = schema is None or dialect.structured is Structured.SCHEMA
    return turns if held else _with_schema(turns, schema or {})


def _late_system_as_user(message: BaseMessage, position: int, messages: Sequence[BaseMessage]) -> BaseMessage:
    late = any(not isinstance(before, SystemMessage) for before in messages[:position])
    return HumanMessage(message.content) if late and isinstance(message, SystemMessage) else message


def _merged(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Neighbours of one role as one message; those with calls and results of tools stay as they are."""
    turns: list[BaseMessage] = []
    for message in messages:
        if turns and turns[-1].type == message.type and _plain(message) and _plain(turns[-1]):
            turns[-1] = turns[-1].model_copy(update={"content": f"{turns[-1].text}\n\n{message.text}"})
        else:
            turns.append(message)
    return turns


def _plain(message: BaseMessage) -> bool:
    """Whether a message is a turn of text alone."""
    if not isinstance(message, SystemMessage | HumanMessage | AIMessage) or not isinstance(message.content, str):
        return False
    return not (isinstance(message, AIMessage) and message.tool_calls)


def _with_schema(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> list[BaseMessage]:
    """The schema in words; hosted servers refuse ``json_object`` unless the word json stands in the prompt."""
    last = messages[-1]
    words = f"{last.text}\n\nReply with one json object of this form and nothing else:\n{outline(schema)}"
    return [*messages[:-1], last.model_copy(update={"content": words})]


def outline(schema: Any) -> str:
    """A JSON schema as a model reads it best and cheapest: the form of the object, alternatives parted by ``or``.

    ``{"step": {"thought": string, "action": "read_file", "input": {"path": string, "start"?: integer}} or …}``
    """
    if not isinstance(schema, Mapping):
        return "any"
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or\n".join(map(outline, schema[key]))
    if "properties" in schema:
        return _object_outline(schema["properties"], schema.get("required", ()))
    if schema.get("type") == "array":
        return f"[{outline(schema.get('items'))}, …]"
    inner = schema.get("additionalProperties")
    if schema.get("type") == "object" and isinstance(inner, Mapping):
        return f"{{…: {outline(inner)}}}"
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _object_outline(properties: Mapping[str, Any], required: Sequence[str]) -> str:
    names = (f'"{name}"{"" if name in required else "?"}: {outline(rule)}' for name, rule in properties.items())
    return f"{{{', '.join(names)}}}"
