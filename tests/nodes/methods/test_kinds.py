"""Which tasks are of one kind, and what code is sure of."""

from __future__ import annotations

import pytest
from method_samples import GOAL, calls, finished
from task_samples import done

from memory_secretary.nodes.methods.kinds import (
    asks_of,
    checked,
    computed,
    grouped,
    kind_of_task,
    noted_fields,
    shared_words,
    tool_uses,
    words_of,
)
from memory_secretary.nodes.methods.method import ToolUse


@pytest.mark.parametrize(
    ("goal", "asks"),
    [
        ("What is the total of the rainfall?", ("values",)),
        ("Which invoices are not paid yet?", ("state",)),
        ("把各份月报的降雨量加起来。", ("values",)),
        ("Say hello to Petra.", ()),
    ],
)
def test_what_a_goal_asks_for_is_told_by_its_words(goal, asks):
    assert asks_of(goal) == asks


def test_tasks_with_the_same_tools_and_goals_of_one_form_are_of_one_kind():
    same = [finished(), finished("Add up the sunshine in all the reports of the depot.")]
    others = [
        finished("把这些月报里的降雨量全部加起来。"),
        finished("Which reports of the depot are not signed yet?"),
        finished(made=calls()[:1]),
    ]
    groups = grouped([*same, *others])
    assert [len(tasks) for tasks in groups.values()] == [2, 1, 1, 1]
    assert groups[kind_of_task(same[0])] == same


def test_a_task_with_more_tools_than_a_method_names_is_of_no_kind():
    assert grouped([finished(made=[(f"tool_{n}", {}, "ok") for n in range(9)])]) == {}


def test_names_numbers_paths_and_words_of_every_task_are_no_words_of_a_kind():
    assert words_of("Add up the rainfall at Harwick in reports/harwick for 2031, INV-17 and each month.") == (
        "rainfall",
    )


def test_words_of_a_kind_stand_in_half_of_the_goals():
    goals = [f"Add up the {field} in the ledgers of the northern depot." for field in ("rainfall", "sunshine", "snow")]
    assert shared_words(goals) == ("ledgers", "northern", "depot")
    assert shared_words(goals[:1]) == ("rainfall", "ledgers", "northern", "depot")
    assert "降雨" in shared_words(["把月报里的降雨量加起来", "请看月报，降雨量合计是多少"])


def test_a_parameter_whose_value_was_found_is_told_from_one_that_was_made_up():
    made = [*calls(), ("send", {"to": "Petra", "text": "The sum is thirty."}, "sent")]
    task = finished("Add up the rainfall and send it to Petra.", made)
    assert tool_uses([task]) == (
        ToolUse("list_files", (), "once"), ToolUse("read_file", ("path",), "each"), ToolUse("send", ("to",), "once"),
    )  # fmt: skip
    invented = finished(
        "Add up the rainfall and send it to Petra.", [*made[:3], ("send", {"to": "Bob", "text": "x"}, "sent")]
    )
    assert tool_uses([task, invented])[-1] == ToolUse("send", (), "once")


def test_a_tool_called_for_the_records_that_meet_a_condition_is_called_for_some():
    made = [*calls(), ("pay", {"path": "reports/1.md"}, "paid")]
    task = finished(made=made)
    task.state["items"][-1]["subject"] = "reports/1.md"
    assert tool_uses([task])[-1].often == "some"


def test_fields_and_figures_come_from_what_was_noted():
    tasks = [
        finished("What is the highest rainfall?"),
        finished("Which report has the highest rainfall, and the mean?"),
    ]
    assert noted_fields(tasks) == ("rainfall",)
    assert computed(tasks) == ("total", "high")
    assert computed([finished(values=[])]) == ()


def test_a_check_is_one_that_all_of_the_tasks_have():
    whole = finished()
    assert checked([whole], "en") == ("each record that was read has its value noted",)
    assert checked([whole], "zh") == ("读过的每份记录都记下了数值",)
    assert checked([whole, finished(values=[])], "en") == ()


def test_a_record_that_failed_is_seen_to_only_where_the_answer_names_it():
    lost = done(9, status="failed", arguments={"path": "reports/9.md"})
    for answer, checks in [("All but reports/9.md: 30.", 1), ("It is 30.", 0)]:
        task = finished(answer=answer)
        task.state["items"].append(lost)
        found = [check for check in checked([task], "en") if "could not be read" in check]
        assert len(found) == checks


def test_a_record_that_was_opened_against_the_users_wish_was_not_kept_closed():
    assert any("stay closed" in check for check in checked([finished(closed={"reports/8.md": GOAL})], "en"))
    assert not any("stay closed" in check for check in checked([finished(closed={"reports/1.md": GOAL})], "en"))
