"""A run whose steps arrive from a thread of its own, so that Ctrl-C is heard in the middle of a step."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any

from memory_secretary.nodes.models.patience import GiveUp, until

Part = tuple[str, Any]

_BEAT = 0.2
"""Seconds after which a wait looks up, since not every system lets a signal end it."""


class Turn:
    """Iterates over a run's parts while they are made elsewhere.

    Args:
        make: begins the run; called in the run's own thread, which speaks the language spoken here.
        ended: called when no step is at work any more.
    """

    def __init__(self, make: Callable[[], Iterator[Part]], ended: Callable[[], None] = lambda: None) -> None:
        self._ended = ended
        self._parts: queue.SimpleQueue[Part | None] = queue.SimpleQueue()
        self._given_up: GiveUp = Future()
        workers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="turn")
        self._run: Future[None] = workers.submit(copy_context().run, self._work, make)
        workers.shutdown(wait=False)

    def __iter__(self) -> Iterator[Part]:
        """The parts as they come; what ended the run early is raised at the end."""
        while (part := self._next()) is not None:
            yield part
        self._run.result()

    @property
    def busy(self) -> bool:
        """Whether a step is still at work, perhaps one that was told to stop."""
        return not self._run.done()

    def stop(self) -> None:
        """End the step that is at work, at once where it waits for a model, else when it is done; begin no other.

        LangGraph keeps what a step that is done records; one that waited for its model is taken anew.
        """
        if not self._given_up.done():
            self._given_up.set_result(None)

    def wait(self, seconds: float | None = None) -> None:
        """Wait until no step is at work, or for so many seconds."""
        left = seconds
        while self.busy and (left is None or left > 0):
            wait([self._run], timeout=_BEAT)
            left = None if left is None else left - _BEAT

    def _next(self) -> Part | None:
        while True:
            try:
                return self._parts.get(timeout=_BEAT)
            except queue.Empty:
                continue

    def _work(self, make: Callable[[], Iterator[Part]]) -> None:
        try:
            with until(self._given_up):
                for part in make():
                    if self._given_up.done():
                        break
                    self._parts.put(part)
        finally:
            self._ended()
            self._parts.put(None)
