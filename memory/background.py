"""One helper thread for work that nobody waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class BackgroundWork:
    """Calls ``piece`` again and again in a daemon thread until it says that nothing is left.

    Args:
        piece: does one small piece of work and returns whether more is left; handles its own errors.
        name: the thread's name.
        pause: seconds between two pieces, in which whoever waits gets on: Chroma keeps all other threads from
            running while it takes vectors in, and a thread that asks again at once is served first.
    """

    def __init__(self, piece: Callable[[], bool], name: str, *, pause: float = 0.0) -> None:
        self._piece = piece
        self._name = name
        self._pause = pause
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._again = False
        self._stopping = False

    def start(self) -> None:
        """See to it that the work goes on; returns at once."""
        with self._lock:
            self._again = True
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether the helper thread is at work, or about to be."""
        with self._lock:
            return self._thread is not None

    def stop(self) -> None:
        """Let the piece in hand end, begin no further one, and wait for that; it can be started again."""
        with self._lock:
            self._stopping, running = True, self._thread
        if running is not None:
            running.join()
        with self._lock:
            self._stopping = False

    def _run(self) -> None:
        while self._goes_on():
            more = self._piece()
            if more and self._pause:
                time.sleep(self._pause)
            with self._lock:
                self._again = self._again or more

    def _goes_on(self) -> bool:
        """Whether to do another piece; without one the thread is given up, so that the next start makes a new one."""
        with self._lock:
            goes_on = self._again and not self._stopping
            self._again = False
            if not goes_on:
                self._thread = None
            return goes_on
