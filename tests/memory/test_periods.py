from datetime import date

import pytest

from memory_secretary.memory.periods import MONTH_WORD, dates_in, months_in

ENGLISH = "January February March April May June July August September October November December".split()
CHINESE = "一 二 三 四 五 六 七 八 九 十 十一 十二".split()


@pytest.mark.parametrize("month", range(1, 13))
def test_a_month_is_known_in_every_spelling(month):
    name, numeral = ENGLISH[month - 1], CHINESE[month - 1]
    spellings = [name, name.upper(), name[:3], f"2025-{month:02}", f"2025/{month}", f"2025年{month}月", f"{month}月",
                 f"{numeral}月份", f"reports/2025-{month:02}.md", f"2025-{month:02}-31"]  # fmt: skip
    assert all(months_in(text) == {month} for text in spellings), spellings


@pytest.mark.parametrize("text", ["in may", "5 may", "may 5", "May", "MAY", "the figure of may"])
def test_a_small_may_is_a_month_where_a_month_would_stand(text):
    assert months_in(text) == {5}


def test_several_months_are_all_named():
    assert months_in("from March to May, 十一月 and 2025-12") == {3, 5, 11, 12}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "marching",
        "decade",
        "2025-13",
        "0月",
        "3个月",
        "12025-03",
        "a maybe",
        "1999",
        "it may rain",
        "they may not, and it may be late",
    ],
)
def test_other_words_name_no_month(text):
    assert months_in(text) == set()


def test_the_month_words_are_a_pattern_without_groups():
    import re

    assert re.compile(MONTH_WORD).groups == 0


@pytest.mark.parametrize(
    "text",
    ["2026-12-01", "2026/12/1", "1 December 2026", "the 1st of Dec, 2026", "December 1st, 2026", "2026年12月1日"],
)
def test_a_day_is_known_in_every_spelling(text):
    assert dates_in(f"due {text}.") == {date(2026, 12, 1)}


@pytest.mark.parametrize("text", ["", "December 2026", "2026-13-01", "31 February 2026", "1 December", "12026-12-01"])
def test_what_is_no_whole_day_names_none(text):
    assert dates_in(text) == set()
