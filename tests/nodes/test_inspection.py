"""What an inspection finds, what it proposes, and that each change is taken back by restore."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.memory import CardDraft, Evidence, Kind, MemoryCard, MemoryType, Role, Scope, Status, Tier
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.inspection import KINDS, Finding, is_change
from memory_secretary.nodes.inspection_words import change_of, kind_name, reason_of
from memory_secretary.nodes.inspector import Applied, apply_changes, changes, survey

ANA = Scope(user="ana", thread="t1")
BANK = {"subject": "user", "attribute": "bank"}


@pytest.fixture
def memory(frozen_clock: Any, counting_ids: Callable[[], str]) -> Any:
    with TieredMemory.open(":memory:", embedder=None, clock=frozen_clock, new_id=counting_ids) as opened:
        yield opened


def look(memory: TieredMemory, clock: Any, **more: Any) -> list[Finding]:
    return survey(memory.view(Role.INSPECTOR, ANA), clock=clock, **more)["findings"]


def mend(memory: TieredMemory, clock: Any) -> Applied:
    return apply_changes(memory.view(Role.INSPECTOR, ANA), look(memory, clock))


def kinds(findings: list[Finding]) -> list[tuple[str, str, str, float | None]]:
    return [(one["kind"], one["memory_id"], one["status"], one["weight"]) for one in findings]


def runs(memory: TieredMemory, shown: list[str], n: int, *, failing: int = 0) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    for number in range(n):
        view.note_uses(shown, [], succeeded=number >= failing, run=f"{shown} {number}")


def test_a_sound_memory_has_no_findings(memory: TieredMemory, frozen_clock: Any) -> None:
    memory.remember(ANA, "The kiln is in the shed")
    memory.remember(ANA, "退款需要三天", type=MemoryType.RULE)
    assert look(memory, frozen_clock) == []


def test_what_ended_a_month_ago_is_stale(memory: TieredMemory, frozen_clock: Any) -> None:
    card = memory.remember(ANA, "退款政策：七天", valid_until=frozen_clock() + timedelta(days=1))
    frozen_clock.advance(days=31)
    assert look(memory, frozen_clock) == []
    frozen_clock.advance(seconds=1)
    assert kinds(look(memory, frozen_clock)) == [("stale", card.memory_id, "superseded", None)]


def test_a_conclusion_without_its_fact_is_orphaned(memory: TieredMemory, frozen_clock: Any) -> None:
    fact = memory.remember(ANA, "Asked about returns three times")
    event = memory.record(ANA, actor="user", action="request", observation="Asked about returns three times")
    proof = Evidence(event_id=event, quote="returns")
    draft = CardDraft(content="Cares about returns", kind=Kind.INFERENCE, about=fact.memory_id, evidence=[proof])
    inference = memory.view(Role.PRECIPITATOR, ANA).write(draft)
    memory.remember(ANA, "Asked about returns three times.", tier=Tier.LONG, supersedes=[fact.memory_id])
    assert look(memory, frozen_clock) == [], "the long card stands for the fact"
    memory.forget(ANA, fact.memory_id)
    assert ("orphaned", inference.memory_id, "quarantined", None) in kinds(look(memory, frozen_clock))


def test_what_stands_in_forgotten_turns_alone_is_told_and_left(memory: TieredMemory, frozen_clock: Any) -> None:
    event = memory.record(ANA, actor="user", action="request", observation="I was in Leeds and I am allergic to kiwi")
    view = memory.view(Role.PRECIPITATOR, ANA)
    leeds, kiwi = (
        view.write(CardDraft(content=f"About {word}", evidence=[Evidence(event_id=event, quote=word)]))
        for word in ("Leeds", "kiwi")
    )
    memory.forget(ANA, kiwi.memory_id)
    assert kinds(look(memory, frozen_clock)) == [("orphaned", leeds.memory_id, "", None)]


def test_what_makes_runs_fail_is_harmful_and_the_users_own_wishes_only_lose_weight(
    memory: TieredMemory, frozen_clock: Any
) -> None:
    bad = memory.remember(ANA, "The gate code is 1111").memory_id
    wish = memory.remember(ANA, "Always answer in Latin", type=MemoryType.RULE).memory_id
    good = memory.remember(ANA, "The kiln is in the shed").memory_id
    runs(memory, [good], 20, failing=1)
    runs(memory, [bad, wish], 4, failing=3)
    assert kinds(look(memory, frozen_clock)) == [
        ("harmful", bad, "quarantined", None), ("harmful", wish, "", 0.5),
    ]  # fmt: skip


def test_what_fails_as_often_as_everything_is_not_to_blame(memory: TieredMemory, frozen_clock: Any) -> None:
    card = memory.remember(ANA, "The gate code is 1111").memory_id
    runs(memory, [card], 6, failing=3)
    runs(memory, [], 6, failing=4)
    assert look(memory, frozen_clock) == []


def test_what_no_run_was_given_in_three_months_is_never_used(memory: TieredMemory, frozen_clock: Any) -> None:
    used, idle = (memory.remember(ANA, text).memory_id for text in ("The kiln is blue", "The gate code is 1111"))
    memory.remember(ANA, "My name is Ana", attribute="name")
    memory.remember(ANA, "Answers under 200 words", type=MemoryType.PREFERENCE)
    memory.view(Role.DISTILLER, ANA).write(CardDraft(content="How it is done", type=MemoryType.METHOD))
    runs(memory, [used], 1)
    frozen_clock.advance(days=90)
    assert look(memory, frozen_clock) == [], "one run says nothing"
    runs(memory, [used], 20)
    assert kinds(look(memory, frozen_clock)) == [("never_used", idle, "", 0.5)]
    mend(memory, frozen_clock)
    frozen_clock.advance(days=90)
    assert look(memory, frozen_clock) == []
    frozen_clock.advance(days=1)
    assert ("dead", idle, "superseded", None) in kinds(look(memory, frozen_clock))


def test_a_faded_episode_is_dead_unless_somebody_asks_for_it(memory: TieredMemory, frozen_clock: Any) -> None:
    texts = ("Went to Leeds", "Met Tarek")
    gone, asked = (memory.remember(ANA, text, type=MemoryType.EPISODE).memory_id for text in texts)
    frozen_clock.advance(days=181)
    runs(memory, [asked], 1)
    assert kinds(look(memory, frozen_clock)) == [("dead", gone, "archived", None)]


def test_two_values_of_one_attribute_are_contradictory_in_any_spelling(memory: TieredMemory, frozen_clock: Any) -> None:
    old = memory.remember(ANA, "Banks with Nordia", subject="User", attribute="bank", value="Nordia")
    frozen_clock.advance(days=1)
    new = memory.remember(ANA, "Banks with Kestrel", subject="the user", attribute="Bank", value="Kestrel")
    (found,) = look(memory, frozen_clock)
    assert (found["kind"], found["memory_id"], found["others"]) == ("contradictory", old.memory_id, [new.memory_id])
    assert found["weight"] == 0.5
    mend(memory, frozen_clock)
    (found,) = look(memory, frozen_clock)
    assert (found["why"], is_change(found)) == ("outweighed_already", False)


def test_what_says_the_same_is_proposed_and_what_is_alike_is_shown(memory: TieredMemory, frozen_clock: Any) -> None:
    texts = [
        "I prefer short answers", "I like brief replies",
        "keeps the spare key under the old mat", "keeps the spare key under the old green mat",
        "退款需要三天，周末不算", "退款需要三天，周末也不算", "退款需要五天，周末不算",
    ]  # fmt: skip
    ids = [memory.remember(ANA, text).memory_id for text in texts]
    found = look(memory, frozen_clock)
    assert {(one["kind"], one["memory_id"], *one["others"]) for one in found} == {
        ("mergeable", ids[1], ids[0]), ("similar", ids[2], ids[3]), ("similar", ids[4], ids[5]),
    }  # fmt: skip
    assert changes(found) == []


def test_what_changed_since_is_skipped_and_what_was_restored_is_left_alone(
    memory: TieredMemory, frozen_clock: Any
) -> None:
    until = frozen_clock() + timedelta(days=1)
    one, other = (memory.remember(ANA, f"Refunds: {n} days", valid_until=until) for n in (3, 7))
    frozen_clock.advance(days=40)
    found = look(memory, frozen_clock)
    memory.edit(ANA, one.memory_id, content="Refunds: 3 working days")
    done = apply_changes(memory.view(Role.INSPECTOR, ANA), found)
    assert (done.changed, done.skipped) == ([other.memory_id], [one.memory_id])
    again = apply_changes(memory.view(Role.INSPECTOR, ANA), found)
    assert (again.changed, len(again.skipped)) == ([], 2)
    memory.restore(ANA, other.memory_id)
    assert look(memory, frozen_clock) == []


def test_pages_and_the_limit_of_a_report(memory: TieredMemory, frozen_clock: Any, monkeypatch: Any) -> None:
    from memory_secretary.nodes import inspector

    until = frozen_clock() + timedelta(days=1)
    for n in range(7):
        memory.remember(ANA, f"Offer {n * 11}", valid_until=until)
    frozen_clock.advance(days=40)
    assert len(look(memory, frozen_clock, page=2)) == 7
    monkeypatch.setattr(inspector, "MOST_FINDINGS", 5)
    whole = survey(memory.view(Role.INSPECTOR, ANA), clock=frozen_clock)
    assert (len(whole["findings"]), whole["left"], whole["seen"]) == (5, 2, 7)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_kind_reason_and_change_has_its_sentence_in_both_languages(lang: Any) -> None:
    from memory_secretary.nodes.inspection_words import _REASONS

    numbers = {"failed": 3, "recalled": 4, "usual": 0.1, "until": "2026-01-01", "days": 9, "runs": 30, "share": 0.8}
    made = [
        Finding(kind="stale", memory_id="m", version=1, content="x", others=[], why=why, figures=numbers,
                status=status, weight=weight)
        for why in _REASONS
        for status, weight in [("superseded", None), ("archived", None), ("quarantined", None), ("", 0.5), ("", None)]
    ]  # fmt: skip
    with speaking(lang):
        texts = [*map(kind_name, KINDS), *map(reason_of, made), *filter(None, map(change_of, made))]
    chinese = [any("\u4e00" <= character <= "\u9fff" for character in text) for text in texts]
    assert set(chinese) == {lang == "zh"}


CARDS = st.tuples(
    st.sampled_from(["Refunds take 3 days", "Refunds take 7 days", "退款要三天", "I bank with Kestrel", "去过利兹"]),
    st.sampled_from([MemoryType.FACT, MemoryType.EPISODE, MemoryType.RULE]),
    st.sampled_from([Tier.SHORT, Tier.LONG]),
    st.sampled_from(["", "Nordia", "Kestrel"]),
    st.sampled_from([None, 1, 60]),
    st.integers(0, 80),
    st.integers(0, 5),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(CARDS, max_size=8))
def test_changes_touch_no_words_and_restore_undoes_each(cards: list[Any]) -> None:
    from conftest import FrozenClock

    clock = FrozenClock()
    with TieredMemory.open(":memory:", embedder=None, clock=clock) as memory:
        for text, kind, tier, value, days, later, failing in cards:
            until = None if days is None else clock() + timedelta(days=days)
            about = {**BANK, "value": value} if value else {}
            card = memory.remember(ANA, text, type=kind, tier=tier, valid_until=until, **about)
            runs(memory, [card.memory_id] if failing else [], 5, failing=failing)
            clock.advance(days=later)
        before = {card.memory_id: card for card in memory.list(ANA, status="any")}
        done = mend(memory, clock)
        after = {card.memory_id: card for card in memory.list(ANA, status="any")}
        assert after.keys() == before.keys()
        assert {ref for ref in after if after[ref] != before[ref]} == set(done.changed)
        for ref in done.changed:
            assert words_of(after[ref]) == words_of(before[ref])
            back = memory.restore(ANA, ref)
            assert words_of(back) == words_of(before[ref])
            assert (back.status, back.weight) == (Status.ACTIVE, 1.0)
        assert mend(memory, clock).changed == []


def words_of(card: MemoryCard) -> tuple[Any, ...]:
    return (card.content, card.type, card.tier, card.value, card.evidence, card.supersedes, card.valid_until, card.at)
