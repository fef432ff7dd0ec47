"""How fast a model reads and writes, measured with one short reply."""

from __future__ import annotations

import time
from dataclasses import dataclass

from langchain_core.messages import HumanMessage

from memory_secretary.nodes.models.calls import Timer
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.structured import Reply, ask_json

REPLY_TOKENS = 24
"""Enough to tell how fast a model writes: five seconds at 5 tokens a second."""

_DAYS = 12
"""Lines of the prompt, of some 20 tokens each: a machine that reads 10 tokens a second is done in half a minute."""
_SCHEMA = {
    "type": "object",
    "properties": {"story": {"type": "string"}},
    "required": ["story"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Speed:
    """What one reply took.

    Attributes:
        read: tokens of the prompt read in a second; None where the server does not count or does not stream.
        written: tokens of the reply written in a second; None likewise.
        seconds: from the question to the end of the reply.
    """

    read: float | None
    written: float | None
    seconds: float


def measure_speed(handle: ModelHandle, *, salt: str, timer: Timer = time.perf_counter) -> Speed:
    """Let the model read about 300 tokens and write :data:`REPLY_TOKENS`; takes a few seconds.

    Args:
        handle: a model that is loaded already, or loading counts as reading.
        salt: a word that no earlier question began with, so that no prompt cache answers.
        timer: the clock.

    Raises:
        ModelError: the server failed.
    """
    pieces: list[float] = []
    start = timer()
    lines = "\n".join(
        f"{salt} {number}: the boat of day {number} brought {number * 7} crates." for number in range(_DAYS)
    )
    prompt = [HumanMessage(f"{lines}\nTell a long story about these boats as one json object.")]
    reply = ask_json(handle, prompt, _SCHEMA, max_tokens=REPLY_TOKENS, on_text=lambda _: pieces.append(timer()))
    return _speed(reply, start, pieces)


def _speed(reply: Reply, start: float, pieces: list[float]) -> Speed:
    """A reply that came in one piece does not tell reading from writing."""
    if len(pieces) < 2 or not pieces[0] < pieces[-1]:
        return Speed(None, None, reply.seconds)
    fresh = (reply.prompt_tokens or 0) - (reply.cached_tokens or 0)
    written = (reply.completion_tokens or len(pieces)) - 1  # the first one ends the reading
    return Speed(
        read=fresh / (pieces[0] - start) if fresh > 0 else None,
        written=written / (pieces[-1] - pieces[0]),
        seconds=reply.seconds,
    )
