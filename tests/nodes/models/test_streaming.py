"""The answer is read out of a growing step exactly as it is read out of the whole one."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.models.border import find_json
from memory_secretary.nodes.models.streaming import AnswerReader

FEW = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ANSWERS = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/\n\t{}[]:,🤗家é\u2028'), max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANSWERS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=3,
)
OTHERS = st.dictionaries(
    st.text(max_size=8).filter(lambda key: key not in ("step", "action", "input", "answer")), JSON, max_size=2
)


@st.composite
def steps(draw, actions=("final_answer",)):
    """A step as text, in any order of keys and any spelling of JSON."""
    given_input = _shuffled(draw, draw(OTHERS) | {"answer": draw(ANSWERS)})
    step = _shuffled(draw, draw(OTHERS) | {"action": draw(st.sampled_from(actions)), "input": given_input})
    whole = _shuffled(draw, draw(OTHERS) | {"step": step}) if draw(st.booleans()) else step
    text = json.dumps(whole, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    before, after = draw(
        st.sampled_from([("", ""), ("```json\n", "\n```"), ("<think>{hm}</think>\n", ""), (" \n", " ")])
    )
    return before + text + after, given_input["answer"]


def _shuffled(draw, data):
    return dict(draw(st.permutations(list(data.items()))))


def pieces(text, cuts):
    """The text cut at every one of ``cuts``."""
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(places)]


def read(parts):
    reader = AnswerReader()
    return "".join(reader.feed(part) for part in parts)


@FEW
@given(steps(), st.lists(st.integers(0, 1000), max_size=12))
def test_however_a_reply_is_cut_the_deltas_are_the_answer(step, cuts):
    text, answer = step
    assert read(pieces(text, cuts)) == answer
    assert read(list(text)) == answer


@FEW
@given(steps(), st.integers(0, 1000))
def test_what_has_come_is_the_beginning_of_the_answer(step, cut):
    text, answer = step
    assert answer.startswith(read(pieces(text[: cut % (len(text) + 1)], [])))


@FEW
@given(steps(actions=("pay", "final_answe", "final_answer2", "", "something_else")))
def test_another_action_gives_nothing(step):
    assert read(list(step[0])) == ""


@FEW
@given(st.lists(st.sampled_from([r"\ud83e", r"\udd17", r"\u5bb6", "a", "🤗", r"\n"]), max_size=8))
def test_pairs_of_surrogates_are_joined_and_halves_replaced_as_in_the_whole(written):
    answer = "".join(written)
    text = f'{{"step": {{"action": "final_answer", "input": {{"answer": "{answer}"}}}}}}'
    assert read(list(text)) == find_json(text).data["step"]["input"]["answer"]


@FEW
@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text):
    read(list(text))
    read(list('{"step": {"action": "final_answer", "input": {"answer": "' + text))


@pytest.mark.parametrize(
    "text",
    [
        "The answer is 7.",
        'Here it is: {"action": "final_answer", "input": {"answer": "7"}}',
        '<think>{"action": "final_answer", "input": {"answer": "no"}}',
        '{"action": "final_answer", "input": "7"}',
        '{"other": {"action": "final_answer", "input": {"answer": "7"}}}',
        '{"step": {"step": {"action": "final_answer", "input": {"answer": "7"}}}}',
        '{"action": "final_answer", "thought": {"answer": "7"}}',
        "{'action': 'final_answer', 'input': {'answer': '7'}}",
    ],
)
def test_what_is_not_plainly_a_final_step_gives_nothing(text):
    assert read(list(text)) == ""


def test_the_answer_waits_for_its_action():
    reader = AnswerReader()
    assert reader.feed('{"step": {"input": {"answer": "seven"}, "act') == ""
    assert reader.feed('ion": "final_answer"') == "seven"


def test_a_broken_escape_ends_the_reading():
    reader = AnswerReader()
    assert reader.feed('{"action": "final_answer", "input": {"answer": "sev') == "sev"
    assert reader.feed(r"en \x and more") == "en "
    assert reader.feed("still more") == ""


def test_a_deep_value_beside_it_is_passed_over():
    deep = "[" * 5000 + "]" * 5000
    assert read([f'{{"thought": {deep}, "action": "final_answer", "input": {{"x": {deep}, "answer": "7"}}}}']) == "7"
