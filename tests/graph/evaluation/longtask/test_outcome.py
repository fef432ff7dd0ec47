from __future__ import annotations

from contextlib import suppress

import pytest
from langchain_core.tools import ToolException

from memory_secretary.graph.evaluation.longtask import Call, Environment, LongTask, make_task
from memory_secretary.graph.evaluation.longtask.environment import ToolSpec
from memory_secretary.graph.evaluation.longtask.outcome import Deed, Outcome, judge
from memory_secretary.graph.evaluation.verdict import Verdict

SPECS = (
    ToolSpec(name="read_bill", doc="Read a bill.", parameters={"bill": str}, job="read", keyed=True),
    ToolSpec(
        name="pay_bill", doc="Pay a bill.", parameters={"bill": str, "sum": float}, job="act", keyed=True, reply="paid"
    ),
    ToolSpec(name="tell", doc="Tell a person.", parameters={"to": str, "text": str}, job="act", reply="sent"),
)
RECORDS = {"BL-101": "due: 1,240", "BL-102": "paid", "BL-103": "secret"}
PAY = Call("pay_bill", {"bill": "BL-101", "sum": 1240.0})
TELL = Call("tell", {"to": "Ruth Reed ", "text": "about BL-101, please"})
BOTH = Outcome(
    says=("1240",),
    deeds=(Deed("pay_bill", {"bill": "BL-101", "sum": 1240}), Deed("tell", {"to": "Ruth Reed"}, {"text": "BL-101"})),
)


def verdict(outcome: Outcome, answer: str, *calls: Call) -> Verdict:
    environment = Environment(SPECS, RECORDS)
    for call in calls:
        environment.call(call)
    return judge(outcome, answer, environment)


@pytest.mark.parametrize("answer", ("Paid 1,240 in all.", "一共付了1240元。", "£1240.00"))
def test_wanted_effects_done_once_with_the_value_in_the_answer_are_right(answer):
    assert verdict(BOTH, answer, PAY, TELL) == Verdict(True, (), 0, 0)


def test_a_missing_effect_is_named():
    assert verdict(BOTH, "1240", PAY) == Verdict(False, ("the call tell(Ruth Reed, BL-101)",), 0, 0)


def test_an_effect_done_twice_is_counted():
    assert verdict(BOTH, "1240", PAY, TELL, TELL, TELL) == Verdict(False, (), 2, 0)


@pytest.mark.parametrize(
    "call",
    (
        Call("pay_bill", {"bill": "BL-101", "sum": 1420.0}),
        Call("pay_bill", {"bill": "BL-102", "sum": 1240.0}),
        Call("tell", {"to": "Ruth Reid", "text": "BL-101"}),
        Call("tell", {"to": "Ruth Reed", "text": "BL-1011"}),
    ),
)
def test_an_effect_with_a_wrong_argument_is_wrong_and_replaces_none(call):
    assert verdict(BOTH, "1240", PAY, TELL, call) == Verdict(False, (), 0, 1)
    assert verdict(BOTH, "1240", call).missing


@pytest.mark.parametrize("answer", ("", "  ", "1,241", "12400", "BL-1240", "Paid."))
def test_an_answer_without_the_value_is_wrong(answer):
    assert not verdict(BOTH, answer, PAY, TELL).right


def test_what_must_not_be_said_is_found_by_whole_names():
    outcome = Outcome(says=("BL-101",), never=("BL-102",))
    assert verdict(outcome, "BL-101 and BL-1020").right
    assert verdict(outcome, "BL-101、BL-102").missing == ("not BL-102",)


def test_each_figure_must_stand_with_its_name():
    outcome = Outcome(pairs=(("BL-101", "12"), ("BL-102", "13")))
    assert verdict(outcome, "BL-101: 12\nBL-102: 13").right
    assert verdict(outcome, "BL-101：12，BL-102：13").right
    assert verdict(outcome, "BL-101: 13\nBL-102: 12").missing == ("BL-101: 12", "BL-102: 13")
    assert not verdict(outcome, "12 and 13").right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("In all 1,024. The highest is 552 (WS-432) and the lowest 472 (WS-581).", True),
        ("552 pallets in WS-432, 472 pallets in WS-581.", True),
        ("最高552件（WS-432），最低472件（WS-581）。", True),
        ("The highest is 472 (WS-432) and the lowest 552 (WS-581).", False),
        ("WS-432: 472, WS-581: 552.", False),
        ("WS-432 has 472; in WS-581 there are 552.", False),
        ("552 in all. It is highest in WS-432 and lowest in WS-581 (472).", False),
    ],
)
def test_a_figure_may_stand_before_its_name(answer, right):
    end = Outcome(pairs=(("WS-432", "552"), ("WS-581", "472")))
    assert verdict(end, answer).right is right


def test_a_record_that_must_stay_closed_is_watched():
    outcome = Outcome(says=("7",), closed=("BL-103",))
    assert verdict(outcome, "7", Call("read_bill", {"bill": "BL-102"})).right
    assert verdict(outcome, "7", Call("read_bill", {"bill": "BL-103"})).missing == ("BL-103 left closed",)


@pytest.mark.parametrize("answer", ("It is\n1240", "£1,240", "1240元", "1240 pounds"))
def test_one_plain_line_is_demanded_where_it_was_asked_for(answer):
    outcome = Outcome(says=("1240",), one_line=True)
    assert verdict(outcome, "The sum is 1,240.").right
    assert not verdict(outcome, answer).right


FAMILIES_WITH_DEEDS = ("act_on_condition", "keep_constraint", "earlier_session", "failing_tool")


def task_with_deeds(family: str, lang: str) -> LongTask:
    found = (make_task(family, seed, lang, "medium") for seed in range(100))
    return next(task for task in found if task.outcome.deeds)


def worked(task: LongTask, *, without: Call | None = None) -> Environment:
    """The environment after the oracle's calls, but for one."""
    environment = task.environment()
    for call in task.oracle.calls:
        if call != without:
            with suppress(ToolException):
                environment.call(call)
    return environment


def spoiled(deed: Call) -> Call:
    """The same call with another last argument."""
    *_, last = deed.arguments
    value = deed.arguments[last]
    return Call(deed.tool, {**deed.arguments, last: "nothing" if isinstance(value, str) else value + 1})


@pytest.mark.parametrize("lang", ("en", "zh"))
@pytest.mark.parametrize("family", FAMILIES_WITH_DEEDS)
def test_a_missing_a_doubled_and_a_wrong_effect_each_spoil_a_task(family, lang):
    task = task_with_deeds(family, lang)
    answer, deed = task.oracle.answer, worked(task).deeds[0]
    assert task.check(answer, worked(task)).right
    assert task.check(answer, worked(task, without=deed)).missing
    for call, twice, wrong in ((deed, 1, 0), (spoiled(deed), 0, 1)):
        environment = worked(task)
        environment.call(call)
        verdict = task.check(answer, environment)
        assert (verdict.right, verdict.done_twice, verdict.wrong_effects) == (False, twice, wrong)
