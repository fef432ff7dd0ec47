"""The form, and the sets that are shipped: every id exists, and evidence holds what the answer says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from recall_data import Conversation, load, parse

SETS = Path(__file__).parents[2] / "benchmarks" / "recall"
CATEGORIES = {"single-hop", "multi-hop", "temporal", "superseded", "no-answer"}


@pytest.fixture(params=["en", "zh"])
def conversation(request: pytest.FixtureRequest) -> Conversation:
    (found,) = load(SETS / f"{request.param}.jsonl")
    return found


def test_a_line_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="'remark'"):
        parse(['{"kind": "remark", "conversation": "c"}'])


def test_a_set_is_large_enough_and_has_every_category(conversation: Conversation) -> None:
    counts = Counter(question.category for question in conversation.questions)
    assert len(conversation.turns) >= 300
    assert len(conversation.questions) >= 100
    assert counts.keys() == CATEGORIES
    assert min(counts.values()) >= 15


def test_turns_are_dated_in_order_and_told_apart(conversation: Conversation) -> None:
    moments = [turn.at for turn in conversation.turns]
    assert moments == sorted(moments)
    assert all(moment.tzinfo is not None for moment in moments)
    assert len({turn.id for turn in conversation.turns}) == len(conversation.turns)
    assert len({turn.text for turn in conversation.turns if turn.speaker == "user"}) > 150


def test_evidence_exists_and_holds_the_answer_or_has_its_date(conversation: Conversation) -> None:
    turns = {turn.id: turn for turn in conversation.turns}
    for question in conversation.questions:
        sources = [turns[ref] for ref in question.evidence]
        known = " ".join(f"{turn.text} {turn.at.date()}" for turn in sources).casefold()
        missing = [part for part in re.split("、|, ", question.answer) if part.casefold() not in known]
        assert missing == [], question.text


def test_only_questions_without_an_answer_have_no_evidence(conversation: Conversation) -> None:
    for question in conversation.questions:
        answerable = question.category != "no-answer"
        assert bool(question.evidence) is bool(question.answer) is answerable, question.text


def test_a_multi_hop_question_rests_on_several_turns(conversation: Conversation) -> None:
    assert all(len(one.evidence) > 1 for one in conversation.questions if one.category == "multi-hop")


def test_the_values_of_superseded_facts_are_cards_that_name_one_another(conversation: Conversation) -> None:
    turns = {turn.id: turn for turn in conversation.turns}
    cards = {card.id: card for card in conversation.cards}
    by_turn = {turn: card for card in conversation.cards for turn in card.evidence}
    for card in cards.values():
        assert all(card.value in turns[ref].text for ref in card.evidence), card.id
        for former in card.supersedes:
            assert (cards[former].subject, cards[former].attribute) == (card.subject, card.attribute)
            assert cards[former].value != card.value
            assert cards[former].at < card.at
    asked = [question for question in conversation.questions if question.category == "superseded"]
    for question in asked:
        current = by_turn[question.evidence[0]]
        assert question.answer in current.value or current.value in question.answer
        assert [by_turn[ref].id for ref in question.superseded] == chain(cards, current.supersedes)
    assert {question.category for question in conversation.questions if question.superseded} == {"superseded"}


def chain(cards: dict[str, object], ids: tuple[str, ...]) -> list[str]:
    """The former cards, oldest first."""
    found: list[str] = []
    while ids:
        found[:0] = ids
        ids = tuple(ref for one in ids for ref in cards[one].supersedes)  # type: ignore[attr-defined]
    return found
