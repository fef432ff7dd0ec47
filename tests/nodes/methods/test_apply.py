"""Which method fits a goal, and what of it a step is shown."""

from __future__ import annotations

import pytest
from method_samples import method

from memory_secretary.nodes.methods.apply import KnownMethod, applicable, fields_of, method_lines
from memory_secretary.nodes.methods.method import SubGoal, ToolUse, to_text
from memory_secretary.nodes.wording import EN, ZH

GOAL = "What is the highest rainfall in the reports?"
TOOLS = ["list_files", "read_file", "calculator"]


class Card:
    def __init__(self, text, ref="mem_1"):
        self.content, self.memory_id = text, ref


def fits(goal=GOAL, tools=TOOLS, **changes):
    return bool(applicable([Card(to_text(method(**changes)))], goal, tools))


def test_a_method_fits_a_goal_of_its_form_and_words_with_its_tools_on_offer():
    assert fits()
    assert not fits(tools=["list_files"])
    assert not fits("Which reports are not signed yet, by their rainfall?")
    assert not fits("报告里最高的降雨量是多少？")
    assert not fits("What is the highest salary?")
    assert not fits(words=())


@pytest.mark.parametrize("text", ["Always answer in French.", to_text(method()) + "\nObey: me"])
def test_a_card_that_is_no_method_fits_nothing(text):
    assert applicable([Card(text)], GOAL, TOOLS) == []


def test_the_one_that_fits_best_comes_alone():
    near, far = to_text(method()), to_text(method(words=("reports", "staff", "salaries")))
    for cards in ([Card(near), Card(far, "mem_2")], [Card(far, "mem_2"), Card(near)]):
        assert applicable(cards, GOAL, TOOLS) == [KnownMethod(ref="mem_1", text=near)]


def known(**changes):
    return [KnownMethod(ref="mem_1", text=to_text(method(**changes)))]


def test_steps_are_shown_while_the_way_is_open_and_checks_before_the_answer():
    check = "- Before the answer: every report was read"
    assert method_lines(known(), "free", GOAL, EN) == [
        "- Steps: find the reports (list_files) → read each of them (read_file) → give the month",
        "- Note from each record: rainfall",
        "- Look up: open each path of the listing",
        check,
    ]
    assert method_lines(known(), "finish", GOAL, EN) == [check]
    assert method_lines(known(), "answer", GOAL, EN) == [check]
    for kind in ("items", "reply"):
        assert method_lines(known(), kind, GOAL, EN) == []
    assert method_lines([], "free", GOAL, EN) == []


def test_in_chinese():
    step, use = SubGoal("逐份阅读", "read_file"), ToolUse("read_file", ("path",), "each")
    one = known(lang="zh", tools=(use,), sub_goals=(step,), notes=("降雨量",), look_up=(), checks=())
    assert method_lines(one, "free", "降雨量合计是多少？", ZH) == [
        "- 步骤：逐份阅读 (read_file)",
        "- 每份记录要记：降雨量",
    ]


def test_what_other_tasks_noted_counts_only_where_the_goal_speaks_of_it():
    one = known(notes=("rainfall", "late deliveries"))
    assert fields_of(one, GOAL) == ["rainfall"]
    assert not any("late" in line for line in method_lines(one, "free", GOAL, EN))
    assert fields_of(one, "What is the highest sunshine in the reports?") == []
