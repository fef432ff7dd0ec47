import pytest
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphInterrupt

from memory_secretary.nodes.observation import observed, tool_error


def test_an_exception_is_a_short_result():
    assert tool_error(ValueError("no such order: 订单17")) == "ValueError: no such order: 订单17"
    assert tool_error(KeyError()) == "KeyError: no message"
    long = tool_error(RuntimeError("x" * 1000))
    assert long == f"RuntimeError: {'x' * 400} … (600 more characters)"


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def test_an_exception_that_cannot_say_what_it_is_is_a_result_too():
    assert tool_error(Mute()).startswith("Mute: ")
    group = tool_error(ExceptionGroup("two faults", [ValueError("a"), ValueError("b")]))
    assert group == "ExceptionGroup: two faults (2 sub-exceptions)"


def test_langgraphs_own_signals_pass_through():
    with pytest.raises(GraphInterrupt):
        tool_error(GraphInterrupt())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("降雨量61毫米", "降雨量61毫米"),
        ("", ""),
        ([], ""),
        (["one", {"type": "text", "text": "two"}], "one\ntwo"),
        ([{"type": "image", "data": "x" * 100}], "[image, 129 characters]"),
        ([{"data": 1}], "[data, 11 characters]"),
        ([{"type": "text", "text": None}], "[text, 30 characters]"),
    ],
)
def test_whatever_a_tool_gives_back_is_text(content, text):
    assert observed(ToolMessage(content, tool_call_id="c1")) == text
