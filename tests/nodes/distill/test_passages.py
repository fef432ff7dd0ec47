"""Passages keep to sections and budgets; each statement stands word for word in its passage."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory.records import Event
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.distill.document import Block, Document
from memory_secretary.nodes.distill.passages import (
    STATEMENTS,
    TOKENS,
    count_of,
    passages_of,
    statements_in,
    statements_of,
)
from memory_secretary.nodes.distill.texts import read_markdown, rows


def event_of(text):
    return Event(
        event_id="evt_1", scope=Scope(user="ana"), parent=None, step=0, actor="tool", action="document", phase=None,
        thought="", arguments=None, observation=text, at=datetime(2026, 3, 1, tzinfo=UTC), zone="UTC", seq=1,
    )  # fmt: skip


def quotes(text):
    return [one.quote for one in statements_of(event_of(text))]


def test_a_passage_stands_under_one_heading_and_an_edit_changes_its_section_only():
    before = read_markdown("# A\n\n## B\n\nOne. Two.\n\n## C\n\nThree.\n")
    after = read_markdown("# A\n\n## B\n\nOne. Two and more. New.\n\n## C\n\nThree.\n")
    first, second = (passages_of(document, 8192) for document in (before, after))
    assert [passage.heading for passage in first] == ["A › B", "A › C"]
    assert first[1].digest == second[1].digest
    assert first[0].digest != second[0].digest


def test_the_names_of_columns_stand_in_every_passage_of_a_long_table():
    lines = [["city", "limit"], *([f"City {n}", f"{n} EUR"] for n in range(20))]
    made = passages_of(Document("Limits", tuple(rows(lines))), 8192)
    assert [count_of(passage) for passage in made] == [8, 8, 4]
    last = statements_of(event_of(made[-1].text))
    assert (last[0].quote, last[0].bare) == ("City 16 | 16 EUR", "city: City 16; limit: 16 EUR")
    assert last[0].text == "Limits: city: City 16; limit: 16 EUR"


def test_a_long_paragraph_is_parted_between_statements():
    text = " ".join(f"Rule {n} holds for everybody." for n in range(20))
    made = passages_of(Document("Rules", (Block(text),)), 8192)
    assert [count_of(passage) for passage in made] == [8, 8, 4]
    assert [quote for passage in made for quote in quotes(passage.text)] == text.replace(". ", ".\n").split("\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Ames called. It was late.", ["Dr. Ames called. It was late."]),
        ("Bring approx. 50 nails. The shop closes at 5.", ["Bring approx. 50 nails.", "The shop closes at 5."]),
        ("年假12天。须提前申请。", ["年假12天。", "须提前申请。"]),
        ("It costs 1.5 EUR. Call 555.", ["It costs 1.5 EUR.", "Call 555."]),
        ("----\n***", []),
    ],
)  # fmt: skip
def test_statements_are_sentences_that_can_stand_alone(text, expected):
    assert quotes(f"Heading\n{text}") == expected


def test_a_heading_that_repeats_the_title_stands_once():
    [made] = passages_of(Document("People", (Block("Ana is here.", ("People",)),)), 8192)
    assert made.heading == "People"


def test_a_passage_that_stands_twice_is_one():
    assert len(passages_of(read_markdown("# A\n\n## B\n\nSame.\n\n## B\n\nSame.\n"), 8192)) == 1


BLOCK = st.builds(
    Block,
    st.text(alphabet="ab1 .。!?年 e\u3002,;", min_size=1, max_size=900).map(lambda text: " ".join(text.split()) or "x"),
    st.sampled_from([(), ("H",), ("H", "I")]),
)


@given(st.lists(BLOCK, min_size=1, max_size=12), st.sampled_from([1024, 4096, 8192, 100_000]))
def test_passages_hold_all_text_within_the_budget_and_quotes_stand_in_them(blocks, window):
    made = passages_of(Document("T", tuple(blocks)), window)
    assert len({passage.digest for passage in made}) == len(made)
    whole = "".join("".join(passage.lines) for passage in made)
    for block in blocks:
        assert all(word in whole for word in block.text.split() if word.isalpha() and len(word) < 100)
    for passage in made:
        found = statements_of(event_of(passage.text))
        assert 0 < count_of(passage) <= STATEMENTS
        assert len(found) == 1 or estimate_tokens("".join(passage.lines)) <= 1.5 * TOKENS
        assert all(one.quote in passage.text and one.quote for one in found)


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (
            "路灯不亮：赵磊报修。（未完成）车棚加锁。（已完成）",
            ["路灯不亮：赵磊报修。（未完成）", "车棚加锁。（已完成）"],
        ),
        ("The lamp is out. (Open.) The lock is here.", ["The lamp is out. (Open.)", "The lock is here."]),
    ],
)
def test_brackets_behind_a_sentence_belong_to_it(text, statements):
    assert list(statements_in(read_markdown(text))) == statements
