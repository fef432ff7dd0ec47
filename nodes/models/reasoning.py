"""Taking a model's reasoning out of its reply."""

from __future__ import annotations

import json
import re

_TAG = re.compile(
    r"(?<!`)(?:<(?P<close>/?)(?:think|thinking|thought|reasoning|seed:think)>"
    r"|\[(?P<close2>/?)THINK\]"
    r"|◁(?P<close3>/?)think▷)(?!`)",
    re.IGNORECASE,
)
"""Marks of the reasoning blocks that local models write; between backticks they are talked about, not used."""


def strip_reasoning(text: str) -> str:
    """``text`` without reasoning blocks.

    A block whose opener is missing (some chat templates supply it) reaches from the beginning to its closer. A block
    that is not closed was cut off: nothing after or before it is an answer, so the result is empty. A reply that is
    JSON as a whole is left alone: marks inside its strings are content.
    """
    if _is_json(text):
        return text.strip()
    kept = ""
    start: int | None = 0  # where text outside of reasoning began, or None inside
    for tag in _TAG.finditer(text):
        closes = any(tag.group(name) for name in ("close", "close2", "close3"))
        if closes:
            kept = kept if start is None else ""
            start = tag.end()
        elif start is not None:
            kept += text[start : tag.start()]
            start = None
    return "" if start is None else (kept + text[start:]).strip()


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
