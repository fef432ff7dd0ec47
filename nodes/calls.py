"""Tool calls as text and as keys: how they are shown, and when two are the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from memory_secretary.nodes.grounding import folded

_SHOWN = 48
"""Characters of one argument value that are shown."""


def call_text(action: str, arguments: Mapping[str, Any]) -> str:
    """A call on one line, long values shortened: ``read_file(path=notes/a.md)``."""
    shown = ", ".join(f"{name}={_short(value)}" for name, value in arguments.items())
    return f"{action}({shown})"


def call_key(action: str, arguments: Mapping[str, Any], *, exact: bool = False) -> str:
    """Equal for calls that mean the same: argument order, case, width and blanks do not count.

    Args:
        action: the tool.
        arguments: its arguments.
        exact: let case, width and blanks count.
    """
    if all(type(value) is str for value in arguments.values()):
        return _key_of_texts(action, tuple(arguments.items()), exact)
    return _key(action, arguments.items(), exact)


def _key(action: str, arguments: Iterable[tuple[str, Any]], exact: bool) -> str:
    plain = {name: value if exact else _plain(value) for name, value in arguments if value not in (None, "", [], {})}
    return f"{action} {json.dumps(plain, sort_keys=True, ensure_ascii=False, default=str)}"


_key_of_texts = lru_cache(maxsize=1024)(_key)
"""Of most calls; a task's items are compared with each new one."""


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return folded(value).removeprefix("./").rstrip("/")
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value
