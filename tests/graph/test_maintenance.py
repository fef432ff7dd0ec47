"""The maintenance graph: it settles, looks, waits for approval, and changes only what was approved."""

from __future__ import annotations

from datetime import timedelta

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from memory_secretary.graph import Settings, build_maintenance_graph
from memory_secretary.graph.maintenance import NODES, served_maintenance_graph
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.records import Status
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA = Scope(user="ana")
THREAD = {"configurable": {"thread_id": "daily"}}


@pytest.fixture
def memory(frozen_clock):
    """A card that settles and two that ended long ago."""
    with TieredMemory.open(":memory:", embedder=None, clock=frozen_clock) as opened:
        opened.remember(ANA, "The kiln is in the shed")
        for n in (3, 7):
            opened.remember(ANA, f"退款政策：{n} 天", valid_until=frozen_clock() + timedelta(days=1))
        opened.remember(Scope(user="ben"), "Ben's own", valid_until=frozen_clock() + timedelta(days=1))
        frozen_clock.advance(days=60)
        yield opened


@pytest.fixture
def graph(memory, frozen_clock):
    settings = Settings(user_id="ana")
    return build_maintenance_graph(None, memory, settings, checkpointer=InMemorySaver(), clock=frozen_clock)


def ended(memory):
    return [card.memory_id for card in memory.list(ANA, status="superseded") if card.valid_until]


@pytest.mark.parametrize(
    ("answer", "n"), [(True, 2), ("yes", 2), ("同意", 2), (False, 0), ("否", 0), ({"approve": True}, 2)]
)
def test_it_waits_for_an_answer_and_changes_what_was_approved(graph, memory, answer, n):
    out = graph.invoke({}, THREAD)
    (asked,) = out["__interrupt__"]
    assert len(asked.value["changes"]) == 2
    assert (out["consolidated"]["promoted"], ended(memory)) == (1, [])
    done = graph.invoke(Command(resume=answer), THREAD)
    assert (done["status"], len(done["changed"]), len(ended(memory))) == ("done", n, n)
    assert len(memory.list(Scope(user="ben"))) == 1


def test_single_changes_can_be_approved_and_a_wrong_answer_leaves_the_question_open(graph, memory):
    first, second = (one["memory_id"] for one in graph.invoke({}, THREAD)["__interrupt__"][0].value["changes"])
    for wrong in (["mem_of_nobody"], "perhaps", 7, {"a": 1, "b": 2}):
        (asked,) = graph.invoke(Command(resume=wrong), THREAD)["__interrupt__"]
        assert "approves nothing" in asked.value["problem"]
    assert graph.invoke(Command(resume=[second]), THREAD)["changed"] == [second]
    assert ended(memory) == [second]
    assert memory.restore(ANA, second).status is Status.ACTIVE
    assert first in {card.memory_id for card in memory.list(ANA)}


def test_what_changed_while_the_question_stood_is_skipped(graph, memory):
    first = graph.invoke({}, THREAD)["__interrupt__"][0].value["changes"][0]["memory_id"]
    memory.edit(ANA, first, content="退款政策：3 个工作日")
    done = graph.invoke(Command(resume=True), THREAD)
    assert (len(done["changed"]), done["skipped"]) == (1, [first])


def test_nothing_to_change_asks_nothing_and_a_second_run_begins_anew(graph, memory):
    assert len(graph.invoke({"approve_all": True}, THREAD)["changed"]) == 2
    again = graph.invoke({}, THREAD)
    assert "__interrupt__" not in again
    assert (again["status"], again["changed"], again["consolidated"]["promoted"]) == ("done", [], 0)
    assert [card.tier for card in memory.list(ANA)] == [Tier.LONG]


def test_the_user_and_the_language_come_with_the_call(graph, memory):
    out = graph.invoke({}, THREAD, context={"user_id": "ben", "lang": "zh"})
    (change,) = out["__interrupt__"][0].value["changes"]
    assert (change["content"], change["kind"]) == ("Ben's own", "过期")


def test_without_a_checkpointer_it_is_refused_and_a_server_brings_its_own(memory):
    with pytest.raises(SettingsError, match="checkpointer"):
        build_maintenance_graph(None, memory, Settings(user_id="ana"))
    served = served_maintenance_graph(memory, Settings(user_id="ana"))
    assert served.checkpointer is None
    assert {*NODES} <= set(served.get_graph().nodes)
