"""Who asks, and which rows that caller may see: conditions that every statement of the ledger carries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, exists, or_

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

    def __post_init__(self) -> None:
        """Refuse what is no scope, before it is asked whose memory it is."""
        if not isinstance(self.scope, Scope):
            msg = f"scope must be a Scope, not {type(self.scope).__name__}: pass e.g. Scope(user='u1', thread='t1')"
            zh = f"scope 必须是 Scope，不能是 {type(self.scope).__name__}：例如 Scope(user='u1', thread='t1')"
            raise ScopeError(msg, zh=zh)

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


_Values = Callable[[str], BindParameter[Any]]
"""Gives the parameter of a name: an open one, or one with a caller's value."""


class CallerShape(NamedTuple):
    """What of a caller decides how its conditions look; the values stand apart."""

    executor: bool
    in_person: bool
    has_user: bool
    has_agent: bool


def shape_of(caller: Caller) -> CallerShape:
    """What a caller's conditions look like."""
    scope = caller.scope
    # The person whose memory it is, and no agent of theirs.
    in_person = caller.role is Role.USER and scope.team is None and scope.agent is None
    return CallerShape(caller.role is Role.EXECUTOR, in_person, scope.user is not None, scope.agent is not None)


def caller_values(caller: Caller) -> dict[str, Any]:
    """The values of a caller's conditions; a statement that is asked without them fails."""
    scope = caller.scope
    return {
        "caller_owner": caller.owner,
        "caller_thread": thread_of(scope),
        "caller_user": scope.user,
        "caller_agent": scope.agent,
        "caller_role": caller.role.value,
    }


def sees_event(caller: Caller) -> ColumnElement[bool]:
    """Condition on ``events``: inside the border; for the executor its own working memory, that is its thread."""
    demand_thread(caller)
    return _event_rule(shape_of(caller), _given(caller))


def demand_thread(caller: Caller) -> None:
    """Pass unless it is an executor outside any thread, which has no working memory.

    Raises:
        ScopeError: otherwise.
    """
    if caller.role is Role.EXECUTOR:
        required_thread(caller.scope)


def sees_card(caller: Caller) -> ColumnElement[bool]:
    """Condition on ``cards``: inside the border, and allowed by the card's access level.

    ``all`` and ``team`` mean everyone inside the border; ``private`` the person and agent who wrote it; named
    agents (or roles) only those. The person whose memory it is sees everything in it.
    """
    return _card_rule(shape_of(caller), _given(caller))


def _given(caller: Caller) -> _Values:
    """This caller's values as they are."""
    values = caller_values(caller)
    return lambda name: bindparam(name, values[name], unique=True)


@lru_cache(maxsize=16)
def event_rule(shape: CallerShape) -> ColumnElement[bool]:
    """:func:`sees_event`, with the values left to :func:`caller_values`."""
    return _event_rule(shape, bindparam)


def _event_rule(shape: CallerShape, value: _Values) -> ColumnElement[bool]:
    inside = events.c.owner == value("caller_owner")
    if not shape.executor:
        return inside
    own = and_(inside, events.c.thread == value("caller_thread"))
    if not shape.has_agent:
        return own
    return and_(own, or_(events.c.agent.is_(None), events.c.agent == value("caller_agent")))


@lru_cache(maxsize=16)
def card_rule(shape: CallerShape) -> ColumnElement[bool]:
    """:func:`sees_card`, with the values left to :func:`caller_values`."""
    return _card_rule(shape, bindparam)


def _card_rule(shape: CallerShape, value: _Values) -> ColumnElement[bool]:
    inside = cards.c.owner == value("caller_owner")
    if shape.in_person:
        return inside
    wrote_it = and_(
        cards.c.user == value("caller_user") if shape.has_user else cards.c.user.is_(None),
        cards.c.agent == value("caller_agent") if shape.has_agent else cards.c.agent.is_(None),
    )
    is_role = card_readers.c.agent == value("caller_role")
    named = exists().where(
        card_readers.c.owner == cards.c.owner,
        card_readers.c.memory_id == cards.c.memory_id,
        or_(is_role, card_readers.c.agent == value("caller_agent")) if shape.has_agent else is_role,
    )
    allowed = or_(
        cards.c.access == "all",
        cards.c.access == "team",
        and_(cards.c.access == "private", wrote_it),
        and_(cards.c.access == "agents", named),
    )
    return and_(inside, allowed)
