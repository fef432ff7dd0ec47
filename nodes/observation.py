"""Whatever a tool gives back, as text that can be recorded."""

from __future__ import annotations

import json
from traceback import TracebackException
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp

_ERROR_LENGTH = 400
"""Characters of an exception's text that are kept."""


def tool_error(error: Exception) -> str:
    """A tool's exception as a short result; LangGraph's own signals (interrupts) pass through.

    An exception may fail to say what it is: its text is then Python's own word for that.

    Raises:
        GraphBubbleUp: the exception is such a signal.
    """
    if isinstance(error, GraphBubbleUp):
        raise error
    text = str(TracebackException(type(error), error, None)).strip() or "no message"
    more = f" … ({len(text) - _ERROR_LENGTH} more characters)" if len(text) > _ERROR_LENGTH else ""
    return f"{type(error).__name__}: {text[:_ERROR_LENGTH]}{more}"


def observed(message: ToolMessage) -> str:
    """The text of a tool's result; blocks that are no text are named by their type and size."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(_block(block) for block in message.content)


def _block(block: Any) -> str:
    if isinstance(block, str):
        return block
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return str(block["text"])
    kind = block.get("type", "data") if isinstance(block, dict) else type(block).__name__
    return f"[{kind}, {len(json.dumps(block, default=str))} characters]"
