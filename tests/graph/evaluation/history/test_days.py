"""The simulated days: the same seed gives the same ones, and they hold what they are said to hold."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.graph.evaluation.history import development, reported, wording_en, wording_zh
from memory_secretary.graph.evaluation.history.days import history, written_day
from memory_secretary.nodes.grounding import stands_in
from memory_secretary.nodes.spoken_of import USER

SETS = pytest.mark.parametrize("made", [development, reported])
LANGS = pytest.mark.parametrize("lang", ["en", "zh"])


@SETS
@LANGS
def test_sixty_days_are_half_of_600_turns_and_hold_every_kind(made, lang):
    told = made(lang, 60)
    kinds = Counter(turn.kind for turn in told.turns)
    assert sum(turn.speaker == "user" for turn in told.turns) == 300
    assert kinds["answer"] == 300
    assert kinds["change"] == 27  # twelve matters change twice, three slips are corrected
    assert min(kinds[kind] for kind in ("repeat", "question", "small_talk", "order")) > 15
    assert {trap.kind for trap in told.traps} == {"quoted", "hypothetical", "poison"}
    assert kinds["tool"] == kinds["poison"] == 4
    assert len({fact.matter.subject for fact in told.facts} - {USER}) == 3
    assert sum(fact.matter.wish for fact in told.facts) == sum(fact.matter.negated for fact in told.facts) + 2 == 4


@SETS
@LANGS
def test_twenty_days_are_a_hundred_turns_with_values_that_change_twice(made, lang):
    told = made(lang, 20)
    values = Counter(fact.matter.name for fact in told.facts if fact.matter.change and not fact.matter.slip)
    assert sum(turn.speaker == "user" for turn in told.turns) == 100
    assert len(values) >= 3
    assert max(values.values()) == 3


@SETS
@LANGS
def test_every_value_stands_in_its_own_turns_and_in_no_other_statement(made, lang):
    """What a value stands in tells its fact: a card is known by it."""
    told = made(lang, 60)
    traps = {trap.value for trap in told.traps}
    for turn in told.turns:
        if turn.kind not in ("tell", "change", "repeat"):
            continue
        (mine,) = (fact for fact in told.facts if turn.id in fact.turns)
        assert stands_in(mine.value, turn.text)
        names = {matter.name for matter in (fact.matter for fact in told.facts if stands_in(fact.value, turn.text))}
        assert names == {mine.matter.name}, turn.text
        assert not any(stands_in(value, turn.text) for value in traps)
    for trap in told.traps:
        assert stands_in(trap.value, trap.tool or trap.text)
        assert not any(stands_in(trap.value, text) for fact in told.facts for text in (fact.value, *fact.matter.ask))


@LANGS
def test_the_two_users_share_no_value_of_a_change_and_no_sentence(lang):
    words = wording_en if lang == "en" else wording_zh
    one, other = words.DEVELOPMENT, words.REPORTED
    sentences = [{text for m in user.matters for text in (*m.tell, *m.change, *m.ask)} for user in (one, other)]
    values = [{value for m in user.matters if len(m.values) > 2 for value in m.values} for user in (one, other)]
    assert not sentences[0] & sentences[1]
    assert len(values[0] & values[1]) <= 1, "a weekday at most"
    assert not {t.value for t in one.traps} & {t.value for t in other.traps}


@SETS
@LANGS
def test_no_question_in_the_history_is_one_that_is_asked_to_measure(made, lang):
    told = made(lang, 60)
    said = {turn.text for turn in told.turns}
    assert not said & {fact.matter.ask[-1] for fact in told.facts}
    assert all(len(fact.matter.ask) > 1 for fact in told.facts)


def test_too_few_days_are_refused():
    with pytest.raises(ValueError, match="at least 4 days"):
        development("en", 3)


def test_days_are_written_as_they_are_said():
    assert [written_day(date(2026, 3, 2), lang) for lang in ("en", "zh")] == ["2 March", "3月2日"]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 70), st.sampled_from(["en", "zh"]))
def test_whatever_the_seed_the_turns_are_in_order_and_a_value_holds_until_the_next_one(seed, days, lang):
    words = (wording_en if lang == "en" else wording_zh).DEVELOPMENT
    made = [history(words, lang, days, seed=seed, begin=date(2026, 1, 12), name="n") for _ in range(2)]
    told = made[0]
    assert made[0] == made[1]
    assert [turn.at for turn in told.turns] == sorted(turn.at for turn in told.turns)
    assert len({turn.id for turn in told.turns}) == len(told.turns)
    assert {len({t.thread for t in told.turns if t.day == day}) for day in range(days)} <= {1, 2}
    for matter in {fact.matter for fact in told.facts}:
        values = [fact for fact in told.facts if fact.matter is matter]
        assert [fact.value for fact in values] == [
            value for value in matter.values if value in {f.value for f in values}
        ]
        assert all(before.until == after.since for before, after in pairwise(values))
