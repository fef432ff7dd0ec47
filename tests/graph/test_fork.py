"""A fork from the middle of a long run: what came after it was never recorded, as far as the fork can tell."""

from __future__ import annotations

import json
import re

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from long_walk import LongWalk
from policy import labels, step

from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope

THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")
STEPS, FORKED = 20, 5


class Walk:
    """Twenty steps through a listing; each record says a word that stands nowhere else."""

    def __init__(self, new_graph):
        self.world = LongWalk(STEPS - 1)
        self.model = self.world.worker()
        self.capable = self.model.rule
        self.graph = new_graph(self.model, self.world.tools(), checkpointer=InMemorySaver(), executor_window=2048)
        self.graph.invoke({"messages": [("user", self.world.goal)]}, THREAD)
        assert len(self.world.opened) == STEPS - 1
        self.model.prompts.clear()

    def at(self, step, following):
        """The checkpoint of a step before a node."""
        history = self.graph.get_state_history(THREAD)
        return next(entry for entry in history if entry.next == (following,) and entry.values.get("step") == step)

    def heard(self):
        return "\n".join(message.text for prompt in self.model.prompts for message in prompt)


@pytest.fixture
def walk(new_graph):
    return Walk(new_graph)


def later(walk, text):
    """The records of steps 6 to 20 of which something stands in a text."""
    return [record for record in walk.world.ids[FORKED - 1 :] if walk.world.word(record) in text]


def all_named(walk):
    """A question that would find each of the records."""
    return "What is known of these: " + ", ".join(walk.world.ids)


def test_nothing_of_the_later_steps_is_in_brief_recall_or_task_state(walk):
    start = walk.at(FORKED, "retrieve")
    walk.model.rule = lambda prompt: step("final_answer", answer="That is all.")
    config = walk.graph.update_state(start.config, {"messages": [("user", all_named(walk))]}, "act")
    out = walk.graph.invoke(None, config)
    closed = [item for item in out["task_state"]["items"] if item["status"] == "done"]
    assert [item["step"] for item in closed] == list(range(FORKED))
    assert {value["subject"] for value in out["task_state"]["values"]} == set(walk.world.ids[: FORKED - 1])
    seen = walk.graph.get_state(THREAD).values
    assert seen["recalled"]
    assert later(walk, json.dumps([out["brief"], seen["recalled"], seen["newest"], out["task_state"]])) == []
    assert later(walk, walk.heard()) == []


def test_the_executors_own_look_ups_find_nothing_of_the_later_steps(walk, memory):
    start = walk.at(FORKED, "retrieve")
    results = [event for event in memory.events(SCOPE) if event.phase is Phase.RESULT and event.arguments]
    wanted = [step("recall", query=all_named(walk)), step("read_record", ref=results[-1].event_id)]

    def rule(prompt):
        if not wanted:
            return step("final_answer", answer="That is all.")
        return {"thought": "look it up", "choice": "something_else"} if labels(prompt) else wanted.pop(0)

    walk.model.rule = rule
    walk.graph.invoke(None, start.config)
    assert wanted == []
    assert walk.world.word("REC-001") in walk.heard(), "what led to the fork is found"
    assert "There is no record" in walk.heard()
    assert later(walk, walk.heard()) == []


def test_a_fork_goes_on_to_the_end_by_itself(walk):
    opened = len(walk.world.opened)
    walk.model.rule = walk.capable
    out = walk.graph.invoke(None, walk.at(FORKED, "retrieve").config)
    assert out["status"] == "done"
    assert re.search(rf"{sum(map(walk.world.due, walk.world.ids)):,}", out["messages"][-1].text)
    assert len(walk.world.opened) - opened <= STEPS - FORKED
