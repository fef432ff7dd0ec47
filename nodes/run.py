"""What a node is handed for one run: its options, the scope, the words of the user's language, and a recorder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.records import Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import ExecutorView, SecretaryView
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.wording import Wording, wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One node's view of the run it works for.

    Attributes:
        options: what steers the nodes.
        scope: whose run it is, and in which thread.
        task_id: LangGraph's id of this node's execution; the same when it is run again after a crash.
        config: the node's own, to be handed on to models and tools.
        write: sends one chunk of the ``custom`` stream.
    """

    options: Options
    scope: Scope
    task_id: str
    config: RunnableConfig
    write: Callable[[dict[str, Any]], None]

    def words(self, goal: str) -> Wording:
        """The headings and reminders in the user's language."""
        lang = self.options.lang
        return wording(language_of(goal) if lang == "auto" else lang)


RunSource = Callable[[Runtime[Any], RunnableConfig], Run]
"""Settles options and scope from the call's context, and refuses a run without a user."""

Timer = Callable[[], float]
"""Gives seconds since some fixed moment."""


class Recorder:
    """Writes the events of one node in a row, each the child of the one before, and none twice.

    Args:
        view: where they go.
        run: gives the task id that makes the idempotency keys.
        head: the newest event of the branch, or empty.
        step: the run's step counter.
    """

    def __init__(self, view: ExecutorView | SecretaryView, run: Run, *, head: str, step: int):
        self._view = view
        self._task = run.task_id
        self._ordinal = 0
        self._step = step
        self.head = head

    def __call__(
        self,
        actor: str,
        action: str,
        *,
        observation: str = "",
        arguments: Mapping[str, Any] | None = None,
        thought: str = "",
        phase: Phase | None = None,
        queue_for: str | None = None,
    ) -> Event:
        """Record one event; its id becomes the head. ``queue_for`` also queues it for precipitation."""
        event = self._view.record(
            actor,
            action,
            observation=observation,
            arguments=dict(arguments) if arguments is not None else None,
            thought=thought,
            phase=phase,
            step=self._step,
            parent=self.head or None,
            idempotency_key=f"{self._task}:{self._ordinal}",
            queue_for=queue_for,
        )
        self._ordinal += 1
        self.head = event.event_id
        return event


def timed(figures_seconds: Mapping[str, float], node: str, seconds: float) -> dict[str, float]:
    """The seconds per node with one more reading added."""
    return {**figures_seconds, node: round(figures_seconds.get(node, 0.0) + seconds, 4)}
