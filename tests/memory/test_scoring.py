from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import MemoryType, RecallWeights, Status, Tier
from memory_secretary.memory.scoring import (
    Traits,
    completed,
    fuse,
    normalised,
    recency,
    score,
    score_parts,
    standing,
    with_neighbours,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WEIGHTS = RecallWeights()
REFS = st.sampled_from(["a", "b", "c", "d"])
VALUES = st.dictionaries(REFS, st.floats(0, 1))


def card(**fields: object) -> Traits:
    return Traits(**({"ref": "m", "source": "card", "at": NOW, "tier": Tier.SHORT, "type": MemoryType.FACT} | fields))


def test_the_best_of_a_leg_has_the_value_one() -> None:
    assert normalised({"a": 4.0, "b": 1.0}) == {"a": 1.0, "b": 0.25}


def test_a_leg_that_found_nothing_gives_no_value() -> None:
    assert normalised({"a": 0.0}) == {"a": 0.0}


def test_both_legs_count_half() -> None:
    assert fuse({"a": 2.0, "b": 1.0}, {"b": 0.8}, WEIGHTS) == {"a": 0.5, "b": 0.75}


def test_what_a_cut_leg_left_out_is_a_little_below_its_least() -> None:
    assert completed({"a": 2.0, "b": 1.0}, ["a", "b", "c"], 0.8) == {"a": 2.0, "b": 1.0, "c": 0.8}
    assert completed({}, ["c"], 0.8) == {"c": 0.0}


def test_without_vectors_the_words_count_whole() -> None:
    assert fuse({"a": 2.0}, None, WEIGHTS) == {"a": 1.0}


def test_a_hit_gives_a_fifth_to_the_next_event_and_a_tenth_to_the_one_after_it() -> None:
    values, gained = with_neighbours({"a": 0.8, "b": 0.5}, {("a", "b"): 1, ("a", "c"): 2}, 0.2)
    assert values == pytest.approx({"a": 0.8, "b": 0.66, "c": 0.08})
    assert gained == pytest.approx({"b": 0.16, "c": 0.08})


@given(VALUES, st.dictionaries(st.tuples(REFS, REFS), st.integers(1, 2)), st.floats(0, 1))
def test_values_stay_in_0_to_1(values: dict[str, float], near: dict[tuple[str, str], int], share: float) -> None:
    summed, _ = with_neighbours(values, near, share)
    assert all(0 <= value <= 1 for value in summed.values())


@pytest.mark.parametrize("tier", Tier)
def test_recency_goes_half_of_its_way_in_the_half_life_and_no_lower_than_its_least(tier: Tier) -> None:
    least = WEIGHTS.least_recency[tier]
    assert recency(card(tier=tier), NOW, WEIGHTS) == 1.0
    old = card(tier=tier, at=NOW - WEIGHTS.half_lives[tier])
    assert recency(old, NOW, WEIGHTS) == pytest.approx((1 + least) / 2)
    ancient = card(tier=tier, at=NOW - timedelta(days=40_000))
    assert recency(ancient, NOW, WEIGHTS) == pytest.approx(least)


def test_what_was_said_ages_less_than_what_is_believed() -> None:
    event, fact = (card(tier=tier, at=NOW - timedelta(days=300)) for tier in (Tier.WORKING, Tier.SHORT))
    assert recency(event, NOW, WEIGHTS) > recency(fact, NOW, WEIGHTS)


@pytest.mark.parametrize("kind", [MemoryType.CONSTRAINT, MemoryType.RULE, MemoryType.METHOD])
def test_what_tells_how_to_act_does_not_age(kind: MemoryType) -> None:
    assert recency(card(type=kind, at=NOW - timedelta(days=4000)), NOW, WEIGHTS) == 1.0


def test_the_public_formula_is_the_default() -> None:
    parts = score_parts(card(), 0.6, 0.0, NOW, WEIGHTS)
    assert score(parts, WEIGHTS) == pytest.approx(0.5 * 0.6 + 0.3 * 1.0 + 0.2 * WEIGHTS.types[MemoryType.FACT])


@pytest.mark.parametrize(
    "against",
    [
        {"valid_until": NOW - timedelta(days=1)},
        {"valid_from": NOW + timedelta(days=1)},
        {"inference": True},
        {"weight": 0.5},
        {"status": Status.SUPERSEDED},
    ],
)
def test_what_speaks_against_a_card_lowers_it(against: dict[str, object]) -> None:
    assert standing(card(**against), NOW, WEIGHTS) < standing(card(), NOW, WEIGHTS)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_scores_lie_in_0_to_1(similarity: float, related: float, weight: float) -> None:
    parts = score_parts(card(weight=weight, type=MemoryType.RULE), similarity, related, NOW, WEIGHTS)
    assert 0 <= score(parts, WEIGHTS) <= 1
