"""Calls that nobody may wait for any more: who waits is free at once, and the server at its next token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Thread
from typing import Any, TypeVar

from memory_secretary.memory.errors import MemorySecretaryError

T = TypeVar("T")

GiveUp = Future[None]
"""Is done as soon as nobody waits any more."""

_GIVE_UP: ContextVar[GiveUp | None] = ContextVar("memory_secretary_give_up", default=None)


class GivenUp(MemorySecretaryError):
    """Nobody waits for the call any more; the step that made it is taken anew when the task goes on."""


@contextmanager
def until(give_up: GiveUp) -> Iterator[None]:
    """Within this block, and in what it calls in threads of LangGraph's, calls to models end with ``give_up``."""
    token = _GIVE_UP.set(give_up)
    try:
        yield
    finally:
        _GIVE_UP.reset(token)


def awaited(work: Callable[[], T]) -> T:
    """What ``work`` gives or raises.

    Raises:
        GivenUp: nobody waits any more; ``work`` is left to itself, and ends with the process at the latest.
    """
    give_up = _GIVE_UP.get()
    if give_up is None:
        return work()
    outcome: Future[T] = Future()
    run = copy_context().run
    Thread(target=run, args=(_settle, outcome, work), name="model-call", daemon=True).start()
    either: list[Future[Any]] = [outcome, give_up]
    wait(either, return_when=FIRST_COMPLETED)
    if not outcome.done():
        raise _given_up()
    return outcome.result()


def heard(on_text: Callable[[str], None] | None) -> Callable[[str], None] | None:
    """What is to be given a reply's pieces, so that the reply is broken off when nobody waits for it any more.

    Args:
        on_text: who wants the pieces otherwise; with None a reply is only read in pieces where it may be given up.
    """
    give_up = _GIVE_UP.get()
    if give_up is None:
        return on_text

    def hear(piece: str) -> None:
        if give_up.done():
            raise _given_up()
        if on_text:
            on_text(piece)

    return hear


def _settle(outcome: Future[T], work: Callable[[], T]) -> None:
    try:
        outcome.set_result(work())
    except BaseException as error:  # noqa: BLE001  # it is raised again where the outcome is awaited
        outcome.set_exception(error)


def _given_up() -> GivenUp:
    msg = "the call to the model was given up; go on with the task to make it again"
    return GivenUp(msg, zh="对模型的调用已放弃；继续该任务即可重新调用")
