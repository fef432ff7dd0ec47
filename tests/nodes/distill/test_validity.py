"""Days from and until which something holds, in both languages, and where a document says so of itself."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from memory_secretary.nodes.distill.validity import Validity, named_by_model, validity, validity_of_document

MARCH = date(2026, 3, 31)
FIRST = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Valid until 31 March 2026.", None, MARCH),
        ("The offer expires on March 31, 2026", None, MARCH),
        ("Open from 1 March 2026 to 31 March 2026", FIRST, MARCH),
        ("Effective 2026-03-01.", FIRST, None),
        ("in force since 1 March 2026", FIRST, None),
        ("valid through 2026/03/31", None, MARCH),
        ("valid until the end of March 2026", None, MARCH),
        ("from March 2026", FIRST, None),
        ("有效期至2026年3月31日", None, MARCH),
        ("本制度自2026年3月1日起施行", FIRST, None),
        ("报名截止到 2026-03-31", None, MARCH),
        ("2026年3月1日至3月31日有效", FIRST, MARCH),
        ("活动时间：2026年3月1日至2026年3月31日", FIRST, MARCH),
        ("2026年3月31日前有效", None, MARCH),
        ("有效期：2026年3月底", None, None),
        ("有效期至2026年3月底", None, MARCH),
        ("The greenhouse was sold on 12 May 2026.", None, None),
        ("Submit it by 31 March 2026.", None, None),
        ("until further notice", None, None),
        ("valid until 31 February 2026", None, None),
        ("valid from 31 March 2026 until 1 March 2026", None, None),
        ("Version 2026-03-01", None, None),
    ],
)
def test_days_of_validity(text, first, last):
    assert validity(text) == Validity(first, last)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("This policy is valid until 31 March 2026.", True), ("Valid until: 31 March 2026", True),
        ("本规定有效期至2026年3月31日。", True), ("有效期至：2026年3月31日", True),
        ("The ferry runs until 31 March 2026.", False), ("小王的护照有效期至2026年3月31日。", False),
    ],
)  # fmt: skip
def test_only_what_a_document_says_of_itself_holds_for_all_of_it(text, found):
    assert validity_of_document(["Hotels cost 120 EUR.", text]) == (Validity(None, MARCH) if found else Validity())


def test_a_statements_own_days_outweigh_its_documents():
    own, document = Validity(None, MARCH), Validity(FIRST, date(2027, 1, 1))
    assert own.over(document) == Validity(FIRST, MARCH)
    assert Validity(date(2028, 1, 1)).over(document) == Validity()


def test_what_a_model_names_counts_only_where_it_stands_in_the_source():
    assert named_by_model("", "31.3.2026? 2026-03-31", "closes 31 March 2026") == Validity(None, MARCH)
    assert named_by_model("2026-04-01", "2026-03-30", "closes 31 March 2026") == Validity()


def test_a_day_lasts_to_its_end_in_the_zone():
    assert Validity(FIRST, MARCH).moments(UTC) == (
        datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC),
    )  # fmt: skip
