"""A run counts once for each card in its briefs; the counters are told and never touch recall."""

from __future__ import annotations

from typing import Any

import pytest

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.errors import AccessDenied
from memory_secretary.memory.roles import Tier
from memory_secretary.nodes.benefits import cites, in_brief

ANA = Scope(user="ana", thread="t1")


@pytest.fixture
def memory(frozen_clock: Any, counting_ids: Any) -> Any:
    with TieredMemory.open(":memory:", embedder=None, clock=frozen_clock, new_id=counting_ids) as opened:
        yield opened


def numbers(memory: TieredMemory, ref: str) -> tuple[int, int, int, int]:
    use = memory.uses(ANA)[ref]
    return (use.recalled, use.cited, use.succeeded, use.failed)


def test_each_run_counts_once_for_each_card_that_it_was_given(memory: TieredMemory, frozen_clock: Any) -> None:
    card, other = (memory.remember(ANA, text).memory_id for text in ("Ben keeps bees", "The kiln is blue"))
    view = memory.view(Role.SECRETARY, ANA)
    first = frozen_clock()
    view.note_uses([card, other, "mem_of_nobody"], [card], succeeded=True, run="r1")
    view.note_uses([card, other], [card], succeeded=True, run="r1")
    frozen_clock.advance(days=2)
    view.note_uses([card], [], succeeded=False, run="r2")
    assert (numbers(memory, card), numbers(memory, other), numbers(memory, "")) == (
        (2, 1, 1, 1),
        (1, 0, 1, 0),
        (2, 0, 1, 1),
    )
    use = memory.uses(ANA)[card]
    assert (use.since, use.last) == (first, frozen_clock())
    assert memory.uses(Scope(user="ben")) == {}


def test_counting_does_not_empty_the_cache_of_recall(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "Ben keeps bees").memory_id
    with memory._ledger.database.read() as connection:
        before = connection.exec_driver_sql("SELECT * FROM revisions").all()
    memory.view(Role.SECRETARY, ANA).note_uses([card], [], succeeded=True, run="r1")
    with memory._ledger.database.read() as connection:
        assert connection.exec_driver_sql("SELECT * FROM revisions").all() == before


def test_only_the_secretary_counts(memory: TieredMemory) -> None:
    from memory_secretary.memory.access import Caller

    with pytest.raises(AccessDenied):
        memory._ledger.benefits.note(Caller(Role.INSPECTOR, ANA), [], [], succeeded=True, run="r")


def test_a_long_card_counts_for_what_it_was_made_of(memory: TieredMemory) -> None:
    short = memory.remember(ANA, "Ben keeps bees")
    memory.view(Role.SECRETARY, ANA).note_uses([short.memory_id], [], succeeded=True, run="r1")
    long = memory.remember(ANA, "Ben keeps bees.", tier=Tier.LONG, supersedes=[short.memory_id])
    memory.view(Role.SECRETARY, ANA).note_uses([long.memory_id], [], succeeded=True, run="r2")
    assert numbers(memory, long.memory_id)[0] == 2


def test_a_vacuum_leaves_no_counters_of_what_was_forgotten(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "Ben keeps bees").memory_id
    memory.view(Role.SECRETARY, ANA).note_uses([card], [], succeeded=True, run="r1")
    memory.forget(ANA, card)
    memory.vacuum()
    with memory._ledger.database.read() as connection:
        assert connection.exec_driver_sql("SELECT memory_id FROM card_uses").scalars().all() == [""]


@pytest.mark.parametrize(
    ("answer", "content", "asked", "expected"),
    [
        ("Refunds take 3 days.", "Refunds take 3 days", "How long are refunds?", True),
        ("退款需要三天。", "退款需要三天", "退款要多久？", True),
        ("I do not know.", "Refunds take 3 days", "How long are refunds?", False),
        ("不知道。", "退款需要三天", "退款要多久？", False),
        ("See mem_1.", "Refunds take 3 days", "How long are refunds?", True),
        ("Here is the report.", "Answers under 200 words", "Write the report", False),
    ],
)
def test_an_answer_cites_what_it_tells_beyond_the_request(
    answer: str, content: str, asked: str, expected: bool
) -> None:
    assert cites(answer, "mem_1", content, asked) is expected


def test_only_cards_that_stand_in_the_brief_were_given() -> None:
    def found(ref: str, source: str) -> Any:
        return {"ref": ref, "source": source}

    recalled = [found("mem_1", "card"), found("mem_2", "card"), found("evt_3", "event")]
    assert in_brief(["mem_0"], recalled, "… mem_1 … evt_3 …") == ["mem_0", "mem_1"]
