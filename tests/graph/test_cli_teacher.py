"""What the commands share that let a teacher work."""

from __future__ import annotations

import pytest
from rich.console import Console

from memory_secretary.graph.cli_teacher import amount, moving_bar


def bar(total, *, terminal, shown=True):
    console = Console(force_terminal=terminal, width=80)
    return moving_bar(console, total, "distilling", "distill_progress", shown=shown)


def test_a_bar_is_drawn_on_terminals_only(capsys):
    with bar(2, terminal=True) as on:
        on("travel.md")
        on("leave.txt")
    assert "2/2" in capsys.readouterr().out
    with bar(20, terminal=False) as on:
        for _ in range(20):
            on("travel.md")
    assert capsys.readouterr().out.count("of 20") == 10


def test_nothing_is_drawn_where_nothing_is_to_be_shown(capsys):
    for terminal in (True, False):
        with bar(2, terminal=terminal, shown=False) as on:
            on("travel.md")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("price", "text"), [(1234.567, "1,234.57"), (1, "1.00"), (0.00123, "0.0012")])
def test_a_small_price_has_more_decimals(price, text):
    assert amount(price) == text
