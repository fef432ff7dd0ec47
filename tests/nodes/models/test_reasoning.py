import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.models.reasoning import strip_reasoning


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ('<think>maybe she moved</think>{"facts":["lives in Brno"]}', '{"facts":["lives in Brno"]}'),
        ('she said…</think>{"facts":["lives in Brno"]}', '{"facts":["lives in Brno"]}'),
        ("Sure. <think>let me re", ""),
        ("<think></think>", ""),
        ("<think>\n\n</think>\n\n你好", "你好"),
        ("<THINKING>a</THINKING>b", "b"),
        ("one <think>x</think>two <think>y</think>three", "one two three"),
        ("<think>about <think> tags</think>done", "done"),
        ("<think>a</think>still b</think>c", "c"),
        ("[THINK]hm[/THINK]ok", "ok"),
        ("◁think▷hm◁/think▷ok", "ok"),
        ("plain words", "plain words"),
        ("", ""),
    ],
)
def test_reasoning_is_cut_out(reply, left):
    assert strip_reasoning(reply) == left


def test_tags_that_are_talked_about_stay():
    assert strip_reasoning("In HTML `<think>` is no element.") == "In HTML `<think>` is no element."


def test_a_reply_that_is_json_as_a_whole_is_left_alone():
    reply = '{"answer": "the <think> tag is not closed"}'
    assert strip_reasoning(reply) == reply


@given(st.text(), st.text())
def test_what_stands_in_a_closed_block_never_comes_through(secret, answer):
    left = strip_reasoning(f"<think>SECRET{secret}SECRET</think>{answer}")
    assert "SECRET" not in left or "</think>" in secret + answer or "SECRET" in secret + answer


@given(st.lists(st.sampled_from(["<think>", "</think>", "[THINK]", "a", "{", '"', "`", "</thought>"])).map("".join))
def test_stripping_never_raises_and_twice_changes_nothing(reply):
    once = strip_reasoning(reply)
    assert strip_reasoning(once) == once
