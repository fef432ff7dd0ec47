"""What stood behind the marks of masked secrets: held in this process alone, never written."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from memory_secretary.memory.masking import MARK, holds_mark, mapped, mask
from memory_secretary.memory.scope import Scope

_LEAST_HIDDEN = 4
"""A shorter value is masked where it is introduced, but not wherever its characters happen to stand."""


class Vault:
    """Secrets by scope and mark, so that a tool can be given what its caller only knows by the mark.

    A mark says the kind of a secret, not which one: when a thread holds two passwords, neither is put back.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[str, str | None], dict[str, set[str]]] = {}
        self._lock = threading.Lock()

    def keep(self, scope: Scope, text: str) -> None:
        """Hold the secrets of a text that is about to be masked."""
        for mark, value in masked_values(text):
            with self._lock:
                self._values.setdefault(_place(scope), {}).setdefault(mark, set()).add(value)

    def put_back(self, scope: Scope, data: Any) -> Any:
        """Plain JSON data with each mark replaced by its secret, where this thread holds exactly one such secret."""
        with self._lock:
            only = {mark: next(iter(held)) for mark, held in self._held(scope).items() if len(held) == 1}
        return mapped(data, lambda text: MARK.sub(lambda found: only.get(found[0], found[0]), text)) if only else data

    def can_put_back(self, scope: Scope, data: Any) -> bool:
        """Whether no mark is left once :meth:`put_back` has done what it can."""
        return not holds_mark(self.put_back(scope, data))

    def hide(self, scope: Scope, data: Any) -> Any:
        """Text or plain JSON data with every secret that this thread holds replaced by its mark, wherever it stands."""
        with self._lock:
            held = [(value, mark) for mark, values in self._held(scope).items() for value in values]
        marks = sorted((pair for pair in held if len(pair[0]) >= _LEAST_HIDDEN), key=lambda pair: -len(pair[0]))
        return mapped(data, lambda text: _hidden(text, marks)) if marks else data

    def _held(self, scope: Scope) -> dict[str, set[str]]:
        return self._values.get(_place(scope), {})


def masked_values(text: str) -> Iterator[tuple[str, str]]:
    """The secrets of a text, each with the mark that it gives way to.

    What stands between two marks stands in the text, too, so each secret lies between two such pieces. Marks that
    touch each other hold one secret between them that cannot be told apart, and are left out.
    """
    pieces = MARK.split(mask(text))
    at = len(pieces[0])
    for number in range(1, len(pieces), 2):
        after = pieces[number + 1]
        last = number + 2 == len(pieces)
        end = len(text) - len(after) if last else text.find(after, at) if after else -1
        if end < at:
            return
        if text[at:end] != pieces[number]:  # else the mark stood there already
            yield pieces[number], text[at:end]
        at = end + len(after)


def _hidden(text: str, marks: Sequence[tuple[str, str]]) -> str:
    for value, mark in marks:
        text = text.replace(value, mark)
    return text


def _place(scope: Scope) -> tuple[str, str | None]:
    return scope.owner, scope.thread
