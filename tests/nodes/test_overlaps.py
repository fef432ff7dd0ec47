"""Of two cards of the same words of a turn, one stays where it says what the other does."""

from __future__ import annotations

import pytest
from turns_said import said

from memory_secretary.memory.records import Kind, MemoryType
from memory_secretary.nodes.grounded_cards import Grounded
from memory_secretary.nodes.overlaps import distinct, says_no_more
from memory_secretary.nodes.own_words import Line


def card(quote, content, *, ref="evt_1", kind=Kind.FACT):
    return Grounded(line=Line(said(quote, ref=ref), quote, "user"), content=content, type=MemoryType.FACT, kind=kind)


WHOLE = "I live in Brno and keep 12 hives."


@pytest.mark.parametrize(
    ("less", "more", "within"),
    [
        ("The user lives in Brno.", WHOLE, True),
        (WHOLE, "The user lives in Brno.", False),
        ("The user keeps 12 hives.", WHOLE, True),
        ("The user keeps 13 hives.", WHOLE, False),
        ("I eat meat.", "I never eat meat.", False),
        ("用户住在杭州。", "我住在杭州，对花生过敏。", True),
        ("用户住在苏州。", "我住在杭州，对花生过敏。", False),
        ("", WHOLE, False),
    ],
)
def test_what_is_part_of_another_wording_says_no_more(less, more, within):
    assert says_no_more(less, more) is within


@pytest.mark.parametrize("turned", [False, True])
def test_the_one_that_says_more_is_kept_in_whatever_order_they_come(turned):
    cards = [card("I live in Brno", "The user lives in Brno."), card(WHOLE, WHOLE)]
    assert [one.content for one in distinct(cards[::-1] if turned else cards)] == [WHOLE]


@pytest.mark.parametrize(
    "other",
    [
        card(WHOLE, "The user lives in Brno.", ref="evt_2"),
        card("I live in Brno, as you know.", "The user lives in Brno."),
        card(WHOLE, "The user lives in Brno.", kind=Kind.INFERENCE),
        card(WHOLE, "The user sells honey."),
    ],
)
def test_other_words_another_turn_and_what_was_concluded_stay(other):
    assert len(distinct([card(WHOLE, WHOLE), other])) == 2
