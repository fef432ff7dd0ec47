"""Short cards settle, one statement becomes one card, what is over is kept; again and again with the same end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.memory import CardDraft, Evidence, Kind, MemoryCard, MemoryType, Role, Scope, Status, Tier
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.views import ConsolidatorView
from memory_secretary.nodes.consolidate import Consolidated, consolidate
from memory_secretary.nodes.sameness import form

ANA = Scope(user="ana", thread="t1")
BANK = {"subject": "user", "attribute": "bank"}


@pytest.fixture
def memory(frozen_clock: Any, counting_ids: Callable[[], str]) -> Any:
    with TieredMemory.open(":memory:", embedder=None, clock=frozen_clock, new_id=counting_ids) as opened:
        yield opened


def run(memory: TieredMemory, clock: Any, **more: Any) -> Consolidated:
    return consolidate(lambda scope: memory.view(Role.CONSOLIDATOR, scope), ANA, clock=clock, **more)


def learned(memory: TieredMemory, text: str, said: str = "", **fields: Any) -> MemoryCard:
    """A card of the precipitator's, with the turn in which the user said it."""
    event = memory.record(ANA, actor="user", action="request", observation=said or text)
    proof = Evidence(event_id=event, quote=said or text)
    draft = CardDraft(**{"content": text, "type": MemoryType.FACT, "evidence": [proof], **fields})
    return memory.view(Role.PRECIPITATOR, ANA).write(draft)


def long_cards(memory: TieredMemory, **filters: Any) -> list[MemoryCard]:
    return memory.list(ANA, tiers=[Tier.LONG], **filters)


# --- what settles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text", "days"),
    [
        (MemoryType.RULE, "Invoices above 500 need two signatures", 1),
        (MemoryType.CONSTRAINT, "不要周五发布", 1),
        (MemoryType.PREFERENCE, "我喜欢简短的回答", 3),
        (MemoryType.FACT, "The kiln is in the shed", 7),
    ],
)
def test_what_stood_for_long_enough_settles_with_all_that_it_holds(
    memory: TieredMemory, frozen_clock: Any, kind: MemoryType, text: str, days: int
) -> None:
    short = learned(memory, text, type=kind, applies_to=["at work"], confidence=0.9)
    frozen_clock.advance(days=days, seconds=-1)
    assert run(memory, frozen_clock).changed == 0
    frozen_clock.advance(seconds=1)
    assert run(memory, frozen_clock).promoted == 1
    (long,) = memory.list(ANA)
    assert (long.tier, long.content, long.type, long.at) == (Tier.LONG, text, kind, short.at)
    assert (long.evidence, long.applies_to, long.confidence) == (short.evidence, ("at work",), 0.9)
    assert (long.supersedes, long.source_agent) == ((short.memory_id,), short.source_agent)
    assert [hit.ref for hit in memory.recall(ANA, text) if hit.source == "card"] == [long.memory_id]
    assert memory.view(Role.USER, ANA).card(short.memory_id).status is Status.SUPERSEDED


@pytest.mark.parametrize("texts", [("I prefer short answers", "I like brief replies"), ("退款要三天", "退款要3天")])
def test_what_is_said_twice_settles_at_once_as_one_card(
    memory: TieredMemory, frozen_clock: Any, texts: tuple[str, str]
) -> None:
    cards = [learned(memory, text) for text in texts]
    assert run(memory, frozen_clock).merged == 1
    (long,) = memory.list(ANA)
    assert set(long.supersedes) == {card.memory_id for card in cards}
    assert {item.event_id for item in long.evidence} == {card.evidence[0].event_id for card in cards}


def test_what_is_said_twice_in_the_same_words_settles_at_once(memory: TieredMemory, frozen_clock: Any) -> None:
    one, other = learned(memory, "Ben keeps bees"), learned(memory, "Ben keeps bees")
    assert (one.memory_id, len(other.evidence)) == (other.memory_id, 2)
    assert run(memory, frozen_clock).promoted == 1


def test_a_card_that_was_extracted_twice_from_one_turn_was_said_once(memory: TieredMemory, frozen_clock: Any) -> None:
    event = memory.record(ANA, actor="user", action="request", observation="I like brief replies")
    for text in ("I like brief replies", "The user prefers short answers"):
        proof = Evidence(event_id=event, quote="I like brief replies")
        memory.view(Role.PRECIPITATOR, ANA).write(CardDraft(content=text, evidence=[proof]))
    assert run(memory, frozen_clock).changed == 0
    frozen_clock.advance(days=7)
    assert run(memory, frozen_clock).merged == 1


