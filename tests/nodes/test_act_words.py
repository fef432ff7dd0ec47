from __future__ import annotations

import pytest

from memory_secretary.nodes.act_words import asks_for
from memory_secretary.nodes.candidates import ToolShape


def tool(name, description=""):
    return ToolShape(name, {"type": "object", "properties": {}}, False, description)


PAY, TELL, STORE = tool("settle_bill", "Pay a bill. 支付账单。"), tool("post_letter"), tool("file_away", "按编号归档。")


@pytest.mark.parametrize(
    ("goal", "wanted"),
    [
        ("Pay every bill that is overdue.", [PAY]),
        ("Each overdue bill is to be paid once, the rest not at all.", [PAY]),
        ("Whatever is overdue gets its amount.", [PAY]),
        ("Write to the person of each late order, once.", [TELL]),
        ("People whose order is late should hear from us.", [TELL]),
        ("Pay what is due and let Anna Berg know.", [PAY, TELL]),
        ("Archive every bill that was paid.", [STORE]),
        ("把逾期的账单付清。", [PAY]),
        ("逾期未付的按应付金额付一次，并通知本人。", [PAY, TELL]),
        ("请给每个晚了的人写一次消息。", [TELL]),
        ("请把已付的账单归档。", [STORE]),
        ("Add up the amounts to be paid, settled or not.", []),
        ("What would we owe if we paid everything?", []),
        ("Which bills were paid? Tell me their numbers.", []),
        ("Do not pay anything and never write to anybody.", []),
        ("Nothing may be put away.", []),
        ("把应付金额加起来，付没付都算，告诉我合计。", []),
        ("如果全部都付，我们一共要付多少？", []),
        ("哪些付款单已付？不要通知任何人，也不得归档。", []),
    ],
)
def test_an_act_is_asked_for_outside_of_what_is_denied_supposed_or_described(goal, wanted):
    assert [each for each in (PAY, TELL, STORE) if asks_for(goal, each)] == wanted


@pytest.mark.parametrize(("goal", "asked"), [("Water the plants.", True), ("Look at the plants.", False)])
def test_an_act_of_another_kind_is_asked_for_by_its_own_verb(goal, asked):
    assert asks_for(goal, tool("water_plant")) is asked
