from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI

from memory_secretary.nodes.models.dialect import Dialect, adapted, outline, response_format, shaped, spoken, weaker
from memory_secretary.nodes.models.handle import Structured
from memory_secretary.nodes.models.resolve import resolve_model

SCHEMA = {"type": "object", "properties": {"城市": {"type": "string", "maxLength": 9}}, "required": ["城市"]}
PROMPT = [SystemMessage("Be brief."), HumanMessage("Where is the depot?")]
PLAIN = Dialect()


def texts(messages):
    return [(message.type, message.text) for message in messages]


# --- messages --------------------------------------------------------------------------------------------------------


def test_the_prompt_that_every_step_sends_stays_as_it_is():
    assert shaped(PROMPT, PLAIN) == PROMPT
    assert shaped(PROMPT, PLAIN, SCHEMA) == PROMPT


def test_system_messages_in_front_become_one_and_later_ones_part_of_the_users_turn():
    sent = [
        SystemMessage("One."),
        SystemMessage("Two."),
        HumanMessage("Hi."),
        SystemMessage("一步。"),
        AIMessage("Yes."),
    ]
    assert texts(shaped(sent, PLAIN)) == [("system", "One.\n\nTwo."), ("human", "Hi.\n\n一步。"), ("ai", "Yes.")]


def test_without_system_messages_the_text_opens_the_first_turn_and_the_given_messages_are_not_changed():
    assert texts(shaped(PROMPT, Dialect(system=False))) == [("human", "Be brief.\n\nWhere is the depot?")]
    assert texts(PROMPT) == [("system", "Be brief."), ("human", "Where is the depot?")]


def test_calls_and_results_of_tools_are_never_joined():
    calls = [AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": n}]) for n in ("c1", "c2")]
    sent = [HumanMessage("Go."), *calls, ToolMessage("x", tool_call_id="c1"), ToolMessage("y", tool_call_id="c2")]
    assert shaped(sent, PLAIN) == sent


@pytest.mark.parametrize("mode", [Structured.OBJECT, Structured.TEXT])
def test_a_schema_that_the_server_does_not_hold_stands_in_words_with_the_word_json_and_without_limits(mode):
    first, last = shaped(PROMPT, Dialect(structured=mode), SCHEMA)
    assert first == PROMPT[0]
    assert last.text.startswith("Where is the depot?")
    assert "城市" in last.text
    assert " json object" in last.text
    assert "maxLength" not in last.text


def test_a_schema_in_words_is_the_form_of_the_reply():
    step = {
        "type": "object", "required": ["action", "input"],
        "properties": {
            "action": {"const": "read_file"},
            "input": {"type": "object", "properties": {"path": {"type": "string"}, "start": {"type": "integer"}},
                      "required": ["path"]},
        },
    }  # fmt: skip
    other = {"type": "object", "properties": {"choice": {"enum": ["i1", 2]}}, "required": ["choice"]}
    both = {"type": "object", "properties": {"step": {"anyOf": [step, other]}}, "required": ["step"]}
    assert outline(both) == (
        '{"step": {"action": "read_file", "input": {"path": string, "start"?: integer}} or\n{"choice": "i1" or 2}}'
    )


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "array", "items": {"type": "number"}}, "[number, …]"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "{…: string}"), ({"type": "object"}, "object"),
        ({}, "any"), (True, "any"), ({"oneOf": [{"type": "string"}, {"type": "null"}]}, "string or\nnull"),
    ],
)  # fmt: skip
def test_each_kind_of_schema_has_its_form(schema, said):
    assert outline(schema) == said


turns = st.lists(
    st.builds(lambda kind, text: kind(text), st.sampled_from([SystemMessage, HumanMessage, AIMessage]), st.text()),
    min_size=1,
)


@given(turns, st.booleans())
def test_turns_alternate_one_system_message_stands_first_and_no_word_is_lost(messages, system):
    out = shaped(messages, Dialect(system=system))
    kinds = [message.type for message in out]
    assert all(before != after for before, after in pairwise(kinds))
    assert "system" not in (kinds[1:] if system else kinds)
    assert "".join("".join(m.text for m in out).split()) == "".join("".join(m.text for m in messages).split())


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refusal", "change"),
    [
        (
            "Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead.",
            {"limit": "max_completion_tokens"},
        ),
        ("'temperature' does not support 0.0 with this model", {"temperature": False}),
        ("parameter.enable_thinking must be set to false for non-streaming calls", {"thinking": False}),
        ("Json mode response is not supported when enable_thinking is true", {"thinking": False}),
        ("System role not supported", {"system": False}),
        ("Conversation roles must alternate user/assistant/user/assistant/...", {"system": False}),
        ("Developer instruction is not enabled for models/gemma-3-4b-it", {"system": False}),
        ("This response_format type is unavailable now", {"structured": Structured.OBJECT}),
        ("failed to parse grammar", {"structured": Structured.OBJECT}),
        ("json: cannot unmarshal object into Go struct field ChatRequest.format", {"structured": Structured.OBJECT}),
    ],
)
def test_what_a_refusal_names_is_done_without(refusal, change):
    assert adapted(PLAIN, refusal) == Dialect(**change)


@pytest.mark.parametrize("refusal", ["the content was flagged", "internal error", ""])
def test_a_refusal_that_names_nothing_changes_nothing(refusal):
    assert adapted(PLAIN, refusal) is None


@given(
    st.lists(st.sampled_from(["system role", "temperature", "enable_thinking", "schema", "use max_completion_tokens"]))
)
def test_every_change_is_one_thing_more_so_that_adapting_ends(words):
    dialect, changes = PLAIN, 0
    while (better := adapted(dialect, " ".join(words))) is not None:
        dialect, changes = better, changes + 1
    assert changes <= 6


def test_the_ways_of_asking_for_json_grow_weaker_and_end():
    first = weaker(PLAIN)
    assert first.structured is Structured.OBJECT
    assert weaker(first).structured is Structured.TEXT
    assert weaker(weaker(first)) is None


# --- options ---------------------------------------------------------------------------------------------------------


def test_options_go_where_the_server_takes_them_and_what_the_user_put_in_stays():
    model = ChatOpenAI(
        model="m", base_url="http://127.0.0.1:1/v1", api_key="none", temperature=0, extra_body={"ttl": 3}
    )
    handle = resolve_model(model, window=512)
    ready = spoken(handle, Dialect(temperature=False, thinking=False, limit="max_completion_tokens"))
    assert (ready.model.temperature, ready.limit) == (None, "max_completion_tokens")
    assert ready.model.extra_body["ttl"] == 3
    assert ready.model.extra_body["enable_thinking"] is False
    assert (model.temperature, model.extra_body) == (0, {"ttl": 3}), "the user's own client is not changed"
    assert spoken(handle, PLAIN).model is model


def test_other_clients_than_openais_keep_their_options():
    handle = resolve_model("ollama:m", window=512)
    assert spoken(handle, Dialect(temperature=False, thinking=False)) is handle


def test_formats_are_in_openais_words():
    assert response_format(Structured.SCHEMA, SCHEMA)["json_schema"]["schema"] == SCHEMA
    assert response_format(Structured.OBJECT, SCHEMA) == {"type": "json_object"}
    assert response_format(Structured.TEXT, SCHEMA) is None
