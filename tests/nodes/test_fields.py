from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.fields import (
    Phrase,
    asks_by_name,
    asks_by_state,
    asks_for_values,
    asks_one_thing,
    asks_what_is_owed,
    choose_fields,
    plain_field,
    shared_phrases,
)

RECORD = """# Harwick, March 2025

The fleet was busy. In all 103,920 kilometres were driven, and 41 parcels arrived late.
Diesel drawn at our pump: 15,310 litres. Planned had been 15,000. We had 26 late deliveries.
"""
RECORD_ZH = "三月天气好。本月柴油用量是15,310升，比计划多。晚点车次26次，行驶里程76,450公里。"


@pytest.mark.parametrize(
    ("goal", "record", "field"),
    [
        ("What is the total of diesel drawn at the Harwick depot over the whole year?", RECORD, "diesel drawn"),
        ("How many kilometres were driven in March 2025?", RECORD, "kilometres were driven"),
        ("Note the late deliveries in each monthly report and add them up.", RECORD, "late deliveries"),
        ("柳桥仓2025年的柴油用量（升）全年合计是多少？", RECORD_ZH, "柴油用量"),
        ("哪个月的行驶里程最高？月报在reports/柳桥", RECORD_ZH, "行驶里程"),
        ("柳桥2025年3月用了多少升柴油？", f"{RECORD_ZH}\n青石仓三月用了31,200度电。", "柴油"),
        ("三月的晚点车次是多少？", f"三月的账上余8,000元。\n{RECORD_ZH}", "晚点车次"),
    ],
)
def test_the_field_is_what_goal_and_record_share_beside_a_number(goal: str, record: str, field: str) -> None:
    assert plain_field(shared_phrases(goal, record)) == field


def test_a_unit_is_no_field_where_there_is_another() -> None:
    record = "March 2025\n\nThe diesel drawn rose to 15,310 litres. The delivery of the 12th was for 14,000 litres.\n"
    phrases = shared_phrases("How many litres of diesel were drawn in March 2025?", record)
    assert choose_fields(["litres of diesel"], phrases, 2) == ["diesel"]
    assert shared_phrases("How many litres were there?", record)[0].text == "litres"


def test_two_fields_are_not_plain_and_the_proposals_choose_both() -> None:
    phrases = shared_phrases("Sum up diesel drawn and late deliveries in r/2025", RECORD)
    assert plain_field(phrases) is None
    assert choose_fields(["diesel drawn", "late deliveries"], phrases, 2) == ["late deliveries", "diesel drawn"]


def test_a_proposal_about_something_else_does_not_decide() -> None:
    phrases = [Phrase("diesel drawn", 2.0), Phrase("pump", 1.9)]
    assert choose_fields(["monthly reports"], phrases, 2) == ["diesel drawn"]


def test_a_proposal_that_is_hardly_supported_does_not_decide() -> None:
    phrases = [Phrase("柴油用量", 4.0), Phrase("柳桥", 0.9)]
    assert choose_fields(["柳桥"], phrases, 2) == ["柴油用量"]


def test_without_anything_shared_the_proposals_stand() -> None:
    assert choose_fields(["oil used"], [], 2) == ["oil used"]


@pytest.mark.parametrize("goal", ["hello there", "你好", "", "Read r/a.md in 2025.", "Tell Harwick the total."])
def test_names_paths_and_small_talk_are_no_fields(goal: str) -> None:
    assert shared_phrases(goal, RECORD + RECORD_ZH) == []


