from __future__ import annotations

import pytest
from policy import PolicyModel, step

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS, ROLLING, SLIDING
from memory_secretary.graph.evaluation.longtask import make_task
from memory_secretary.graph.evaluation.longtask.run import run_task
from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.nodes.models.resolve import resolve_model

SETTINGS = Settings(user_id="benchmark", executor_window=8192, secretary_window=8192)


def run(task, rule, arm=SLIDING):
    return run_task(task, arm, resolve_model(PolicyModel(rule=rule), window=8192), SETTINGS)


def oracle(task):
    """Makes the oracle's calls in order and gives its answer."""
    calls = iter(task.oracle.calls)

    def rule(prompt):
        call = next(calls, None)
        return step(call.tool, **call.arguments) if call else step("final_answer", answer=task.oracle.answer)

    return rule


@pytest.mark.parametrize("arm", [SLIDING, ROLLING])
@pytest.mark.parametrize("family", ["collect_report", "act_on_condition", "failing_tool"])
def test_a_worker_without_a_mistake_is_right(family, arm):
    task = make_task(family, 3, "en", "short")
    row = run(task, oracle(task), arm)
    assert (row["right"], row["missing"], row["steps"]) == (True, [], task.needed_steps + 1)
    assert (row["family"], row["seed"], row["length"], row["arm"]) == (family, 3, "short", arm)


def test_an_answer_without_work_is_wrong_in_the_secretarys_arm_too():
    task = make_task("collect_report", 3, "en", "short")
    row = run(task, lambda prompt: step("final_answer", answer="42"), OURS)
    assert not row["right"]
    assert row["missing"]


def test_a_run_that_an_error_ends_is_a_wrong_one_and_keeps_the_error():
    def down(prompt):
        msg = "the server is down"
        raise ModelUnreachable(msg)

    row = run(make_task("collect_report", 3, "en", "short"), down)
    assert not row["right"]
    assert row["stop_reason"] == "ModelUnreachable: the server is down"
