"""What was said stays the beginning of the answer, whatever the model writes next."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.speech import continued


@settings(deadline=None)
@given(st.text(), st.text())
def test_what_was_said_is_the_beginning_of_the_answer(said, more):
    assert continued(said, more).startswith(said)


@pytest.mark.parametrize(
    ("said", "more", "whole"),
    [
        ("", " As it came. ", " As it came. "),
        ("One. ", "Two.", "One. Two."),
        ("One. ", "One. Two. ", "One. Two. "),
        ("One.\n", "One. Two.", "One.\nTwo."),
        ("One", "two.", "One two."),
        ("第一句。", "第二句。", "第一句。第二句。"),
        ("第一句。", "第一句。第二句。", "第一句。第二句。"),
    ],
)
def test_the_rest_is_put_behind_it_once(said, more, whole):
    assert continued(said, more) == whole
