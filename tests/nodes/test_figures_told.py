"""Whether an answer tells what was computed."""

from __future__ import annotations

import pytest
from task_samples import done, item, task, value

from memory_secretary.nodes.figures_told import asked_figure, tells_figure

STRAW = {"January": "11 bales", "March": "14 bales", "April": "8 bales"}


def state_of(goal, *items, **changes):
    values = [value(f"feed.md › {month}", said, name="straw") for month, said in STRAW.items()]
    return task(*items, goal=goal, values=values, **changes)


@pytest.mark.parametrize(
    ("goal", "answer", "told"),
    [
        ("Which month used the most straw?", "April, with 8 bales.", False),
        ("Which month used the most straw?", "March.", True),
        ("Which month used the most straw?", "It was 14 bales.", True),
        ("Which month used the least straw?", "March.", False),
        ("哪个月用的 straw 最少？", "四月，8 bales。", True),
        ("How much straw did we use altogether?", "33 bales", True),
        ("How much straw did we use altogether?", "25 bales", False),
        ("How much more straw did we use in March than in April?", "6 bales more", True),
        ("How much more straw did we use in March than in April?", "14 bales", False),
        ("How much straw was it in March?", "14", True),
        ("What is the total, and which month had the most?", "I do not know.", True),
        ("What is the total? One line each, with the month: figure.", "11, 14, 8", True),
    ],
)
def test_an_answer_has_the_figure_that_its_goal_asks_for(goal, answer, told):
    assert tells_figure(asked_figure(state_of(goal)), answer) is told


def test_where_nobody_can_tell_nothing_is_demanded():
    goal = "What is the total?"
    assert not tells_figure(asked_figure(state_of(goal)), "nothing")
    assert tells_figure(asked_figure(state_of(goal, item(1))), "nothing"), "something is still open"
    assert tells_figure(asked_figure(state_of(goal, done(1, subject="feed.md"))), "done"), "it went into what was done"
    assert tells_figure(asked_figure(state_of(goal, states={"feed.md": True})), "nothing")
    assert tells_figure(asked_figure(task(goal=goal)), "nothing")
