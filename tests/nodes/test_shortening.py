from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.answer_form import Limit
from memory_secretary.nodes.shortening import part_of, shortened, shorter_of
from memory_secretary.nodes.wording import wording

TEN = [Limit(10, "words")]
LONG = "Boil the egg in water for eight minutes, cool it in cold water, peel it carefully."


@pytest.mark.parametrize(
    ("reply", "taken"),
    [
        ({"shorter": " 150,639 litres. "}, True),
        ({"shorter": "150639 litres"}, True),
        ({"shorter": "160,639 litres"}, False),
        ({"shorter": "All in all it came to 150,639 litres of diesel, they say"}, False),
        ({"shorter": ""}, False),
        ({"shorter": None}, False),
        ({"other": "x"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_shorter_answer_is_taken_only_where_it_is_one(reply: dict[str, str] | None, taken: bool) -> None:
    answer = "In all it came to 150,639 litres of diesel."
    found = shorter_of(answer, reply, Limit(5, "words"))
    assert (found != answer) is taken
    assert found == found.strip()


def replying(*texts: str) -> tuple[list[str], Callable[[str], Mapping[str, str]]]:
    """A model that gives these one after another, and what it was asked."""
    asked: list[str] = []

    def ask(request: str) -> Mapping[str, str]:
        asked.append(request)
        return {"shorter": texts[len(asked) - 1]}

    return asked, ask


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_still_too_long_is_shortened_once_more_and_then_left(lang: str) -> None:
    middle = "Boil the egg in some plain water for eight minutes and then peel it"
    short = "Boil the egg for eight minutes and peel it"
    asked, ask = replying(middle, short)
    assert shortened(LONG, TEN, wording(lang), ask, question="How do I boil an egg?") == short
    assert "boil an egg" not in asked[0] and "How do I boil an egg?" in asked[1]
    assert LONG in asked[0] and "10" in asked[0]
    assert middle in asked[1] and "7" in asked[1]
    whole = "Boil the egg in plain water for as long as it takes to become quite hard"
    stubborn, ask = replying(whole, whole)
    assert shortened(whole, TEN, wording(lang), ask) == whole
    assert len(stubborn) == 2


def test_its_own_clauses_come_before_a_second_request() -> None:
    asked, ask = replying("Boil it in water for eight minutes, cool it, peel it and eat it.")
    assert shortened(LONG, TEN, wording("en"), ask) == "Boil it in water for eight minutes, cool it"
    assert len(asked) == 1


def test_a_title_that_lost_what_was_asked_for_is_not_taken() -> None:
    answer = "2025年未付款的发票是A-1032和A-1044，一共2,810元，请尽快付款。"
    kept = shorter_of(answer, {"shorter": "2025年发票汇总"}, TEN[0], known="2025年哪些发票没有付款？一共多少元？")
    assert kept == answer
    assert shorter_of(answer, {"shorter": "共2,810元"}, TEN[0], known="2025年一共多少元？") == "共2,810元"


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ("天为什么是蓝的？因为天空是蓝色的。", "因为天空是蓝色的。"),
        ("树叶变黄：叶绿素分解，颜色减少", "树叶变黄：叶绿素分解"),
        ("Llama is native to Andes, known for long neck and woolly coat, used for wool.", "Llama is native to Andes"),
        (
            "It is in the README.txt file of that folder, as everybody said.",
            "It is in the README.txt file of that folder",
        ),
        ("Llamas are large animals of the high Andes in South America. They have long necks and wool.", None),
        ("堪培拉建于1913年，是悉尼和墨尔本妥协的结果。", "堪培拉建于1913年"),
        ("Boil the egg for 8 minutes, cool it in cold water, then peel it.", "Boil the egg for 8 minutes"),
        ("It was 1,284.5 mm in March, and 61 mm in April, as it seems to me.", None),  # both values are asked for
        ("It is so. Nobody could say exactly why all of this came to be that way", None),  # too little is left
        ("no borders at all but many words that go on and on without an end", None),
    ],
)
def test_what_is_still_too_long_gives_way_to_its_own_clauses(answer: str, part: str | None) -> None:
    assert part_of(answer, TEN[0]) == (answer if part is None else part)


@given(st.text(max_size=80), st.integers(1, 20))
def test_a_part_stands_in_the_answer_and_fits_or_is_all_of_it(answer: str, most: int) -> None:
    limit = Limit(most, "words")
    part = part_of(answer, limit)
    assert part == answer or (part in answer.strip() and limit.count(part) <= most)


def test_nothing_is_asked_where_nothing_is_too_long() -> None:
    asked, ask = replying()
    assert shortened(LONG, [Limit(50, "words")], wording("en"), ask) == LONG
    assert shortened(LONG, [], wording("en"), ask) == LONG
    assert asked == []
