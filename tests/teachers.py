"""Teachers that answer by a rule: the lines that they are shown, as cards."""

from __future__ import annotations

import re
from typing import Any

from policy import PolicyModel

_LINE = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


def lines_of(prompt: str) -> list[tuple[str, str]]:
    """The statements that a prompt asks about, with their numbers."""
    return _LINE.findall(prompt.split('Lines of "')[-1])


def card(line: str, content: str, **parts: str) -> dict[str, str]:
    """One card as a teacher writes it."""
    empty = dict.fromkeys(("about", "attribute", "value", "when", "valid_from", "valid_until"), "")
    return {"line": line, "content": content, **empty, "type": "fact", **parts}


def every_line(prompt: str) -> dict[str, Any]:
    """A card for each line, about its first word."""
    return {"cards": [card(n, text, about=re.findall(r"\w+", text)[0]) for n, text in lines_of(prompt)]}


def teacher(rule: Any = every_line) -> PolicyModel:
    """A chat model that answers by a rule."""
    return PolicyModel(rule=rule)
