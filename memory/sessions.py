"""Closing a session: which of its turns still have to be precipitated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_secretary.memory.records import Action, Event, Pending
from memory_secretary.memory.views import SecretaryView

SESSION_CLOSED = "session_closed"
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


def new_turns(events: Sequence[Event], covered: Iterable[str]) -> list[Event]:
    """What the user said and was answered, without the events in ``covered``."""
    known = frozenset(covered)
    return [
        event for event in events if event.event_id not in known and (event.actor == "user" or event.action in _TURNS)
    ]
