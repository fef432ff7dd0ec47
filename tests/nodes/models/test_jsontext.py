import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.models.jsontext import find_json

KIWI = {"facts": ["allergic to kiwi"]}


@pytest.mark.parametrize(
    ("reply", "data"),
    [
        ('```json\n{"facts": ["allergic to kiwi"]}\n```', KIWI),
        ('Here you go: {"facts": ["allergic to kiwi"]} Anything else?', KIWI),
        ("{'facts': ['allergic to kiwi',],}", KIWI),
        ('{"facts": ["allergic to kiwi"],}', KIWI),
        ('{"facts": ["uses {x} in templates"]}', {"facts": ["uses {x} in templates"]}),
        ('I put it in {x}: {"facts": ["allergic to kiwi"]}', KIWI),
        ('{ well, {"facts": ["allergic to kiwi"]}', KIWI),
        ('"{\\"facts\\": [\\"allergic to kiwi\\"]}"', KIWI),
        ("{'who': 'Tarek's sister', 'ok': True, 'n': None}", {"who": "Tarek's sister", "ok": True, "n": None}),
        ("{'said': 'a \"big\" dog'}", {"said": 'a "big" dog'}),
        ('{"text": "line one\nline two"}', {"text": "line one\nline two"}),
        ('好的，结果如下：{"城市": "布尔诺"}。', {"城市": "布尔诺"}),
        ('{"a": "True, she said, }"}', {"a": "True, she said, }"}),
        ("{}", {}),
    ],
)
def test_the_object_is_found(reply, data):
    assert find_json(reply).data == data


def test_two_objects_of_lists_are_one_answer_in_pieces():
    found = find_json('{"facts": ["keeps bees"]}\n{"facts": ["hates lifts", "keeps bees"]}')
    assert found.data == {"facts": ["keeps bees", "hates lifts"]}


def test_of_two_objects_the_one_with_the_required_keys_is_taken():
    assert find_json('{"note": 1} {"facts": []}', required=["facts"]).data == {"facts": []}
    assert find_json('{"note": 1} {"other": 2}').data == {"note": 1}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I found nothing worth keeping.", "no JSON object"),
        ("", "empty"),
        ("  \n", "empty"),
        ('{"older_than": "2026-01-', "cut off"),
        ('{"name": "delete", "arguments": {"older_than": 3}, "x": "cut', "cut off"),
        ('{"items": ["one", "two"', "cut off"),
        ("{x} and {y}", "no valid JSON"),
        ("[1, 2]", "no JSON object"),
        ('{"n": NaN}', "no valid JSON"),
        ('{"n": 1e999}', "no valid JSON"),
    ],
)
def test_what_is_no_object_has_a_reason(reply, reason):
    found = find_json(reply)
    assert found.data is None
    assert reason in found.problem


def test_half_characters_are_replaced_so_that_the_data_can_be_stored():
    data = find_json('{"text": "tail \\ud83e", "list": ["\\udc00"]}').data
    assert data == {"text": "tail \ufffd", "list": ["\ufffd"]}


def test_whole_characters_written_as_two_escapes_survive():
    assert find_json('{"text": "\\ud83d\\ude00"}').data == {"text": "😀"}


def test_endless_nesting_is_a_problem_and_no_crash():
    assert find_json('{"a":' * 100_000).data is None
    assert find_json('{"a":' * 5_000 + "1" + "}" * 5_000).data is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values), st.sampled_from(["", "Sure:\n", "```json\n", "好的："]))
def test_any_object_is_found_whatever_stands_before_it(data, before):
    assert find_json(f"{before}{json.dumps(data)}\n``` Bye.").data == data


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), min_size=1), st.data())
def test_an_object_that_is_cut_off_is_never_completed(data, draw):
    written = json.dumps(data)
    end = draw.draw(st.integers(min_value=1, max_value=len(written) - 1))
    assert find_json(written[:end]).data is None


@given(st.text(alphabet="{}[]'\",:\\ aTrue1.é\n") | st.text())
def test_nothing_a_model_may_write_raises(reply):
    found = find_json(reply)
    assert (found.data is None) == bool(found.problem)
