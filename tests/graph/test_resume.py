"""A process that is killed in the middle: the thread goes on, from its checkpoint or from the memory folder alone."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from invoices import AMOUNTS, ANSWER, CONFIG, GOAL, SCOPE, World, clerk, make_graph
from langchain_core.messages import HumanMessage
from policy import PolicyModel, labels, step

from memory_secretary.graph import open_checkpointer
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import Phase
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.calls import call_text

PROGRAM = Path(__file__).parents[1] / "invoices.py"
CONTINUE = {"messages": []}

BETWEEN_STEPS = [
    "node:summarize:0",
    "node:plan:2",
    "node:act:2",
    "node:retrieve:4",
    "node:act:5",
    "node:plan:7",
    "tool:read_invoice:INV-2:before",
    "tool:read_invoice:INV-2:after",
]
IN_A_SIDE_EFFECT = ["tool:pay_invoice:INV-2:before", "tool:pay_invoice:INV-2:after"]


def killed(folder, die_at, *flags):
    """Run the program until it kills itself."""
    done = subprocess.run([sys.executable, PROGRAM, folder, die_at, *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode == -9, done.stderr


@contextmanager
def reopened(folder, model, *, checkpoints):
    """The same graph in this process, which knows nothing of the killed one but its files."""
    with TieredMemory.open(folder / "memory", embedder=None) as memory:
        if checkpoints:
            with open_checkpointer(folder / "checkpoints.sqlite") as saver:
                yield make_graph(World(folder), memory, model, saver), memory
        else:
            yield make_graph(World(folder), memory, model), memory


def other_executor():
    """Another model for the second half: it thinks other thoughts and takes the open items from the end."""
    rule = clerk().rule

    def answer(prompt):
        if labels(prompt):
            return {"thought": "last first", "choice": labels(prompt)[-1]}
        return rule(prompt)

    return PolicyModel(rule=answer)


def assert_whole(memory, world, *, reads_at_most=1):
    """Everything was read and paid; what had finished was not run again; the record holds each call once."""
    assert Counter(world.runs("pay_invoice")) == Counter(list(AMOUNTS))
    assert world.runs("list_invoices") == ["all"]
    assert set(world.runs("read_invoice")) == set(AMOUNTS)
    assert max(Counter(world.runs("read_invoice")).values()) <= reads_at_most
    events = memory.events(SCOPE)
    results = [call_text(e.action, e.arguments) for e in events if e.phase is Phase.RESULT]
    assert len(results) == len(set(results)) == 1 + 2 * len(AMOUNTS)
    assert [e.observation for e in events if e.action == "request"] == [GOAL]
    assert [e.observation for e in events if e.action == "answer"] == [ANSWER]


@pytest.mark.integration
@pytest.mark.parametrize("die_at", BETWEEN_STEPS)
def test_the_thread_goes_on_from_its_checkpoint(tmp_path, die_at):
    killed(tmp_path, die_at, "--checkpoints")
    with reopened(tmp_path, clerk(), checkpoints=True) as (graph, memory):
        out = graph.invoke(None, CONFIG)
        assert (out["status"], out["messages"][-1].text) == ("done", ANSWER)
        assert_whole(memory, World(tmp_path), reads_at_most=1 + die_at.endswith("INV-2:after"))
        assert out["task_state"]["amendments"] == []
        assert graph.get_state(CONFIG).next == ()


@pytest.mark.integration
@pytest.mark.parametrize("die_at", BETWEEN_STEPS[::2] + BETWEEN_STEPS[-1:])
def test_another_executor_goes_on_from_the_memory_alone(tmp_path, die_at):
    killed(tmp_path, die_at)
    model = other_executor()
    with reopened(tmp_path, model, checkpoints=False) as (graph, memory):
        out = graph.invoke(CONTINUE, CONFIG)
        assert (out["status"], out["messages"][-1].text) == ("done", ANSWER)
        assert_whole(memory, World(tmp_path), reads_at_most=1 + die_at.endswith("INV-2:after"))
        assert out["task_state"]["goal"] == GOAL


@pytest.mark.integration
@pytest.mark.parametrize("die_at", IN_A_SIDE_EFFECT)
@pytest.mark.parametrize("checkpoints", [True, False])
def test_a_side_effect_that_was_cut_off_is_not_repeated_and_its_outcome_is_called_unknown(
    tmp_path, die_at, checkpoints
):
    killed(tmp_path, die_at, *(["--checkpoints"] if checkpoints else []))
    model = clerk()
    with reopened(tmp_path, model, checkpoints=checkpoints) as (graph, memory):
        out = graph.invoke(None if checkpoints else CONTINUE, CONFIG)
        assert out["status"] == "done"
        happened = die_at.endswith("after")
        assert Counter(World(tmp_path).runs("pay_invoice")) == {"INV-1": 1, "INV-3": 1} | (
            {"INV-2": 1} if happened else {}
        )
        [unknown] = [event for event in memory.events(SCOPE) if event.phase is Phase.UNKNOWN]
        assert unknown.arguments == {"invoice_id": "INV-2", "amount": 220}
        [item] = [item for item in out["task_state"]["items"] if item["evidence"] == unknown.event_id]
        assert item["status"] == "failed"
        assert "may or may not have happened" in item["result"]
        assert any("may or may not have happened" in prompt[-1].text for prompt in model.prompts)


@pytest.mark.parametrize("since", [0, 2, 5])
def test_nothing_is_run_twice_from_an_older_checkpoint_either(tmp_path, since):
    """As after a crash in which the newest checkpoints were not yet written, however many those are."""
    world = World(tmp_path)
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory, open_checkpointer(":memory:") as saver:
        graph = make_graph(world, memory, clerk(), saver)
        first = graph.invoke({"messages": [("user", GOAL)]}, CONFIG)
        history = graph.get_state_history(CONFIG)
        [older] = [entry for entry in history if entry.next == ("plan",) and entry.values["step"] == since]
        again = graph.invoke(None, older.config)
        for tool, runs in [("list_invoices", ["all"]), ("read_invoice", [*AMOUNTS]), ("pay_invoice", [*AMOUNTS])]:
            assert world.runs(tool) == runs
        assert again["messages"][-1].text == first["messages"][-1].text


def test_a_new_message_continues_an_open_task_without_a_checkpoint(tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        graph = make_graph(World(tmp_path), memory, clerk())
        stopped = graph.invoke({"messages": [("user", GOAL)]}, CONFIG, context={"max_steps": 3})
        assert (stopped["status"], stopped["stop_reason"]) == ("stopped", "step_limit")
        out = graph.invoke({"messages": [HumanMessage("Go on, please.")]}, CONFIG)
        assert (out["status"], out["messages"][-1].text) == ("done", ANSWER)
        assert out["task_state"]["goal"] == GOAL
        assert out["task_state"]["amendments"] == ["Go on, please."]
        assert World(tmp_path).runs("read_invoice") == list(AMOUNTS)


def test_a_finished_or_unknown_thread_has_nothing_to_continue(tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        graph = make_graph(World(tmp_path), memory, clerk())
        with pytest.raises(NotFound, match="hand in a message"):
            graph.invoke(CONTINUE, CONFIG)
        graph.invoke({"messages": [("user", GOAL)]}, CONFIG)
        with pytest.raises(NotFound, match="hand in a message"):
            graph.invoke(CONTINUE, CONFIG)


def test_the_program_that_is_killed_would_end_right_otherwise(tmp_path):
    world = World(tmp_path)
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        out = make_graph(world, memory, clerk()).invoke({"messages": [("user", GOAL)]}, CONFIG)
        assert out["status"] == "done"
        assert_whole(memory, world)
        assert step("list_invoices")["step"]["action"] == memory.events(SCOPE)[1].action