@given(goal=st.text(max_size=60), record=st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_text_is_borne_and_what_is_found_stands_in_the_goal(goal: str, record: str) -> None:
    for phrase in shared_phrases(goal, record):
        assert all(part in goal for part in phrase.text.split())
        assert phrase.support > 0


@pytest.mark.parametrize(
    ("goal", "record", "tools", "field"),
    [
        (
            "Go through all the class logs and note the actual figure for absences at Hollin Lane School.",
            "Class log 17 – Class 3\nAbsences: 83, plan 18.\nLunches taken: 548.\n",
            "List all the class logs. Read one class log, given its number.",
            "absences",
        ),
        (
            "Add up machine hours over all bay records.",
            "Bay 7\nMachine hours: 540.\nTool changes: 12.\n",
            "Read one bay record.",
            "machine hours",
        ),
        (
            "把全部病区日志里的夜间呼叫次数加起来。",
            "病区日志 7\n夜间呼叫次数221。\n新收病人数41。\n",
            "读取一份病区日志。",
            "夜间呼叫次数",
        ),
    ],
)
def test_what_the_tools_call_their_records_is_not_the_field(goal: str, record: str, tools: str, field: str) -> None:
    assert shared_phrases(goal, record, tools)[0].text == field


def test_the_whole_name_is_the_field_and_no_part_of_it() -> None:
    record = "Lunches taken: 548. 21 lunch boxes were found. The lunches were late 3 times.\n"
    assert shared_phrases("Sum up the lunches taken.", record)[0].text == "lunches taken"


@pytest.mark.parametrize(
    "goal",
    ["文溪图书馆的报失册数最高的是哪一份？", "请算出文溪图书馆的报失册数合计。"],
)
def test_a_measure_is_told_from_whose_it_is(goal: str) -> None:
    record = (
        "分馆简报 FG-111\n文溪图书馆有座位89个，开放310天，到馆读者4,021人。\n报失册数方面，文溪图书馆这期结在55。\n"
    )
    assert shared_phrases(goal, record)[0].text == "报失册数"


@pytest.mark.parametrize(
    ("goal", "asks"),
    [
        ("Which invoices in notes/ are not paid yet?", True),
        ("Which invoices in notes/ are not paid yet? Name the numbers and amounts.", True),
        ("Which orders are still open, and what do they come to in all?", True),
        ("Who hasn't been told yet?", True),
        ("List all tasks that are overdue.", True),
        ("哪些发票还没有付款？一共多少元？", True),
        ("谁的报告已经逾期？", True),
        ("Which month had the highest rainfall?", False),
        ("Which logs did not reach the target of 40?", False),
        ("哪些月份没有超过限额？", False),
        ("What is the total of what was really paid, not planned?", False),
        ("How many litres of diesel were drawn in June?", False),
        ("六月的柴油是多少？", False),
    ],
)
def test_a_goal_may_ask_for_records_by_their_state(goal: str, asks: bool) -> None:
    assert asks_by_state(goal) is asks


@pytest.mark.parametrize(
    ("goal", "asks"),
    [
        ("What is the total of diesel drawn over the year?", True),
        ("Which logs went over the limit?", True),
        ("How many parcels were late?", True),
        ("合计是多少？", True),
        ("哪一份的数字最高？", True),
        ("Which invoices in notes/ are not paid yet?", False),
        ("Who wrote the letter about the roof?", False),
        ("哪些发票还没有付？", False),
    ],
)
def test_a_goal_asks_for_values_by_a_word_for_a_quantity(goal: str, asks: bool) -> None:
    assert asks_for_values(goal) is asks


PLACE = "At the Ferris workshop, Bay 3, call-outs came to 53 in the workshop, the first of 12. Say again: 7. Seal: 812."


@pytest.mark.parametrize(
    ("goal", "field"),
    [
        ("Compare call-outs at the Ferris workshop and tell me the record with the most.", "call-outs"),
        ("What do our records say about call-outs? The actual ones of the Ferris workshop.", "call-outs"),
        ("There is a limit for call-outs. Who at the Ferris workshop broke it?", "call-outs"),
        ("Follow it again to its end. Which seal number was noted in the first?", "seal"),
        ("Add up call-outs. The answer must be one line, with no seal in it.", "call-outs"),
    ],
)
def test_places_verbs_and_the_answers_form_name_no_field(goal, field):
    assert shared_phrases(goal, PLACE)[0].text == field


@pytest.mark.parametrize(
    ("goal", "by_name"),
    [
        ("When can I give notice, and who is my landlord?", True),
        ("Where is the contract kept?", True),
        ("我什么时候可以退租，房东是谁？", True),
        ("Who drew the most diesel?", False),
        ("When did the total exceed 300?", False),
        ("谁的余额最高？", False),
        ("Report the diesel of March.", False),
    ],
)
def test_a_goal_that_asks_for_persons_or_moments_has_no_field(goal, by_name):
    assert asks_by_name(goal) is by_name


@pytest.mark.parametrize(
    ("goal", "one"),
    [
        ("When can I give notice, and who is my landlord?", True),
        ("我什么时候可以退租，房东是谁？", True),
        ("Who has not paid yet?", False),
        ("Which depot is where?", False),
        ("谁还没付款？", False),
        ("What is the total?", False),
    ],
)
def test_a_goal_that_asks_one_thing_needs_no_checklist_of_files(goal, one):
    assert asks_one_thing(goal) is one


def test_the_number_of_a_record_is_no_count():
    record = "The bill came on 4 May.\nThe lamps were 12."
    assert "bill" not in [phrase.text for phrase in shared_phrases("Write the number of the bill into it.", record)]
    assert "bills" in [p.text for p in shared_phrases("Give the number of bills.", "There were 12 bills.")]
    assert shared_phrases("请从清单里找出来，每人发一条消息。", "他翻出来5件枕头。") == []


@pytest.mark.parametrize(
    ("goal", "owed"),
    [
        ("How much does Thea Lund still owe?", True),
        ("How much is outstanding in all?", True),
        ("和顺茶庄还欠多少钱？", True),
        ("未付的一共多少元？", True),
        ("How much did we pay Thea?", False),
        ("付了多少钱？", False),
    ],
)
def test_what_somebody_owes_is_a_state_of_records(goal, owed):
    assert asks_what_is_owed(goal) is owed
    assert asks_by_state(goal) is owed


@pytest.mark.parametrize(
    ("goal", "counts"),
    [
        ("What is the phone number of Halden Electric?", False),
        ("东湖店房东的手机号是多少？", False),
        ("What is the number of phone calls?", True),
        ("发票多少钱？", True),
    ],
)
def test_a_number_that_only_names_something_is_no_quantity(goal, counts):
    assert asks_for_values(goal) is counts
    assert asks_by_name(goal) is not counts
