"""What the user's words forbid: tools that they name, and records that they want left closed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.task_state import TaskState
from memory_secretary.nodes.candidates import Group

FORBIDS = re.compile(
    r"\b(?:(?<!or )not|never|don't|mustn't|without|no)\b|"
    r"不要|不得|不准|不许|不能|不可|禁止|切勿|(?<![分特区类个级性])别",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\b(?:open(?:ed)?|read|view(?:ed)?|look(?:ed)? (?:at|into)|access(?:ed)?|touch(?:ed)?)\b|"
    r"打开|查看|阅读|翻看|[看读碰]",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"\b(?:stays?|remains?|left|leave|keep|kept) (?:\w+ )?(?:closed|shut|alone)\b|保持关闭", re.IGNORECASE
)


def forbidden_tools(constraints: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The tools that a constraint forbids by name, each with that constraint."""
    return {name: text for text in constraints if FORBIDS.search(text) for name in names if _names_tool(text, name)}


def _names_tool(text: str, name: str) -> bool:
    """Whether a text names a tool; a name that is a plain word (``read``) needs *use* or a quote before it."""
    plain = re.fullmatch(r"[a-z]+", name) is not None
    before = r"(?:\b(?:use|using|call|calling|run|tool) |[用`\"'“「])" if plain else ""
    return re.search(rf"{before}(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", text) is not None


def kept_closed(groups: Sequence[Group], listing: str, constraints: Sequence[str]) -> dict[str, str]:
    """The values of a listing whose records a constraint wants left closed, each with that constraint.

    A constraint means a record when it names it, or when it has a word in common with the record's line that most
    lines do not have (``[private]``).
    """
    closing = [text for text in constraints if _keeps_closed(text)]
    if not closing:
        return {}
    lines = [line for line in listing.splitlines() if line.strip()]
    common = _common(lines)
    found: dict[str, str] = {}
    for value in dict.fromkeys(value for group in groups for value in group.values):
        said = set(tokens(" ".join(line.replace(value, " ") for line in lines if value in line))) - common - STOPWORDS
        meant = next((text for text in closing if value in text or said & set(tokens(text))), None)
        if meant is not None:
            found[value] = meant
    return found


def broken_constraint(task: TaskState, action: str, arguments: Mapping[str, Any]) -> str:
    """The user's sentence that a call would break; empty when it breaks none."""
    tool = forbidden_tools(task["constraints"], [action]).get(action, "")
    return tool or next((task["closed"][str(v)] for v in arguments.values() if str(v) in task["closed"]), "")


def _keeps_closed(constraint: str) -> bool:
    return bool(_CLOSED.search(constraint) or (FORBIDS.search(constraint) and _OPENING.search(constraint)))


def _common(lines: Sequence[str]) -> set[str]:
    """The words that half of the lines have or more."""
    own = [set(tokens(line)) for line in lines]
    return {word for words in own for word in words if sum(word in other for other in own) * 2 >= len(own)}
