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
        (UTILITIES, "How much gas was it in March?", [("Gas", "March", "122 m3")]),
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


HOURS = "date,person,hours,task\n2026-04-02,Mara,6,pruning\n2026-04-03,Jon,4.5,mowing\n2026-05-04,Mara,7,hedges\n"
BILLS = (
    "number;customer;amount;status\nA-1;Harper Ltd;120.00;paid\nA-2;Lumen;80.50;open\nA-3;Harper Ltd;60;open\n"
    "A-4;Lumen;80.50;open\n"
)
SALES = "日期,门店,品类,金额\n2026-04-01,城西店,绿茶,320\n2026-04-01,城东店,红茶,210\n2026-05-02,城西店,红茶,450\n"
SHOPS = "| 月份 | 城西店（元） | 城东店（元） |\n|---|---|---|\n| 四月 | 3200 | 2100 |\n| 五月 | 4100 | 1900 |\n"
RISES = "品名,现价,六月起\n茉莉花茶,96,108\n谷雨红茶,188,196\n"


@pytest.mark.parametrize(
    ("record", "goal", "rows"),
    [
        (HOURS, "How many hours did Mara work?", [("2026-04-02 pruning", "6"), ("2026-05-04 hedges", "7")]),
        (HOURS, "How many hours did Mara work in April?", [("2026-04-02 Mara pruning", "6")]),
        (HOURS, "How many hours of pruning were there?", [("2026-04-02 Mara pruning", "6")]),
        (HOURS, "Who did the hedges?", []),
        (HOURS, "And Jon?\n(asked after: How many hours did Mara work in April?)", [("2026-04-03 Jon mowing", "4.5")]),
        (BILLS, "What is the total amount of Harper's bills?", [("A-1 paid", "120.00"), ("A-3 open", "60")]),
        (BILLS, "How much does Harper owe?", [("A-3 Harper Ltd open", "60")]),
        (BILLS, "Which bills are not paid, and what do they come to?",
         [("A-2 Lumen", "80.50"), ("A-3 Harper Ltd", "60"), ("A-4 Lumen", "80.50")]),
        (BILLS, "What is the total amount of all that is not for Lumen?", [("A-1 paid", "120.00"), ("A-3 open", "60")]),
        (SALES, "城西店一共卖了多少元？", [("2026-04-01 绿茶", "320"), ("2026-05-02 红茶", "450")]),
        (SALES, "城西五月卖了多少？", [("2026-05-02 城西店 红茶", "450")]),
        (SHOPS, "城东店五月多少元？", [("五月", "1900 元")]),
        (SHOPS, "四月城西店和城东店一共多少元？", [("四月", "3200 元"), ("四月", "2100 元")]),
        (RISES, "茉莉花茶现价多少？", [("茉莉花茶", "96")]),
        (RISES, "茉莉花茶六月起比现在贵多少？", [("茉莉花茶", "96"), ("茉莉花茶", "108")]),
    ],
)  # fmt: skip
def test_the_rows_that_say_what_a_goal_names(record, goal, rows):
    assert [(label, value) for _, label, value in found(record, goal)] == rows


def test_rows_of_the_same_words_all_count():
    rows = asked_rows("person,hours\nMara,6\nMara,7\nJon,5\n", "How many hours did Mara work?")
    [figure] = figures_of(as_values(rows, "hours.csv", "evt_1"))
    assert (figure.total, len(figure.values)) == (13, 2)


def test_what_two_columns_of_one_row_are_apart():
    rows = asked_rows(RISES, "茉莉花茶六月起比现在贵多少？")
    [figure] = figures_of(as_values(rows, "价目.csv", "evt_1"))
    assert (figure.name, figure.high - figure.low) == ("茉莉花茶", 12)


def test_code_adds_the_rows_up():
    rows = asked_rows(PRICES, "What do front brake pads, an oil change and wiper blades cost together?")
    [figure] = figures_of(as_values(rows, "prices.md", "evt_1"))
    assert str(figure.total) == "151.90"
    assert list(figure.values) == ["Brake pads, front", "Oil change", "Wiper blades"]


@given(st.text(max_size=300), st.text(max_size=80))
def test_any_text_is_read_and_values_stand_word_for_word(record, goal):
    for row in asked_rows(record, goal):
        assert row.label and any(character.isdigit() for character in row.value)
