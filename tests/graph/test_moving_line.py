"""The moving line: what is done, for how long, no longer than the screen is wide, and gone when it is taken away."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from memory_secretary.graph.moving_line import MovingLine, busy, fitted


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


READ = "read_file(path='reports/2025/north/2025-03.md')"
IN_CHAT = f"step 3: plan · the model reads and decides · before it, ok: {READ}"


@pytest.mark.parametrize(
    ("doing", "width", "shown"),
    [
        (f"step 1: act · {READ}", 80, f"step 1: act · {READ}"),
        (f"step 1: act · {READ}", 50, "step 1: act · read_file(…s/2025/north/2025-03.md')"),
        (f"step 1: act · {READ}", 30, "step 1: act · …th/2025-03.md')"),
        (IN_CHAT, 80, f"step 3: plan · before it, ok: {READ}"),
        (IN_CHAT, 60, "step 3: plan · before it, ok: read_file(…/north/2025-03.md')"),
        ("第 1 步：执行 · read_file(path='报告/华北/三月.md')", 41, "第 1 步：执行 · read_file(…华北/三月.md')"),
        (
            "step 1: act · write_file(path='a.md', content='It is (as said) so.')",
            50,
            "step 1: act · write_file(path='a.md', content='It…",
        ),
        ("step 2: plan · the model reads (and decides) now", 20, "step 2: plan · the …"),
    ],
)
def test_of_a_call_that_is_too_long_the_end_is_shown(doing, width, shown):
    assert fitted(doing, width) == shown


@pytest.mark.parametrize("width", [1, 2, 5, 23, 24, 25, 40, 61])
@pytest.mark.parametrize("doing", [IN_CHAT, READ, "第 1 步：执行 · 读文件(路径='" + "路" * 99 + "')", "长" * 99, ""])
def test_no_text_is_wider_than_its_room(doing, width):
    assert cell_len(fitted(doing, width)) <= width


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
