from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory.day_words import day_tokens
from memory_secretary.memory.lexical import query_terms, tokens


@pytest.mark.parametrize(
    "written",
    [
        "2026-05-08", "2026/5/8", "2026.05.08", "8 may 2026", "8th may", "the 8th of may", "may 8", "may 8th, 2026",
        "2026年5月8日", "5月8号", "五月八日", "五月八号那天",
    ],
)  # fmt: skip
def test_every_way_of_writing_a_day_gives_the_same_tokens(written: str) -> None:
    assert set(day_tokens(written, months=True)) == {"date05", "date0508"}
    assert list(day_tokens(written, months=False)) == ["date0508"]


@pytest.mark.parametrize(
    ("written", "found"),
    [("十二月三十一日", "date1231"), ("三月二十号", "date0320"), ("十月十日", "date1010"), ("dec. 24", "date1224")],
)
def test_numerals_and_short_names_are_read(written: str, found: str) -> None:
    assert found in day_tokens(written, months=False)


def test_a_chinese_month_is_a_token_and_an_english_one_a_word_already() -> None:
    assert list(day_tokens("五月", months=False)) == ["date05"]
    assert list(day_tokens("in may", months=True)) == []


@pytest.mark.parametrize(
    "text", ["13月40日", "row 12 of 99", "2026-13-01", "118 may", "version 1.2.3", "个月", "may 455"]
)
def test_what_is_no_date_gives_no_day(text: str) -> None:
    assert [token for token in day_tokens(text, months=True) if len(token) > len("date05")] == []


@given(st.dates(min_value=date(1000, 1, 1)))
def test_an_iso_date_and_its_chinese_form_agree(day: date) -> None:
    found = [f"date{day:%m%d}"]
    assert list(day_tokens(f"{day:%Y-%m-%d}", months=False)) == found
    assert list(day_tokens(f"{day.year}年{day.month}月{day.day}日", months=False)) == found


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert all(token.startswith("date") and token.isalnum() for token in day_tokens(text, months=True))


def test_texts_and_queries_carry_days_in_both_languages() -> None:
    assert "date0508" in tokens("8 May 2026 Ana: the bees swarm")
    assert "date0508" in tokens("2026年5月8日 蜜蜂分群了")
    assert "date0508" in query_terms("５月８日怎么了")
    assert "date05" not in query_terms("５月８日怎么了")
