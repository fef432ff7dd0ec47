"""Two statements are one only where nothing that means anything differs, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.sameness import about_value, alike, form, negations

SAME = [
    ("I prefer short answers.", "The user likes brief replies"),
    ("I'm vegan", "User is vegan."),
    ("Refunds take 1,000 days", "refunds take 1000 days"),
    ("The gate opens at seven", "Gate opens at 7."),
    ("I don't eat nuts", "The user does not eat nuts"),
    ("我喜欢简短的回答。", "用户偏好简洁的回复"),
    ("退款需要三天", "退款需要 3 天。"),
    ("请用中文回答", "用中文回答"),
    ("我对猕猴桃过敏", "用户对猕猴桃过敏"),
]
APART = [
    ("Refunds take 7 days", "Refunds take 3 days"),
    ("退款需要七天", "退款需要三天"),
    ("I eat nuts", "I don't eat nuts"),
    ("我吃坚果", "我不吃坚果"),
    ("Tarek cannot eat nuts", "Ben cannot eat nuts"),
    ("tarek likes tea", "ben likes tea"),
    ("王伟喜欢茶", "李娜喜欢茶"),
    ("小周负责备份", "小吴负责备份"),
    ("Ana pays Ben", "Ben pays Ana"),
    ("我给他钱", "他给我钱"),
    ("I work at Kestrel", "I worked at Kestrel"),
    ("Uses Python 3.1", "Uses Python 3.10"),
    ("Order ORD-017 is late", "Order ORD-17 is late"),
    ("at 5 degrees", "at -5 degrees"),
    ("meeting at 7 am", "meeting at 7 pm"),
    ("meeting at 7 am", "meeting at 7"),
    ("takes vitamin A", "takes vitamin B"),
    ("takes vitamin A", "takes vitamin"),
    ("No, tea", "no tea"),
    ("answers under 200 words", "answers over 200 words"),
    ("Is she vegan?", "She is vegan"),
    ("三四天", "34天"),
    ("每周一开会", "每周二开会"),
    ("costs 5 $", "costs 5 €"),
    ("writes C", "writes C++"),
    ("I always take tea", "I never take tea"),
    ("moved to Leeds", "moved from Leeds"),
    ("我们喜欢茶", "我喜欢茶"),
    ("due on 2026-03-01", "due on 2026-03-11"),
    ("9:30", "930"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_other_wordings_of_one_statement_have_one_form(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_means_something_else_has_another_form(one: str, other: str) -> None:
    assert form(one) != form(other)


def test_of_one_value_of_one_attribute_only_what_is_said_beside_it_counts() -> None:
    bank = ("user", "bank")
    assert about_value("I bank with Kestrel.", *bank) == about_value("My bank is Kestrel", *bank) == ("kestrel",)
    assert about_value("I left Kestrel as my bank", *bank) != ("kestrel",)
    assert about_value("I do not bank with Kestrel", *bank) is None
    assert about_value("我用的银行是红隼", "用户", "银行") is None


def test_what_is_alike_shares_words_and_never_differs_in_numbers_or_negation() -> None:
    short = form("keeps the spare key under the mat")
    assert alike(short, form("keeps a spare key under the green mat")) > 0.8
    assert alike(short, form("does not keep a spare key under the mat")) == 0.0
    assert alike(form("3 keys"), form("4 keys")) == 0.0


NAMES = ["Ana", "Ben", "tarek", "王伟", "小周"]
PATTERNS = [
    "{name} takes {n} pills on Monday", "{name} does not take {n} pills", "{name} never pays {n}",
    "{name}每天吃{n}片药", "{name}不吃{n}片药", "{name}不付{n}元",
]  # fmt: skip
STATEMENTS = st.tuples(st.sampled_from(PATTERNS), st.sampled_from(NAMES), st.integers(0, 40))


@given(STATEMENTS, STATEMENTS)
def test_one_form_means_one_name_one_number_and_the_same_negation(
    one: tuple[str, str, int], other: tuple[str, str, int]
) -> None:
    texts = [pattern.format(name=name, n=n) for pattern, name, n in (one, other)]
    assert (form(texts[0]) == form(texts[1])) == (one == other)


@given(st.text(max_size=60))
def test_any_text_has_a_form_that_does_not_change_with_width_case_or_blanks(text: str) -> None:
    assert form(text) == form(f"  {text} ")
    assert negations(form(text)) >= 0
