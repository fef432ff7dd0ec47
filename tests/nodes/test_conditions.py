from __future__ import annotations

import pytest
from task_samples import shape

from memory_secretary.nodes.conditions import condition_in, marks, statements

PAY = shape("pay_bill", "bill", "amount", read_only=False, description="Pay one bill. 支付一份账单。")
BOOK = shape("book_service", "machine", read_only=False, description="Book a service for one machine. 预约检修。")
OPEN_BILLS = "Pay every bill that is overdue and unpaid, once. Leave alone what is disputed or not yet due."
OPEN_BILLS_ZH = "凡是逾期又还没付的，付一次；有争议的、没到期的都不要动。"


def met(goal, tool, text):
    return condition_in(goal, tool).met(marks(text, tool))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Overdue since 2 January, still unpaid.", True),
        ("It has been overdue since May and no payment has been made.", True),
        ("Was overdue, paid in May.", False),
        ("Paid in full.", False),
        ("Overdue, unpaid, in dispute since May.", False),
        ("Not yet due.", False),
        ("To be paid in December.", None),
        ("It rained.", None),
    ],
)
def test_the_words_of_goal_and_record_decide(text, expected):
    assert met(OPEN_BILLS, PAY, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2月5日起逾期，至今未付。", True),
        ("已经逾期，还没有付过款。", True),
        ("2月5日已全额付清。", False),
        ("起有争议，目前不付款。", False),
        ("未到期，十二月才需付款。", False),
        ("应付金额是100。", None),
        ("下雨了。", None),
    ],
)
def test_the_same_in_chinese(text, expected):
    assert met(OPEN_BILLS_ZH, PAY, text) is expected


def test_a_single_word_of_a_longer_description_is_not_enough():
    goal = "Book a service for each machine that a customer has reported twice."
    assert met(goal, BOOK, "The customer is happy.") is None
    assert met(goal, BOOK, "A customer reported it twice.") is True


def test_what_a_task_says_of_its_answer_sets_no_condition():
    assert condition_in("Tell me which are late.", PAY).wanted == ()


def test_statements_are_what_a_record_says_of_itself_and_of_no_other():
    lines = [
        "# Bill B-10",
        "It rained.",
        "B-10 is late.",
        "B-10 and B-99.",
        "B-100 is paid.",
        "Status: open",
        "Date: B-10",
    ]
    record = "\n".join(lines)
    assert statements(record, "B-10") == ["B-10 is late.", "Status: open"]
