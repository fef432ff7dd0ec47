from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import StatementError

from memory_secretary.memory import CardDraft, MemoryType, Role, Scope, Tier, TieredMemory
from memory_secretary.memory.access import Caller
from memory_secretary.memory.candidates import is_narrow
from memory_secretary.memory.errors import ScopeError
from memory_secretary.memory.filters import Filter, bounds_of, card_inside, event_inside
from memory_secretary.memory.schema import cards, events

ANA, BEN = Scope(user="ana", thread="t1"), Scope(user="ben", thread="t1")
EVERYTHING = Filter(tiers=frozenset(Tier))


@pytest.mark.parametrize(("column", "inside"), [(cards.c.owner, card_inside), (events.c.owner, event_inside)])
def test_a_condition_that_is_asked_without_a_callers_values_fails(
    memory: TieredMemory, column: ColumnElement[str], inside: Any
) -> None:
    memory.remember(ANA, "the kiln is hot")
    memory.record(ANA, actor="user", action="request", observation="is it hot?")
    bounds = bounds_of(Caller(Role.RETRIEVER, ANA), EVERYTHING)
    query = select(column).where(inside(bounds.shape))
    with memory._ledger.database.read() as connection:
        assert connection.execute(query, bounds.values).scalars().all() == [ANA.owner]
        with pytest.raises(StatementError):
            connection.execute(query)


def test_learned_methods_are_inside_only_where_methods_are_asked_for(memory: TieredMemory) -> None:
    own = memory.remember(ANA, "read the ledger first", type=MemoryType.METHOD)
    learned = memory.view(Role.DISTILLER, ANA).write(CardDraft(content="read the list", type=MemoryType.METHOD))
    caller = Caller(Role.RETRIEVER, ANA)
    for types, refs in [
        (None, {own.memory_id}),
        (frozenset({MemoryType.METHOD}), {own.memory_id, learned.memory_id}),
        (frozenset({MemoryType.FACT}), set()),
    ]:
        bounds = bounds_of(caller, Filter(tiers=frozenset(Tier), types=types))
        query = select(cards.c.memory_id).where(card_inside(bounds.shape))
        with memory._ledger.database.read() as connection:
            assert set(connection.execute(query, bounds.values).scalars()) == refs


def test_callers_of_one_shape_share_a_condition_and_no_record(memory: TieredMemory) -> None:
    for scope in (ANA, BEN):
        memory.remember(scope, f"the kiln of {scope.user} is hot")
    ana, ben = (bounds_of(Caller(Role.RETRIEVER, scope), EVERYTHING) for scope in (ANA, BEN))
    assert card_inside(ana.shape) is card_inside(ben.shape)
    for scope in (ANA, BEN, ANA):
        (hit,) = memory.view(Role.RETRIEVER, scope).recall("hot kiln")
        assert hit.text == f"the kiln of {scope.user} is hot"


def test_what_a_shape_says_is_not_taken_from_another(memory: TieredMemory) -> None:
    memory.remember(ANA, "the kiln is hot", access_level=["audit"])
    audit = Scope(user="ana", agent="audit")
    for scope, seen in ((ANA, 0), (audit, 1), (Scope(user="ana", agent="mallory"), 0), (audit, 1)):
        assert len(memory.view(Role.RETRIEVER, scope).recall("hot kiln")) == seen


def test_an_executor_outside_any_thread_searches_nothing() -> None:
    with pytest.raises(ScopeError, match="thread"):
        bounds_of(Caller(Role.EXECUTOR, Scope(user="ana")), EVERYTHING)


def test_known_ids_never_fill_the_places_of_others(memory: TieredMemory) -> None:
    kiln = [
        memory.record(ANA, actor="user", action="request", observation="kiln " * (200 - number))
        for number in range(200)
    ]
    hits = memory.recall(ANA, "kiln", k=5, mode="lexical")
    assert {hit.ref for hit in hits} <= set(kiln)
    rest = memory.view(Role.USER, ANA).recall("kiln", k=5, mode="lexical", exclude=kiln[:190])
    assert {hit.ref for hit in rest} <= set(kiln[190:])
    assert len(rest) == 5


def test_a_head_narrows_nothing_while_its_thread_has_one_branch(memory: TieredMemory) -> None:
    first = memory.record(ANA, actor="user", action="request", observation="is it hot?")
    left = memory.record(ANA, actor="executor", action="answer", observation="yes", parent=first)
    memory.record(BEN, actor="user", action="request", observation="is it cold?")
    memory.record(ANA.on("t2"), actor="user", action="request", observation="is it warm?")

    def narrow(head: str | None) -> bool:
        bounds = bounds_of(Caller(Role.RETRIEVER, ANA), replace(EVERYTHING, head=head))
        with memory._ledger.database.read() as connection:
            return is_narrow(connection, bounds)

    assert [narrow(None), narrow(left), narrow(first), narrow("")] == [False, False, True, True]
    memory.record(ANA, actor="executor", action="answer", observation="no", parent=first)
    assert narrow(left)
