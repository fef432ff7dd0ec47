import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import done, item, task, value

from memory_secretary.memory.bilingual import speaking
from memory_secretary.nodes.corrections import (
    Correction,
    corrected,
    corrections_in,
    latest,
    own_passages,
    result_lines,
    still_corrected,
    told_corrections,
)
from memory_secretary.nodes.discovery import noted
from memory_secretary.nodes.figures import figures_of


def known(field, noted_of, unread=(), *, parameter="sheet_id"):
    """A task that has read some records, each with one value, and has some yet to read."""
    read = [
        done(n, action="read_sheet", arguments={parameter: name}, result=f"{field}: {said}")
        for n, (name, said) in enumerate(noted_of.items(), 1)
    ]
    waiting = [item(50 + n, action="read_sheet", arguments={parameter: name}) for n, name in enumerate(unread)]
    values = [value(name, said, field, f"evt_{n}") for n, (name, said) in enumerate(noted_of.items(), 1)]
    return task(*read, *waiting, goal=f"Add up {field}.", fields=[field], values=values)


EN = known("late deliveries", {"WS-101": "532", "WS-102": "48"}, ["WS-103"])
ZH = known("坏灯盏数", {"PQ-101": "532", "PQ-102": "48"}, ["PQ-103"])
MONTHS = known("late deliveries", {"reports/2025-03.md": "532", "reports/2025-04.md": "48"}, parameter="path")
NUMBERS = known("late deliveries", {"17": "532", "18": "48"}, parameter="order_id")
NOISE = "Somebody came on 3 May and counted 24 crates. {}\nThe lamp flickers; 3 were reported."


def changes(found):
    return [(one.subject, one.value) for one in found]


# --- a record about another one -------------------------------------------------------------------------------------

PUT_RIGHT = [
    "Correction to WS-101: late deliveries at the mill must read 523 there, not 532; it was found too late.",
    "In WS-101 the late deliveries of the mill were given as 532. The checked number is 523, which replaces it.",
    "Erratum: in WS-101, for 532 late deliveries read 523.",
    "The late deliveries in WS-101 were mistyped as 532; 523 is right.",
    "WS-101 says 532 late deliveries, which is wrong. The true number is 523.",
    "The late deliveries reported in WS-101 should have been 523 instead of 532.",
    "Please correct the late deliveries of WS-101 from 532 to 523.",
    "On 12 June Anna found a mistake in WS-101: late deliveries came to 523 rather than 532.",
    "The 532 late deliveries in WS-101 should be 523, a typing error.",
]
PUT_RIGHT_ZH = [
    "对PQ-101的更正：其中北仓的坏灯盏数应为523，不是532，发现得晚了。",
    "PQ-101里北仓的坏灯盏数写成了532，核对后的数是523，以此为准。",
    "勘误：PQ-101的坏灯盏数由532改为523。",
    "PQ-101中坏灯盏数532有误，正确的是523。",
    "上次PQ-101的坏灯盏数误写为532，实际应为523。",
    "PQ-101的坏灯盏数写错了。正确数字是523。",
]


@pytest.mark.parametrize("sentence", PUT_RIGHT)
def test_a_record_puts_another_one_right(sentence):
    assert changes(corrections_in(NOISE.format(sentence), "WS-102", EN)) == [("WS-101", "523")]


@pytest.mark.parametrize("sentence", PUT_RIGHT_ZH)
def test_a_record_puts_another_one_right_in_chinese(sentence):
    assert changes(corrections_in(f"晓红数了24件。{sentence}灯闪了3天。", "PQ-102", ZH)) == [("PQ-101", "523")]


@pytest.mark.parametrize(
    "sentence",
    [
        "WS-101 had 532 late deliveries, see there.",
        "Whoever misses a figure will find it in WS-101, which is worth opening first of all.",
        "The 523 pallets mentioned in WS-101 are another matter.",
        "Correction to WS-101: overtime hours must read 205, not 250.",
        "The plan for late deliveries in WS-101 should have been 60, not 532.",
        "WS-101 was checked: 532 late deliveries is correct, and 24 plasters were replaced.",
        "Correction to WS-101: late deliveries of the other mill must read 94, not 49.",
        "Late deliveries in WS-101 were wrong by 9.",
        "In WS-101 there is a mistake in the late deliveries. 24 plasters had to be replaced.",
        "Correction to WS-102: late deliveries must read 47, not 48.",
        "Correction to WS-555: late deliveries must read 523, not 532.",
        "PQ-101的坏灯盏数算错了9盏，少报了9。",
    ],
)
def test_a_mention_or_a_correction_of_something_else_changes_nothing(sentence):
    state = ZH if "PQ" in sentence else EN
    assert corrections_in(NOISE.format(sentence), "WS-102", state) == []


def test_a_record_names_another_by_its_month_or_its_number():
    by_month = "In March the late deliveries were wrongly given as 532; 523 is right."
    assert changes(corrections_in(by_month, "reports/2025-04.md", MONTHS)) == [("reports/2025-03.md", "523")]
    by_number = "Correction to order 17: late deliveries must read 523."
    assert changes(corrections_in(by_number, "18", NUMBERS)) == [("17", "523")]


@pytest.mark.parametrize("sentence", PUT_RIGHT)
def test_a_corrections_numbers_are_not_the_records_own(sentence):
    left = " ".join(piece.text for piece in own_passages(NOISE.format(sentence), "WS-102", EN))
    assert "523" not in left and "532" not in left
    assert "24 crates" in left and "3 were reported" in left


WORDS = st.lists(
    st.sampled_from(
        [*"late deliveries WS-101 WS-103 PQ-101 523 532 not must read , . ; 坏灯盏数 是 wrong the".split()]
    ),
    max_size=30,
).map(" ".join)


