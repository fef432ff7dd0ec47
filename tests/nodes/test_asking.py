"""What ``ask`` gives the executor: an answer with its records, or the nearest records and why there is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.memory.records import Recalled
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.asking import answered, ask_tool
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.nodes.spending import Allowance


def hit(ref, text, start=0):
    return Recalled(
        ref=ref, source="event", text=text, score=0.9, at=datetime(2026, 3, 1, tzinfo=UTC), status="active", start=start
    )


HITS = [hit("evt_a", "The north tank holds 120 litres."), hit("evt_b", "The south tank holds 340 litres.", 40)]
QUESTION = "How much does the south tank hold?"


def secretary(model, *, window=4096, left=Allowance(9, 100_000)):  # noqa: B008 - frozen
    return Secretary(resolve_model(model, window=window), window=window, left=left)


def test_an_answer_comes_with_the_record_that_says_it(scripted_model):
    asked = secretary(scripted_model.enqueue({"records": ["2"], "answer": "It holds 340 litres."}))
    shown = answered(QUESTION, "Which tank is larger?", HITS, asked)
    assert shown == "It holds 340 litres.\n- evt_b from 40 (2026-03-01): The south tank holds 340 litres."
    prompt = scripted_model.history[0][-1].text
    assert QUESTION in prompt and "2. (2026-03-01) The south tank" in prompt and asked.tally.calls == 1


@pytest.mark.parametrize(
    "reply",
    [
        {"records": ["2"], "answer": "It holds 999 litres."},
        {"records": ["1"], "answer": "It holds 340 litres."},
        {"records": [], "answer": "It holds 340 litres."},
        {"records": ["7"], "answer": "It holds 340 litres."},
        {"records": ["2"], "answer": "  "},
        {"records": "2", "answer": "It holds 340 litres."},
        {"answer": None},
        {},
    ],
)
def test_what_stands_in_no_chosen_record_is_not_passed_on(scripted_model, reply):
    shown = answered(QUESTION, "", HITS, secretary(scripted_model.enqueue(reply)))
    first, *quoted = shown.splitlines()
    assert first == "The records do not say it for certain. Nearest:" and "999" not in shown
    assert [line.split()[1] for line in quoted] == ["evt_a", "evt_b"]


@pytest.mark.parametrize(
    ("reply", "left"),
    [(ModelUnreachable("no answer", zh="没有回答"), Allowance(9, 9_000)), (None, Allowance(0, 9_000)),
     (None, Allowance(9, 0)), ("no JSON", Allowance(9, 9_000))],
)  # fmt: skip
def test_without_the_secretary_the_nearest_records_are_shown_with_the_reason(scripted_model, reply, left):
    model = scripted_model.enqueue(*([reply] if reply else []))
    shown = answered(QUESTION, "", HITS, secretary(model, left=left))
    assert shown.startswith("The secretary could not answer (") and "evt_a" in shown and "340" in shown


def test_an_empty_question_is_refused_before_anything_is_searched():
    tool = ask_tool(lambda runtime: pytest.fail("searched"), lambda runtime: pytest.fail("asked"))
    graph = StateGraph(MessagesState).add_node("tools", ToolNode([tool])).add_edge(START, "tools").compile()
    call = {"name": "ask", "args": {"question": "  "}, "id": "c1"}
    assert "question is empty" in graph.invoke({"messages": [AIMessage("", tool_calls=[call])]})["messages"][-1].text


def test_nothing_recorded_costs_no_call(scripted_model):
    asked = secretary(scripted_model)
    assert answered("Where is it?", "", [], asked) == 'Nothing recorded fits "Where is it?".'
    assert asked.tally.calls == 0


def test_in_chinese(scripted_model):
    hits = [hit("evt_c", "南罐存油340升。")]
    with speaking("zh"):
        model = scripted_model.enqueue({"records": ["1"], "answer": "南罐存油340升。"}, {"records": [], "answer": ""})
        assert answered("南罐有多少油？", "", hits, secretary(model)).startswith("南罐存油340升。\n- evt_c")
        assert answered("南罐有多少油？", "", hits, secretary(model)).startswith("记录中没有确切说明。")


@pytest.mark.parametrize("text", ["The tank holds oil. " * 2_000, "油罐里还有油。" * 3_000])
def test_long_records_fit_the_window(scripted_model, text):
    asked = secretary(scripted_model.enqueue({"records": [], "answer": ""}), window=1024)
    shown = answered("oil? 油？" * 40, "goal 目标 " * 300, [hit(f"evt_{n}", text) for n in range(8)], asked)
    size = sum(estimate_tokens(message.text) + 12 for message in scripted_model.history[0])
    assert size + 256 <= 1024 and estimate_tokens(shown) < 400
