from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_measures import all_at, any_at, comes_first, ndcg_at, reciprocal_rank

REFS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
WANTED = st.sets(st.sampled_from("abcdefgh"), min_size=1)


def test_any_looks_at_the_first_k_only() -> None:
    assert any_at(2, ["x", "a"], ["a"]) == 1
    assert any_at(1, ["x", "a"], ["a"]) == 0


def test_all_wants_every_one() -> None:
    assert all_at(3, ["a", "x", "b"], ["a", "b"]) == 1
    assert all_at(2, ["a", "x", "b"], ["a", "b"]) == 0


def test_the_reciprocal_rank_is_that_of_the_first() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], ["a", "b"]) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], ["a"]) == 0


def test_ndcg_by_hand() -> None:
    assert ndcg_at(10, ["a", "x", "b"], ["a", "b"]) == pytest.approx((1 + 1 / 2) / (1 + 1 / 1.584962500721156))


@given(REFS, WANTED)
def test_measures_lie_in_0_to_1_and_the_best_order_has_1(ranked: list[str], wanted: set[str]) -> None:
    for measure in (any_at, all_at, ndcg_at):
        assert 0 <= measure(5, ranked, wanted) <= 1
    best = [*sorted(wanted), *(ref for ref in ranked if ref not in wanted)]
    assert ndcg_at(5, best, wanted) == pytest.approx(1)
    assert reciprocal_rank(best, wanted) == 1


def test_the_current_value_has_to_come_and_to_come_first() -> None:
    assert comes_first(["x", "new", "old"], ["new"], ["old"])
    assert not comes_first(["old", "new"], ["new"], ["old"])
    assert not comes_first(["x"], ["new"], ["old"])
