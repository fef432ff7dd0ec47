"""Ctrl-C that is honoured within seconds, also while a model is in the middle of its answer."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from memory_secretary.graph.cli_keyboard import terminal_as_before

INTERRUPTED = 130
"""The exit status of a program that was ended by Ctrl-C (128 and the signal's number)."""
GRACE = 2.0
"""Seconds for an orderly end. LangGraph waits for the running node, which may wait minutes for its model; everything
that has happened is on disk by then, so the process may as well end."""


@contextmanager
def prompt_ctrl_c(last_words: Callable[[], None], grace: float = GRACE) -> Iterator[None]:
    """Within this block Ctrl-C raises ``KeyboardInterrupt`` and, where that is not heard in time, ends the process.

    Args:
        last_words: says how to go on; called before the process is ended.
        grace: seconds until then.
    """

    def give_up() -> None:
        last_words()
        terminal_as_before()
        os._exit(INTERRUPTED)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        timer = threading.Timer(grace, give_up)
        timer.daemon = True
        timer.start()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
