from decimal import Decimal

import pytest

from memory_secretary.nodes.limits import HOLDS, bounds_in


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("more than 320 loans", [("over", 320)]),
        ("loans above our limit of 1,320", [("over", 1320)]),
        ("if loans exceed €320.50", [("over", Decimal("320.5"))]),
        ("no more than 320", [("upto", 320)]),
        ("loans do not exceed 320", [("upto", 320)]),
        ("at least 320", [("from", 320)]),
        ("not fewer than 320", [("from", 320)]),
        ("320 loans or more", [("from", 320)]),
        ("320+ loans", [("from", 320)]),
        ("320 or fewer", [("upto", 320)]),
        ("between 200 and 320", []),
        ("less than 320, more than 100", [("under", 320), ("over", 100)]),
        ("more loans in 2025", []),
        ("超过320", [("over", 320)]),
        ("超过了三百二十册", [("over", 320)]),
        ("不超过320", [("upto", 320)]),
        ("320册以上", [("from", 320)]),
        ("320以下", [("upto", 320)]),
        ("不到320册", [("under", 320)]),
        ("不少于320", [("from", 320)]),
        ("没达到320", [("under", 320)]),
        ("达到３２０", [("from", 320)]),
        ("一共320册", []),
        ("超过3月的数", []),
    ],
)
def test_a_number_is_a_limit_by_the_words_around_it(text, bounds):
    assert [(bound.relation, bound.value) for bound in bounds_in(text)] == bounds


def test_every_direction_says_which_values_it_holds_for():
    held = {
        relation: [value for value in (1, 2, 3) if holds(Decimal(value), Decimal(2))]
        for relation, holds in HOLDS.items()
    }
    assert held == {"over": [3], "from": [2, 3], "under": [1], "upto": [1, 2]}
