from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.nodes.turns import KEPT_CHARACTERS, kept, text_of, turn_of

REF = "evt_" + "0" * 32
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def numbered(*messages):
    """The messages under the ids m0, m1 …"""
    return [message.model_copy(update={"id": f"m{n}"}) for n, message in enumerate(messages)]


def turn(*messages, taken=""):
    return turn_of({"messages": numbered(*messages), "request": taken})


@pytest.mark.parametrize(
    ("messages", "request_"),
    [
        ([HumanMessage("a")], ["a"]),
        ([HumanMessage("a"), HumanMessage("b"), HumanMessage("c")], ["a", "b", "c"]),
        ([HumanMessage("a"), AIMessage("x"), HumanMessage("b")], ["b"]),
        ([HumanMessage("a"), AIMessage("x")], ["a"]),
        ([HumanMessage("a"), SystemMessage("s"), HumanMessage("b"), AIMessage("x")], ["a", "b"]),
        ([HumanMessage("a"), ToolMessage("t", tool_call_id="1"), HumanMessage("b")], ["b"]),
    ],
)
def test_the_request_is_what_the_user_said_last_and_nobody_answered_in_between(messages, request_):
    found = turn(*messages)
    assert [message.text for message in found.request] == request_
    assert found.text == "\n\n".join(request_)
    assert len(found.messages) == len(messages)


def test_what_was_taken_up_is_not_taken_up_again():
    conversation = (HumanMessage("a"), AIMessage("x"), HumanMessage("b"), AIMessage("y"))
    assert turn(*conversation, taken="m3") is None
    assert [m.text for m in turn(*conversation, taken="m1").messages] == ["b", "y"]
    assert turn(taken="") is None


def test_when_the_last_one_taken_up_was_removed_only_a_users_at_the_end_is_new():
    assert turn(HumanMessage("a"), AIMessage("x"), taken="gone") is None
    assert [m.text for m in turn(HumanMessage("a"), HumanMessage("b"), taken="gone").messages] == ["b"]


def test_system_messages_hold_for_the_thread_until_others_are_handed_in():
    old, new = SystemMessage("In French."), SystemMessage("In German.")
    later = (old, HumanMessage("a"), AIMessage("x"))
    assert [m.text for m in turn(*later, HumanMessage("b"), taken="m2").rules] == ["In French."]
    assert [m.text for m in turn(*later, new, HumanMessage("b"), taken="m2").rules] == ["In German."]


@pytest.mark.parametrize("content", ["", " \n\t", [], [IMAGE], [{"type": "text", "text": " "}, IMAGE]])
def test_a_message_without_words_asks_for_words(content):
    with pytest.raises(InvalidRecord, match="say what is to be done") as caught:
        turn(HumanMessage(content))
    assert "请说明要做什么" in caught.value.sentence("zh")


def test_a_system_message_alone_asks_for_the_users():
    with pytest.raises(InvalidRecord, match='add what is wanted as \\("user"') as caught:
        turn(SystemMessage("Be nice."))
    assert "用户消息" in caught.value.sentence("zh")


def test_text_is_taken_from_blocks_and_an_image_is_named():
    message = HumanMessage([{"type": "text", "text": "What is this?"}, IMAGE])
    assert text_of(message).startswith("What is this?\n[image_url, ")
    assert text_of(message).endswith("not understood, only text is]")
    assert "AAAA" not in text_of(message)
    with speaking("zh"):
        assert "无法理解" in text_of(message)


def test_the_calls_in_an_ai_message_are_no_words_of_it():
    assert text_of(AIMessage([{"type": "tool_use", "id": "1", "name": "x", "input": {}}])) == ""


@given(st.text(max_size=3 * KEPT_CHARACTERS))
def test_what_the_state_keeps_is_bounded_and_short_texts_stay_whole(text):
    short = kept(text, REF)
    assert len(short) <= KEPT_CHARACTERS
    assert (short == text) == (len(text) <= KEPT_CHARACTERS)


def test_a_shortened_text_says_how_to_read_the_rest():
    assert 'read_record("evt_00000000", start=' in kept("word " * 2000, REF)
