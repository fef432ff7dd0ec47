from __future__ import annotations

import pytest
from task_samples import ORDER

from memory_secretary.nodes.leads import leads_in, pursues, start_of

ON, BACK = "Follow ORD-1 to its end.", "Trace ORD-1 back to its origin."


def led(text, goal=ON):
    return [lead.value for lead in leads_in(text, ORDER, {"ORD-1"}, goal) if lead.onward]


@pytest.mark.parametrize(
    "text",
    [
        "For the current rules see ORD-8.",
        "Its successor is ORD-8.",
        "Next: ORD-8",
        "next_record: ORD-8",
        "We merged it into ORD-8 in May.",
        "The claim was reopened as ORD-8.",
        "This version has been superseded by ORD-8.",
        "已移交ORD-8办理。",
        "最新规定见ORD-8。",
        "本文件已由ORD-8取代。",
        "[B4] 19:30 从这里转到了ORD-8，1月10日接手。",
    ],
)
def test_words_that_lead_on(text):
    assert led(text) == ["ORD-8"]
    assert led(text, BACK) == []


@pytest.mark.parametrize(
    "text", ["Previous version: ORD-8", "It grew out of ORD-8.", "前一份：ORD-8", "本文件取代ORD-8。"]
)
def test_words_that_lead_back(text):
    assert led(text, BACK) == ["ORD-8"]
    assert led(text) == []


@pytest.mark.parametrize(
    "text", ["It never went to ORD-8, as had been planned.", "It could not be moved to ORD-8.", "未转入ORD-8。"]
)
def test_what_is_denied_is_no_lead_at_all(text):
    assert leads_in(text, ORDER, {"ORD-1"}, ON) == []


@pytest.mark.parametrize("text", ["ORD-8 was handled by another team.", "ORD-8的表格在楼下。"])
def test_a_mere_mention_is_a_doubtful_lead(text):
    [lead] = leads_in(text, ORDER, {"ORD-1"}, ON)
    assert (lead.value, lead.onward) == ("ORD-8", False)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (ON, True),
        (BACK, True),
        ("Which document does POL-3 lead to in the end?", True),
        ("POL-3换过好几版，现在有效的是哪一份？", True),
        ("请从ORD-1开始，一份接一份往下查。", True),
        ("Follow the house style and read INV-3.", False),
        ("Track down every late invoice in the list.", False),
        ("Pay INV-3 if it is overdue.", False),
        ("从头到底看一遍INV-3。", False),
    ],
)
def test_which_goals_follow_a_matter(goal, expected):
    assert pursues(goal) is expected


@pytest.mark.parametrize(
    ("goal", "start"),
    [
        ("Follow the case FC-313 from record to record; where did it end?", "FC-313"),
        ("I have the invoice of Anne Keller and want to know where the matter lies today.", "Anne Keller"),
        ("请从吴建华的采购单开始，一份接一份往下查，直到没有下文。", "吴建华"),
        ("徐建华的退费申请后来转到了别处，请查出最终到了哪里，把徐建华的封签号一起告诉我。", "徐建华"),
        ("Follow FC-313 or FC-314, whichever went further; where did it end?", ""),
        ("Sum up the fees in FC-313.", ""),
        ("Follow the matter to its end.", ""),
        ("", ""),
    ],
)
def test_a_matter_begins_where_the_goal_names_just_one_record(goal: str, start: str) -> None:
    assert start_of(goal) == start
