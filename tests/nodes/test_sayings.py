"""What one sentence of a user says about a calculation."""

from __future__ import annotations

import pytest

from memory_secretary.nodes.sayings import leaves_out


@pytest.mark.parametrize(
    "sentence",
    ["那份试填的不算。", "东仓的那一份不管。", "PQ-785任何合计都不管它。", "These never count."],
)
def test_what_does_not_count_is_heard(sentence):
    assert leaves_out(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "请记住：退回餐份在37以上的病区日志我们叫“忙”，别人怎么说不管。",
        "不管是哪个月，都要加上12。",
        "不管别人怎么算，我们按实际数。",
        "We call it busy above 37, never mind what others say.",
    ],
)
def test_what_others_say_is_no_record_that_does_not_count(sentence):
    assert not leaves_out(sentence)
