"""Why a memory did not come: the first rule that kept it out, in words."""

from __future__ import annotations

from typing import Any

import pytest

from memory_secretary.memory import MemoryType, Role, Scope, TieredMemory
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.why import _SENTENCES, Rule

ANA = Scope(user="ana", thread="t1")


class TestWhy:
    def ask(self, memory: TieredMemory, expect: str, query: str = "bees", **filters: Any) -> Rule:
        return memory.why(ANA, query, expect=expect, **filters).rule

    def test_it_came(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "keeps bees")
        assert self.ask(memory, card.memory_id) is Rule.RECALLED

    def test_another_owners_record_is_unknown(self, memory: TieredMemory) -> None:
        card = memory.remember(Scope(user="ben"), "keeps bees")
        assert self.ask(memory, card.memory_id) is Rule.UNKNOWN

    def test_the_access_level(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "keeps bees", access_level=["billing"])
        agent = Scope(user="ana", agent="mail")
        assert memory.why(agent, "bees", expect=card.memory_id).rule is Rule.RIGHTS

    def test_the_status(self, memory: TieredMemory) -> None:
        old = memory.remember(ANA, "keeps bees")
        memory.remember(ANA, "keeps two hives of bees", supersedes=[old.memory_id])
        assert self.ask(memory, old.memory_id) is Rule.STATUS

    @pytest.mark.parametrize("status", ["superseded", "quarantined"])
    def test_a_status_that_a_search_for_any_shows(self, memory: TieredMemory, status: str) -> None:
        card = memory.remember(ANA, "keeps bees")
        memory.view(Role.INSPECTOR, ANA).set_status(
            card.memory_id, status=status, reason="doubtful", expected_version=1
        )
        assert "--status any" in memory.why(ANA, "bees", expect=card.memory_id).text
        assert [hit.ref for hit in memory.recall(ANA, "bees", status="any")] == [card.memory_id]

    def test_an_archived_card_is_in_no_index(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "keeps bees")
        memory.view(Role.INSPECTOR, ANA).set_status(card.memory_id, status="archived", reason="old", expected_version=1)
        for status in ("active", "any"):
            why = memory.why(ANA, "bees", expect=card.memory_id, status=status)
            assert (why.rule, "memory restore" in why.text) == (Rule.STATUS, True)
        memory.restore(ANA, card.memory_id)
        assert self.ask(memory, card.memory_id) is Rule.RECALLED

    def test_the_forgotten_is_named_with_its_day_whatever_the_status(self, memory: TieredMemory) -> None:
        event = memory.record(ANA, actor="user", action="request", observation="I keep bees in the garden")
        card = memory.remember(ANA, "keep bees in the garden")
        memory.forget(ANA, card.memory_id)
        for ref in (card.memory_id, event):
            for status in ("active", "any"):
                why = memory.why(ANA, "bees", expect=ref, status=status)
                assert (why.rule, "2026-02-28" in why.text, "memory restore" in why.text) == (
                    Rule.FORGOTTEN,
                    True,
                    True,
                )
        assert memory.recall(ANA, "bees", status="any") == []
        memory.vacuum()
        for ref in (card.memory_id, event):
            why = memory.why(ANA, "bees", expect=ref)
            assert (why.rule, "erased" in why.text, "restore" in why.text) == (Rule.FORGOTTEN, True, False)

    def test_what_was_forgotten_of_others_is_not_told(self, memory: TieredMemory) -> None:
        card = memory.remember(Scope(user="ben"), "keeps bees")
        memory.forget(Scope(user="ben"), card.memory_id)
        assert self.ask(memory, card.memory_id) is Rule.UNKNOWN
        private = memory.remember(ANA, "keeps two hives", access_level=["billing"])
        memory.forget(ANA, private.memory_id)
        agent = Scope(user="ana", agent="mail")
        assert memory.why(agent, "hives", expect=private.memory_id).rule is Rule.RIGHTS

    def test_a_kind_of_record_that_is_never_searched(self, memory: TieredMemory) -> None:
        brief = memory.view(Role.SECRETARY, ANA).record("secretary", "brief", observation="bees")
        why = memory.why(ANA, "bees", expect=brief.event_id)
        assert (why.rule, "briefs" in why.text) == (Rule.FILTER, True)

    def test_a_filter(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "keeps bees")
        assert self.ask(memory, card.memory_id, types=[MemoryType.RULE]) is Rule.FILTER

    def test_no_match(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "keeps bees")
        assert self.ask(memory, card.memory_id, query="refunds") is Rule.NO_MATCH

    def test_the_floor(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "keeps bees")
        assert self.ask(memory, card.memory_id, query="bees in seven other cities", floor=0.9) is Rule.FLOOR

    def test_the_recent_mode_names_how_many_are_newer(self, memory: TieredMemory, frozen_clock: Any) -> None:
        card = memory.remember(ANA, "keeps bees")
        for number in range(2):
            frozen_clock.advance(minutes=1)
            memory.remember(ANA, f"line {number}")
        why = memory.why(ANA, "", expect=card.memory_id, mode="recent", k=2)
        assert (why.rule, why.text) == (Rule.RANK, "2 others are newer")

    def test_a_record_that_no_index_holds(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "keeps bees")
        ledger = memory._ledger
        with ledger.database.write() as connection:
            ledger.indexing.lexical.remove(connection, ANA.owner, [card.memory_id])
        assert self.ask(memory, card.memory_id) is Rule.NOT_INDEXED

    def test_the_rank(self, memory: TieredMemory) -> None:
        cards = [memory.remember(ANA, "bees " + "honey " * number) for number in range(3)]
        last = memory.recall(ANA, "bees", k=3)[-1].ref
        assert last in {card.memory_id for card in cards}
        why = memory.why(ANA, "bees", expect=last, k=1)
        assert (why.rule, why.rank) == (Rule.RANK, 3)


def test_why_speaks_the_language_spoken_here(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "keeps bees")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("bees", {}), ("refunds", {}), ("bees in seven other cities", {"floor": 0.9}), ("bees", {"types": ["rule"]}),
    ]  # fmt: skip
    for query, filters in asked:
        english = memory.why(ANA, query, expect=card.memory_id, **filters)
        with speaking("zh"):
            chinese = memory.why(ANA, query, expect=card.memory_id, **filters)
        assert chinese.rule is english.rule
        assert english.text.isascii()
        assert any("一" <= sign <= "鿿" for sign in chinese.text)
    assert _SENTENCES.keys() == set(Rule)
