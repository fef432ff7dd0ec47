"""Every way of calling the graph gives the same run; what is streamed is the answer, not the step's JSON."""

from __future__ import annotations

import json

import pytest
from invoices import ANSWER, CONFIG, GOAL, World, clerk, make_graph
from langchain_core.messages import AIMessage

from memory_secretary.graph import open_checkpointer
from memory_secretary.graph.builder import NODES
from memory_secretary.memory.scope import Scope

ASKED = {"messages": [("user", GOAL)]}
KEYS = {"messages", "status", "stop_reason", "brief", "task_state", "figures"}


@pytest.fixture
def graph(tmp_path, memory):
    return make_graph(World(tmp_path), memory, clerk())


def assert_same_kind(out):
    assert set(out) >= KEYS
    assert isinstance(out["messages"][-1], AIMessage)
    assert (out["messages"][-1].text, out["status"], out["stop_reason"]) == (ANSWER, "done", "")
    assert out["task_state"]["goal"] == GOAL
    assert out["figures"]["tool_calls"] == 7


def test_invoke(graph):
    out = graph.invoke(ASKED, CONFIG)
    assert_same_kind(out)
    assert set(out) == KEYS


async def test_ainvoke(graph):
    assert_same_kind(await graph.ainvoke(ASKED, CONFIG))


async def test_ainvoke_with_the_checkpointer_of_scripts(tmp_path, memory):
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = make_graph(World(tmp_path), memory, clerk(), saver)
        assert_same_kind(await graph.ainvoke(ASKED, CONFIG))
        assert (await graph.aget_state(CONFIG)).values["status"] == "done"


def test_batch_over_several_threads_at_once_keeps_them_apart(graph, memory):
    configs = [{"configurable": {"thread_id": f"t{number}"}, "recursion_limit": 100} for number in range(4)]
    for out in graph.batch([ASKED] * 4, configs, context={"user_id": "bob"}):
        assert_same_kind(out)
    for number in range(4):
        actions = [event.action for event in memory.events(Scope(user="bob", thread=f"t{number}"))]
        assert actions.count("request") == actions.count("answer") == 1
        assert len(actions) == 17


def test_a_batch_that_names_no_recursion_limit_gets_langchains_and_still_ends_with_an_answer(graph):
    [out] = graph.batch([ASKED], [CONFIG])
    assert (out["status"], out["stop_reason"], out["figures"]["steps"]) == ("stopped", "step_limit", (25 - 1) // 4)
    assert "read_invoice(invoice_id=INV-3)" in out["messages"][-1].text


def test_updates_come_node_by_node(graph):
    updates = list(graph.stream(ASKED, CONFIG, stream_mode="updates"))
    assert [set(update) for update in updates[:5]] == [
        {name} for name in ("retrieve", "summarize", "plan", "act", "retrieve")
    ]
    assert list(updates[-1]) == ["precipitate"]


def test_values_end_with_the_result(graph):
    *_, last = graph.stream(ASKED, CONFIG, stream_mode="values")
    assert_same_kind(last)


def test_custom_chunks_are_plain_and_tell_of_every_node(graph):
    chunks = list(graph.stream(ASKED, CONFIG, stream_mode="custom"))
    assert {chunk["node"] for chunk in chunks} == set(NODES)
    assert json.loads(json.dumps(chunks)) == chunks
    assert all({"node", "step", "seconds"} <= set(chunk) for chunk in chunks)
    plans = [chunk for chunk in chunks if chunk["node"] == "plan"]
    assert [chunk["step"] for chunk in plans] == list(range(8))
    assert all(chunk["prompt_tokens"] < chunk["window"] == 2048 for chunk in plans)
    assert all((chunk["prompt_tokens"] > 0) == (chunk["replies"] > 0) for chunk in plans)


def test_messages_are_the_answer_and_nothing_of_the_steps(graph):
    streamed = [chunk.text for chunk, _ in graph.stream(ASKED, CONFIG, stream_mode="messages")]
    assert streamed == [ANSWER]


async def test_async_streams_say_the_same(graph):
    streamed = [chunk.text async for chunk, _ in graph.astream(ASKED, CONFIG, stream_mode="messages")]
    assert streamed == [ANSWER]
