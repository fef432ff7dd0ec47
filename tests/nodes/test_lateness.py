"""What is late, in its many words."""

from __future__ import annotations

import pytest

from memory_secretary.nodes.lateness import asks_for_late, is_late


@pytest.mark.parametrize(
    ("statement", "late"),
    [
        ("was promised for 25 January; that day has passed and Clare Walsh is still waiting.", True),
        ("is late: it should have been finished by 8 March.", True),
        ("It is overdue since May.", True),
        ("The deadline is past due.", True),
        ("is in time: it is promised to Clara Novak for December.", False),
        ("was finished on 5 August, and Peter Osei has been told.", False),
        ("It is not overdue.", False),
        ("It is not due before June.", False),
        ("The lock of the gatehouse has been changed.", None),
        ("答应2月26日办好，日子过了，黎志强还在等。", True),
        ("已拖延，本应在1月1日前完成。", True),
        ("已逾期三周。", True),
        ("未到期，答应徐建华十二月办好。", False),
        ("在7月24日已办完，并已告知徐雪梅。", False),
        ("没有逾期。", False),
        ("应付：¥479。", None),
    ],
)
def test_a_record_says_whether_it_is_late(statement, late):
    assert is_late(statement) is late


@pytest.mark.parametrize(
    ("goal", "about_late"),
    [
        ("Write to the person of each late one.", True),
        ("Which orders are behind schedule?", True),
        ("付款单拖延了的人应该得到通知。", True),
        ("Whoever is still waiting although the promised date has passed gets one message.", True),
        ("答应的日子已经过了、人还在等的，给本人发一条消息。", True),
        ("Add up what was delivered on time.", False),
        ("Pay each open bill.", False),
        ("请付清未付的账单。", False),
        ("Tell me the latest figure.", False),
    ],
)
def test_a_goal_is_about_what_is_late(goal, about_late):
    assert asks_for_late(goal) is about_late
