"""What a node is handed for one run: its options, the scope, the words of the user's language, and a recorder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.bilingual import Lang
from memory_secretary.memory.records import Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.vault import Vault
from memory_secretary.memory.views import ExecutorView, SecretaryView
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.tracing import is_traced, trace
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
        rewound: whether it starts from a checkpoint that the caller named, so that what the thread recorded after it
            is another branch's.
        vault: the secrets that this process has seen, for tools that are to be given one.
    """

    options: Options
    scope: Scope
    task_id: str
    config: RunnableConfig
    write: Callable[[dict[str, Any]], None]
    rewound: bool = False
    vault: Vault = field(default_factory=Vault)

    def lang(self, goal: str) -> Lang:
        """The user's language: the one that is set, or that of the goal."""
        return language_of(goal) if self.options.lang == "auto" else self.options.lang

    def words(self, goal: str) -> Wording:
        """The headings and reminders in the user's language."""
        return wording(self.lang(goal))

    @property
    def traced(self) -> bool:
        """Whether anybody traces the run; nothing need be gathered for a trace otherwise."""
        return is_traced(self.config)

    def trace(self, **details: Any) -> None:
        """Tell details of the node's work to whoever traces the run, without the secrets that this thread holds."""
        if self.traced:
            trace(self.config, self.vault.hide(self.scope, details))


RunSource = Callable[[Runtime[Any], RunnableConfig], Run]
"""Settles options and scope from the call's context, and refuses a run without a user."""

Timer = Callable[[], float]
"""Gives seconds since some fixed moment."""


class Recorder:
    """Writes the events of one node in a row, each the child of the one before, and none twice.

    An event is known again by the node's task id and its place among the events of its kind, since a node that is run
    again may find one of the other kinds done already.

    Args:
        view: where they go.
        run: gives the task id that makes the idempotency keys.
        head: the newest event of the branch, or empty.
        step: the run's step counter.
    """

    def __init__(self, view: ExecutorView | SecretaryView, run: Run, *, head: str, step: int):
        self._view = view
        self._task = run.task_id
        self._keep, self._hide = partial(run.vault.keep, run.scope), partial(run.vault.hide, run.scope)
        self._written: Counter[str] = Counter()
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
        key: str | None = None,
    ) -> Event:
        """Record one event; its id becomes the head.

        ``queue_for`` also queues it for precipitation; ``key`` makes it known again by something else than the task.
        """
        kind = f"{actor}:{action}:{phase or ''}"
        self._keep(observation)
        event = self._view.record(
            actor,
            action,
            observation=self._hide(observation),
            arguments=self._hide(dict(arguments)) if arguments is not None else None,
            thought=self._hide(thought),
            phase=phase,
            step=self._step,
            parent=self.head or None,
            idempotency_key=key or f"{self._task}:{kind}:{self._written[kind]}",
            queue_for=queue_for,
        )
        self._written[kind] += 1
        self.head = event.event_id
        return event


def outcome_key(intent: Event) -> str:
    """The key of what came of an intent: there is one outcome, whoever records it."""
    return f"outcome of {intent.event_id}"


def timed(figures_seconds: Mapping[str, float], node: str, seconds: float) -> dict[str, float]:
    """The seconds per node with one more reading added."""
    return {**figures_seconds, node: round(figures_seconds.get(node, 0.0) + seconds, 4)}
