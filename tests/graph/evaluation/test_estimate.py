from __future__ import annotations

import pytest

from memory_secretary.graph.evaluation.campaign import ARMS
from memory_secretary.graph.evaluation.estimate import Estimate, estimate, usual_seconds

RUNS = [("none", 3), ("secretary-own", 3)]
USUAL = sum(usual_seconds(arm, needed) for arm, needed in RUNS)


def row(arm, factor, needed=5):
    return {"arm": arm, "needed": needed, "seconds": factor * usual_seconds(arm, needed)}


def test_what_is_usual_is_known_of_the_embedded_model_only():
    assert estimate(RUNS, [], embedded=True) == Estimate(USUAL, 0)
    assert estimate(RUNS, [], embedded=False).seconds is None


def test_runs_made_here_scale_each_arm_and_the_others_by_all_of_them():
    made = [row("none", 3.0)]
    assert estimate(RUNS, made, embedded=True).seconds == pytest.approx(3 * USUAL)
    found = estimate(RUNS, [*made, row("secretary-own", 0.5)], embedded=False)
    expected = 3 * usual_seconds("none", 3) + 0.5 * usual_seconds("secretary-own", 3)
    assert (found.seconds, found.basis) == (pytest.approx(expected), 2)


def test_nothing_to_do_takes_no_time():
    assert estimate([], [], embedded=True).seconds == 0


def test_the_quick_comparison_takes_less_than_half_an_hour():
    from memory_secretary.graph.evaluation.suite import load_suite, quick

    tasks = quick(load_suite("long")).tasks
    runs = [(arm, task.steps) for task in tasks for arm in ("none", "secretary-own")]
    found = estimate(runs, [], embedded=True)
    assert found.seconds is not None
    assert found.seconds < 1_800


@pytest.mark.parametrize("arm", ARMS)
def test_longer_tasks_never_take_less(arm):
    seconds = [usual_seconds(arm, needed) for needed in range(1, 41)]
    assert seconds == sorted(seconds)
