"""Finding out how a server wants to be spoken to: by one short question, once for each server and model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs

from memory_secretary.memory.errors import ContextTruncated, ModelError, ModelRefused
from memory_secretary.memory.server_errors import blames_request, words_of
from memory_secretary.nodes.models.border import strip_reasoning
from memory_secretary.nodes.models.calls import call, end_reason
from memory_secretary.nodes.models.dialect import Dialect, adapted, response_format, shaped, spoken, weaker
from memory_secretary.nodes.models.handle import ModelHandle, Provider, Structured
from memory_secretary.nodes.models.known import KnownDialects
from memory_secretary.nodes.models.weights import cache_folder

NOT_STREAMED = ("nostream",)
"""LangGraph's tag for calls whose tokens are not sent to the user; the default, since steps and notes are no answer."""

_TOKENS = 300
"""Enough for a short answer, and for a model that reasons first."""
_WORD = "teal"
_SCHEMA = {"type": "object", "properties": {"colour": {"const": _WORD}}, "required": ["colour"]}
_QUESTION = (
    SystemMessage("Answer in as few words as you can."),
    HumanMessage("Which colour has the sky at noon? Answer with a json object."),
)
"""In the same shape as every prompt of ours; the schema forces a word that the question does not name."""


@dataclass(frozen=True, slots=True)
class Said:
    """What came of the question: a text, or a refusal.

    Attributes:
        text: the reply without its reasoning.
        cut: whether it was cut off by its limit, which reasoning may have used up.
        refused: why the server did not answer, where another way of asking may help.
    """

    text: str = ""
    cut: bool = False
    refused: ModelError | None = None


def find_dialect(ask: Callable[[Dialect], Said]) -> Dialect:
    """The first dialect that visibly works, from the best on; one question where the best does.

    Args:
        ask: puts the question in a dialect.

    Raises:
        ModelError: the server refuses even plain text, for a reason that names nothing we could do without.
    """
    dialect = Dialect()
    while True:
        said = ask(dialect)
        if said.refused is not None:
            dialect = _after(dialect, said.refused)
        elif _obeyed(dialect, said.text):
            return dialect
        elif said.cut and _obeyed(quiet := replace(dialect, thinking=False), ask(quiet).text):
            return quiet
        else:
            dialect = weaker(dialect) or dialect
            if dialect.structured is Structured.TEXT:  # the server just answered in it, so it is not asked again
                return dialect


def _after(dialect: Dialect, refused: ModelError) -> Dialect:
    """What to try after a refusal: without what it names, else, unless the server failed, the next best way."""
    better = adapted(dialect, words_of(refused.__cause__ or refused))
    if better is None and isinstance(refused, ModelRefused):
        better = weaker(dialect)
    if better is None:
        raise refused
    return better


def _obeyed(dialect: Dialect, text: str) -> bool:
    """Whether the whole reply is what its format would force."""
    if dialect.structured is Structured.TEXT:
        return True
    try:
        data = json.loads(text)
    except ValueError:
        return False
    return data == {"colour": _WORD} if dialect.structured is Structured.SCHEMA else isinstance(data, dict)


def put_question(handle: ModelHandle, dialect: Dialect, config: RunnableConfig | None) -> Said:
    """Ask ``handle`` the question in ``dialect``.

    Raises:
        ModelError: the server cannot be reached, has no such model or refuses the key.
    """
    format_ = response_format(dialect.structured, _SCHEMA)
    try:
        message, _ = call(
            spoken(handle, dialect), shaped(_QUESTION, dialect), format_, _TOKENS, tagged(config), time.perf_counter
        )
    except ModelError as error:
        if not may_adapt(error):
            raise
        return Said(refused=error)
    cut = handle.provider is Provider.OPENAI and end_reason(message) == "length"
    return Said(strip_reasoning(message.text), cut)


def may_adapt(error: ModelError) -> bool:
    """Whether asking in another way could help."""
    return not isinstance(error, ContextTruncated) and blames_request(error.__cause__ or error, error)


def tagged(config: RunnableConfig | None, tags: Sequence[str] = NOT_STREAMED) -> RunnableConfig:
    """The config with ``tags``, by default the one that keeps tokens from the user."""
    return merge_configs(config, {"tags": list(tags)})


# --- what is known already ---------------------------------------------------------------------------------------

_found: dict[tuple[str, str], Dialect] = {}
_finding = threading.Lock()


def dialect_of(handle: ModelHandle, *, config: RunnableConfig | None = None) -> Dialect:
    """How ``handle`` is spoken to, found out once for each server and model and remembered, on disk too.

    Raises:
        ModelError: the server cannot be reached or has no such model; nothing is remembered then.
    """
    if handle.structured is not None:
        return Dialect(structured=handle.structured)
    with _finding:
        known = _remembered(handle)
        if known is None:
            known = find_dialect(lambda dialect: put_question(handle, dialect, config))
            _remember(handle, known)
        return known


def known_dialect(handle: ModelHandle) -> Dialect | None:
    """How ``handle`` is spoken to, if that is known without asking."""
    if handle.structured is not None:
        return Dialect(structured=handle.structured)
    with _finding:
        return _remembered(handle)


def learn(handle: ModelHandle, dialect: Dialect) -> None:
    """Remember what a later refusal taught."""
    with _finding:
        _remember(handle, dialect)


def forget(handle: ModelHandle) -> None:
    """Forget what is known of ``handle``, so that the next call finds it out anew."""
    with _finding:
        _found.pop(_key(handle), None)
        _file().drop(*_key(handle))


def _remembered(handle: ModelHandle) -> Dialect | None:
    key = _key(handle)
    if key not in _found and (kept := _file().get(*key)) is not None:
        _found[key] = kept
    return _found.get(key)


def _remember(handle: ModelHandle, dialect: Dialect) -> None:
    _found[_key(handle)] = dialect
    _file().put(*_key(handle), dialect)


def _key(handle: ModelHandle) -> tuple[str, str]:
    return handle.server, handle.name


def _file() -> KnownDialects:
    return KnownDialects(cache_folder() / "servers.json")
