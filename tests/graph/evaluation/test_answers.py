from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.graph.evaluation import answers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("15,432 litres", ["15432"]),
        ("15432.0", ["15432"]),
        ("15 432", ["15", "432"]),
        ("15\u202f432", ["15432"]),
        ("１５，４３２升", ["15", "432"]),
        ("1.5432万升", ["15432"]),
        ("386.5 hours and 1,234.25", ["386.5", "1234.25"]),
        ("17,114，2025年合计", ["17114", "2025"]),
        ("seven months", ["7"]),
        ("七个月", ["7"]),
        ("两个月", ["2"]),
        ("十二个月里有5个月", ["12", "5"]),
        ("no one knows", []),
        ("one month, 最高的一个月、一个数字", []),
        ("Seven, or 共七个。", ["7"]),
        ("十一个", ["11"]),
        ("someone often tends", []),
        ("一共、一句话", []),
        ("In 2025-08 it was 41", ["41"]),
        ("2025年8月为41", ["41"]),
        ("reports/harwick/2025-08.md", []),
        ("14820 - 13965", ["14820", "13965"]),
        ("51240kWh", ["51240"]),
        ("Total: 182,716.", ["182716"]),
    ],
)
def test_numbers_are_read_in_every_way_of_writing(text: str, values: list[str]) -> None:
    assert answers.numbers(text) == {Decimal(value) for value in values}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the highest month was October.", {10}),
        ("october", {10}),
        ("in Oct 2025", {10}),
        ("Sept. and Nov.", {9, 11}),
        ("it may be so", set()),
        ("May was the lowest", {5}),
        ("2025-08", {8}),
        ("2025/8", {8}),
        ("08/2025", {8}),
        ("2025-08-14", {8}),
        ("reports/harwick/2025-10.md", {10}),
        ("2025年8月", {8}),
        ("８月", {8}),
        ("八月", {8}),
        ("十月、十一月、十二月", {10, 11, 12}),
        ("12个月", set()),
        ("一个月", set()),
        ("1月至12月", set()),
        ("一月到十二月", set()),
        ("from January to December", set()),
        ("January–December 2025", set()),
        ("month 8", {8}),
        ("17,114 in month 10.", {10}),
        ("March's figure", {3}),
        ("最高的是October，不是month 11。", {10, 11}),
        ("marched", set()),
        ("2025-13", set()),
    ],
)
def test_months_are_read_in_words_digits_and_chinese(text: str, found: set[int]) -> None:
    assert answers.months(text) == found


@given(st.decimals(min_value=0, max_value=10**7, places=1), st.integers(min_value=1, max_value=12))
def test_a_written_value_and_month_are_read_back(value: Decimal, month: int) -> None:
    english = f"It was {value:,} in {answers.MONTH_NAMES[month - 1]} 2025."
    chinese = f"{month}月最高，为{value:,}升。"
    assert value in answers.numbers(english)
    assert answers.numbers(chinese) == {value}
    assert answers.months(english) == answers.months(chinese) == {month}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The total is 1,234.5 litres.", 1),
        ("The total is 5", 1),
        ("It is 5. The month is May.", 2),
        ("It is 5.\nThe month is May.", 2),
        ("It was 5 in Oct. 2025, approx. 6", 1),
        ("合计5升，最高5月。", 1),
        ("合计5升。最高5月。", 2),
        ("合计5升！最高5月", 2),
        ("", 0),
        ('He said "five."', 1),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert answers.sentences(text) == count


def test_length_is_words_or_characters() -> None:
    assert answers.length("two words", "en") == 2
    assert answers.length("四 个 字 。", "zh") == 4


def test_clauses_end_at_commas_but_not_inside_numbers() -> None:
    assert answers.clauses("Total 1,234.5, highest May; end. Yes，好") == [
        "Total 1,234.5", " highest May", " end", " Yes", " 好",
    ]  # fmt: skip
