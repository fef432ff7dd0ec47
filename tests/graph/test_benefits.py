"""Whole runs count the cards that stood in their briefs, once each, by how they ended."""

from __future__ import annotations

import pytest
from langchain_core.tools import tool
from policy import PolicyModel, step

from memory_secretary.memory.records import MemoryType
from memory_secretary.memory.scope import Scope

ANA = Scope(user="ana", thread="t1")
THREAD = {"configurable": {"thread_id": "t1"}}


@tool
def look(where: str) -> str:
    """Look somewhere."""
    return f"nothing in {where}"


def answering(text):
    return PolicyModel(rule=lambda prompt: step("final_answer", answer=text))


def counted(memory, card):
    use = memory.uses(ANA)[card.memory_id]
    return (use.recalled, use.cited, use.succeeded, use.failed)


@pytest.mark.parametrize(
    ("fact", "question", "answer"),
    [
        ("The kiln is in the shed behind the mill", "Where is the kiln?", "It is in the shed behind the mill."),
        ("窑炉在磨坊后面的棚子里", "窑炉在哪里？", "在磨坊后面的棚子里。"),
    ],
)
def test_a_card_that_a_run_was_given_and_spoke_of_counts_once_a_run(new_graph, memory, fact, question, answer):
    card = memory.remember(ANA, fact)
    wish = memory.remember(ANA, "Answers under 200 words", type=MemoryType.PREFERENCE)
    other = memory.remember(ANA, "Ben keeps bees")
    graph = new_graph(answering(answer))
    for n in (1, 2):
        graph.invoke({"messages": [("user", question)]}, {"configurable": {"thread_id": f"t{n}"}})
        assert counted(memory, card) == (n, n, n, 0)
    assert counted(memory, wish) == (2, 0, 2, 0)
    assert other.memory_id not in memory.uses(ANA)


def test_a_run_that_is_stopped_has_failed(new_graph, memory):
    card = memory.remember(ANA, "The kiln is in the shed")
    lost = PolicyModel(rule=lambda prompt: step("look", where="the attic"))
    out = new_graph(lost, [look]).invoke({"messages": [("user", "Where is the kiln?")]}, THREAD)
    assert out["status"] == "stopped"
    assert counted(memory, card) == (1, 0, 0, 1)


def test_what_was_not_recalled_is_not_counted(new_graph, memory):
    card = memory.remember(ANA, "The kiln is in the shed")
    new_graph(answering("Here."), recall=False).invoke({"messages": [("user", "Where is the kiln?")]}, THREAD)
    assert card.memory_id not in memory.uses(ANA)
    assert memory.uses(ANA)[""].recalled == 1
