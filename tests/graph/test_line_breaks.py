"""Lines on a screen: no word torn, nothing lost, nothing to copy broken."""

from __future__ import annotations

import io
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from memory_secretary.graph.line_breaks import LineBreaks, broken, print_broken
from memory_secretary.graph.live import hang

UNTORN = re.compile(r"[（「]*[柴油][：。]*|[^\s柴油（「]+|[（「]+")
TEXTS = st.text(st.sampled_from("ab1,. \n柴油：（「。é"), max_size=120)


def printed(text, *, terminal=True, width=20):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None, highlight=False)
    print_broken(console, text)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The total is 182,716 litres.", ["The total is 182,716", "litres."]),
        ("柴油总量为182,716升，最高的是十月。", ["柴油总量为182,716", "升，最高的是十月。"]),
        ("一二三四五六七八九十。十一", ["一二三四五六七八九", "十。十一"]),
        ("read /a/path/that/is/wider/than/all and go on", ["read /a/path/that/is/wider/than/all and", "go on"]),
        ("one\n\ntwo", ["one", "", "two"]),
        ("", [""]),
    ],
)  # fmt: skip
def test_a_line_ends_between_words(text, lines):
    assert broken(text, 20).split("\n") == lines


@given(TEXTS, st.integers(2, 30), st.lists(st.integers(0, 120), max_size=5))
def test_nothing_is_lost_and_it_does_not_matter_in_which_pieces_it_comes(text, width, cuts):
    whole, breaks, places = broken(text, width), LineBreaks(width), [0, *sorted(cuts), len(text)]
    assert "".join(whole.split()) == "".join(text.split())
    fed = [breaks.feed(text[start:end]) for start, end in pairwise(places)]
    assert "".join(fed) + breaks.end() == whole


@given(TEXTS, st.integers(12, 30))
def test_a_line_is_wider_than_the_screen_only_where_a_word_is(text, width):
    for line in broken(text, width).split("\n"):
        assert cell_len(line) <= width or any(cell_len(word) > width for word in UNTORN.findall(line))


def test_a_terminal_gets_line_ends_and_a_file_none():
    text = "a sentence that is longer than the screen"
    assert printed(text) == "a sentence that is\nlonger than the\nscreen\n"
    assert printed(text, terminal=False) == f"{text}\n"


def test_what_is_to_be_copied_is_not_broken():
    text = "try memory-secretary memory reembed --memory /tmp/a-folder"
    assert printed(text) == f"{text}\n"


def test_styles_stay_where_they_were():
    console = Console(file=io.StringIO(), force_terminal=True, width=10, color_system="standard", highlight=False)
    print_broken(console, Text().append("name: ", "bold").append("seven words here", "red"))
    assert console.file.getvalue() == "\x1b[1mname:\x1b[0m\n\x1b[31mseven\x1b[0m\n\x1b[31mwords here\x1b[0m\n"


def test_a_number_in_chinese_is_not_torn_beside_a_head():
    screen = Console(width=32, file=io.StringIO(), force_terminal=True, color_system=None)
    hang(screen, "  3 规划 ", Text("三月92,130元，四月97,860元，五月104,520元。"))
    lines = screen.file.getvalue().splitlines()
    assert len(lines) > 1 and all(cell_len(line) <= 32 for line in lines)
    assert all(number in "\n".join(lines) for number in ("92,130", "97,860", "104,520"))
    assert not any(line.strip().startswith(("，", "。")) for line in lines)
