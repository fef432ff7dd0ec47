"""Tables and lists in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.tabular import tables_in

TEXT = """Report

| Month | Sold (t) | Note |
|---|---|---|
| May | 12 | – |
| June | 9.5 | rain |
| Total | 21.5 | |

Prose, with a comma.
no,day,litres
1,2026-05-02,40
2,2026-05-03,n/a
"""


def test_what_stands_in_which_column():
    bars, commas = tables_in(TEXT)
    assert [(dict(line.texts), dict(line.figures)) for line in bars.lines] == [
        ({"Month": "May"}, {"Sold": "12 t"}),
        ({"Month": "June", "Note": "rain"}, {"Sold": "9.5 t"}),
    ]
    assert (bars.figures, bars.texts) == (["Sold"], ["Month", "Note"])
    assert [(line.label, dict(line.figures)) for line in commas.lines] == [("1 2026-05-02", {"litres": "40"})]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_cells_are_parted_by_any_common_sign(sign):
    [table] = tables_in(f"shop{sign}sum\nNorth{sign}1900\nSouth{sign}2100\n")
    assert [(line.label, line.figures["sum"]) for line in table.lines] == [("North", "1900"), ("South", "2100")]


def test_a_list_has_one_column_called_as_it_is_titled():
    [prices] = tables_in("Prices\n- Tea: 3.50\n- Cake: 4.20\n- Soup ... 6\n")
    assert prices.is_list
    assert [(line.label, dict(line.figures)) for line in prices.lines] == [
        ("Tea", {"Prices": "3.50"}), ("Cake", {"Prices": "4.20"}), ("Soup", {"Prices": "6"}),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "Amount: 3\nPaid: 2\nLeft: 1\n", "Who, what, where, said Ann.\nNobody, said Jo."])
def test_forms_and_prose_are_no_tables(text):
    assert tables_in(text) == []


@given(st.text(alphabet="ab1,;|\t\n -:", max_size=200))
def test_every_figure_stands_in_the_text(text):
    for table in tables_in(text):
        assert all(value.split()[0] in text for line in table.lines for value in line.figures.values())
