import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.measures import unit_after


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("14690 litres were drawn", " litres"), ("13,482升，比上月多", "升"), ("61 mm of rain", " mm"),
        ("450kg.", "kg"),
        ("21.5 °C at noon", " °C"), ("3 hours", " hours"), ("120 元", " 元"), ("7 km/h", " km/h"),
        ("9立方米", "立方米"),
        ("12 in all", ""), ("12次", ""), ("30个人", ""), ("4 minutesheets", ""), ("5 grams-of", ""), ("8", ""),
        ("5 mm/a", ""),
    ],
)  # fmt: skip
def test_a_common_unit_is_taken_and_no_other_word(text, unit):
    at = len(text) - len(text.lstrip("0123456789.,"))
    assert unit_after(text, at) == unit


@given(st.text(), st.integers(0, 40))
def test_what_is_found_stands_there(text, at):
    assert text.startswith(unit_after(text, at), min(at, len(text)))
