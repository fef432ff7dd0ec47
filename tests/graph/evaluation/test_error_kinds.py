from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from memory_secretary.graph.evaluation.error_kinds import done_twice, error_kinds
from memory_secretary.graph.evaluation.verdict import Verdict

WRONG, RIGHT = Verdict(False), Verdict(True)


def run(*calls, answer="", goal="Pay the bills."):
    """A run of calls: tool, arguments, result; a result that begins with ``!`` is an error."""
    messages = [HumanMessage(goal)]
    for number, (name, arguments, result) in enumerate(calls):
        call = {"name": name, "args": arguments, "id": str(number), "type": "tool_call"}
        status = "error" if result.startswith("!") else "success"
        messages += [AIMessage("", tool_calls=[call]), ToolMessage(result, tool_call_id=str(number), status=status)]
    return [*messages, *([AIMessage(answer)] if answer else [])]


READ = ("read_bill", {"bill": "BL-1"}, "due: 1,240")
FAILED = ("read_bill", {"bill": "BL-1"}, "!busy")


@pytest.mark.parametrize(
    ("messages", "verdict", "kinds"),
    [
        (run(READ, answer="1,240"), RIGHT, []),
        (run(READ, READ, answer="1,240"), RIGHT, ["step_repeated"]),
        (run(FAILED, READ, answer="1240.00"), RIGHT, []),
        (run(READ), WRONG, ["goal_lost"]),
        (run(FAILED, answer="I cannot."), WRONG, ["goal_lost"]),
        (run(READ, answer="It is 1,240."), Verdict(False, ("not 1240",)), ["contradiction"]),
        (run(READ, answer="It is 1,300."), Verdict(False, ("not 1300",)), ["invention"]),
        (run(READ, answer="Ana has it."), Verdict(False, ("not Ana",)), ["contradiction"]),
        (run(READ, answer="done"), Verdict(False, wrong_effects=1), ["contradiction"]),
        (run(READ, answer="done"), Verdict(False, ("1240",)), ["missing_information"]),
        (run(READ), Verdict(False, ("1240",)), ["goal_lost"]),
        (run(READ, answer="It is 1,300."), WRONG, ["invention"]),
        (run(READ, answer="It is 12 bills."), WRONG, []),
        (run(READ, answer="99", goal="Is it 99?"), WRONG, []),
        (
            run(("pay", {"bill": "BL-1", "sum": 1}, "ok"), ("pay", {"bill": "BL-1", "sum": 2}, "ok"), answer="done"),
            WRONG,
            ["contradiction"],
        ),
        (
            run(("pay", {"bill": "BL-1", "sum": 1}, "!no"), ("pay", {"bill": "BL-1", "sum": 2}, "ok"), answer="done"),
            WRONG,
            [],
        ),
    ],
)
def test_each_kind_is_seen_where_it_is_and_nowhere_else(messages, verdict, kinds):
    assert error_kinds(messages, verdict=verdict) == kinds


def test_a_call_that_was_held_back_is_a_repeat_too():
    assert error_kinds(run(READ, answer="1,240"), verdict=RIGHT, repeats=1) == ["step_repeated"]


def test_only_what_changes_something_is_done_twice():
    pay = ("pay", {"bill": "BL-1"}, "ok")
    assert done_twice(run(READ, READ, pay, pay, ("pay", {"bill": "BL-1"}, "!no")), {"pay"}) == 1
