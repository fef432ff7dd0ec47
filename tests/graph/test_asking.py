"""The tool ``ask`` in a whole run: offered when it is switched on, paid from the secretary's budget, recorded."""

from __future__ import annotations

import pytest
from policy import PolicyModel, step

from memory_secretary.memory.scope import Scope

THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")
QUESTIONS = {"en": "How many litres does the tank hold?", "zh": "油罐里有多少升油？"}
NOTES = {"en": "Note for later: the tank holds 340 litres of oil.", "zh": "记住：油罐里有340升油。"}


def asks(question):
    """A model that asks the secretary once and answers with what it was told."""

    def rule(prompt):
        told = [line for line in prompt.splitlines() if "340" in line and "asked" not in line]
        return step("final_answer", answer=told[0][:200]) if "→" in prompt else step("ask", question=question)

    return PolicyModel(rule=rule)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_executor_is_told_what_an_earlier_thread_recorded(new_graph, memory, scripted_model, lang):
    memory.record(Scope(user="ana", thread="before"), actor="user", action="request", observation=NOTES[lang])
    secretary = scripted_model.enqueue({"records": ["1"], "answer": NOTES[lang]})
    model = asks(QUESTIONS[lang])
    graph = new_graph(model, secretary=secretary, asking=True, recall=False)
    out = graph.invoke({"messages": [("user", QUESTIONS[lang])]}, THREAD)
    assert "340" in out["messages"][-1].text and out["figures"]["secretary_calls"] == 1
    result = next(event for event in memory.events(SCOPE) if event.phase == "result")
    assert result.action == "ask" and result.observation.startswith(NOTES[lang]) and "evt_" in result.observation


@pytest.mark.parametrize("built", [True, False])
def test_it_is_offered_only_where_it_is_switched_on(new_graph, built):
    model = PolicyModel(rule=lambda prompt: step("final_answer", answer="Done."))
    graph = new_graph(model, asking=built)
    for asking in (True, False):
        graph.invoke({"messages": [("user", "What is noted?")]}, {"configurable": {"thread_id": f"t{asking}"}},
                     context={"user_id": "ana", "asking": asking})  # fmt: skip
        assert ("- ask(question: str)" in model.prompts[-1][0].text) is asking


def test_a_call_that_is_not_offered_is_not_run(new_graph, scripted_model):
    model = scripted_model.enqueue(step("ask", question="oil?"), step("final_answer", answer="Done."))
    out = new_graph(model).invoke({"messages": [("user", "What is noted?")]}, THREAD)
    assert out["messages"][-1].text == "Done." and out["figures"]["tool_calls"] == 0


def test_the_budget_of_the_run_holds_for_questions_too(new_graph, memory, scripted_model):
    memory.record(Scope(user="ana", thread="before"), actor="user", action="request", observation=NOTES["en"])
    out = new_graph(
        asks(QUESTIONS["en"]), secretary=scripted_model, asking=True, recall=False, secretary_tokens=0
    ).invoke({"messages": [("user", QUESTIONS["en"])]}, THREAD)
    assert "340" in out["messages"][-1].text and out["figures"]["secretary_calls"] == 0
    assert not scripted_model.history
