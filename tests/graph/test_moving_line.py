"""The moving line: what is done, for how long, no longer than the screen is wide, and gone when it is taken away."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from memory_secretary.graph.moving_line import MovingLine, busy


def screen(*, width=60, terminal=True):
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)


def drawn(line, console):
    """The line as it would be drawn now, without the picture before it."""
    [row] = console.render_lines(line, pad=False)
    return "".join(segment.text for segment in row)[2:]


@pytest.mark.parametrize("doing", ["starting the model", "启动模型"])
def test_the_seconds_are_those_since_this_began(doing):
    now, console = [100.0], screen()
    line = MovingLine(console, clock=lambda: now[0])
    with line:
        line.show("before")
        now[0] = 130.0
        line.show(doing)
        assert drawn(line, console) == f"{doing} · 0 s"
        now[0] = 142.4
        assert drawn(line, console) == f"{doing} · 12 s"


@pytest.mark.parametrize("doing", ["long " * 40, "长" * 200])
def test_a_long_text_is_cut_and_the_seconds_are_not(doing):
    console = screen(width=40)
    line = MovingLine(console, clock=lambda: 0.0)
    line.show(doing)
    text = drawn(line, console)
    line.remove()
    assert cell_len(text) <= 38
    assert text.endswith("… · 0 s")


def test_what_is_written_after_it_begins_on_an_empty_line():
    console = screen()
    with busy(console, "starting the model"):
        pass
    console.print("done")
    text = console.file.getvalue()
    assert "starting the model" in text
    assert "\x1b[2K" in text.rpartition("starting the model")[2].partition("done")[0]


@pytest.mark.parametrize("options", [{"terminal": False}, {"shown": False}])
def test_a_file_and_a_program_get_nothing(options):
    shown = options.pop("shown", True)
    console = screen(**options)
    with busy(console, "starting the model", shown=shown):
        console.print("x")
    assert console.file.getvalue() == "x\n"


def test_a_line_that_was_taken_away_does_not_come_back_over_what_was_written_since():
    console = screen()
    with busy(console, "starting the model") as line:
        line.remove()
        console.out("an answer", end="")
        line.show("something else")
    assert console.file.getvalue().endswith("an answer")
