from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.grounding import folded, is_identifier, stands_in, ungrounded

FEW = settings(max_examples=60, deadline=None)
NUMBER = st.integers(0, 10**7)


@given(NUMBER, st.integers(0, 9), st.sampled_from(["{d}{n}", "{n}{d}", "{n}.{d}", "{d}.{n}", "{d}{n}.0"]))
@FEW
def test_a_number_never_stands_in_a_longer_one(number, digit, form):
    longer = form.format(n=number, d=digit)
    assume(Decimal(longer) != number)
    assert not stands_in(str(number), f"total {longer} kg")
    assert not stands_in(str(number), f"合计{longer}公斤")


@given(st.integers(1000, 10**9))
@FEW
def test_a_group_of_thousands_is_no_number_of_its_own(number):
    groups = f"{number:,}".split(",")
    text = f"it was {number:,} in all"
    assert stands_in(str(number), text) and stands_in(f"{number:,}", str(number))
    assert not any(stands_in(group, text) for group in groups)


@given(st.integers(0, 10**6), st.integers(0, 99), st.integers(0, 3))
@FEW
def test_zeros_at_the_end_of_a_decimal_do_not_count(whole, cents, zeros):
    value = f"{whole}.{cents:02}"
    assert stands_in(str(float(value)), f"EUR {value}{'0' * zeros} due")
    assert stands_in(value, f"共 {float(value)} 元")


@given(st.text(max_size=30), st.text(max_size=60))
@FEW
def test_any_text_can_be_asked_for(value, source):
    stands_in(value, source)
    assert folded(folded(source)) == folded(source)


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("450", "450kg"), ("450", "order,450,paid"), ("C-104", "C-104,450,paid"), ("450", "C-104,450,paid"),
        ("17", "Invoice No.17"), ("17", "$17"), ("-5", "at -5 degrees"), ("17", "ORD-17"), ("ORD-17", "订单ord-17已付"),
        ("ＮＡＳ－３", "备份在NAS-3上"), ("小周", "周五交给小周。"), ("notes/a.md", "see ./notes/a.md"),
        ("1 284", "1\u202f284"), ("Line Two", "line\n two"), ("1,250.5", "1250.50"),
    ],
)  # fmt: skip
def test_values_that_stand_in_their_source(value, source):
    assert stands_in(value, source)


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("", "anything"), ("  ", "a b"), ("17", "A17"), ("17", "0.17"), ("17", " .17"), ("ORD-17", "ORD-17b"),
        ("ORD-1", "ORD-17"), ("ORD-17", "ORD-17.5"), ("ORD-17", "BORD-17"), ("caf", "café"), ("Müll", "Müller"),
        ("-5", "3-5"), ("450", "450.50"), ("1.2", "1.2.3"), ("2026-03-1", "2026-03-10"), ("1284", "1,2845"),
    ],
)  # fmt: skip
def test_values_that_only_look_as_if_they_stood_there(value, source):
    assert not stands_in(value, source)


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("三月降雨量为61毫米。", ["3月 降雨 61 毫米"]),
        ("It took 三天, that is 3 days.", ["three days"]),
        ("The total is 1000.", ["1,000"]),
        ("450kg in the 3rd shed", ["450 kg, shed 3"]),
        ("ord-17 was paid", ["ORD-17"]),
        ("Two of them, 0 open.", []),
        ("订单ORD-17已付450元", ["ORD-17,450,paid"]),
        ("See reports/2025-03.md.", ["read_file(path=reports/2025-03.md)"]),
    ],
)
def test_what_stands_in_a_source_is_grounded(text, sources):
    assert ungrounded(text, sources) == []


def test_what_stands_nowhere_is_named_in_order():
    assert ungrounded("B-9 gave 70, 12 and 70 from ORD-1.", ["ORD-17 has 1,270"]) == ["B-9", "ORD-1", "70", "12"]
    assert ungrounded("三月降雨量为62毫米，见ORD-9。", ["3月 61 毫米", "ORD-17"]) == ["ORD-9", "62"]
    assert ungrounded("450kg", ["451 kg"]) == ["450"]


@given(st.lists(st.integers(4, 10**6), max_size=6))
@FEW
def test_a_text_is_grounded_in_itself(numbers):
    text = "、".join(f"第{n}号 no-{n} {n:,}kg" for n in numbers)
    assert ungrounded(text, [text]) == []


@pytest.mark.parametrize(
    ("value", "identifies"),
    [
        ("ORD-17", True), ("notes/a.md", True), ("http://x.example/?a=1", True), ("17", False), ("word", False),
        ("柴油用量=12,054", False), ("month>=2025-03", False), ("city~Os1", False),
    ],
)  # fmt: skip
def test_a_condition_is_no_identifier(value, identifies):
    assert is_identifier(value) is identifies
