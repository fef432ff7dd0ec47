from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.graph.evaluation.plots import Bar, Plot, round_up, svg


def plot(*bars, **more):
    return Plot(title="a & b", unit="<s>", bars=bars, **more)


def per_cent(text, name):
    return [float(value) for value in re.findall(rf'<rect[^>]* {name}="([\d.]+)%"', text)]


@given(st.floats(1e-6, 1e9))
def test_an_axis_ends_at_a_round_number_not_far_beyond(value):
    top = round_up(value)
    assert value * (1 - 1e-9) <= top <= 2 * value


def test_an_axis_of_nothing_has_an_end():
    assert round_up(0.0) == 1.0


def test_parts_follow_each_other_within_the_axis():
    text = svg(plot(Bar(label="x", value_text="", parts=[10, 20, 30]), top=100))
    assert per_cent(text, "x") == [0, 10, 30]
    assert per_cent(text, "width") == [10, 20, 30]


@given(st.lists(st.lists(st.floats(0, 1e6), min_size=1, max_size=4), max_size=5))
def test_no_bar_is_longer_than_the_axis(parts):
    text = svg(plot(*(Bar(label="x", value_text="", parts=each) for each in parts)))
    ends = [x + width for x, width in zip(per_cent(text, "x"), per_cent(text, "width"), strict=True)]
    assert all(end <= 100.05 for end in ends)


@pytest.mark.parametrize("gap", [False, True])
def test_bars_stand_below_each_other(gap):
    text = svg(plot(*(Bar(label=f"{n}", value_text="", parts=[1], gap=gap) for n in range(3))))
    tops = [float(y) for y in re.findall(r'<rect[^>]* y="([\d.]+)"', text)]
    assert all(later - before >= 40 for before, later in itertools.pairwise(tops))


def test_what_is_written_is_escaped_and_well_formed():
    text = svg(plot(Bar(label="<i>", value_text="&", parts=[1], interval=(0.5, 1.5)), legend=["<u>"]))
    tree = ElementTree.fromstring(f"<div>{text}</div>")
    assert tree.find("svg").get("aria-label") == "a & b"
    assert {"<i>", "&", "<s>"} <= {each.text for each in tree.iter("text")}
