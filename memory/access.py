"""Who asks, and which rows that caller may see: conditions that every statement of the ledger carries."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, exists, or_

from memory_secretary.memory.errors import ScopeError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.schema import card_readers, cards, events
from memory_secretary.memory.scope import Scope

NO_THREAD = ""
"""How a record outside any thread is stored; no scope can name such a thread."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A role acting in a scope."""

    role: Role
    scope: Scope

    @property
    def owner(self) -> str:
        """The isolation border."""
        return self.scope.owner


def thread_of(scope: Scope) -> str:
    """The scope's thread as it is stored."""
    return scope.thread or NO_THREAD


def required_thread(scope: Scope) -> str:
    """The scope's thread.

    Raises:
        ScopeError: when the scope names none.
    """
    if scope.thread is None:
        msg = "this needs a thread: pass e.g. Scope(user='u1', thread='t1')"
        raise ScopeError(msg, zh="这需要一个线程：例如 Scope(user='u1', thread='t1')")
    return scope.thread


def sees_event(caller: Caller) -> ColumnElement[bool]:
    """Condition on ``events``: inside the border; for the executor its own working memory, that is its thread."""
    inside = events.c.owner == caller.owner
    if caller.role is not Role.EXECUTOR:
        return inside
    own = and_(inside, events.c.thread == required_thread(caller.scope))
    if caller.scope.agent is None:
        return own
    return and_(own, or_(events.c.agent.is_(None), events.c.agent == caller.scope.agent))


def sees_card(caller: Caller) -> ColumnElement[bool]:
    """Condition on ``cards``: inside the border, and allowed by the card's access level.

    ``all`` and ``team`` mean everyone inside the border; ``private`` the person and agent who wrote it; named
    agents (or roles) only those. The person whose memory it is sees everything in it.
    """
    inside = cards.c.owner == caller.owner
    return inside if _is_owner_in_person(caller) else and_(inside, _allowed(caller))


def _is_owner_in_person(caller: Caller) -> bool:
    scope = caller.scope
    return caller.role is Role.USER and scope.team is None and scope.agent is None


def _allowed(caller: Caller) -> ColumnElement[bool]:
    scope = caller.scope
    wrote_it = and_(
        cards.c.user.is_(None) if scope.user is None else cards.c.user == scope.user,
        cards.c.agent.is_(None) if scope.agent is None else cards.c.agent == scope.agent,
    )
    names = [name for name in (scope.agent, caller.role.value) if name is not None]
    named = exists().where(
        card_readers.c.owner == cards.c.owner,
        card_readers.c.memory_id == cards.c.memory_id,
        card_readers.c.agent.in_(names),
    )
    return or_(
        cards.c.access.in_(("all", "team")),
        and_(cards.c.access == "private", wrote_it),
        and_(cards.c.access == "agents", named),
    )
