"""Rows of one table or list that a goal names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.figures import figures_of
from memory_secretary.nodes.rows import as_values, asked_rows

UTILITIES = """# Utilities 2026

| Month | Electricity (kWh) | Gas (m3) | Water (m3) |
|---|---:|---|---|
| January | 412 | 180 | 9 |
| February | 388 | 171 | 8 |
| March | 1,351.5 | 122 | 9 |
| Total | 2,151.5 | 473 | 26 |
"""
CSV = "month,electricity,gas\nJanuary,412,180\nFebruary,388,171\nMarch,351,122\n"
PRICES = """# Price list, workshop

- Brake pads, front: 48.00
- Brake pads, rear: 42.50
- Oil change: 79.00 EUR
- Wiper blades: 24.90
Prices include tax.
"""
WATER = """# 2026 年水电

| 月份 | 电（度） | 水（吨） |
|---|---|---|
| 一月 | 310 | 12 |
| 二月 | 285 | 11 |
| 三月 | 262 | 13 |
"""
MENU = "价目表\n1. 洗车：35元\n2. 打蜡：120元\n3. 换机油：260元\n"


def found(record, goal):
    return [(row.column, row.label, row.value) for row in asked_rows(record, goal)]


@pytest.mark.parametrize("record", [UTILITIES, CSV])
def test_the_rows_of_the_months_and_the_column_that_a_goal_names(record):
    rows = asked_rows(record, "How much electricity did we use in January and February together?")
    assert [(row.label, row.value.split()[0]) for row in rows] == [("January", "412"), ("February", "388")]
    assert {row.column.casefold() for row in rows} == {"electricity"}


@pytest.mark.parametrize(
    ("record", "goal", "rows"),
    [
        (UTILITIES, "How much gas did we use altogether?",
         [("Gas", "January", "180 m3"), ("Gas", "February", "171 m3"), ("Gas", "March", "122 m3")]),
        (UTILITIES, "Which month had the highest electricity use?",
         [("Electricity", "January", "412 kWh"), ("Electricity", "February", "388 kWh"),
          ("Electricity", "March", "1,351.5 kWh")]),
        (UTILITIES, "What did we use of gas from January to March in total?",
         [("Gas", "January", "180 m3"), ("Gas", "February", "171 m3"), ("Gas", "March", "122 m3")]),
        (UTILITIES, "How much gas was it in March?", []),
        (UTILITIES, "Who reads the meters?", []),
        (PRICES, "What do front brake pads, an oil change and wiper blades cost together?",
         [("Price list, workshop", "Brake pads, front", "48.00"), ("Price list, workshop", "Oil change", "79.00 EUR"),
          ("Price list, workshop", "Wiper blades", "24.90")]),
        (PRICES, "What does an oil change cost?", []),
        (WATER, "一月和三月一共用了多少度电？", [("电", "一月", "310 度"), ("电", "三月", "262 度")]),
        (WATER, "一月到三月的水合计多少？",
         [("水", "一月", "12 吨"), ("水", "二月", "11 吨"), ("水", "三月", "13 吨")]),
        (WATER, "全年的水合计多少？", [("水", "一月", "12 吨"), ("水", "二月", "11 吨"), ("水", "三月", "13 吨")]),
        (MENU, "洗车加打蜡一共多少钱？", [("价目表", "洗车", "35元"), ("价目表", "打蜡", "120元")]),
        ("Invoice: 17\nAmount: 300\nPaid: 200\n", "How much is paid, and what amount is it in total?", []),
        ("", "What is the total?", []),
    ],
)  # fmt: skip
def test_what_is_asked_of_a_record_with_rows(record, goal, rows):
    assert found(record, goal) == rows


def test_code_adds_the_rows_up():
    rows = asked_rows(PRICES, "What do front brake pads, an oil change and wiper blades cost together?")
    [figure] = figures_of(as_values(rows, "prices.md", "evt_1"))
    assert str(figure.total) == "151.90"
    assert list(figure.values) == ["Brake pads, front", "Oil change", "Wiper blades"]


@given(st.text(max_size=300), st.text(max_size=80))
def test_any_text_is_read_and_values_stand_word_for_word(record, goal):
    for row in asked_rows(record, goal):
        assert row.label and any(character.isdigit() for character in row.value)
