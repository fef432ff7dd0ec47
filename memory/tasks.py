"""Task states written through to the ledger, so that a task outlives its process and its checkpoint."""

from __future__ import annotations

import json
from typing import Any, cast

from sqlalchemy import ColumnElement, Row, and_, delete, select

from memory_secretary.memory.access import Caller, required_thread
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.codec import from_micros, safe_data, to_json, to_micros
from memory_secretary.memory.database import Database
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.records import StoredTask
from memory_secretary.memory.roles import Right, Role, Tier
from memory_secretary.memory.schema import task_states
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState

_KEEPERS = frozenset({Role.SECRETARY})


class TaskStates:
    """The newest task state of every thread."""

    def __init__(self, database: Database, gate: Gate, *, clock: Clock) -> None:
        self._database = database
        self._gate = gate
        self._clock = clock

    def save(self, caller: Caller, state: TaskState, *, head: str | None, step: int) -> None:
        """Make ``state`` the newest of the caller's thread.

        Raises:
            AccessDenied: the caller is not the secretary.
            InvalidRecord: something in the state is not JSON.
            ScopeError: the scope names no thread.
        """
        self._gate.demand_member(caller, _KEEPERS, "save a task state", Tier.WORKING)
        scope, thread = caller.scope, required_thread(caller.scope)
        row = {
            "owner": caller.owner, "thread": thread, "user": scope.user, "team": scope.team, "agent": scope.agent,
            "task_id": state["task_id"], "finished": int(state["finished"]), "head": head, "step": step,
            "state": to_json(safe_data(dict(state), "task_state")), "at": to_micros(self._clock()),
        }  # fmt: skip
        with self._database.write() as connection:
            same = and_(task_states.c.owner == caller.owner, task_states.c.thread == thread)
            connection.execute(delete(task_states).where(same))
            connection.execute(task_states.insert(), row)

    def load(self, caller: Caller) -> StoredTask | None:
        """The newest task state of the caller's thread, or None.

        Raises:
            AccessDenied: the caller may not read working memory.
            ScopeError: the scope names no thread.
        """
        self._gate.demand(caller, Right.READ, Tier.WORKING)
        thread = required_thread(caller.scope)
        query = select(task_states).where(task_states.c.owner == caller.owner, task_states.c.thread == thread)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _stored(row)

    def open_tasks(self, caller: Caller, limit: int = 20) -> list[StoredTask]:
        """The unfinished tasks of the owner's threads, newest first.

        Raises:
            AccessDenied: the caller may not read working memory, or is the executor, who sees its own thread only.
        """
        return self._newest(caller, limit, task_states.c.finished == 0)

    def threads(self, caller: Caller, limit: int = 20) -> list[StoredTask]:
        """The newest task of each of the owner's threads, newest first; errors as for :meth:`open_tasks`."""
        return self._newest(caller, limit)

    def _newest(self, caller: Caller, limit: int, *conditions: ColumnElement[bool]) -> list[StoredTask]:
        self._gate.demand(caller, Right.READ, Tier.WORKING)
        if caller.role is Role.EXECUTOR:
            self._gate.refuse(caller, "list tasks", Tier.WORKING)
        query = (
            select(task_states)
            .where(task_states.c.owner == caller.owner, *conditions)
            .order_by(task_states.c.at.desc(), task_states.c.thread)
            .limit(limit)
        )
        with self._database.read() as connection:
            return [_stored(row) for row in connection.execute(query)]


def _stored(row: Row[Any]) -> StoredTask:
    return StoredTask(
        scope=Scope(user=row.user, team=row.team, agent=row.agent, thread=row.thread),
        state=cast("TaskState", json.loads(row.state)),
        head=row.head,
        step=row.step,
        at=from_micros(row.at),
    )
