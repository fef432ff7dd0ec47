from __future__ import annotations

from memory_secretary.memory.access import Caller
from memory_secretary.memory.identifiers import beginning_with
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA = Scope(user="ana", thread="t1")


def test_ids_are_found_by_exactly_how_they_begin_and_only_the_owner_s(memory: TieredMemory) -> None:
    cards = sorted(memory.remember(ANA, f"card {number}").memory_id for number in range(4))
    event = memory.record(ANA, actor="tool", action="look", observation="text")
    memory.remember(Scope(user="ben"), "another's")
    assert memory.view(Role.USER, ANA).ids("mem_", 9) == cards
    assert memory.view(Role.USER, ANA).ids("mem_", 2) == cards[:2]
    assert memory.view(Role.USER, ANA).ids("", 9) == [*cards, event]
    assert memory.view(Role.USER, ANA).ids(event, 9) == [event]
    for beginning in ("MEM_", "mem%", "me__", f"{event}x"):
        assert memory.view(Role.USER, ANA).ids(beginning, 9) == []


def test_a_card_that_a_role_may_not_see_is_not_named_to_it(memory: TieredMemory) -> None:
    memory.remember(ANA, "for billing alone", access_level=["billing"])
    mail = Caller(Role.USER, Scope(user="ana", agent="mail"))
    assert beginning_with(memory._ledger.database, mail, "mem_", 9) == []
