"""The judge of answers over one's own files."""

from __future__ import annotations

import own_files
import pytest

FEED = {"has": ["457"], "not": ["March"]}


@pytest.mark.parametrize(
    ("answer", "question", "right"),
    [
        ("It was 457 kg.", FEED, True),
        ("457.0 kg", FEED, True),
        ("1,457 kg", FEED, False),
        ("457.5 kg", FEED, False),
        ("457 kg, most in March", FEED, False),
        ("一共1000元", {"has": ["1,000|1000"]}, True),
        ("共 1,000 元。", {"has": ["1,000|1000"]}, True),
        ("157.50 EUR", {"has": ["157.5"]}, True),
        ("B-202 and B-203", {"has": ["202", "203"], "not": ["201"]}, True),
    ],
)
def test_an_answer_has_all_that_is_wanted_and_no_more(answer, question, right):
    assert own_files.is_right(answer, question) is right


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_wanted_name_stands_in_the_files(lang):
    text = "\n".join([*own_files.FOLDERS[lang]["files"], *own_files.FOLDERS[lang]["files"].values()])
    wanted = [has.split("|") for q in own_files.FOLDERS[lang]["questions"] for has in q["has"]]
    named = [names for names in wanted if not any(name.replace(",", "").replace(".", "").isdigit() for name in names)]
    assert named and all(any(name in text for name in names) for names in named)
