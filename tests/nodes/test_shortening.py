from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from memory_secretary.nodes.answer_form import Limit
from memory_secretary.nodes.shortening import shortened, shorter_of
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
    middle, short = "Boil the egg in water for eight minutes, cool it, peel it.", "Boil the egg, cool it, peel it."
    asked, ask = replying(middle, short)
    assert shortened(LONG, TEN, wording(lang), ask) == short
    assert LONG in asked[0] and "10" in asked[0]
    assert middle in asked[1] and "7" in asked[1]
    stubborn, ask = replying(LONG, LONG)
    assert shortened(LONG, TEN, wording(lang), ask) == LONG
    assert len(stubborn) == 2


def test_nothing_is_asked_where_nothing_is_too_long() -> None:
    asked, ask = replying()
    assert shortened(LONG, [Limit(50, "words")], wording("en"), ask) == LONG
    assert shortened(LONG, [], wording("en"), ask) == LONG
    assert asked == []
