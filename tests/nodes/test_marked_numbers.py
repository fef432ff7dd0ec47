from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.marked_numbers import marked_numbers, meant


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("must read 45 there, not 36", ["right", "wrong"]),
        ("was given as 36. The checked figure is 45, which replaces it", ["wrong", "right"]),
        ("for 36 read 45", ["", "right"]),
        ("changed from 36 to 45", ["wrong", "right"]),
        ("36 is wrong, 45 is right", ["wrong", "right"]),
        ("应为45，不是36", ["right", "wrong"]),
        ("写成了36，核对后的数是45，以此为准", ["wrong", "right"]),
        ("由36改为45", ["wrong", "right"]),
        ("以45为准，36作废", ["right", "wrong"]),
        ("should be 45 or 46", ["right", "right"]),
        ("there were 45", [""]),
        ("wrong by 9, which is 9 too many; 多报了9", []),
        ("更正一下", []),
    ],
)
def test_words_around_a_number_mark_it(text, marks):
    assert [number.mark for number in marked_numbers(text)] == marks


def test_of_several_right_numbers_none_is_meant():
    assert meant(marked_numbers("should be 45 or 46"), None, marked=True) is None


def test_an_unmarked_number_is_meant_only_if_it_may_be():
    numbers = marked_numbers("45 and nothing else")
    assert meant(numbers, None, marked=True) is None
    assert meant(numbers, Decimal(36), marked=False) == (numbers[0], None)
    assert meant(numbers, Decimal(45), marked=False) is None, "what is known already is no correction"


@given(st.text("应为是不写成了核对后的数，。 notshouldbe0123456789,.", max_size=60))
@settings(max_examples=150, deadline=None)
def test_numbers_are_spelled_as_in_the_text_and_what_is_known_is_never_meant(text):
    numbers = marked_numbers(text)
    assert all(number.text in text for number in numbers)
    for number in numbers:
        found = meant(numbers, number.value, marked=False)
        assert found is None or found[0].value != number.value