def test_a_long_card_takes_in_what_is_said_again(memory: TieredMemory, frozen_clock: Any) -> None:
    learned(memory, "Ben keeps bees", type=MemoryType.RULE)
    frozen_clock.advance(days=1)
    run(memory, frozen_clock)
    frozen_clock.advance(days=30)
    again = learned(memory, "Ben keeps bees.", type=MemoryType.RULE)
    assert run(memory, frozen_clock).merged == 1
    (long,) = memory.list(ANA)
    assert (len(long.evidence), len(long.supersedes), long.at) == (2, 2, again.at)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": Kind.INFERENCE, "about": "mem_x"},
        {"confidence": 0.4},
        {"type": MemoryType.EPISODE},
        {"valid_until": timedelta(days=1)},
        {"access_level": ["agent x"]},
    ],
)
def test_what_is_concluded_uncertain_over_passing_or_anothers_does_not_settle(
    memory: TieredMemory, frozen_clock: Any, fields: dict[str, Any]
) -> None:
    until = fields.pop("valid_until", None)
    learned(memory, "Ben keeps bees", **fields, **({"valid_until": frozen_clock() + until} if until else {}))
    frozen_clock.advance(days=100)
    assert run(memory, frozen_clock).changed == 0


@pytest.mark.parametrize(
    "differing",
    [
        {"access_level": "private"},
        {"type": MemoryType.RULE},
        {"valid_until": timedelta(days=99)},
        {"content": "Refunds take 3 days"},
        {"content": "Refunds do not take 7 days"},
    ],
)
def test_what_differs_is_not_merged(memory: TieredMemory, frozen_clock: Any, differing: dict[str, Any]) -> None:
    if "valid_until" in differing:
        differing["valid_until"] += frozen_clock()
    for fields in ({}, differing):
        learned(
            memory, **{"text": fields.pop("content", "Refunds take 7 days"), "said": "Refunds take 7 days", **fields}
        )
    frozen_clock.advance(days=7)
    assert (run(memory, frozen_clock).merged, len(long_cards(memory))) == (0, 2)


def test_in_a_team_what_two_persons_say_stays_theirs(frozen_clock: Any) -> None:
    with TieredMemory.open(":memory:", embedder=None, clock=frozen_clock) as memory:
        for user in ("ana", "ben"):
            memory.remember(Scope(team="x", user=user), "I prefer short answers", type=MemoryType.PREFERENCE)
        frozen_clock.advance(days=3)
        done = consolidate(lambda scope: memory.view(Role.CONSOLIDATOR, scope), Scope(team="x"), clock=frozen_clock)
        assert (done.promoted, done.merged) == (2, 0)
        cards = memory.list(Scope(team="x"), tiers=[Tier.LONG])
        assert {card.scope.user for card in cards} == {"ana", "ben"}


# --- contradictions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("late", [False, True])
def test_the_newer_value_holds_and_the_older_is_kept_with_its_end(
    memory: TieredMemory, frozen_clock: Any, late: bool
) -> None:
    may, june = frozen_clock(), frozen_clock() + timedelta(days=37)
    told = [
        ("I bank with Nordia.", "Nordia", may),
        ("Switched to Kestrel Bank last week.", "Kestrel", june),
    ]
    frozen_clock.advance(days=60)
    for text, value, at in reversed(told) if late else told:
        learned(memory, text, value=value, at=at, **BANK)
    run(memory, frozen_clock)
    nordia, kestrel = sorted(long_cards(memory), key=lambda card: card.at)
    assert (kestrel.value, kestrel.weight, kestrel.valid_until) == ("Kestrel", 1.0, None)
    assert (nordia.value, nordia.weight, nordia.valid_until) == ("Nordia", 0.5, june)
    hits = [hit for hit in memory.recall(ANA, "Which bank do I use?", floor=0.0) if hit.source == "card"]
    assert [hit.ref for hit in hits] == [kestrel.memory_id, nordia.memory_id]
    assert run(memory, frozen_clock).changed == 0


def test_a_value_that_is_said_again_after_another_one_holds_again(memory: TieredMemory, frozen_clock: Any) -> None:
    for text in ("Nordia", "Kestrel", "Nordia"):
        learned(memory, f"I bank with {text}", value=text, **BANK)
        frozen_clock.advance(days=10)
        run(memory, frozen_clock)
    now = [card for card in memory.list(ANA) if card.weight == 1.0 and card.valid_until is None]
    assert [card.value for card in now] == ["Nordia"]
    assert sorted(card.value for card in memory.list(ANA) if card.valid_until) == ["Kestrel", "Nordia"]


