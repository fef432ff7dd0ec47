"""A short task with a real 0.5B on llama.cpp's server: the kind of result, never the model's wits."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI

from memory_secretary.graph import Settings, build_graph
from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.tools.workspace import workspace_tools

pytestmark = pytest.mark.model

WINDOW, STEPS = 2048, 4


@pytest.fixture(scope="module")
def handle():
    """The embedded 0.5B; one server for both tests."""
    made = resolve_model("embedded:0.5b", window=WINDOW)
    yield made
    made.close()


@pytest.fixture
def tools(tmp_path):
    folder = tmp_path / "files" / "notes"
    folder.mkdir(parents=True)
    for name, litres in [("north", 120), ("south", 340)]:
        (folder / f"{name}.txt").write_text(f"The {name} tank holds {litres} litres of oil.", "utf-8")
    return workspace_tools(tmp_path / "files")


def run(executor, memory, tools, thread):
    settings = Settings(user_id="ana", executor_window=WINDOW, secretary_window=WINDOW, max_steps=STEPS)
    graph = build_graph(executor, memory=memory, tools=tools, settings=settings)
    goal = "Read notes/north.txt and notes/south.txt. Which tank holds more oil?"
    chunks, out = [], {}
    for mode, part in graph.stream(
        {"messages": [("user", goal)]}, {"configurable": {"thread_id": thread}}, stream_mode=["custom", "values"]
    ):
        if mode == "custom":
            chunks.append(part)
        else:
            out = part
    return goal, chunks, out


def assert_kind(memory, thread, goal, chunks, out):
    assert isinstance(out["messages"][-1], AIMessage)
    assert out["messages"][-1].text.strip()
    assert out["status"] in ("done", "stopped")
    assert bool(out["stop_reason"]) == (out["status"] == "stopped")
    assert 1 <= out["figures"]["steps"] <= STEPS
    plans = [chunk for chunk in chunks if chunk["node"] == "plan" and "answer" not in chunk]
    assert all(0 < chunk["prompt_tokens"] <= WINDOW for chunk in plans)
    assert out["figures"]["largest_prompt"] <= WINDOW
    events = memory.events(Scope(user="ana", thread=thread))
    assert (events[0].action, events[0].observation) == ("request", goal)
    assert [event.action for event in events[-2:]] == ["answer", "completion"]
    assert events[-2].observation == out["messages"][-1].text
    intents = [event for event in events if event.phase is Phase.INTENT]
    assert (
        len(intents)
        == out["figures"]["tool_calls"]
        == sum(chunk["node"] == "act" and chunk["ref"] != "" for chunk in chunks)
    )
    return plans


def test_the_embedded_model_ends_a_short_task_inside_its_window(handle, memory, tools):
    goal, chunks, out = run(handle, memory, tools, "t1")
    plans = assert_kind(memory, "t1", goal, chunks, out)
    assert all(chunk["replies"] == 1 for chunk in plans if not chunk["problem"]), "held to the schema, asked once"


def test_a_chat_openai_of_the_users_own_on_the_same_server_gives_the_same_kind_of_result(handle, memory, tools):
    assert isinstance(handle.model, ChatOpenAI)
    assert_kind(memory, "t2", *run(handle.model, memory, tools, "t2"))


async def test_every_way_of_calling_gives_the_same_kind_of_result(handle, memory, tools):
    settings = Settings(user_id="ana", executor_window=WINDOW, secretary_window=WINDOW, max_steps=1)
    graph = build_graph(handle, memory=memory, tools=tools, settings=settings)
    asked = {"messages": [("user", "Say hello.")]}
    config = {"configurable": {"thread_id": "w1"}, "recursion_limit": 50}
    [of_batch] = await asyncio.to_thread(graph.batch, [asked], [config])
    for out in (await graph.ainvoke(asked, {**config, "configurable": {"thread_id": "w2"}}), of_batch):
        assert isinstance(out["messages"][-1], AIMessage)
        assert out["messages"][-1].text.strip()
        assert 0 < out["figures"]["largest_prompt"] <= WINDOW
