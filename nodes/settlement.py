"""When queued turns become cards in a run: after its answer, in the background, or not before somebody says so."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memory_secretary.memory.background import BackgroundWork
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import PrecipitatorView
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.run import Run
from memory_secretary.nodes.settling import Settled, Settler


class Settlement:
    """Works off the queue as a run's setting ``precipitation`` says; the run's answer is recorded before that.

    Args:
        view: gives the precipitator's view of a scope.
        model: the secretary's.
    """

    def __init__(self, view: Callable[[Scope], PrecipitatorView], model: ModelHandle):
        self._view = view
        self._model = model
        self._works: dict[str, BackgroundWork] = {}
        self._lock = threading.Lock()

    def __call__(self, run: Run) -> Settled | None:
        """What was made of the queue before this returned; None where nothing was to be done, or not here."""
        if run.options.precipitation == "inline":
            return self._settler(run.options).settle(run.scope, again=False)
        if run.options.precipitation == "background":
            self._start(run)
        return None

    def _settler(self, options: Options) -> Settler:
        return Settler(
            self._view, lambda: self._model, window=options.secretary_window, calls=options.precipitation_calls
        )

    def _start(self, run: Run) -> None:
        """Let one helper thread for each owner go on with what waits; it ends when nothing does."""
        settler, scope = self._settler(run.options), run.scope

        def piece() -> bool:
            try:
                return settler.piece(scope)
            except MemorySecretaryError:  # the memory was closed meanwhile; what waits is there at the next start
                return False

        with self._lock:
            work = self._works.get(scope.owner)
            if work is None or not work.busy:
                work = self._works[scope.owner] = BackgroundWork(piece, "memory-precipitation")
        work.start()

    def wait(self) -> None:
        """Until the pieces that are at work have ended; no further one is begun."""
        with self._lock:
            works = list(self._works.values())
        for work in works:
            work.stop()
