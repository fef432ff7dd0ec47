import pytest
from task_samples import done, item, task, value

from memory_secretary.memory.task_state import closed_items, open_items
from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.follow_up import carried_on, completed, goes_on, said_and_meant, tables_read
from memory_secretary.nodes.menu import make_menu


def finished(field, prefix, goal):
    read = [done(n, action="read_sheet", arguments={"sheet_id": f"{prefix}-10{n}"}) for n in (1, 2)]
    values = [value(f"{prefix}-10{n}", said, field, f"evt_{n}") for n, said in ((1, "532"), (2, "48"))]
    considered = [f"read_sheet({prefix}-#)", "fields"]
    return task(
        *read, item(3), goal=goal, fields=[field], values=values, constraints=["One line."], considered=considered,
        effects={"pay": "each"}, finished=True,
    )  # fmt: skip


EN = finished(
    "late deliveries", "WS", "Read all week sheets in the list and add up late deliveries at the mill. The total?"
)
ZH = finished("坏灯盏数", "PQ", "请看完清单里的全部档案，把北仓的坏灯盏数加起来，总数是多少？")


@pytest.mark.parametrize(
    "message",
    [
        "So what does it all come to now?",
        "And the average?",
        "Which week sheet had the most late deliveries?",
        "How many late deliveries did WS-101 have?",
        "Then which one is the highest?",
        "WS-101 is wrong. It must be 523. What is the total now?",
        "那么现在一共是多少？",
        "平均呢？",
        "哪份档案的坏灯盏数最高？",
        "抱歉，PQ-101其实是523。",
    ],
)
def test_a_correction_or_a_question_about_the_figures_goes_on(message):
    assert goes_on(message, EN if message.isascii() else ZH)


@pytest.mark.parametrize(
    "message",
    [
        "Hello!",
        "So what is the total population of France now?",
        "What is the weather now?",
        "Now tell me a joke.",
        "Please read all ward reports in the list and add up night calls. What is the total?",
        "Read all week sheets in the list and add up late deliveries at the mill. The total?",
        "Read WS-101 again.",
        "What does WS-101 say about the cat?",
        "Pay WS-101 and tell Anna.",
        "So how much is the fish?",
        "那么现在全国一共有多少人？",
        "现在几点了？",
        "请看完清单里的全部病区日志，把住院床日数加起来，总数是多少？",
        "请再看一遍PQ-101。",
    ],
)
def test_a_turn_about_something_else_or_a_new_reading_does_not(message):
    assert not goes_on(message, EN if message.isascii() else ZH)


def test_a_task_without_values_has_nothing_to_go_on_with():
    assert not goes_on("And the average?", {**EN, "values": []})


def test_what_was_found_is_kept_and_nothing_is_left_open():
    new = carried_on(EN, "And the average?", task_id="task_2", goal_ref="evt_q")
    assert (new["task_id"], new["goal"], new["goal_ref"], new["finished"]) == (
        "task_2", "And the average?", "evt_q", False
    )  # fmt: skip
    assert (new["values"], new["fields"], new["constraints"]) == (EN["values"], EN["fields"], EN["constraints"])
    assert (closed_items(new), open_items(new)) == (closed_items(EN), [])
    assert len(new["items"]) == len(EN["items"]), "ids are counted by the items"
    assert new["effects"] == {}
    assert make_menu(new, [], no_brakes()).kind == "finish"


def test_the_first_goal_stays_in_sight_over_many_turns():
    second = carried_on(EN, "And the average?", task_id="task_2", goal_ref="evt_2")
    third = carried_on(second, "Then the highest?", task_id="task_3", goal_ref="evt_3")
    assert second["earlier_goal"] == third["earlier_goal"] == EN["goal"]


def test_calls_are_looked_for_again_where_the_turn_names_an_unknown_record():
    same = carried_on(EN, "What is the total without WS-102?", task_id="t", goal_ref="e")
    assert same["considered"] == EN["considered"]
    other = carried_on(EN, "What is the total with WS-940?", task_id="t", goal_ref="e")
    assert other["considered"] == ["fields"]


MARCH = task(goal="How many litres of diesel were drawn in March 2025?", finished=True)
MARCH_ZH = task(goal="柳桥仓2025年3月的柴油用量是多少？", finished=True)
OSLO = task(goal="Is it warm in Oslo today?", finished=True)


@pytest.mark.parametrize(
    ("message", "before", "whole"),
    [
        ("And in April?", MARCH, "How many litres of diesel were drawn in April 2025?"),
        ("What about may?", MARCH, "How many litres of diesel were drawn in may 2025?"),
        ("四月呢？", MARCH_ZH, "柳桥仓2025年四月的柴油用量是多少？"),
        ("那5月呢", MARCH_ZH, "柳桥仓2025年5月的柴油用量是多少？"),
        ("What about Rome?", OSLO, "(asked after: Is it warm in Oslo today?)"),
        ("In which month was it highest of all, and what was the reason for that?", MARCH, ""),
        ("Tell me a joke.", OSLO, ""),
        ("给我讲个笑话。", MARCH_ZH, ""),
        ("In April we moved.", OSLO, ""),
    ],
)
def test_a_turn_of_a_few_words_is_the_question_before_with_one_thing_changed(message, before, whole):
    assert completed(message, before) == whole


@pytest.mark.parametrize("message", ["四月呢？", "那四月份多少？", "四月一共多少元？"])
def test_a_month_alone_is_the_question_before_about_that_month(message):
    assert completed(message, task(goal="三月的电费一共多少？")).replace("月份", "月") == "四月的电费一共多少？"


def test_the_table_whose_rows_answered_is_read_again_for_a_question_of_a_few_words():
    rows = [value("hours.csv › 2026-04-02", "6", "hours", "evt_1"), value("b.md", "3", "hours", "evt_2")]
    read = [done(n, action="read_file", arguments={"path": path}) for n, path in ((1, "hours.csv"), (2, "b.md"))]
    before = task(*read, goal="How many hours did Mara work in April?", values=rows, finished=True)
    assert tables_read(before) == [("read_file", {"path": "hours.csv"})]
    whole = completed("And Jon?", before)
    assert said_and_meant(f"And Jon?\n{whole}") == ["And Jon?\n", before["goal"]]
    assert said_and_meant(before["goal"]) == [before["goal"]]