@given(WORDS)
@settings(max_examples=150, deadline=None)
def test_without_a_word_of_correcting_nothing_changes(text):
    plain = text.replace("wrong", "there").replace("must read", "and")
    assert corrections_in(plain, "WS-102", EN) == []
    assert own_passages(plain, "WS-102", EN) == own_passages(plain, "WS-101", EN)


@given(st.lists(WORDS, max_size=4))
@settings(max_examples=80, deadline=None)
def test_no_noted_value_is_ever_lost(texts):
    state = EN
    for number, text in enumerate(texts):
        found = corrections_in(text, "WS-102", state)
        after = corrected(state, [*found, *told_corrections(text, state)], f"evt_b{number}")
        assert after["values"][: len(state["values"])] == state["values"]
        assert all(one["ref"] == f"evt_b{number}" for one in after["values"][len(state["values"]) :])
        assert [one["id"] for one in after["items"]] == [one["id"] for one in state["items"]]
        state = after


def test_a_large_task_and_a_long_record_take_no_time():
    state = known("late deliveries", {f"WS-{n}": str(n) for n in range(100, 400)})
    record = NOISE.format(PUT_RIGHT[0]) * 200
    started = time.perf_counter()
    corrections_in(record, "WS-102", state)
    own_passages(record, "WS-102", state)
    assert time.perf_counter() - started < 5


# --- what becomes of it ---------------------------------------------------------------------------------------------


def total(state):
    return figures_of(state["values"])[0].total


def test_a_correction_counts_and_stands_in_the_done_line():
    after = corrected(EN, [Correction("WS-101", "late deliveries", "523", "532")], "evt_b")
    assert total(after) == 523 + 48
    assert [one["result"] for one in after["items"]][:2] == ["late deliveries: 523 (corrected)", "late deliveries: 48"]
    with speaking("zh"):
        after = corrected(ZH, [Correction("PQ-101", "坏灯盏数", "523", "532")], "evt_b")
    assert after["items"][0]["result"] == "坏灯盏数: 523（已更正）"


def read(state, said):
    """The state once WS-103 is read as well and gives a value of its own."""
    return still_corrected(noted(state, "WS-103", {"late deliveries": said}, "evt_own"), state, "WS-103")


@pytest.mark.parametrize(("wrong", "counts"), [("90", "99"), ("", "99"), ("77", "90")])
def test_a_record_that_is_read_later_stays_corrected_if_it_was_the_one_that_was_meant(wrong, counts):
    before = corrected(EN, [Correction("WS-103", "late deliveries", "99", wrong)], "evt_b")
    assert latest(before, "WS-103")[0]["value"] == "99"
    once = read(before, "90")
    assert latest(once, "WS-103")[0]["value"] == counts
    assert result_lines(once, "WS-103", "evt_own") == [f"late deliveries: {counts}{' (corrected)' * (counts == '99')}"]
    assert latest(read(once, "90"), "WS-103")[0]["value"] == counts


# --- the user -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "state", "subject"),
    [
        ("One more thing: WS-101 is wrong. Late deliveries there must be 523. What is the total now?", EN, "WS-101"),
        ("I have heard that the figure in ws-101 was mistyped; 523 is right. The new total, please.", EN, "WS-101"),
        ("Sorry, a correction. For WS-101 it is really 523, Tom says. So what does it come to?", EN, "WS-101"),
        ("It turns out WS-101 is 523 rather than 532. New total?", EN, "WS-101"),
        ("Please change WS-101 to 523 and tell me the total.", EN, "WS-101"),
        ("WS-101 is actually 523, so what is the total now?", EN, "WS-101"),
        ("The 532 should have been 523.", EN, "WS-101"),
        ("还有一件事：PQ-101写错了，里面的坏灯盏数应该是523。现在合计是多少？", ZH, "PQ-101"),
        ("刚听说PQ-101的数字录错了，正确的是523。请给我更正后的合计。", ZH, "PQ-101"),
        ("抱歉，更正一下：PQ-101其实是523，不是532。那么一共是多少？", ZH, "PQ-101"),
        ("把PQ-101改成523，再算一次合计。", ZH, "PQ-101"),
        ("那个532应该是523，合计变成多少？", ZH, "PQ-101"),
        ("Sorry, in March there were really 523. What's the total now?", MONTHS, "reports/2025-03.md"),
        ("2025-03 is wrong, it should be 523.", MONTHS, "reports/2025-03.md"),
        ("Order 17 is wrong, it should be 523. Total?", NUMBERS, "17"),
    ],
)
def test_the_user_puts_a_value_right(message, state, subject):
    assert changes(told_corrections(message, state)) == [(subject, "523")]


@pytest.mark.parametrize(
    "message",
    [
        "Why is WS-101 at 523?",
        "Is 523 right for WS-101?",
        "How much is WS-101 above 500?",
        "What if WS-101 were 523?",
        "Pay WS-101 523 pounds.",
        "WS-101 is 9 too high.",
        "WS-101 should be 532.",
        "WS-101 should be 523 or 524.",
        "Overtime hours in WS-101 should be 205, not 250.",
        "WS-101, not WS-102, should be 523.",
        "PQ-101真的是523吗？",
        "如果PQ-101是523呢？",
        "PQ-101多报了9。",
    ],
)
def test_what_is_asked_supposed_or_unclear_puts_nothing_right(message):
    assert told_corrections(message, ZH if "PQ" in message else EN) == []


def test_several_records_are_put_right_at_once():
    found = told_corrections("WS-101 should be 523 and WS-102 should be 60.", EN)
    assert changes(found) == [("WS-101", "523"), ("WS-102", "60")]
