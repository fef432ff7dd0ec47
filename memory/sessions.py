"""Closing a session: which of its turns still have to be precipitated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory_secretary.memory.records import Action, Event, Pending
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import SecretaryView

SESSION_CLOSED = "session_closed"
IDLE = timedelta(minutes=30)
"""A thread in which nothing has happened for so long is taken for a closed session."""
_THREADS = 1000
"""Threads that are looked at, the newest."""
_TURNS = frozenset({Action.REQUEST, Action.ANSWER})


def close_session(view: SecretaryView) -> Pending | None:
    """Put the turns of the view's thread that no closing has covered yet on the queue.

    Returns:
        The queue entry, or None when there is no new turn.
    """
    events = view.events()
    covered = view.covered_by(SESSION_CLOSED)
    turns = [event.event_id for event in new_turns(events, covered)]
    return view.enqueue(turns, SESSION_CLOSED) if turns else None


def close_idle(view_of: Callable[[Scope], SecretaryView], scope: Scope, *, before: datetime) -> list[Pending]:
    """Close the sessions of all of an owner's threads in which nothing has happened since ``before``.

    Args:
        view_of: gives the secretary's view of a scope.
        scope: whose.
        before: an aware moment.
    """
    idle = [stored.scope for stored in view_of(scope).threads(_THREADS) if stored.at < before]
    closed = [close_session(view_of(replace(scope, thread=thread.thread))) for thread in idle]
    return [entry for entry in closed if entry is not None]


def new_turns(events: Sequence[Event], covered: Iterable[str]) -> list[Event]:
    """What the user said and was answered, without the events in ``covered``."""
    known = frozenset(covered)
    return [
        event for event in events if event.event_id not in known and (event.actor == "user" or event.action in _TURNS)
    ]
