"""The command ``memory settle``: what waits becomes cards now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer

from memory_secretary.graph.cli_desk import Desk, command
from memory_secretary.graph.words import say
from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.roles import Role

if TYPE_CHECKING:
    from memory_secretary.nodes.models.handle import ModelHandle
    from memory_secretary.nodes.settling import Settled

LEFT = 1
"""Exit status where something stays pending, or the model could not be asked."""
Asked = Annotated[
    str,
    typer.Option(
        "--secretary", metavar="MODEL", envvar="MEMORY_SECRETARY_SECRETARY", help="The model that makes the cards."
    ),
]
Calls = Annotated[int, typer.Option("--calls", metavar="N", min=0, help="At most so many calls of the model.")]


@command("settle")
def settle(desk: Desk, secretary: Asked = "embedded", calls: Calls = 1000) -> None:
    """Make cards of what waits; exit status 1 when something stays pending, which is tried again the next time."""
    if settle_with(desk, secretary, calls):
        raise typer.Exit(LEFT)


def settle_with(desk: Desk, secretary: str, calls: int) -> bool:
    """Make cards of what waits and tell what came of it; whether something still waits.

    Raises:
        MemorySecretaryError: there is no such model, or its server is down.
    """
    desk.store.close_idle_sessions(desk.scope)
    if not desk.store.pending(desk.scope):
        desk.out.outcome({}, say(spoken(), "nothing_waits"))
        return False
    done = _worked_off(desk, secretary, calls)
    desk.out.outcome({**done.figures(), "reasons": done.reasons, "stopped": done.stopped}, _told(done))
    return bool(done.pending or done.stopped)


def _worked_off(desk: Desk, secretary: str, calls: int) -> Settled:
    """Work off the queue; the model is fetched and started when the first turn needs it.

    Raises:
        MemorySecretaryError: there is no such model, or its server is down.
    """
    from memory_secretary.graph.settings import from_environment
    from memory_secretary.nodes.models.resolve import check_model
    from memory_secretary.nodes.settling import Settler

    check_model(secretary)
    window = from_environment().secretary_window
    with lent(secretary, window) as model, desk.out.busy(say(spoken(), "settling")):
        settler = Settler(lambda scope: desk.store.view(Role.PRECIPITATOR, scope), model, window=window, calls=calls)
        return settler.settle(desk.scope)


@contextmanager
def lent(secretary: str, window: int) -> Iterator[Callable[[], ModelHandle]]:
    """Gives the model at its first use; it is closed at the end."""
    from memory_secretary.nodes.models.resolve import resolve_model

    @cache
    def model() -> ModelHandle:
        return resolve_model(secretary, window=window, slots=1)

    try:
        yield model
    finally:
        if model.cache_info().currsize:
            model().close()


def _told(done: Settled) -> str:
    """What came of it, in sentences."""
    lang = spoken()
    sentences = [say(lang, "settled", **done.figures())]
    sentences += [f"- {reason}" for reason in done.reasons]
    if done.stopped:
        sentences.append(say(lang, "settled_stopped", why=done.stopped))
    if done.pending:
        sentences.append(say(lang, "settled_pending", n=done.pending))
    return "\n".join(sentences)
