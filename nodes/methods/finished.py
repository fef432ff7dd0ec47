"""The finished tasks of a user, as the ledger holds them: the goal, what was called and came back, the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_secretary.memory.injection import holds_memories
from memory_secretary.memory.records import RECORD_TOOLS, Action, Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.memory.views import SecretaryView

LOOKED_AT = 200
"""Threads whose newest task is looked at, newest first."""
_HELPERS = frozenset({*RECORD_TOOLS, "calculator", "clock"})
"""Tools that no kind of task is told by: they look into the memory, or are at hand in every task."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A task that was done.

    Attributes:
        goal: the user's words, with what they added.
        state: its last state.
        request: the event of the goal.
        results: what tools gave back, oldest first; nothing that was recalled is among it.
        answer: the event of the answer.
    """

    goal: str
    state: TaskState
    request: Event
    results: tuple[Event, ...]
    answer: Event

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that were used, in the order of their first use."""
        return tuple(dict.fromkeys(event.action for event in self.results))


def finished_tasks(view: Callable[[Scope], SecretaryView], scope: Scope) -> list[Finished]:
    """The newest task of each of the owner's threads, newest first, where it was finished with the help of tools.

    A task that was stopped, or whose request the user has forgotten, teaches nothing.

    Args:
        view: gives the secretary's view of a scope.
        scope: whose tasks.
    """
    mine = view(scope)
    stored = [one for one in mine.threads(LOOKED_AT) if one.state["finished"] and one.state["goal_ref"]]
    gone = mine.forgotten([one.state["goal_ref"] for one in stored])
    found = []
    for one in stored:
        if one.state["goal_ref"] not in gone:
            task = _finished(one.state, view(scope.on(one.scope.thread)).events(head=one.head))
            found += [task] if task else []
    return found


def _finished(state: TaskState, events: Sequence[Event]) -> Finished | None:
    """The task with its own events; None where its trace is not whole, or no tool was used."""
    start = next((n for n, event in enumerate(events) if event.event_id == state["goal_ref"]), None)
    own = events[start:] if start is not None else []
    results = tuple(event for event in own if _is_result(event))
    answers = [event for event in own if event.action == Action.ANSWER]
    if not results or not answers:
        return None
    return Finished(whole_goal(state), state, own[0], results, answers[-1])


def _is_result(event: Event) -> bool:
    """Whether a tool gave this back and none of it is a brief or a memory: those are no evidence of what was done."""
    return event.phase is Phase.RESULT and event.action not in _HELPERS and not holds_memories(event.observation)
