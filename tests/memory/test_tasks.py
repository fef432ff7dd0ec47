from __future__ import annotations

from typing import Any

import pytest

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.errors import InvalidRecord, ScopeError
from memory_secretary.memory.task_state import new_task

ANA = Scope(user="ana", thread="t1")


def test_the_newest_state_of_a_thread_comes_back(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    head = memory.record(ANA, actor="user", action="request", observation="sum the invoices")
    state = new_task(task_id="k1", goal="sum the invoices", goal_ref=head)
    view.save_task_state(state, head=head, step=1)
    state["constraints"].append("不要发邮件")
    view.save_task_state(state, head=head, step=2)
    stored = view.load_task_state()
    assert stored is not None
    assert (stored.state, stored.head, stored.step, stored.scope) == (state, head, 2, ANA)


def test_a_thread_without_a_task_has_no_state(memory: TieredMemory) -> None:
    assert memory.view(Role.SECRETARY, ANA).load_task_state() is None


def test_a_state_belongs_to_a_thread(memory: TieredMemory) -> None:
    with pytest.raises(ScopeError, match="thread"):
        memory.view(Role.SECRETARY, Scope(user="ana")).load_task_state()


def test_open_tasks_are_listed_newest_first_and_only_the_owners(memory: TieredMemory, frozen_clock: Any) -> None:
    for user, thread, finished in (("ana", "a", False), ("ana", "b", True), ("ana", "c", False), ("ben", "d", False)):
        state = new_task(task_id=thread, goal=thread, goal_ref="evt_x")
        state["finished"] = finished
        memory.view(Role.SECRETARY, Scope(user=user, thread=thread)).save_task_state(state, head=None, step=0)
        frozen_clock.advance(minutes=1)
    assert [task.scope.thread for task in memory.open_tasks(ANA)] == ["c", "a"]
    assert [task.scope.thread for task in memory.view(Role.SECRETARY, ANA).threads()] == ["c", "b", "a"]
    assert [task.scope.thread for task in memory.view(Role.SECRETARY, ANA).threads(1)] == ["c"]


def test_secrets_in_a_task_state_are_masked(memory: TieredMemory) -> None:
    key = "sk-" + "EXAMPLE" * 5
    view = memory.view(Role.SECRETARY, ANA)
    view.save_task_state(new_task(task_id="k", goal=f"use {key}", goal_ref="evt_x"), head=None, step=0)
    stored = view.load_task_state()
    assert stored is not None
    assert key not in stored.state["goal"]


@pytest.mark.parametrize("state", [{}, None, [], {"goal": "sum the invoices"}])
def test_half_a_state_is_refused_with_the_cure(memory: TieredMemory, state: Any) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    for keep in (lambda: view.save_task_state(state, head=None, step=0), lambda: view.fold(state)):
        with pytest.raises(InvalidRecord, match=r"new_task\(") as refusal:
            keep()
        assert "任务状态" in refusal.value.sentence("zh")
    assert view.load_task_state() is None
