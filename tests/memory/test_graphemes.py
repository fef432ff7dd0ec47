from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import graphemes

regex = pytest.importorskip("regex")

JOINERS = (
    "\u200d\ufe0f\u0301\u0308\U0001f3fd\U0001f1e8\U0001f1ff\r\n\u1100\u1161\u11a8각가"
    "\u0915\u094d\u0937\u0e33\u0600é👩🚒字a "
)
TEXTS = st.text(alphabet=st.one_of(st.sampled_from(JOINERS), st.characters()), max_size=40)


@given(TEXTS, st.integers(0, 40))
def test_each_allowed_place_is_a_boundary_of_unicode(text: str, index: int) -> None:
    index = min(index, len(text))
    boundaries = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    assert graphemes.floor(text, index) in boundaries
    assert graphemes.ceiling(text, index) in boundaries


@given(TEXTS, st.integers(0, 40))
def test_floor_and_ceiling_lie_on_their_sides(text: str, index: int) -> None:
    index = min(index, len(text))
    assert graphemes.floor(text, index) <= index <= graphemes.ceiling(text, index)


def test_plain_text_may_be_cut_anywhere() -> None:
    assert [graphemes.floor("plain 中文", index) for index in range(9)] == list(range(9))


@pytest.mark.parametrize(
    "whole", ["👩‍🚒", "e\u0301", "\ud83e\udd14", "🇨🇿", "각", "👍🏽", "🏴\U000e0067\U000e007f", "\r\n", "क्ष"]
)
def test_no_place_inside_one_grapheme(whole: str) -> None:
    text = f"a{whole}b"
    for index in range(2, 1 + len(whole)):
        assert graphemes.floor(text, index) == 1
        assert graphemes.ceiling(text, index) == 1 + len(whole)


def test_flags_are_counted_in_pairs() -> None:
    text = "🇨🇿🇩🇪🇨🇳"
    assert [graphemes.floor(text, index) for index in range(7)] == [0, 0, 2, 2, 4, 4, 6]


def test_nothing_before_a_known_place_is_looked_at() -> None:
    assert graphemes.floor("🇨🇿🇩🇪", 3, start=2) == 2
