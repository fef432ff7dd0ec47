"""Which runs a comparison has, with which models they are made, and which belong to it."""

from __future__ import annotations

import threading

import pytest

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation import campaign
from memory_secretary.graph.evaluation.campaign import ARMS, Campaign, checked_arms, make_runs, models
from memory_secretary.graph.evaluation.suite import Suite
from memory_secretary.graph.evaluation.task import Task
from memory_secretary.memory.errors import SettingsError


class Handle:
    """Stands for a model that was made ready."""

    def __init__(self, name, window):
        self.name, self.window, self.closed = name, window, False

    def close(self):
        self.closed = True


def task(name):
    return Task(name=name, goal="Go.", steps=1, environment=object, check=lambda world, answer: False)


def plan(arms=tuple(ARMS), state="1", secretary="big"):
    suite = Suite(name="mine", state=state, tasks=(task("a"), task("b")))
    settings = Settings(user_id="eval", executor_window=2048, secretary_window=4096)
    return Campaign(suite=suite, arms=arms, executor="small", secretary=secretary, settings=settings)


@pytest.fixture
def asked(monkeypatch):
    """The handles that were made, and (arm, executor, secretary's own model) of each trial."""
    handles, trials = [], []

    def resolve(spec, *, window):
        handles.append(Handle(spec, window))
        return handles[-1]

    def trial(task, arm, executor, settings, *, noting, embedder):
        trials.append((arm, executor.name, noting and noting.name))
        return {"arm": arm, "right": True}

    monkeypatch.setattr(campaign, "resolve_model", resolve)
    monkeypatch.setattr(campaign, "run_trial", trial)
    return handles, trials


def test_runs_are_made_task_by_task_in_all_arms():
    assert [(run.task.name, run.arm) for run in plan(("none", "full")).runs()] == [
        ("a", "none"), ("a", "full"), ("b", "none"), ("b", "full")
    ]  # fmt: skip


def test_only_the_arm_of_that_name_has_another_secretary(asked):
    handles, trials = asked
    with models(plan()) as trial:
        rows = [trial(run) for run in plan().runs()[:5]]
    assert [noting for _, _, noting in trials] == [None, None, None, "big", None]
    assert [row["arm"] for row in rows] == list(ARMS)
    assert [(handle.name, handle.window, handle.closed) for handle in handles] == [
        ("small", 4096, True), ("big", 4096, True)
    ]  # fmt: skip


def test_a_secretary_that_no_arm_asks_is_not_started(asked):
    with models(plan(("none", "secretary-own"))):
        pass
    assert [handle.name for handle in asked[0]] == ["small"]


def test_an_arm_without_the_secretary_is_the_same_run_whoever_it_is():
    first, other = plan(("none", "secretary")), plan(("none", "secretary"), secretary="huge")
    rows = [first.head(run) for run in first.runs()]
    assert [run.arm for run in other.left(rows)] == ["secretary", "secretary"]
    assert [row["arm"] for row in other.made(rows)] == ["none", "none"]
    assert plan(("none",), state="2").made(rows) == []


def test_of_two_rows_of_one_run_the_later_counts():
    one = plan(("none",))
    rows = [{**one.head(one.runs()[0]), "n": n} for n in range(2)]
    assert [row["n"] for row in one.made(rows)] == [1]


@pytest.mark.parametrize("parallel", [1, 3])
def test_every_run_is_made_once_and_none_after_a_refusal(parallel):
    runs, made = plan().runs(), []
    rows = list(
        make_runs(runs, lambda run: made.append(run) or {"n": 1}, parallel=parallel, may_begin=lambda run: True)
    )
    assert (len(rows), sorted(map(id, made))) == (len(runs), sorted(map(id, runs)))
    assert list(make_runs(runs, lambda run: {}, parallel=parallel, may_begin=lambda run: False)) == []


def test_several_runs_are_under_way_at_a_time():
    together = threading.Barrier(3, timeout=20)
    rows = make_runs(plan().runs()[:3], lambda run: {"n": together.wait()}, parallel=3, may_begin=lambda run: True)
    assert {row["n"] for row in rows} == {0, 1, 2}


def test_all_arms_that_can_be_are_the_default():
    assert checked_arms(None, "big") == tuple(ARMS)
    assert "secretary" not in checked_arms(None, None)
    assert checked_arms(" full ,none,full", None) == ("full", "none")
    with pytest.raises(SettingsError, match="needs --secretary"):
        checked_arms("secretary", None)
