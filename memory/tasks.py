"""Task states written through to the ledger, so that a task outlives its process and its checkpoint."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, cast

from sqlalchemy import ColumnElement, Row, and_, bindparam, delete, select

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller, required_thread
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.codec import from_micros, safe_data, to_json, to_micros
from memory_secretary.memory.database import Database
from memory_secretary.memory.errors import InvalidRecord, ScopeError
from memory_secretary.memory.folding import Part, PartNames, folded, refs_of, unfolded
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.records import StoredTask
from memory_secretary.memory.roles import Right, Role, Tier
from memory_secretary.memory.schema import task_parts, task_states
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState

_KEEPERS = frozenset({Role.SECRETARY})
_PARTS_KEPT = 4096
"""Parts that stay in memory, some 3 kB each."""


class TaskStates:
    """The newest task state of every thread."""

    def __init__(self, database: Database, gate: Gate, *, clock: Clock, personal: bool = False) -> None:
        self._personal = personal
        self._database = database
        self._gate = gate
        self._clock = clock
        self._parts: OrderedDict[tuple[str, str], Part] = OrderedDict()
        self._parts_lock = threading.Lock()
        self._names = PartNames()

    def fold(self, caller: Caller, state: TaskState) -> TaskState:
        """The state with its long lists folded into parts, which are written where they are new.

        Raises:
            AccessDenied: the caller is not the secretary.
            InvalidRecord: a part of the state is missing, or something in it is not JSON.
        """
        self._gate.demand_member(caller, _KEEPERS, "fold a task state", Tier.WORKING)
        _demand_whole(state)
        short, parts = folded(state, self._names.name)
        with self._parts_lock:
            new = {ref: part for ref, part in parts.items() if (caller.owner, ref) not in self._parts}
        if new:
            self._write_parts(caller.owner, new)
            self._remember(caller.owner, new)
        return short

    def unfold(self, caller: Caller, state: TaskState) -> TaskState:
        """The whole of a folded state; one that is not folded comes back as it is.

        Raises:
            AccessDenied: the caller may not read working memory.
            ScopeError: a part of it is not in this ledger, or another owner's.
        """
        self._gate.demand(caller, Right.READ, Tier.WORKING)
        wanted = refs_of(state)
        with self._parts_lock:
            parts = {ref: self._parts[caller.owner, ref] for ref in wanted if (caller.owner, ref) in self._parts}
        if missing := wanted - parts.keys():
            parts |= self._read_parts(caller.owner, missing)
        return unfolded(state, parts) if wanted else state

    def _write_parts(self, owner: str, parts: Mapping[str, Part]) -> None:
        same = and_(task_parts.c.owner == owner, task_parts.c.ref.in_(parts))
        with self._database.write() as connection:
            there = set(connection.execute(select(task_parts.c.ref).where(same)).scalars())
            rows = [
                {"owner": owner, "ref": ref, "body": to_json(safe_data(part, "task_state", personal=self._personal))}
                for ref, part in parts.items()
                if ref not in there
            ]
            if rows:
                connection.execute(task_parts.insert(), rows)

    def _read_parts(self, owner: str, refs: set[str]) -> dict[str, Part]:
        query = select(task_parts.c.ref, task_parts.c.body).where(
            task_parts.c.owner == owner, task_parts.c.ref.in_(refs)
        )
        with self._database.read() as connection:
            found: dict[str, Part] = {row.ref: json.loads(row.body) for row in connection.execute(query)}
        if len(found) < len(refs):
            msg = (
                "a part of this task is not in the memory: take the memory and the user that the thread was begun "
                "with, or another thread_id"
            )
            zh = "这个任务的一部分不在记忆里：请使用开始这个线程时的记忆和用户，或换一个 thread_id"
            raise ScopeError(msg, zh=zh)
        self._remember(owner, found)
        return found

    def forget_parts(self) -> None:
        """Look parts up again: the transaction that wrote some of them was given up."""
        with self._parts_lock:
            self._parts.clear()

    def _remember(self, owner: str, parts: Mapping[str, Part]) -> None:
        with self._parts_lock:
            self._parts.update({(owner, ref): part for ref, part in parts.items()})
            while len(self._parts) > _PARTS_KEPT:
                self._parts.popitem(last=False)

    def save(self, caller: Caller, state: TaskState, *, head: str | None, step: int) -> None:
        """Make ``state`` the newest of the caller's thread.

        Raises:
            AccessDenied: the caller is not the secretary.
            InvalidRecord: a part of the state is missing, or something in it is not JSON.
            ScopeError: the scope names no thread.
        """
        self._gate.demand_member(caller, _KEEPERS, "save a task state", Tier.WORKING)
        scope, thread = caller.scope, required_thread(caller.scope)
        state = self.fold(caller, state)
        text = to_json(safe_data(dict(state), "task_state", personal=self._personal))
        row = {
            "owner": caller.owner, "thread": thread, "user": scope.user, "team": scope.team, "agent": scope.agent,
            "task_id": state["task_id"], "finished": int(state["finished"]), "head": head, "step": step,
            "state": text, "at": to_micros(self._clock()),
        }  # fmt: skip
        with self._database.write() as connection:
            connection.execute(_DROP, {"of": caller.owner, "in_thread": thread})
            connection.execute(_WRITE, row)

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
        return None if row is None else self._stored(caller, row)

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
        checks.whole(limit, "limit")
        query = (
            select(task_states)
            .where(task_states.c.owner == caller.owner, *conditions)
            .order_by(task_states.c.at.desc(), task_states.c.thread)
            .limit(limit)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [self._stored(caller, row) for row in rows]

    def _stored(self, caller: Caller, row: Row[Any]) -> StoredTask:
        return StoredTask(
            scope=Scope(user=row.user, team=row.team, agent=row.agent, thread=row.thread),
            state=self.unfold(caller, cast("TaskState", json.loads(row.state))),
            head=row.head,
            step=row.step,
            at=from_micros(row.at),
        )


_DROP = delete(task_states).where(
    task_states.c.owner == bindparam("of"), task_states.c.thread == bindparam("in_thread")
)
_WRITE = task_states.insert()


def _demand_whole(state: TaskState) -> None:
    given: object = state
    missing = TaskState.__required_keys__ - given.keys() if isinstance(given, Mapping) else TaskState.__required_keys__
    if missing:
        names = ", ".join(sorted(missing)[:3])
        msg = f"a task state without {names} cannot be kept: begin with new_task(task_id=…, goal=…, goal_ref=…)"
        raise InvalidRecord(
            msg, zh=f"任务状态缺少 {names}，无法保存：请从 new_task(task_id=…, goal=…, goal_ref=…) 开始"
        )
