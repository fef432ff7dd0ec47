"""What does not grow: the prompt and the checkpoint of a long run and of a long chat; and what always fits."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool
from long_walk import LongWalk
from policy import PolicyModel, step

from memory_secretary.graph import Settings, build_graph, open_checkpointer
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.prompt import prompt_tokens, reply_room

THREAD = {"configurable": {"thread_id": "t1"}, "recursion_limit": 2000}
KB = 1024
STEPS = 300


def executor_prompts(model):
    return [prompt for prompt in model.prompts if "You carry out a task" in prompt[0].text]


def checkpoints(path):
    """The bytes of each checkpoint, oldest first."""
    with sqlite3.connect(path) as rows:
        return [size for (size,) in rows.execute("select length(checkpoint) from checkpoints order by checkpoint_id")]


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """A run of 300 steps in which the executor is asked each time: its prompts, its checkpoints, its result."""
    folder, world = tmp_path_factory.mktemp("walk"), LongWalk(STEPS)
    model = world.worker()
    chosen = Settings(user_id="ana", executor_window=2048, max_steps=STEPS + 10, carry=False)
    opened = TieredMemory.open(folder / "memory", embedder=None)
    with opened as memory, open_checkpointer(folder / "checkpoints.sqlite") as saver:
        graph = build_graph(model, memory=memory, tools=world.tools(), settings=chosen, checkpointer=saver)
        out = graph.invoke({"messages": [("user", world.goal)]}, THREAD)
    sizes = [prompt_tokens(prompt, estimate_tokens) for prompt in executor_prompts(model)]
    return world, out, sizes, checkpoints(folder / "checkpoints.sqlite")


def test_a_run_of_three_hundred_steps_does_each_once_and_ends_right(walked):
    world, out, _, _ = walked
    assert (out["status"], out["stop_reason"]) == ("done", "")
    assert world.opened == world.ids
    assert out["messages"][-1].text == f"The total is {sum(map(world.due, world.ids)):,} EUR."


def test_the_prompt_at_step_300_is_not_larger_than_at_step_20(walked):
    _, _, sizes, _ = walked
    assert len(sizes) > STEPS
    assert max(sizes[STEPS - 20 : STEPS]) <= 1.1 * max(sizes[10:30])
    assert sizes[STEPS] <= 1.1 * sizes[20]


def test_no_checkpoint_of_the_run_is_large(walked):
    _, _, _, written = walked
    assert len(written) > 4 * STEPS
    assert max(written) < 16 * KB, max(written)


@pytest.mark.parametrize(
    ("turns", "said", "answer"),
    [
        (
            200,
            "The barrel with number {} was moved from the hall to the yard and nobody has counted them. " * 2,
            "Noted. " * 28,
        ),
        (40, "第{}号木桶从长廊搬到了小院，之后没有人清点过。" * 8, "我已经记下它现在放在哪里。" * 15),
    ],
)
def test_no_checkpoint_of_a_chat_is_large(new_graph, tmp_path, turns, said, answer):
    assert all(170 < len(text) < 200 for text in (said, answer))
    model = PolicyModel(rule=lambda prompt: step("final_answer", answer=answer))
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = new_graph(model, checkpointer=saver)
        for number in range(turns):
            graph.invoke({"messages": [("user", said.format(*[number] * 8))]}, THREAD)
    written = checkpoints(tmp_path / "checkpoints.sqlite")
    assert len(written) > 4 * turns
    assert max(written) < 16 * KB, max(written)


# --- whatever the window, the tools and the history are -------------------------------------------------------------

WORDS = "barrel yard lantern crate ladder number 17 42.5 货架 仓库 移动 数量 record ABC-12 note\n".split(" ")
texts = st.builds(
    lambda words, times: " ".join(words * times), st.lists(st.sampled_from(WORDS), min_size=1), st.integers(1, 80)
)
short = st.builds(" ".join, st.lists(st.sampled_from(WORDS[:12]), min_size=3, max_size=25))


def tool(number, words, result):
    def run(key: str) -> str:
        return result

    return StructuredTool.from_function(run, name=f"get_thing_{number}", description=f"Get a thing. {words}")


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    window=st.integers(1536, 8192),
    described=st.lists(short, max_size=9),
    result=texts,
    goal=short,
    turn=short,
    history=st.lists(st.tuples(st.sampled_from(["user", "ai"]), texts), max_size=8),
)
def test_every_prompt_fits_and_keeps_system_tools_goal_and_turn(window, described, result, goal, turn, history):
    tools = [tool(number, words, result) for number, words in enumerate(described)]
    wanted = [step(each.name, key=f"k-{number}") for number, each in enumerate(tools)]
    replies = iter([*wanted, *wanted])
    model = PolicyModel(rule=lambda prompt: next(replies, step("final_answer", answer="So be it.")))
    chosen = Settings(user_id="ana", executor_window=window, max_steps=len(tools) + 2)
    with TieredMemory.open(":memory:", embedder=None) as memory:
        try:
            graph = build_graph(model, memory=memory, tools=tools, settings=chosen)
        except SettingsError:  # more tools than the window holds is refused when the graph is built
            assume(False)
        graph.invoke({"messages": [*history, ("ai", "Yes?"), ("user", f"GOAL {goal}")]}, THREAD)
        first = len(executor_prompts(model))
        graph.invoke({"messages": [("user", f"TURN {turn}")]}, THREAD)
    prompts = executor_prompts(model)
    assert 0 < first < len(prompts)
    for place, (system, user) in enumerate(prompts):
        assert prompt_tokens([system, user], estimate_tokens) <= window - reply_room(window)
        assert "You carry out a task" in system.text
        assert all(each.name in system.text for each in tools)
        assert (f"GOAL {goal}" if place < first else f"TURN {turn}") in user.text
