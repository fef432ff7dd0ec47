"""What a record's state implies in the words of a question."""

from __future__ import annotations

import pytest

from memory_secretary.nodes.states import states_of

RECORDS = {
    "en": {
        "a": "Ticket A\nStatus: open",
        "b": "Ticket B\nStatus: settled on 3 March",
        "c": "Ticket C\nStatus: in progress",
        "d": "Ticket D\nStatus: overdue",
        "e": "Ticket E\nStatus: cancelled",
        "f": "Ticket F\nStatus: closed",
    },
    "zh": {
        "a": "单据甲\n状态：待付款",
        "b": "单据乙\n状态：3月3日结清",
        "c": "单据丙\n状态：处理中，欠 300 元",
        "d": "单据丁\n状态：已逾期",
        "e": "单据戊\n状态：已取消",
        "f": "单据己\n状态：已完成",
    },
}
OPEN, SETTLED, RUNNING, OVERDUE, CANCELLED, CLOSED = "abcdef"


@pytest.mark.parametrize(
    ("lang", "goal", "yes", "no"),
    [
        ("en", "Which of them are not paid yet?", "acd", "b"),
        ("en", "Which of them are paid?", "b", "acd"),
        ("en", "Which of them are not closed yet?", "acd", "f"),
        ("en", "Which of them are still outstanding?", "acd", "bf"),
        ("en", "Which of them are overdue?", "d", "bf"),
        ("en", "Which of them have not been delivered yet?", "acd", ""),
        ("zh", "哪些还没有付款？", "acd", "b"),
        ("zh", "哪些已经付款？", "b", "acd"),
        ("zh", "哪些还没完成？", "acd", "f"),
        ("zh", "哪些已经逾期？", "d", "bf"),
    ],
)
def test_a_state_is_understood_in_like_words(lang, goal, yes, no):
    told = states_of(goal, RECORDS[lang])
    assert {name for name, met in told.items() if met} == set(yes)
    assert set(no) <= {name for name, met in told.items() if met is False}
    assert told[CANCELLED] is None


def test_what_a_record_says_itself_stands():
    told = states_of(
        "Which are not paid yet?",
        {"a": "A\nStatus: paid, though it was long overdue", "b": "B\nStatus: unpaid", "c": "C\nStatus: open"},
    )
    assert told == {"a": False, "b": True, "c": True}


def test_what_is_paid_in_part_is_not_paid():
    told = states_of(
        "Which are not paid yet?",
        {
            "a": "A\nStatus: partly paid (200 EUR on 11 May), 255.00 EUR outstanding",
            "b": "B\nStatus: paid",
            "c": "C\nStatus: partly paid",
            "d": "D\nStatus: not paid",
        },
    )
    assert told == {"a": True, "b": False, "c": None, "d": True}
