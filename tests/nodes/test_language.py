import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.language import language_of


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Find the wettest month.", "en"),
        ("找出降雨最多的月份。", "zh"),
        ("请读取 reports/harwick/2025-03.md 并说明降雨量", "zh"),
        ("What does 谢谢 mean in the letter to the manager?", "en"),
        ("1234 !?", "en"),
        ("", "en"),
        ("Größe und Gewicht", "en"),
    ],
)
def test_a_text_is_in_the_language_of_its_letters(text, lang):
    assert language_of(text) == lang


@given(st.text(max_size=80))
def test_every_text_has_one_of_two_languages(text):
    assert language_of(text) in ("en", "zh")
