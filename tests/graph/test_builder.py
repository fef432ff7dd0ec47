"""What `build_graph` puts together, what it refuses, and how its graph fits into other people's code."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from policy import PolicyModel, step
from pydantic import BaseModel

from memory_secretary.graph import RunContext, Settings, build_graph, open_checkpointer
from memory_secretary.graph.builder import NODES, after_plan
from memory_secretary.graph.settings import from_environment
from memory_secretary.memory.errors import ScopeError, SettingsError
from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.models.handle import ModelHandle, Structured

THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")
QUESTION = {"messages": [("user", "How are you?")]}


def says(answer="Fine."):
    return PolicyModel(rule=lambda prompt: step("final_answer", answer=answer))


def calls(action, **arguments):
    """A model that makes one call and then answers with the brief it was given."""

    def rule(prompt):
        return step("final_answer", answer="It is done.") if f"- {action}(" in prompt else step(action, **arguments)

    return PolicyModel(rule=rule)


# --- shape ----------------------------------------------------------------------------------------------------------


def test_the_graph_has_its_nodes_and_no_checkpointer_of_its_own(new_graph):
    graph = new_graph(says())
    drawn = graph.get_graph()
    assert set(NODES) <= set(drawn.nodes)
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert {("plan", "act"), ("plan", "precipitate"), ("act", "retrieve"), ("precipitate", "__end__")} <= edges
    assert graph.checkpointer is None
    assert graph.name == "secretary"


def test_after_plan_only_an_answer_or_a_dead_end_ends_the_run():
    call = {"thought": "", "action": "read", "arguments": {}, "call_id": "c", "item": "", "problem": ""}
    last = {**no_brakes(), "last": True}
    assert after_plan({"next": call}) == "act"
    assert after_plan({"next": {**call, "action": "final_answer"}}) == "precipitate"
    assert after_plan({"next": {**call, "action": "", "problem": "no JSON"}}) == "act"
    assert after_plan({"next": {**call, "action": "", "problem": "no JSON"}, "brakes": last}) == "precipitate"
    assert after_plan({}) == "precipitate"


def test_any_node_can_be_replaced_and_an_unknown_one_is_named(new_graph):
    seen = []

    def retrieve(state):
        seen.append(state["messages"][-1].text)
        return {"recalled": []}

    out = new_graph(says(), nodes={"retrieve": retrieve}).invoke(QUESTION, THREAD)
    assert (seen, out["messages"][-1].text) == (["How are you?"], "Fine.")
    with pytest.raises(SettingsError, match="no node reflect to replace; the nodes are retrieve, summarize"):
        new_graph(says(), nodes={"reflect": retrieve})


def test_it_serves_as_a_subgraph(new_graph):
    inner = new_graph(says())
    outer = StateGraph(MessagesState).add_node("work", inner).add_edge(START, "work").add_edge("work", END).compile()
    out = outer.invoke({"messages": [HumanMessage("How are you?")]}, THREAD)
    assert [message.text for message in out["messages"]] == ["How are you?", "Fine."]


# --- who, where, and with which settings ----------------------------------------------------------------------------


def test_a_run_without_a_thread_is_refused_in_a_sentence(new_graph):
    with pytest.raises(ScopeError, match="needs a thread"):
        new_graph(says()).invoke(QUESTION)


def test_a_run_without_a_user_is_refused_in_a_sentence(new_graph):
    model = says()
    graph = new_graph(model, user_id=None)
    for context in (None, {}, {"user_id": ""}, {"user_id": None}):
        with pytest.raises(ScopeError, match="user"):
            graph.invoke(QUESTION, THREAD, context=context)
    assert model.prompts == []
    assert graph.invoke(QUESTION, THREAD, context={"user_id": "bob"})["status"] == "done"


def test_an_unknown_setting_is_named_with_the_known_ones(new_graph):
    graph = new_graph(says())
    with pytest.raises(SettingsError, match=r"unknown setting max_step in the context; known are .*max_steps"):
        graph.invoke(QUESTION, THREAD, context={"max_step": 3})
    with pytest.raises(SettingsError, match="unknown setting max_step"):
        RunContext(max_step=3)


def test_a_value_out_of_range_is_named(new_graph):
    with pytest.raises(SettingsError, match="max_steps"):
        new_graph(says()).invoke(QUESTION, THREAD, context={"max_steps": 0})
    with pytest.raises(SettingsError, match="executor_window"):
        new_graph(says(), executor_window=100)
    with pytest.raises(SettingsError, match="lang"):
        new_graph(says()).invoke(QUESTION, THREAD, context=RunContext(lang="fr"))


def test_the_call_comes_before_the_graph_before_the_environment(memory, monkeypatch):
    monkeypatch.setenv("MEMORY_SECRETARY_USER_ID", "env")
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", "zh")
    graph = build_graph(says(), memory=memory)
    assert "## 用户说" in graph.invoke(QUESTION, THREAD)["brief"]
    assert "## The user says" in graph.invoke(QUESTION, THREAD, context={"lang": "en"})["brief"]
    assert memory.events(Scope(user="env", thread="t1"))
    built = build_graph(says(), memory=memory, settings=Settings(user_id="built"))
    assert "## The user says" in built.invoke(QUESTION, THREAD, context=RunContext())["brief"]
    assert len(memory.events(Scope(user="built", thread="t1"))) == 3


@pytest.mark.parametrize(("name", "value"), [("MAX_STEPS", "many"), ("GATE", "perhaps"), ("EXECUTOR_WINDOW", "3")])
def test_a_variable_that_cannot_be_read_is_named(name, value):
    with pytest.raises(SettingsError, match=name.lower() if value == "3" else f"MEMORY_SECRETARY_{name}"):
        from_environment({f"MEMORY_SECRETARY_{name}": value})


def test_thread_ids_that_read_alike_are_one_thread(new_graph, memory):
    graph = new_graph(says())
    graph.invoke(QUESTION, {"configurable": {"thread_id": 1}})
    graph.invoke(QUESTION, {"configurable": {"thread_id": "1"}})
    assert [e.action for e in memory.events(Scope(user="ana", thread="1"))].count("request") == 2


def sixty_tools():
    def make(number):
        def search(query: str) -> str:
            return query

        search.__name__ = f"search_{number}"
        search.__doc__ = f"Search collection {number} for records whose text holds the words of the query exactly."
        return search

    return [make(number) for number in range(60)]


@pytest.mark.parametrize("window", [2048, 4096])
def test_a_menu_larger_than_the_window_is_refused_at_build_time_with_the_numbers(new_graph, window):
    with pytest.raises(SettingsError) as refused:
        new_graph(says(), sixty_tools(), executor_window=window)
    needed, schema, reply, holds = map(int, re.findall(r"\d+", str(refused.value)))
    assert holds == window < needed + reply
    assert 0 < schema < needed
    assert "hand in fewer tools, or raise executor_window" in str(refused.value)
    assert re.findall(r"\d+", refused.value.zh) == [str(n) for n in (needed, schema, reply, window)]
    assert "请减少工具" in refused.value.zh
    graph = new_graph(says(), sixty_tools(), executor_window=needed + 640)
    assert graph.invoke(QUESTION, THREAD)["status"] == "done"


def test_the_schema_counts_only_where_the_server_must_be_told_it(new_graph):
    held = ModelHandle(says(), "m", 6144, estimate_tokens, "a server", structured=Structured.SCHEMA)
    new_graph(held, sixty_tools(), executor_window=6144)
    with pytest.raises(SettingsError, match=r"need \d+ tokens and the reply 341, .* holds 2048"):
        new_graph(held, sixty_tools(), executor_window=2048)


def test_a_window_that_a_call_makes_too_small_is_refused_in_the_same_words(new_graph):
    graph = new_graph(says(), sixty_tools(), executor_window=16_384)
    with pytest.raises(SettingsError, match=r"of them for the schema .* and the reply 640, .* holds 4096: hand in"):
        graph.invoke({"messages": [("user", "Find the invoice.")]}, THREAD, context={"executor_window": 4096})


# --- tools of every kind --------------------------------------------------------------------------------------------


async def test_async_only_tools_run_in_invoke_and_in_ainvoke(new_graph, memory):
    async def get_price(item: str) -> str:
        """Get a price."""
        await asyncio.sleep(0)
        return f"{item}: 7"

    graph = new_graph(calls("get_price", item="tea"), [get_price])
    assert (await asyncio.to_thread(graph.invoke, QUESTION, THREAD))["status"] == "done"
    assert (await graph.ainvoke(QUESTION, {"configurable": {"thread_id": "t2"}}))["status"] == "done"
    for thread in ("t1", "t2"):
        events = memory.events(Scope(user="ana", thread=thread))
        assert [e.observation for e in events if e.phase is Phase.RESULT] == ["tea: 7"]


def test_injected_state_store_and_runtime_reach_a_tool_and_not_the_model(new_graph, memory):
    @tool
    def get_place(
        name: str,
        state: Annotated[dict, InjectedState],
        store: Annotated[InMemoryStore, InjectedStore()],
        runtime: ToolRuntime[RunContext],
    ) -> str:
        """Get the place of a thing."""
        return f"{store.get(('places',), name).value['at']}; {state['task_state']['goal']}; {runtime.context.user_id}"

    store = InMemoryStore()
    store.put(("places",), "kiln", {"at": "shed 3"})
    model = calls("get_place", name="kiln")
    new_graph(model, [get_place], store=store).invoke(QUESTION, THREAD, context={"user_id": "ana"})
    [result] = [event for event in memory.events(SCOPE) if event.phase is Phase.RESULT]
    assert result.observation == "shed 3; How are you?; ana"
    assert "get_place(name: str)" in model.prompts[0][0].text
    assert result.arguments == {"name": "kiln"}


def test_a_tool_that_needs_a_store_is_refused_without_one(new_graph):
    def keep(note: str, store: Annotated[object, InjectedStore()]) -> str:
        """Keep a note."""
        return note

    with pytest.raises(SettingsError, match="the tool keep needs a store: pass one as store=") as refused:
        new_graph(says(), [keep])
    assert "store" in refused.value.zh
    new_graph(says(), [keep], store=InMemoryStore())


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def test_an_exception_without_words_is_a_result(new_graph, memory):
    def get_it(x: str) -> str:
        """Get it."""
        raise Mute

    out = new_graph(calls("get_it", x="this"), [get_it]).invoke({"messages": [("user", "Get this.")]}, THREAD)
    assert out["status"] == "done"
    [failed] = [event for event in memory.events(SCOPE) if event.phase is Phase.FAILED]
    assert failed.observation.startswith("Mute")


class AskLater(BaseTool):
    name: str = "get_it"
    description: str = "Get it."

    def _run(self, x: str) -> str:
        raise NotImplementedError("only asynchronously")

    async def _arun(self, x: str) -> str:
        await asyncio.sleep(0)
        return f"got {x}"


def get_it(x: str) -> object:
    """Get it."""
    return AskLater()._arun(x)


@pytest.mark.parametrize("given", [AskLater(), get_it])
def test_what_has_to_be_awaited_is(new_graph, memory, given):
    new_graph(calls("get_it", x="this"), [given]).invoke({"messages": [("user", "Get this.")]}, THREAD)
    assert [event.observation for event in memory.events(SCOPE) if event.phase is Phase.RESULT] == ["got this"]


def test_a_tool_that_returns_a_command_is_recorded_by_its_message(new_graph, memory):
    @tool
    def get_note(number: int, runtime: ToolRuntime[RunContext]) -> Command:
        """Get a note."""
        return Command(update={"messages": [ToolMessage(f"note {number}", tool_call_id=runtime.tool_call_id)]})

    out = new_graph(calls("get_note", number=4), [get_note]).invoke(QUESTION, THREAD, context={"user_id": "ana"})
    [result] = [event for event in memory.events(SCOPE) if event.phase is Phase.RESULT]
    assert result.observation == "note 4"
    assert [message.type for message in out["messages"]] == ["human", "ai"]


def test_wrong_arguments_are_a_result_that_the_model_can_read(new_graph, memory):
    def get_square(number: int) -> int:
        """Get a square."""
        return number * number

    def rule(prompt):
        if "→ 16" in prompt:
            return step("final_answer", answer="16")
        return step(
            "get_square", number=4 if "number=abc" in prompt or "integer" in prompt.split("json schema")[0] else "abc"
        )

    out = new_graph(PolicyModel(rule=rule), [get_square]).invoke({"messages": [("user", "Square 4")]}, THREAD)
    assert (out["status"], out["messages"][-1].text) == ("done", "16")


class Approval(BaseModel):
    approve: bool


def test_a_tool_may_ask_the_user_and_runs_once_after_the_answer(new_graph, memory, tmp_path):
    paid = []

    def pay_rent(amount: int) -> str:
        """Pay the rent."""
        if not interrupt({"pay": amount}, response_schema=Approval).approve:
            return "not approved"
        paid.append(amount)
        return "paid"

    asked = {"messages": [("user", "Pay the rent of 900.")]}
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        waiting = new_graph(calls("pay_rent", amount=900), [pay_rent], checkpointer=saver).invoke(asked, THREAD)
        assert (waiting["__interrupt__"][0].value, paid) == ({"pay": 900}, [])
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = new_graph(calls("pay_rent", amount=900), [pay_rent], checkpointer=saver)
        out = graph.invoke(Command(resume={"approve": True}), THREAD)
    assert (paid, out["status"], out["messages"][-1].text) == ([900], "done", "It is done.")
    phases = [event.phase for event in memory.events(SCOPE) if event.action == "pay_rent"]
    assert phases == [Phase.INTENT, Phase.WAITING, Phase.INTENT, Phase.RESULT]


# --- turns ----------------------------------------------------------------------------------------------------------


def test_without_a_checkpointer_a_second_turn_starts_a_new_task_and_finds_the_first_in_memory(new_graph):
    model = says()
    graph = new_graph(model)
    graph.invoke({"messages": [("user", "The kiln stands in shed three.")]}, THREAD)
    out = graph.invoke({"messages": [("user", "Where does the kiln stand?")]}, THREAD)
    assert out["task_state"]["goal"] == "Where does the kiln stand?"
    assert "The kiln stands in shed three." in model.prompts[-1][-1].text