def test_what_was_said_outweighs_what_was_concluded_later(memory: TieredMemory, frozen_clock: Any) -> None:
    said = learned(memory, "I bank with Nordia", value="Nordia", **BANK)
    frozen_clock.advance(days=1)
    concluded = {"kind": Kind.INFERENCE, "about": said.memory_id, "value": "Kestrel", **BANK}
    learned(memory, "Banks with Kestrel", said="I saw Kestrel", **concluded)
    weights = {card.value: card.weight for card in memory.list(ANA)}
    assert weights == {"Nordia": 1.0, "Kestrel": 0.5}


def test_what_holds_for_a_time_ends_nothing(memory: TieredMemory, frozen_clock: Any) -> None:
    hours = {"subject": "office", "attribute": "opening"}
    learned(memory, "The office opens at 8", value="8", **hours)
    frozen_clock.advance(days=8)
    until = frozen_clock() + timedelta(days=20)
    learned(memory, "In August the office opens at 10", value="10", valid_until=until, **hours)
    run(memory, frozen_clock)
    regular = next(card for card in memory.list(ANA) if card.value == "8")
    assert (regular.weight, regular.valid_until) == (1.0, None)


def test_other_spellings_of_a_subject_are_the_same_subject(memory: TieredMemory, frozen_clock: Any) -> None:
    for subject, value in (("User", "Nordia"), ("the user", "Kestrel")):
        memory.remember(ANA, f"{value} it is", tier=Tier.LONG, subject=subject, attribute="Bank", value=value)
        frozen_clock.advance(days=1)
    done = run(memory, frozen_clock)
    assert (done.lowered, done.ended) == (1, 1)
    assert {card.value: card.weight for card in memory.list(ANA)} == {"Nordia": 0.5, "Kestrel": 1.0}


# --- rights, races, being stopped ------------------------------------------------------------------------------------


