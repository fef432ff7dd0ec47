from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.numbers import normal_number, number_set, numbers_in, ungrouped

FEW = settings(max_examples=60, deadline=None)
DIGITS, UNITS = "零一二三四五六七八九", ("", "十", "百", "千")


def in_chinese(number: int) -> str:
    """0 to 9999 as it is read out."""
    text = ""
    for place, digit in enumerate(reversed(str(number))):
        if digit != "0":
            text = DIGITS[int(digit)] + UNITS[place] + text
        elif text and not text.startswith("零"):
            text = "零" + text
    return text.removeprefix("一") if text.startswith("一十") else text or "零"


def values(text):
    return [number.value for number in numbers_in(text)]


@given(st.integers(0, 9999))
@FEW
def test_a_chinese_numeral_has_the_value_it_is_read_as(number):
    assert values(f"共{in_chinese(number)}件") == [number]


@given(st.integers(0, 10**12), st.sampled_from(["{:,}", "{:_}", "{}"]), st.sampled_from([",", " ", "\u202f", "'"]))
@FEW
def test_thousands_separators_do_not_change_a_value(number, form, separator):
    written = form.format(number).replace("_", separator)
    assert values(f"about {written} litres") == [number]
    assert values(f"约{written}升") == [number]


@given(st.decimals(0, 10**9, places=2))
@FEW
def test_a_decimal_keeps_its_value(number):
    assert values(f"{number:,} mm") == [number]


@given(st.text(max_size=60))
@example("1" * 5000)
@example("三" * 5000)
@example("亿" * 3000)
@example("一" + "亿万" * 3000)
@example("1" * 5000 + "亿")
@example("½ ² ① Ⅷ ٣ \ud83e\x00 1,,2 ' 1 ,000 .5 5.")
@FEW
def test_no_text_makes_it_raise_and_numbers_stand_where_they_say(text):
    found = numbers_in(text)
    number_set(text)
    assert all(a.start < b.start for a, b in pairwise(found))


@given(st.lists(st.integers(0, 10**7), max_size=5))
@FEW
def test_every_number_stands_at_its_place(numbers):
    text = "; ".join(f"n {number:,}" for number in numbers)
    assert all(text[n.start :].startswith(n.text) for n in numbers_in(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.2万", 12_000), ("3 万", 30_000), ("5亿", 500_000_000), ("1亿2000万", 120_000_000),
        ("1.2万亿", 1_200_000_000_000), ("3万5千", 35_000), ("2千3百", 2300), ("5千元", 5000), ("3百万", 3_000_000),
        ("5千米", 5), ("3百分点", 3), ("十分钟", 10),
        ("一万二", 12_000), ("二百五", 250), ("三千五", 3500), ("一万零二", 10_002), ("一百〇五", 105),
        ("一亿三千万", 130_000_000), ("两万亿", 2_000_000_000_000), ("二〇二五", 2025), ("十万", 100_000),
        ("１，２８４", 1284), ("twelve", 12), ("Seven", 7), ("0.50", Decimal("0.5")),
    ],
)  # fmt: skip
def test_ways_of_writing_a_number(text, value):
    assert values(text) == [value]


@pytest.mark.parametrize("text", ["", "百万", "万一下雨", "千万不要", "十分感谢", "forty", "often", "weighted", "无"])
def test_words_that_are_no_numbers(text):
    assert numbers_in(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C-104,350,paid", [104, 350]),
        ("17,450,paid", [17, 450]),
        ("17,450,12,paid", [17, 450, 12]),
        ("1,196，1,284，其中", [1196, 1284]),
        ("1,284, of which 300", [1284, 300]),
        ("1,284,567 litres", [1284567]),
        ("1,284 300 units", [1284, 300]),
        ("5亿 200万", [500_000_000, 2_000_000]),
        ("200万5亿", [2_000_000, 500_000_000]),
        ("2025-03-04", [2025, 3, 4]),
        ("1.5.2", [Decimal("1.5"), 2]),
    ],
)
def test_neighbours_stay_apart(text, expected):
    assert values(text) == expected


def test_equal_numbers_have_one_spelling():
    assert number_set("15432.0 and 15,432 and 1.5432万") == {"15432"}
    assert number_set("三天 or 3 days or three days") == {"3"}
    assert normal_number(Decimal("0.00")) == "0"
    assert normal_number(Decimal("007.10")) == "7.1"


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=10**30, places=3))
@FEW
def test_the_one_spelling_keeps_the_value(number):
    assert Decimal(normal_number(number)) == number


def test_only_thousands_commas_are_taken_out():
    assert ungrouped("1,284,567 of C-104,350,paid, or 3,5") == "1284567 of C-104,350,paid, or 3,5"
