"""One run: every arm's calls are seen the same way, judged by the task, and told as plain data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import ClassVar

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import ToolException
from policy import PolicyModel, labels, step

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS, ROLLING, SLIDING, WHOLE
from memory_secretary.graph.evaluation.task import Task, Verdict
from memory_secretary.graph.evaluation.trace import Trace, calls_done
from memory_secretary.graph.evaluation.trial import run_trial
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.tools.registry import as_tools

SETTINGS = Settings(user_id="ana", executor_window=4096, secretary_window=4096)


class Till:
    """Bills to be paid, each once."""

    made: ClassVar[list[Till]] = []

    def __init__(self):
        self.paid, self.open = [], True
        Till.made.append(self)

    def tools(self):
        return [self.pay_bill]

    def pay_bill(self, bill: str) -> str:
        """Pay a bill."""
        if bill == "BL-9":
            msg = "there is no such bill"
            raise ToolException(msg)
        if bill == "BL-0":
            raise ZeroDivisionError
        self.paid.append(bill)
        return f"{bill} is paid"

    def close(self):
        self.open = False


def task(check=lambda till, answer: till.paid[:1] == ["BL-1"] and "paid" in answer):
    return Task(name="pay", goal="Pay BL-1, and BL-0 if you can.", steps=1, environment=Till, check=check)


def worker(*bills, answer="It is paid."):
    waiting = list(bills)

    def rule(prompt):
        if labels(prompt):
            return {"thought": "it", "choice": "something_else"}
        return step("pay_bill", bill=waiting.pop(0)) if waiting else step("final_answer", answer=answer)

    return rule


def run(arm, *bills, check=None, noting=None):
    executor = resolve_model(PolicyModel(rule=worker(*bills)), window=4096)
    tried = task(check) if check else task()
    return run_trial(tried, arm, executor, SETTINGS, noting=noting, embedder=None)


@pytest.mark.parametrize("arm", [SLIDING, WHOLE, ROLLING, OURS])
def test_each_arm_is_judged_by_the_world_it_worked_in(arm):
    row = run(arm, "BL-1")
    assert (row["arm"], row["right"], row["errors"], row["needed"], row["done_twice"]) == (arm, True, [], 1, 0)
    assert json.loads(json.dumps(row)) == row
    assert not Till.made[-1].open


@pytest.mark.parametrize("arm", [SLIDING, WHOLE, ROLLING, OURS])
def test_the_calls_of_each_arm_are_noted(arm):
    row = run(arm, "BL-1", check=lambda till, answer: Verdict(False, ("BL-2",)))
    assert row["errors"] == ["missing_information"], "nothing noted would be a lost goal"


@pytest.mark.parametrize("arm", [SLIDING, OURS])
def test_a_tool_that_fails_in_any_way_ends_no_run(arm):
    assert run(arm, "BL-0", "BL-1")["stop_reason"] == ""


class Waiting(Till):
    def tools(self):
        async def pay_bill(bill: str) -> str:
            """Pay a bill."""
            return self.pay_bill(bill)

        return [pay_bill]


@pytest.mark.parametrize("arm", [SLIDING, OURS])
def test_tools_may_be_asynchronous_in_every_arm(arm):
    executor = resolve_model(PolicyModel(rule=worker("BL-1")), window=4096)
    row = run_trial(replace(task(), environment=Waiting), arm, executor, SETTINGS, embedder=None)
    assert row["right"]


def test_what_was_done_twice_is_counted_for_a_check_that_only_says_yes_or_no():
    row = run(SLIDING, "BL-1", "bl-1 ", "BL-1")
    assert row["done_twice"] == 2
    assert row["errors"] == ["step_repeated"]


def test_a_verdict_is_taken_as_it_is():
    row = run(SLIDING, "BL-2", check=lambda till, answer: Verdict(False, ("BL-1",), 3, 4))
    assert (row["right"], row["missing"], row["done_twice"], row["wrong_effects"]) == (False, ["BL-1"], 3, 4)
    assert row["errors"] == ["contradiction", "missing_information"]


def test_another_model_may_keep_the_notes():
    noting = PolicyModel(rule=lambda prompt: {})
    row = run(OURS, "BL-1", noting=resolve_model(noting, window=4096))
    assert row["right"]
    assert bool(noting.prompts) == (row["secretary_calls"] > 0)


def test_the_trace_holds_results_and_errors_in_order():
    trace = Trace([("t", "Pay.")])
    [pay] = trace.watch(as_tools(Till().tools()))
    assert pay.invoke({"bill": "BL-1"}) == "BL-1 is paid"
    with pytest.raises(ToolException):
        pay.invoke({"bill": "BL-9"})
    messages = trace.messages("done")
    assert [type(message) for message in messages[1:]] == [AIMessage, ToolMessage, AIMessage, ToolMessage, AIMessage]
    assert [(done.name, done.arguments) for done in calls_done(messages)] == [("pay_bill", {"bill": "BL-1"})]
    assert messages[4].content == "there is no such bill"
