"""Reading the final answer out of a step's JSON while the model is still writing it."""

from __future__ import annotations

import re
import string
from collections.abc import Generator

from memory_secretary.nodes.models.border import FINAL, strip_reasoning

_BEGIN = re.compile(r"(?:```(?:json)?\s*)?\{")
"""How a reply that is nothing but a step begins, reasoning taken out."""
_BLANKS = " \t\r\n"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HALF = "\ufffd"
"""What stands for half a character (a lone surrogate), as where the whole reply is read."""

Reading = Generator[None, str, str]
"""Is sent one character after the other; gives back the first that it has no use for."""


class AnswerReader:
    """Gives the answer's text bit by bit, once the step is known to be the final answer.

    It reads ``{"step": {"action": "final_answer", "input": {"answer": "…"}}}``, or the step without the outer object,
    with keys in any order. Any other reply, and whatever is no JSON, gives nothing: it is read when it is whole.
    """

    def __init__(self) -> None:
        self._head: str | None = ""  # what came before the step; None once it has begun
        self._action = ""
        self._text: list[str] = []
        self._reading: Reading | None = self._step(outer=True)
        next(self._reading)

    def feed(self, piece: str) -> str:
        """Read on.

        Args:
            piece: the next piece of the reply, of any length.

        Returns:
            What is new of the answer; may be empty.
        """
        for char in self._begun(piece):
            if self._reading is None:
                break
            self._send(self._reading, char)
        if self._action != FINAL or not self._text:
            return ""
        new = "".join(self._text)
        self._text.clear()
        return new

    def _begun(self, piece: str) -> str:
        """The characters after the step's first brace; empty while it has not come."""
        if self._head is None:
            return piece
        self._head += piece
        trailing = self._head[len(self._head.rstrip()) :]
        body = strip_reasoning(self._head) + trailing
        begin = _BEGIN.match(body)
        if begin is None:
            return ""
        self._head = None
        return body[begin.end() :]

    def _send(self, reading: Reading, char: str) -> None:
        try:
            reading.send(char)
        except (StopIteration, ValueError):  # the step has ended, or it is no JSON
            self._reading = None

    # --- the grammar ------------------------------------------------------------------------------------------------

    def _step(self, *, outer: bool) -> Reading:
        """The members of a step, or of the object around it."""
        char = yield from _blanks((yield))
        while char == '"':
            key = yield from _string([])
            if (yield from _blanks((yield))) != ":":
                return char
            char = yield from _blanks((yield))
            if key == "step" and outer and char == "{":
                yield from self._step(outer=False)
                char = yield
            elif key == "action" and char == '"':
                self._action = yield from _string([])
                char = yield
            elif key == "input" and char == "{":
                yield from self._input()
                char = yield
            else:
                char = yield from _skipped(char)
            char = yield from _next_member(char)
        return char

    def _input(self) -> Reading:
        """The members of the step's input."""
        char = yield from _blanks((yield))
        while char == '"':
            key = yield from _string([])
            if (yield from _blanks((yield))) != ":":
                return char
            char = yield from _blanks((yield))
            if key == "answer" and char == '"':
                yield from _string(self._text)
                char = yield
            else:
                char = yield from _skipped(char)
            char = yield from _next_member(char)
        return char


def _blanks(char: str) -> Reading:
    while char in _BLANKS:
        char = yield
    return char


def _next_member(char: str) -> Reading:
    """Past the comma to the next key's quote; or the object's closing brace."""
    char = yield from _blanks(char)
    return (yield from _blanks((yield))) if char == "," else char


def _skipped(char: str) -> Reading:
    """Past a value that is of no interest, which begins with ``char``."""
    depth = 0
    while True:
        if char == '"':
            yield from _string([])
        elif char in "{[":
            depth += 1
        elif depth == 0 and char in ",}":
            return char
        elif char in "}]":
            depth -= 1
        char = yield


def _string(into: list[str]) -> Reading:
    """What a string says, whose quote is open; it is also added to ``into`` as it comes."""
    high = ""
    while (char := (yield)) != '"':
        escaped = char == "\\"
        if escaped:
            char = yield from _escape()
        if high and escaped and "\udc00" <= char <= "\udfff":
            into.append((high + char).encode("utf-16", "surrogatepass").decode("utf-16"))
            high = ""
            continue
        if high:
            into.append(_HALF)
        high = char if escaped and "\ud800" <= char <= "\udbff" else ""
        if not high:
            into.append(_HALF if "\ud800" <= char <= "\udfff" else char)
    if high:
        into.append(_HALF)
    return "".join(into)


def _escape() -> Reading:
    """The character that an escape stands for; a lone surrogate for half of one."""
    kind = yield
    if kind != "u":
        return _known(_ESCAPES.get(kind, ""))
    digits = ""
    while len(digits) < 4:
        char = yield
        digits += _known(char if char in string.hexdigits else "")
    return chr(int(digits, 16))


def _known(char: str) -> str:
    if not char:
        msg = "no such escape in JSON"
        raise ValueError(msg)
    return char
