from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.graph.evaluation.report import (
    arms_table,
    difference_line,
    groups_table,
    paired_difference,
    wilson,
)


def row(arm, seed, right, family="a"):
    figures = dict.fromkeys(
        (
            "repeats",
            "done_twice",
            "wrong_effects",
            "steps",
            "prompt_tokens",
            "read_tokens",
            "secretary_calls",
            "seconds",
        ),
        2,
    )
    return {"arm": arm, "seed": seed, "right": right, "family": family, **figures}


def test_the_interval_is_wilsons():
    # Newcombe 1998, table I: 81 of 263
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share(counts):
    right, runs = counts
    low, high = wilson(right, runs)
    assert 0 <= low <= high <= 1
    assert runs == 0 or low - 1e-12 <= right / runs <= high + 1e-12


def test_the_difference_counts_only_what_differs():
    gain, low, high = paired_difference([True, True, True, False], [True, False, False, False])
    assert gain == 0.5
    assert 0 <= low < gain < high <= 1


def test_no_difference_has_no_interval():
    assert paired_difference([True, False], [True, False]) == (0, 0, 0)


def test_arms_without_a_common_task_are_not_compared():
    with pytest.raises(ValueError, match="no task"):
        paired_difference([], [])
    assert "no task in common" in difference_line([row("ours", 1, True)], "ours", "theirs", ["seed"])


def test_only_tasks_of_both_arms_are_compared():
    rows = [row("ours", 1, True), row("theirs", 1, False), row("ours", 2, False), row("theirs", 3, True)]
    assert difference_line(rows, "ours", "theirs", ["seed"]).startswith("ours against theirs on 1 tasks: +100 points")


def test_every_arm_that_was_run_has_a_line():
    table = arms_table([row("ours", 1, True), row("ours", 2, False)], ["ours", "theirs"])
    assert table.splitlines()[2:] == ["| ours | 1 of 2 | 9% to 91% | 4 | 4 | 4 | 2.0 | 2.0 | 2.0 | 2.0 | 2.0 |"]


def test_groups_stand_side_by_side():
    rows = [row("ours", 1, True), row("ours", 2, False, "b"), row("ours", 3, True, "b")]
    assert groups_table(rows, ["ours"], "family", ["a", "b", "c"]).splitlines() == [
        "| arm | a | b | c |",
        "|---|---|---|---|",
        "| ours | 1 of 1 | 1 of 2 | – |",
    ]
