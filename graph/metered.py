"""A teacher's calls, counted into a run's figures and bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig

from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.structured import Reply, ask_json

ANY_NUMBER = 1_000_000
"""Of calls, and of LangGraph's supersteps: no run comes near it."""

Ask = Callable[[Sequence[BaseMessage], dict[str, Any], int], Reply]


class SpentError(Exception):
    """No further call may be made."""


def metered(teacher: Callable[[], ModelHandle], figures: Any, most: int, config: RunnableConfig) -> Ask:
    """What asks the teacher for JSON: messages, schema and the most tokens of the reply.

    Args:
        teacher: the model; it is made ready by the first call.
        figures: ``calls``, ``tokens`` (of prompts and replies) and ``seconds``, to which each call adds its own.
        most: how many calls there may be in all.
        config: the node's own, handed on so that callbacks see the calls.

    The call raises :class:`SpentError` where ``most`` were made.
    """

    def ask(messages: Sequence[BaseMessage], schema: dict[str, Any], tokens: int) -> Reply:
        if figures["calls"] >= most:
            raise SpentError
        figures["calls"] += 1
        reply = ask_json(teacher(), messages, schema, max_tokens=tokens, config=config)
        figures["tokens"] += (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        figures["seconds"] += reply.seconds
        return reply

    return ask