def test_what_changes_meanwhile_is_left_and_decided_anew(
    memory: TieredMemory, frozen_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = [learned(memory, f"Ben keeps {n} bees", type=MemoryType.RULE) for n in range(5)]
    frozen_clock.advance(days=1)
    settle = ConsolidatorView.settle
    meanwhile = iter([
        lambda: memory.edit(ANA, cards[1].memory_id, content="Ben keeps no bees"),
        lambda: memory.forget(ANA, cards[2].memory_id),
        lambda: learned(memory, "Ben has a sixth hive", type=MemoryType.RULE),
    ])  # fmt: skip

    def slow(view: Any, draft: Any, sources: Any) -> Any:
        next(meanwhile, lambda: None)()
        return settle(view, draft, sources)

    monkeypatch.setattr(ConsolidatorView, "settle", slow)
    done = run(memory, frozen_clock)
    assert done.skipped == 2
    frozen_clock.advance(days=1)
    run(memory, frozen_clock)
    assert sorted(card.content for card in memory.list(ANA)) == [
        "Ben has a sixth hive", "Ben keeps 0 bees", "Ben keeps 3 bees", "Ben keeps 4 bees", "Ben keeps no bees",
    ]  # fmt: skip
    assert {card.tier for card in memory.list(ANA)} == {Tier.LONG}


def test_what_a_rule_forbids_is_told_and_stops_nothing(memory: TieredMemory, frozen_clock: Any, tmp_path: Path) -> None:
    file = tmp_path / "cards.jsonl"
    proof = '"evidence": [{"event_id": "evt_gone", "quote": "bees"}]'
    file.write_text(
        f'{{"memory_id": "mem_a", "type": "fact", "timestamp": "2026-01-01", "content": "Ben keeps bees", {proof}}}',
        "utf-8",
    )
    memory.import_(ANA, file)
    learned(memory, "The kiln is in the shed")
    frozen_clock.advance(days=7)
    done = run(memory, frozen_clock)
    assert (done.promoted, [line.split(":")[0] for line in done.refused]) == (1, ["mem_a"])


def test_a_restored_card_is_left_alone(memory: TieredMemory, frozen_clock: Any) -> None:
    short = learned(memory, "Ben keeps bees")
    frozen_clock.advance(days=7)
    run(memory, frozen_clock)
    memory.restore(ANA, short.memory_id)
    assert run(memory, frozen_clock).changed == 0


def test_forgetting_a_merged_card_takes_all_along_that_it_was_made_of(memory: TieredMemory, frozen_clock: Any) -> None:
    for text in ("I like brief replies", "I prefer short answers"):
        memory.remember(ANA, text, tier=Tier.LONG)
        frozen_clock.advance(days=1)
    learned(memory, "I prefer concise answers")
    run(memory, frozen_clock)
    (one,) = memory.list(ANA)
    memory.forget(ANA, one.memory_id)
    assert memory.list(ANA, status="active") + memory.list(ANA, status="superseded") == []


WORDS = st.sampled_from([
    "I prefer short answers", "I like brief replies", "I do not like brief replies", "我喜欢简短的回答",
    "用户偏好简洁的回复",
    "Refunds take 7 days", "Refunds take seven days", "Refunds take 3 days", "退款要七天", "退款要3天", "退款不要七天",
])  # fmt: skip
FACTS = st.tuples(
    WORDS,
    st.sampled_from([MemoryType.FACT, MemoryType.PREFERENCE, MemoryType.EPISODE]),
    st.sampled_from(["", "Nordia", "Kestrel"]),
    st.sampled_from([Tier.SHORT, Tier.LONG]),
    st.integers(0, 12),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(FACTS, max_size=10), st.integers(1, 5))
def test_nothing_is_lost_nothing_is_mixed_and_the_second_run_changes_nothing(facts: list[Any], page: int) -> None:
    from conftest import FrozenClock

    clock = FrozenClock()
    with TieredMemory.open(":memory:", embedder=None, clock=clock) as memory:
        for text, kind, value, tier, days in facts:
            about = {**BANK, "value": value} if value else {}
            memory.remember(ANA, text, type=kind, tier=tier, **about)
            clock.advance(days=days)
        before = memory.list(ANA, status="any")
        run(memory, clock, page=page)
        after = memory.list(ANA, status="any")
        active = [card for card in after if card.status is Status.ACTIVE]
        known = {card.memory_id: card for card in after}
        for card in before:  # every card is there in its words, and what hides it says the same
            assert known[card.memory_id].content == card.content
        for card in active:
            if card.memory_id not in {one.memory_id for one in before}:
                assert {(form(known[ref].content), known[ref].type) for ref in card.supersedes} == {
                    (form(card.content), card.type)
                }
        was_active = [card for card in before if card.status is Status.ACTIVE]
        assert {form(card.content) for card in was_active} == {form(card.content) for card in active}
        assert run(memory, clock, page=page).changed == 0
        assert memory.list(ANA, status="any") == after


KILLED = """
import os, random, shutil, signal, sys, time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from memory_secretary.memory import MemoryType, Role, Scope, Tier, TieredMemory
from memory_secretary.nodes.consolidate import consolidate

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
ANA = Scope(user="ana")
day = datetime(2026, 3, 1, tzinfo=UTC)
now = lambda: day + timedelta(days=90)

def consolidated(path):
    with TieredMemory.open(path, embedder=None, clock=now) as memory:
        return consolidate(lambda scope: memory.view(Role.CONSOLIDATOR, scope), ANA, clock=now)

def state(path):
    with TieredMemory.open(path, embedder=None, clock=now) as memory:
        return sorted(
            (card.content, card.tier, card.status, card.weight, str(card.valid_until), card.value, str(card.at))
            for card in memory.list(ANA, status="any")
        )

with TieredMemory.open(folder / "start", embedder=None, clock=lambda: day) as memory:
    for n in range(12):
        memory.remember(ANA, f"Room {n} is locked", at=day)
        memory.remember(ANA, f"room {n} is locked.", at=day + timedelta(days=n), tier=Tier.LONG)
        about = {"subject": f"room {n}", "attribute": "colour"}
        for m, colour in enumerate(["red", "blue", "red"]):
            memory.remember(ANA, f"Room {n} is {colour} ({m})", at=day + timedelta(days=m), value=colour, **about)
shutil.copytree(folder / "start", folder / "whole")
began = time.perf_counter()
first = consolidated(folder / "whole")
seconds = time.perf_counter() - began
assert first.changed > 30 and consolidated(folder / "whole").changed == 0
whole, chance, cut_off = state(folder / "whole"), random.Random(7), 0
for n in range(kills):
    path = folder / str(n)
    shutil.copytree(folder / "start", path)
    child = os.fork()
    if child == 0:
        consolidated(path)
        os._exit(0)
    time.sleep(chance.random() * seconds)
    os.kill(child, signal.SIGKILL)
    cut_off += os.waitpid(child, 0)[1] != 0
    consolidated(path)
    assert state(path) == whole, f"kill {n}"
    assert consolidated(path).changed == 0
    shutil.rmtree(path)
print(cut_off)
"""


@pytest.mark.integration
def test_killed_at_thirty_random_moments_and_run_again_it_comes_to_the_same_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), "30"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 15, "most of them were at work when they were killed"
