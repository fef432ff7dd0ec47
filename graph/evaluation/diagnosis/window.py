"""What of a trace was in the window of a model at each moment."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from memory_secretary.graph.evaluation.diagnosis.messages import Message
from memory_secretary.memory.tokens import TokenCounter, estimate_tokens
from memory_secretary.nodes.prompt import reply_room

_PER_MESSAGE = 4
"""Tokens that a chat template puts around a message."""


class Window:
    """What of a trace a sliding window holds: the system's messages always, and the newest others that fit.

    Args:
        messages: the trace.
        window: tokens of prompt and reply together.
        keeps_request: whether the user's newest message stays, however old it is.
        count: counts tokens.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        window: int,
        *,
        keeps_request: bool = False,
        count: TokenCounter = estimate_tokens,
    ) -> None:
        self._messages = messages
        self._keeps_request = keeps_request
        sizes = [count(message.size) + _PER_MESSAGE for message in messages]
        moving = [0 if message.role == "system" else size for message, size in zip(messages, sizes, strict=True)]
        self._before = [0, *accumulate(moving)]
        self._sizes = sizes
        self.tokens = sum(sizes)
        self._room = max(0, window - reply_room(window) - (self.tokens - sum(moving)))

    def holds(self, at: int, needed: int) -> bool:
        """Whether the message ``needed`` is in the prompt from which message ``at`` was made."""
        if self._messages[needed].role == "system":
            return True
        request = self._request(at)
        if request is None:
            return self._before[at] - self._before[needed] <= self._room
        own = self._sizes[request]
        if needed == request:
            return True
        return self._before[at] - self._before[needed] + (own if request < needed else 0) <= self._room

    def _request(self, at: int) -> int | None:
        """The user's message that stays in the prompt, or None."""
        if not self._keeps_request:
            return None
        return next((n for n in range(at - 1, -1, -1) if self._messages[n].role == "user"), None)

    def full_at(self) -> int | None:
        """The first decision whose prompt lacks a message, or None."""
        made = (n for n, message in enumerate(self._messages) if message.role == "assistant" and n)
        first = next((n for n, message in enumerate(self._messages) if message.role != "system"), 0)
        return next((self._messages[n].step for n in made if self._before[n] - self._before[first] > self._room), None)
