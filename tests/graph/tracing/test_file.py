"""A trace file: a line for each node of a run, whole, without secrets, and readable after a power cut."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from invoices import ANSWER, CONFIG, GOAL, World, clerk
from policy import PolicyModel, step

from memory_secretary.graph import Settings, build_graph
from memory_secretary.graph.tracing.file import TraceFile
from memory_secretary.graph.tracing.reading import read_trace
from memory_secretary.memory.errors import InvalidRecord, ModelUnreachable, StorageError
from memory_secretary.memory.scope import Scope

ASKED = {"messages": [("user", GOAL)]}


def traced(tmp_path, memory, model, *, asked=ASKED, tools=None, trace=None, **settings):
    """The trace of one run."""
    path = trace or tmp_path / "trace.jsonl"
    chosen = Settings(**{"user_id": "ana", "executor_window": 2048, "max_steps": 20, **settings})
    tools = World(tmp_path).tools() if tools is None else tools
    graph = build_graph(model, memory=memory, tools=tools, settings=chosen, trace=path)
    graph.invoke(asked, CONFIG)
    return read_trace(path)


def test_every_node_of_a_run_has_its_line_between_head_and_end(tmp_path, memory):
    [run] = traced(tmp_path, memory, clerk()).runs
    assert run.head["request"] == GOAL and run.head["owner"] == "user:ana" and run.thread == "t1"
    assert run.head["settings"]["executor_window"] == 2048
    names = [node["node"] for node in run.nodes]
    assert names[:4] == ["retrieve", "summarize", "plan", "act"] and names[-1] == "precipitate"
    assert [node["step"] for node in run.nodes] == sorted(node["step"] for node in run.nodes)
    assert all(node["seconds"] >= 0 and node["at"] > run.head["at"] for node in run.nodes)
    assert run.foot["status"] == "done" and run.foot["answer"] == ANSWER
    assert run.foot["figures"]["steps"] == names.count("plan")


def test_the_calls_of_each_model_stand_with_their_node(tmp_path, memory):
    [run] = traced(tmp_path, memory, clerk()).runs
    names = {node["node"]: set() for node in run.nodes}
    for node in run.nodes:
        names[node["node"]] |= {call["name"] for call in node["calls"]}
    assert names == {
        "retrieve": set(), "summarize": {"secretary"}, "plan": {"executor"}, "act": set(), "precipitate": set(),
    }  # fmt: skip
    asked = sum(len(node["calls"]) for node in run.nodes if node["node"] == "summarize")
    assert asked == run.foot["figures"]["secretary_calls"]


def test_what_was_recalled_stands_there_with_the_parts_of_its_score(tmp_path, memory):
    memory.remember(Scope(user="ana"), "The depot pays invoices on Fridays only.")
    [run] = traced(tmp_path, memory, clerk()).runs
    [card] = [one for one in run.nodes[0]["memories"] if one["source"] == "card"]
    assert "Fridays" in card["line"] and {"similarity", "recency", "type"} <= card["parts"].keys()
    assert run.nodes[0]["searches"][0]["query"].startswith("List the open invoices")


def test_what_is_left_out_of_the_brief_is_told_with_its_reason(tmp_path, memory):
    for n in range(6):
        memory.record(
            Scope(user="ana", thread="t0"), actor="user", action="request", observation=f"{GOAL} Now, week {n}."
        )
    [run] = traced(tmp_path, memory, clerk()).runs
    gone = [each for node in run.nodes for each in node.get("left_out_why", ())]
    assert any(each["section"] == "recalled" and each["why"] == "not_needed" for each in gone)
    assert all(each["lines"] >= len(each["first"]) > 0 for each in gone)


def test_a_brief_without_room_says_which_lines_it_lost(tmp_path, memory):
    def look(path: str) -> str:
        """Read a file."""
        return "\n".join(f"The depot of {path} stored {n} pallets of goods in week {n}." for n in range(10, 60))

    waiting = [step("look", path=f"f{n}.md") for n in range(3)] + [step("final_answer", answer="Fine.")]
    found = traced(
        tmp_path, memory, PolicyModel(rule=lambda _: waiting.pop(0)), tools=[look],
        asked={"messages": [("user", "How many pallets of goods did the depot store in f0.md? " * 20)]},
        executor_window=1024, digests=False, discovery=False, grounding=False, gate=False, noting=False,
    )  # fmt: skip
    gone = {(each["section"], each["why"]) for node in found.runs[0].nodes for each in node.get("left_out_why", ())}
    assert ("newest", "no_room") in gone or ("goal_again", "no_room") in gone


def test_an_answer_whose_numbers_stand_nowhere_is_told_as_removed(tmp_path, memory):
    answers = [step("final_answer", answer="It is 98765."), step("final_answer", answer="I do not know.")]
    model = PolicyModel(rule=lambda _: answers.pop(0))
    found = traced(tmp_path, memory, model, asked={"messages": [("user", "What is the total?")]}, tools=[])
    [plan] = [node for node in found.runs[0].nodes if node["node"] == "plan"]
    assert plan["removed"][0]["text"] == "It is 98765." and "98765" in plan["removed"][0]["source"]


def test_secrets_are_no_part_of_it_and_others_cannot_read_it(tmp_path, memory):
    def note(text: str) -> str:
        """Note a text."""
        return f"noted {text}; the token is " + "ghp_" + "a1B2" * 9

    replies = [step("note", text="tr0ub4dor-x9"), step("final_answer", answer="Noted with ghp_" + "c3D4" * 9)]
    model = PolicyModel(rule=lambda _: replies.pop(0))
    asked = {"messages": [("user", "Note this: the password is tr0ub4dor-x9.")]}
    traced(tmp_path, memory, model, asked=asked, tools=[note], pairing=False, grounding=False)
    path = tmp_path / "trace.jsonl"
    text = path.read_text("utf-8")
    assert "tr0ub4dor" not in text and "ghp_" not in text and "«secret:" in text
    assert sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_run_that_fails_ends_with_the_reason(tmp_path, memory):
    def fail(_):
        raise ModelUnreachable("no answer from the server; start it")

    with pytest.raises(ModelUnreachable):
        traced(tmp_path, memory, PolicyModel(rule=fail))
    [run] = read_trace(tmp_path / "trace.jsonl").runs
    assert run.nodes[-1]["node"] == "plan" and "no answer from the server" in run.nodes[-1]["error"]
    assert run.foot["status"] == "broken_off"


def test_a_handler_given_to_one_call_traces_that_call_alone(tmp_path, memory):
    graph = build_graph(clerk(), memory=memory, tools=World(tmp_path).tools(), settings=Settings(user_id="ana"))
    path = tmp_path / "one.jsonl"
    graph.invoke(ASKED, {**CONFIG, "callbacks": [TraceFile(path)]})
    graph.invoke({"messages": [("user", "Thanks!")]}, {"configurable": {"thread_id": "t2"}})
    assert [run.thread for run in read_trace(path).runs] == ["t1"]


@pytest.mark.parametrize("node", ["node:plan:1", "tool:pay_invoice:INV-2:after"])
def test_a_power_cut_leaves_all_that_was_told_before_it(tmp_path, node, monkeypatch):
    path = tmp_path / "trace.jsonl"
    monkeypatch.setenv("MEMORY_SECRETARY_TRACE", str(path))
    program = Path(__file__).parents[2] / "invoices.py"
    done = subprocess.run([sys.executable, program, str(tmp_path), node], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    [run] = read_trace(path).runs
    assert run.foot is None and run.nodes
    assert run.nodes[-1]["node"] in ("summarize", "plan"), (
        "the node that was cut off is not there, the one before it is"
    )


def test_a_torn_line_is_passed_over_and_the_next_run_begins_a_line_of_its_own(tmp_path, memory):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"kind": "node", "run": "aaa", "thre', "utf-8")
    found = traced(tmp_path, memory, clerk(), trace=path)
    assert found.torn == 1 and found.runs[0].foot["status"] == "done"
    assert found.runs[0].head["request"] == GOAL, "the first line of the next run is whole"
    assert all(json.loads(line) for line in path.read_text("utf-8").splitlines()[1:])


def test_a_file_that_cannot_be_written_is_refused_before_anything_begins(tmp_path, memory):
    with pytest.raises(StorageError, match="name a file in a folder"):
        build_graph(clerk(), memory=memory, settings=Settings(user_id="ana"), trace=tmp_path / "no" / "trace.jsonl")


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no trace"), ("hello\n", "no trace"), ('{"kind": "other"}\n', "no trace"), ("[1]\n", "no trace")],
)
def test_what_is_no_trace_is_named_so(tmp_path, text, said):
    path = tmp_path / "x.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidRecord, match=said):
        read_trace(path)


def test_a_trace_of_a_newer_version_is_not_guessed_at(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"kind": "run", "run": "a", "thread": "t", "format": 99}\n', "utf-8")
    with pytest.raises(InvalidRecord, match="newer"):
        read_trace(path)
