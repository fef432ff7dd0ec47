from __future__ import annotations

from typing import Any

import pytest

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.errors import InvalidRecord, NotFound
from memory_secretary.memory.queue import CLAIM_SECONDS

ANA = Scope(user="ana", thread="t1")


def test_a_request_to_remember_is_queued_with_its_event(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    event = view.record("user", "request", observation="Remember: I eat no nuts", queue_for="remember")
    (entry,) = memory.pending(ANA)
    assert (entry.event_ids, entry.reason, entry.text) == ((event.event_id,), "remember", "Remember: I eat no nuts")


def test_the_same_turns_stand_on_the_queue_once(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    event = view.record("user", "request", observation="x")
    first = view.enqueue([event.event_id], "preference")
    assert view.enqueue([event.event_id], "preference") == first
    assert len(memory.pending(ANA)) == 1


def test_nothing_cannot_be_queued(memory: TieredMemory) -> None:
    with pytest.raises(InvalidRecord, match="event_ids"):
        memory.view(Role.SECRETARY, ANA).enqueue([], "preference")


def test_another_owners_event_cannot_be_queued(memory: TieredMemory) -> None:
    foreign = memory.record(Scope(user="ben", thread="t"), actor="user", action="request", observation="x")
    with pytest.raises(InvalidRecord, match=foreign):
        memory.view(Role.SECRETARY, ANA).enqueue([foreign], "preference")


def test_a_claimed_entry_is_not_claimed_twice(memory: TieredMemory) -> None:
    memory.view(Role.SECRETARY, ANA).enqueue([], "remember", "no nuts")
    worker = memory.view(Role.PRECIPITATOR, ANA)
    assert len(worker.claim(5)) == 1
    assert worker.claim(5) == []


def test_a_dead_workers_entry_is_free_again(memory: TieredMemory, frozen_clock: Any) -> None:
    memory.view(Role.SECRETARY, ANA).enqueue([], "remember", "no nuts")
    worker = memory.view(Role.PRECIPITATOR, ANA)
    worker.claim()
    frozen_clock.advance(seconds=CLAIM_SECONDS + 1)
    assert worker.claim()[0].attempts == 2


def test_a_settled_entry_is_gone_and_a_failed_one_stays_with_its_reason(memory: TieredMemory) -> None:
    view, worker = memory.view(Role.SECRETARY, ANA), memory.view(Role.PRECIPITATOR, ANA)
    view.enqueue([], "remember", "one")
    view.enqueue([], "remember", "two")
    one, two = worker.claim(2)
    worker.settle(one.entry_id)
    worker.fail(two.entry_id, "not JSON")
    (left,) = memory.pending(ANA)
    assert (left.text, left.state, left.note) == ("two", "failed", "not JSON")
    assert worker.retry() == 1
    assert worker.claim()[0].text == "two"


def test_an_entry_of_another_owner_cannot_be_settled(memory: TieredMemory) -> None:
    entry = memory.view(Role.SECRETARY, ANA).enqueue([], "remember", "one")
    with pytest.raises(NotFound):
        memory.view(Role.PRECIPITATOR, Scope(user="ben")).settle(entry.entry_id)
    assert memory.pending(ANA) == [entry]


def test_what_is_queued_is_recalled_in_a_new_session_before_it_is_a_card(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    event = view.record("user", "request", observation="Remember: answer in French", queue_for="remember")
    hits = memory.view(Role.RETRIEVER, Scope(user="ana", thread="t2")).recall("draft the invoice mail")
    assert [(hit.ref, hit.text) for hit in hits] == [(event.event_id, "Remember: answer in French")]
    worker = memory.view(Role.PRECIPITATOR, ANA)
    worker.settle(worker.claim()[0].entry_id)
    assert memory.recall(Scope(user="ana", thread="t2"), "draft the invoice mail") == []


def test_a_wish_in_a_team_is_for_who_said_it(memory: TieredMemory) -> None:
    ana, ben = Scope(team="x", user="ana", thread="a"), Scope(team="x", user="ben", thread="b")
    memory.view(Role.SECRETARY, ana).record("user", "request", observation="Answer in French", queue_for="remember")
    assert memory.recall(ana, "draft the invoice mail")
    assert memory.recall(ben, "draft the invoice mail") == []


def test_closing_a_session_queues_each_turn_once(memory: TieredMemory) -> None:
    asked = memory.record(ANA, actor="user", action="request", observation="hello")
    memory.record(ANA, actor="tool", action="fetch", observation="noise")
    answered = memory.record(ANA, actor="executor", action="answer", observation="hi")
    entry = memory.close_session(ANA)
    assert entry is not None
    assert entry.event_ids == (asked, answered)
    assert memory.close_session(ANA) is None
    later = memory.record(ANA, actor="user", action="request", observation="more")
    again = memory.close_session(ANA)
    assert again is not None
    assert again.event_ids == (later,)
