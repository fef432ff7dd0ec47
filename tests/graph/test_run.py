"""Whole runs of the assembled graph: what it records, what it never does, and how it ends when things go wrong."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from itertools import pairwise

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import ToolException, tool
from policy import PolicyModel, example_worker, labels, step

from memory_secretary.graph import Settings, build_graph, open_checkpointer
from memory_secretary.graph.evaluation.example_task import check, perfect_calls, variant
from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.options import MECHANISMS
from memory_secretary.nodes.prompt import prompt_tokens
from memory_secretary.tools.calculator import calculator_tool
from memory_secretary.tools.example_workspace import copy_example
from memory_secretary.tools.workspace import workspace_tools

THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")
KB = 1024


def ask(text):
    return {"messages": [("user", text)]}


def always(*reply, **arguments):
    """A model with one thing to say."""
    return PolicyModel(rule=lambda prompt: step(*reply, **arguments) if arguments or reply else "")


def then_answers(first, answer="done"):
    """A model that takes one step and answers as soon as the brief shows that it was tried."""
    return PolicyModel(rule=lambda prompt: step("final_answer", answer=answer) if "→" in prompt else first)


# --- the example task -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("seed", range(1, 7))
def test_a_capable_worker_does_the_example_with_a_small_window(tmp_path, memory, seed, lang):
    task, workspace = variant(seed, lang), copy_example(tmp_path / "workspace")
    model = PolicyModel(rule=example_worker(task))
    tools = [*workspace_tools(workspace), calculator_tool()]
    settings = Settings(user_id="ana", executor_window=2048, secretary_window=4096, max_steps=30)
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        out = build_graph(model, memory=memory, tools=tools, settings=settings, checkpointer=saver).invoke(
            ask(task.goal), THREAD
        )
    answer = out["messages"][-1].text
    assert (out["status"], out["stop_reason"]) == ("done", "")
    assert check(task, answer, workspace).right
    assert out["figures"]["tool_calls"] >= 12
    assert out["figures"]["repeats"] == 0
    assert_prompts_fit(model, executor=2048, secretary=4096)
    assert_recorded_verbatim(memory, task, workspace, answer)
    assert largest_checkpoint(tmp_path / "checkpoints.sqlite") < 16 * KB


def assert_prompts_fit(model, *, executor, secretary):
    """Every prompt leaves room for its reply, by the counter that the graph itself uses."""
    for prompt in model.prompts:
        ours = "You carry out a task with tools" in prompt[0].text
        assert prompt_tokens(prompt, estimate_tokens) < (executor if ours else secretary)


def assert_recorded_verbatim(memory, task, workspace, answer):
    events = memory.events(SCOPE)
    assert (events[0].actor, events[0].action, events[0].observation) == ("user", "request", task.goal)
    calls = [(event.action, event.arguments) for event in events if event.phase is Phase.INTENT]
    assert all(call in calls for call in perfect_calls(task)[:-1])
    assert all(event.thought for event in events if event.phase is Phase.INTENT)
    results = {
        event.arguments["path"]: event.observation
        for event in events
        if event.phase is Phase.RESULT and "path" in event.arguments
    }
    assert {path: (workspace / path).read_text("utf-8") for path in task.depot.reports}.items() <= results.items()
    assert [(event.action, event.observation) for event in events[-2:]] == [("answer", answer), ("completion", "done")]
    assert all(event.parent == before.event_id for before, event in pairwise(events))


def largest_checkpoint(path):
    with sqlite3.connect(path) as rows:
        return rows.execute("select max(length(checkpoint)) from checkpoints").fetchone()[0]


def test_a_task_that_fits_costs_no_secretary_call(new_graph):
    out = new_graph(always("final_answer", answer="4"), [calculator_tool()]).invoke(ask("What is 2 + 2?"), THREAD)
    assert out["messages"][-1].text == "4"
    assert out["figures"]["secretary_calls"] == 0


# --- steps that go nowhere ------------------------------------------------------------------------------------------


def test_an_endless_repeat_runs_once_and_ends_with_an_answer_and_a_reason(new_graph, memory):
    kept = []

    def save_memory(text: str) -> str:
        """Save a note."""
        kept.append(text)
        return "saved"

    model = always("save_memory", text="lives in flat 12")
    out = new_graph(model, [save_memory]).invoke(ask("I moved to flat 12, what's on today?"), THREAD)
    assert kept == ["lives in flat 12"]
    assert (out["status"], out["stop_reason"]) == ("stopped", "no_progress")
    assert "save_memory" in out["messages"][-1].text
    assert out["figures"]["repeats"] >= 1
    assert out["figures"]["steps"] <= 8
    assert any("You did save_memory" in prompt[-1].text for prompt in model.prompts)
    assert "No more tools" in model.prompts[-1][-1].text
    assert len(memory.events(SCOPE)) == 5


def test_a_cycle_of_two_calls_ends_too(new_graph):
    runs = []

    def get_a() -> str:
        """Get a."""
        runs.append("a")
        return "a"

    def get_b() -> str:
        """Get b."""
        runs.append("b")
        return "b"

    turns = iter(range(1000))
    model = PolicyModel(rule=lambda prompt: step("get_b" if next(turns) % 2 else "get_a"))
    out = new_graph(model, [get_a, get_b]).invoke(ask("What is the sum?"), THREAD)
    assert sorted(runs) == ["a", "b"]
    assert (out["status"], out["stop_reason"]) == ("stopped", "no_progress")


UNUSABLE = [
    "",
    "I will read the file now.",
    '{"step": {"thought": "x", "action": "delete_notes", "input": {"older_than": "2026-01-',
    '{"step": {"thought": "x", "action": "delete_notes", "input": null}}',
    '{"step": {"thought": "x", "action": "delete_notes", "input": [1, 2]}}',
    '{"name": "delete_notes", "arguments": {}}',
    "<think>let me see, perhaps delete_notes",
    "null",
    '{"step": {"thought": "x", "action": "no_such_tool", "input": {}}}',
]


@pytest.mark.parametrize("reply", UNUSABLE)
def test_unusable_replies_run_nothing_and_end_with_an_answer(new_graph, reply):
    runs = []

    def delete_notes(older_than: str) -> str:
        """Delete notes."""
        runs.append(older_than)
        return "deleted"

    model = PolicyModel(rule=lambda prompt: reply)
    out = new_graph(model, [delete_notes]).invoke(ask("Tidy up my notes."), THREAD)
    assert runs == []
    assert (out["status"], out["stop_reason"]) == ("stopped", "no_usable_reply")
    assert out["messages"][-1].text
    assert "<think>" not in out["messages"][-1].text
    assert any("could not be used" in prompt[-1].text for prompt in model.prompts)


def test_one_unusable_reply_is_forgiven(new_graph):
    replies = iter(["{", step("final_answer", answer="Hello!")])
    out = new_graph(PolicyModel(rule=lambda prompt: next(replies))).invoke(ask("hello!"), THREAD)
    assert (out["status"], out["messages"][-1].text) == ("done", "Hello!")
    assert out["figures"]["steps"] == 1


def test_a_needless_call_costs_one_step_and_nothing_is_remembered(new_graph, memory):
    def web_search(query: str) -> str:
        """Search the web."""
        return "news"

    model = then_answers(step("web_search", query="current events"), "Hello!")
    out = new_graph(model, [web_search]).invoke(ask("hello!"), THREAD)
    assert (out["status"], out["messages"][-1].text) == ("done", "Hello!")
    assert out["figures"]["steps"] <= 3
    assert memory.list(SCOPE) == []
    assert [entry for entry in memory.pending(SCOPE) if entry.reason == "remember"] == []


# --- limits ---------------------------------------------------------------------------------------------------------


def endless(new_graph, **settings):
    def get_page(number: int) -> str:
        """Get one page."""
        return f"page {number} says nothing new"

    numbers = iter(range(10_000))
    model = PolicyModel(
        rule=lambda prompt: (
            step("final_answer", answer="as far as I got")
            if "No more tools" in prompt
            else step("get_page", number=next(numbers))
        )
    )
    return new_graph(model, [get_page], pairing=False, **settings), model


def test_the_last_step_is_without_tools(new_graph):
    graph, model = endless(new_graph, max_steps=5)
    out = graph.invoke(ask("Read every page."), THREAD)
    assert out["figures"]["steps"] == 5
    assert out["messages"][-1].text == "as far as I got"
    assert any("2 steps are left" in prompt[-1].text for prompt in model.prompts)


@pytest.mark.parametrize("limit", range(5, 15))
def test_a_callers_own_recursion_limit_ends_with_an_answer(new_graph, limit):
    graph, _ = endless(new_graph)
    out = graph.invoke(ask("Read every page."), {**THREAD, "recursion_limit": limit})
    assert out["messages"][-1].text == "as far as I got"
    assert out["figures"]["steps"] == (limit - 1) // 4


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_a_recursion_limit_that_holds_no_step_is_named_at_once(new_graph, limit):
    graph, model = endless(new_graph)
    with pytest.raises(ValueError, match="recursion_limit"):
        graph.invoke(ask("Read every page."), {**THREAD, "recursion_limit": limit})
    assert model.prompts == []


# --- tools that behave badly ----------------------------------------------------------------------------------------


class Silent(Exception):
    def __str__(self):
        return ""


@pytest.mark.parametrize(
    "error",
    [ValueError("bad shelf"), ToolException("no"), TimeoutError("late"), Silent(), RuntimeError("x" * 200_000)],
    ids=lambda error: type(error).__name__,
)
def test_a_raising_tool_is_a_short_failed_result(new_graph, memory, error):
    def get_stock(shelf: str) -> str:
        """Get the stock of a shelf."""
        raise error

    model = then_answers(step("get_stock", shelf="A"), "I could not look it up.")
    out = new_graph(model, [get_stock]).invoke(ask("How much is on shelf A?"), THREAD)
    assert out["messages"][-1].text == "I could not look it up."
    failed = [event for event in memory.events(SCOPE) if event.phase is Phase.FAILED]
    assert failed[0].observation.startswith(type(error).__name__)
    assert len(failed[0].observation) < 600
    assert memory.list(SCOPE) == []


@pytest.mark.parametrize("blank", ["\n", ""])
def test_three_megabytes_are_recorded_whole_and_shown_in_part(tmp_path, memory, blank):
    row = f'<div class="x">row</div>{blank}'
    page = row * (2_900_000 // len(row)) + f"order_total: 417.25{blank}" + row * (100_000 // len(row))

    def fetch(url: str) -> str:
        """Fetch a page."""
        return page

    model = then_answers(step("fetch", url="http://shop/order"), "The order total was 417.25.")
    settings = Settings(user_id="ana", executor_window=2048)
    started = time.process_time()
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = build_graph(model, memory=memory, tools=[fetch], settings=settings, checkpointer=saver)
        out = graph.invoke(ask("What was the order total on http://shop/order ?"), THREAD)
    assert time.process_time() - started < 30
    assert out["messages"][-1].text == "The order total was 417.25."
    assert_prompts_fit(model, executor=2048, secretary=8192)
    [result] = [event for event in memory.events(SCOPE) if event.phase is Phase.RESULT]
    assert result.observation == page
    assert "417.25" in model.prompts[-1][-1].text
    assert largest_checkpoint(tmp_path / "checkpoints.sqlite") < 16 * KB


# --- a secretary that fails -----------------------------------------------------------------------------------------


def test_without_its_secretary_the_run_goes_on_and_says_so(new_graph, tmp_path):
    def down(prompt):
        raise ModelUnreachable("no answer from the server")

    task, workspace = variant(1), copy_example(tmp_path / "workspace")
    reads = [step("read_file", path=path) for path in task.depot.reports[:3]]

    def rule(prompt):
        if labels(prompt):
            return {"thought": "as listed", "choice": labels(prompt)[0]}
        left = [read for read in reads if f"read_file(path={read['step']['input']['path']})" not in prompt]
        return left[0] if left else step("final_answer", answer="I have read some reports, but not all.")

    model = PolicyModel(rule=rule)
    secretary = PolicyModel(rule=down)
    graph = new_graph(model, workspace_tools(workspace), secretary=secretary, executor_window=2048)
    chunks = list(graph.stream(ask(task.goal), THREAD, stream_mode="custom"))
    assert chunks[-1]["status"] == "done"
    assert any("no answer from the server" in note for chunk in chunks for note in chunk.get("notes", ()))
    assert any("The secretary could not be asked" in prompt[-1].text for prompt in model.prompts)
    assert len(secretary.prompts) == 2, "a server that hangs costs a whole timeout each time"


# --- what is told ---------------------------------------------------------------------------------------------------


def test_a_cut_result_shows_the_cut_and_a_step_that_nobody_was_asked_for_has_no_thought(new_graph, tmp_path):
    task, workspace = variant(1), copy_example(tmp_path / "workspace")
    tools = [*workspace_tools(workspace), calculator_tool()]
    graph = new_graph(PolicyModel(rule=example_worker(task)), tools, executor_window=2048)
    chunks = list(graph.stream(ask(task.goal), THREAD, stream_mode="custom"))
    unasked = [chunk for chunk in chunks if chunk.get("prompt_tokens") == 0]
    assert unasked
    assert {chunk["thought"] for chunk in unasked} == {""}
    results = [chunk["result"] for chunk in chunks if chunk["node"] == "act"]
    assert {result[200:] for result in results if len(result) > 200} == {"…"}


# --- switches -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
def test_with_any_mechanism_off_the_run_still_ends(tmp_path, memory, name):
    task, workspace = variant(1), copy_example(tmp_path / "workspace")
    model = PolicyModel(rule=example_worker(task))
    tools = [*workspace_tools(workspace), calculator_tool()]
    settings = Settings(user_id="ana", executor_window=2048, secretary_window=4096, max_steps=20, **{name: False})
    out = build_graph(model, memory=memory, tools=tools, settings=settings).invoke(ask(task.goal), THREAD)
    assert out["status"] in ("done", "stopped")
    assert out["messages"][-1].text
    assert out["stop_reason"] in ("", "no_progress", "step_limit", "no_usable_reply")
    assert_prompts_fit(model, executor=2048, secretary=4096)


# --- sessions and users ---------------------------------------------------------------------------------------------


def greets():
    return PolicyModel(rule=lambda prompt: step("final_answer", answer="Noted."))


@pytest.mark.parametrize(
    ("said", "asked", "kept"),
    [
        ("Remember this: I want every amount in Swiss francs.", "What is the amount of the invoice?", "Swiss francs"),
        ("记住：我的金额都用瑞士法郎写。", "这张发票的金额是多少？", "瑞士法郎"),
    ],
)
def test_what_was_to_be_remembered_is_in_the_brief_of_the_next_session(tmp_path, said, asked, kept):
    with TieredMemory.open(tmp_path / "m", embedder=None) as memory:
        settings = Settings(user_id="ana")
        build_graph(greets(), memory=memory, settings=settings).invoke(ask(said), THREAD)
        assert [entry.text for entry in memory.pending(SCOPE) if entry.reason == "remember"] == [said]
    with TieredMemory.open(tmp_path / "m", embedder=None) as memory:
        model = greets()
        graph = build_graph(model, memory=memory, settings=settings)
        out = graph.invoke(ask(asked), {"configurable": {"thread_id": "t2"}})
        assert kept in out["brief"]
        assert kept in model.prompts[-1][-1].text
        other = greets()
        stranger = build_graph(other, memory=memory, settings=settings)
        out = stranger.invoke(ask(asked), {"configurable": {"thread_id": "t2"}}, context={"user_id": "ana2"})
        assert kept not in out["brief"]
        assert all(kept not in message.text for prompt in other.prompts for message in prompt)


def test_a_preference_card_reaches_the_same_user_only(new_graph, memory):
    memory.remember(Scope(user="ana"), "Answers under 200 words", type="preference")
    model = greets()
    new_graph(model).invoke(ask("How long should answers be?"), THREAD)
    assert "Answers under 200 words" in model.prompts[-1][-1].text
    other = greets()
    new_graph(other, user_id="ana2").invoke(ask("How long should answers be?"), THREAD)
    assert "200 words" not in other.prompts[-1][-1].text


def test_two_turns_on_a_thread_keep_both_in_the_messages(new_graph):
    with open_checkpointer(":memory:") as saver:
        graph = new_graph(greets(), checkpointer=saver)
        graph.invoke(ask("first"), THREAD)
        out = graph.invoke(ask("second"), THREAD)
    assert [message.text for message in out["messages"]] == ["first", "Noted.", "second", "Noted."]
    assert isinstance(out["messages"][-1], AIMessage)
    assert out["task_state"]["goal"] == "second"


def test_the_state_is_plain_data(new_graph):
    with open_checkpointer(":memory:") as saver:
        graph = new_graph(greets(), checkpointer=saver)
        graph.invoke(ask("hello 你好"), THREAD)
        values = dict(graph.get_state(THREAD).values)
    messages = values.pop("messages")
    assert [type(message).__name__ for message in messages] == ["HumanMessage", "AIMessage"]
    assert json.loads(json.dumps(values)) == values


def test_a_tool_made_with_langchains_decorator_serves_like_a_function(new_graph):
    @tool
    def get_weather(city: str) -> str:
        """Get the weather of a city."""
        return f"rain in {city}"

    out = new_graph(then_answers(step("get_weather", city="Brno"), "Rain."), [get_weather]).invoke(
        ask("Weather in Brno?"), THREAD
    )
    assert re.search(r"rain in Brno", out["brief"])


@pytest.mark.parametrize(
    ("goal", "said", "answer"),
    [
        ("What is on shelf A?", "what is on shelf A", "I could not answer this from what was found."),
        ("货架A上有什么？", "货架A上有什么？", "根据查到的内容，我无法回答这个问题。"),
        ("货架A上有什么？", "上一个回复无法使用。请按规定格式只给出一步。", "根据查到的内容，我无法回答这个问题。"),
    ],
)
def test_a_model_that_repeats_its_prompt_has_not_answered(new_graph, goal, said, answer):
    model = always("final_answer", answer=said)
    out = new_graph(model, []).invoke(ask(goal), THREAD)
    assert out["messages"][-1].text == answer
    assert any("重复" in prompt[-1].text or "only repeats" in prompt[-1].text for prompt in model.prompts)
