"""What calling a tool does to the world: the one question that decides on approval, pairing and repeats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from langchain_core.tools import BaseTool

_KEY = "effect"


class Effect(StrEnum):
    """From harmless to careful."""

    READ_ONLY = "read_only"
    """Changes nothing: may be called again freely."""
    IDEMPOTENT_WRITE = "idempotent_write"
    """Changes something, and the same call again changes nothing more."""
    SIDE_EFFECT = "side_effect"
    """Each call changes something: never repeated without being asked."""


_READING = frozenset(
    {"calculate", "calculator", "clock", "compute", "convert", "count", "describe", "fetch", "find", "get", "inspect"}
    | {"list", "lookup", "query", "read", "recall", "retrieve", "search", "show", "summarize", "view"}
)
_WRITING = frozenset(
    {"add", "and", "append", "apply", "archive", "book", "cancel", "clear", "close", "confirm", "create", "delete"}
    | {"drop", "edit", "execute", "forget", "insert", "mark", "move", "order", "pay", "post", "put", "remove", "rename"}
    | {"reset", "run", "save", "send", "set", "submit", "transfer", "update", "upload", "write"}
)

_THINGS = frozenset({"book", "order", "post", "run", "transfer", "update", "upload"})
"""Writing words that are things as well: ``get_order`` gets one."""
_AND = frozenset({"and", "or", "then"})

_DESTROYING = frozenset({"cancel", "clear", "delete", "drop", "erase", "forget", "purge", "remove", "reset", "wipe"})


def effect_of(tool: BaseTool) -> Effect:
    """The effect of a tool. The first of these that says something decides.

    1. A mark set by :func:`mark` (``metadata["effect"]``), or a tag with an effect's name.
    2. MCP annotations in the metadata: ``readOnlyHint``, then ``idempotentHint``; a tool that also has a
       ``destructiveHint`` is never taken as read-only. A hint that says no leaves no doubt either.
    3. The name: its first or last word is a reading one (``get_…``, ``…_search``) and no word is a writing one
       (``get_and_delete`` is not read-only; ``get_order`` is, since what follows a reading word is a thing).
    4. Everything else has a side effect, since a needless question costs less than a second payment.
    """
    return _marked(tool) or _annotated(tool) or effect_named(tool.name)


def mark(tool: BaseTool, effect: Effect) -> BaseTool:
    """A copy of ``tool`` that carries its effect."""
    return tool.model_copy(update={"metadata": {**(tool.metadata or {}), _KEY: effect.value}})


def destroys(tool: BaseTool) -> bool:
    """Whether a tool takes something away: its annotations or its name say so (``forget_all``, ``cancelOrder``)."""
    hinted = _hints(tool.metadata or {}).get("destructiveHint") is True
    return hinted or bool(_DESTROYING.intersection(_words(tool.name)))


def _marked(tool: BaseTool) -> Effect | None:
    said = {str((tool.metadata or {}).get(_KEY))} | set(tool.tags or ())
    found = [effect for effect in Effect if effect.value in said]
    return found[-1] if found else None  # two marks: the careful one


def _annotated(tool: BaseTool) -> Effect | None:
    hints = _hints(tool.metadata or {})
    if hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True:
        return Effect.READ_ONLY
    if hints.get("idempotentHint") is True:
        return Effect.IDEMPOTENT_WRITE
    return Effect.SIDE_EFFECT if {"readOnlyHint", "destructiveHint", "idempotentHint"} & _said(hints) else None


def _hints(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    nested = metadata.get("annotations")
    return nested if isinstance(nested, Mapping) else metadata


def _said(hints: Mapping[str, Any]) -> set[str]:
    return {name for name, value in hints.items() if isinstance(value, bool)}


def effect_named(name: str) -> Effect:
    """The effect of a tool of which nothing but the name is known; the third rule of :func:`effect_of`."""
    words = _words(name)
    things = _THINGS if words and words[0] in _READING and not _AND.intersection(words) else frozenset()
    reads = bool(words) and bool({words[0], words[-1]} & _READING) and not (_WRITING - things).intersection(words)
    return Effect.READ_ONLY if reads else Effect.SIDE_EFFECT


def _words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]
