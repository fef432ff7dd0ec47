"""What the finders of errors share: the trace, an error, and how a trace is walked through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memory_secretary.graph.evaluation.diagnosis.messages import Call, Message
from memory_secretary.memory.lexical import query_terms
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.passages import passages

_QUOTE = 160
"""Characters of a quote."""


@dataclass(frozen=True, slots=True)
class Error:
    """One error: the message that makes it, what is said there, and the message that would have prevented it."""

    at: int
    quote: str
    needed: int | None = None
    told: str = ""


Trace = Sequence[Message]
Finder = Callable[[Trace], Iterator[Error]]


def turns(trace: Trace) -> Iterator[tuple[int, list[int]]]:
    """Each message of the user's, and the positions of what follows it up to the next."""
    starts = [n for n, message in enumerate(trace) if message.role == "user"]
    for start, end in zip(starts, [*starts[1:], len(trace)], strict=True):
        yield start, list(range(start + 1, end))


def calls(trace: Trace, positions: Sequence[int], first: int = 0) -> Iterator[tuple[int, Call]]:
    """The calls made at these positions, from ``first`` on, each with its own."""
    for n in positions:
        for call in trace[n].calls if n >= first else ():
            yield n, call


def result_of(trace: Trace, at: int, call: Call) -> int | None:
    """Where a call's result stands: under its id, else in its place among the results that follow."""
    following: list[int] = []
    for n in range(at + 1, len(trace)):
        if trace[n].role != "tool":
            break
        following.append(n)
    if call.id:
        named = next((n for n in following if trace[n].answers == call.id), None)
        if named is not None or any(trace[n].answers for n in following):
            return named
    place = trace[at].calls.index(call)
    return following[place] if place < len(following) else None


def terms(text: str) -> set[str]:
    """The telling words of a text, by their stems."""
    return set(query_terms(text)) if text.strip() else set()


def sentence_with(text: str, value: str) -> str:
    """The sentence of a text that holds a value; the text where none does."""
    return next((piece.text for piece in passages(text) if value in piece.text), text)


def shown(message: Message) -> str:
    """What an assistant did: its calls, else its words."""
    made = "; ".join(call_text(call.name, call.arguments) for call in message.calls)
    return cut(made or message.text)


def cut(text: str) -> str:
    """A text as a quote, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE else f"{line[: _QUOTE - 1]}…"
