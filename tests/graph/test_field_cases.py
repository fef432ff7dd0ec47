"""Failures that users of such systems report, one kind a section; where another test has the kind, it is named.

- A server that drops the front of a prompt in silence: ``test_calls`` (a server that read less than was sent),
  ``test_structured`` (the same window at each call), ``test_builder`` (a menu larger than the window is refused).
- Arguments that are malformed: ``test_run`` (unusable replies run nothing), ``test_garbled``.
- An endless tool loop: ``test_run`` (an endless repeat runs once and ends with an answer and a reason).
- Messages orphaned by trimming: the executor's prompt holds no tool messages, so there are no pairs; ``test_long_runs``
  (every prompt fits and keeps system, tools, goal and turn).
- A tool that raises: ``test_run`` (a raising tool is a short failed result), ``test_observation`` (signals pass).
- Studio's start: ``test_studio`` (the exported graph is one and brings no checkpointer), ``test_builder`` (thread ids).
"""

from __future__ import annotations

import json
import subprocess
import sys
from textwrap import dedent

import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from policy import PolicyModel, step

from memory_secretary.graph import open_checkpointer
from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.prompt import prompt_tokens, reply_room

THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")
KB = 1024


def ask(text):
    return {"messages": [("user", text)]}


def answers(text="Done."):
    return step("final_answer", answer=text)


def once(first, answer="Done."):
    """A model that takes one step and answers as soon as the brief shows that it was tried."""
    return PolicyModel(rule=lambda prompt: answers(answer) if "→" in prompt else first)


def results(memory):
    return [event for event in memory.events(SCOPE) if event.phase is Phase.RESULT]


# --- a result that fills the window ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "row"),
    [
        ("Move the 16:40 kiln slot to Thursday.", "slot {n}: kiln {n}, taken by the pottery club until further notice"),
        ("把 16:40 的窑位改到周四。", "窑位 {n}：第 {n} 号窑，陶艺社使用，直到另行通知为止"),
    ],
)
def test_a_result_that_nearly_fills_the_window_pushes_out_neither_tools_nor_request(new_graph, request_, row):
    listing = "\n".join(row.format(n=n) for n in range(400))

    def list_slots() -> str:
        """List the slots."""
        return listing

    def move_slot(time: str, day: str) -> str:
        """Move a slot to another day."""
        return "moved"

    model = once(step("list_slots"))
    new_graph(model, [list_slots, move_slot], executor_window=2048).invoke(ask(request_), THREAD)
    assert estimate_tokens(listing) > 4000
    for system, user in model.prompts:
        assert prompt_tokens([system, user], estimate_tokens) <= 2048 - reply_room(2048)
        assert "list_slots" in system.text
        assert "move_slot" in system.text
        assert request_ in user.text


# --- compaction that makes nothing shorter --------------------------------------------------------------------------


def test_a_secretary_that_makes_nothing_shorter_costs_few_calls_and_stops_nothing(new_graph):
    paste = " ".join(f"line {n} of the log says that job ORD-{n} waits" for n in range(350))
    history = [
        ("user", "Hello."),
        ("ai", "Hello."),
        ("user", "I have a log."),
        ("ai", "Show me."),
        ("user", paste),
        ("ai", "I see."),
    ]
    executor = PolicyModel(rule=lambda prompt: answers("The log is long."))
    secretary = PolicyModel(rule=lambda prompt: prompt)
    graph = new_graph(executor, secretary=secretary, executor_window=4096, secretary_window=4096)
    out = graph.invoke({"messages": [*history, ("user", "What did I paste?")]}, THREAD)
    assert estimate_tokens(paste) > 3500
    assert (out["status"], out["messages"][-1].text) == ("done", "The log is long.")
    assert len(secretary.prompts) <= 3
    assert all(prompt_tokens(prompt, estimate_tokens) < 4096 for prompt in secretary.prompts)


# --- a call that is written as text ---------------------------------------------------------------------------------

CALL = '{"name": "read_note", "arguments": {"note_id": "n-7"}}'


class Notes:
    """Counts how often a note is read."""

    def __init__(self):
        self.read = []

    def read_note(self, note_id: str) -> str:
        """Read one note."""
        self.read.append(note_id)
        return "The kiln is free on Thursday."


@pytest.mark.parametrize(
    "written",
    [
        CALL,
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"I will read it first.\n```json\n{CALL}\n```",
        CALL.replace("arguments", "parameters"),
    ],
)
def test_a_call_that_is_written_as_text_is_run_once_and_is_no_answer(new_graph, memory, written):
    notes = Notes()
    out = new_graph(once(written, "On Thursday."), [notes.read_note]).invoke(ask("What does note n-7 say?"), THREAD)
    assert notes.read == ["n-7"]
    assert [message.text for message in out["messages"][1:]] == ["On Thursday."]


@pytest.mark.parametrize("request_", ["Show me an example JSON tool call.", "给我看一个 JSON 工具调用的例子。"])
def test_a_call_that_the_user_asked_to_see_is_not_run(new_graph, request_):
    notes = Notes()
    told = iter([CALL])
    model = PolicyModel(rule=lambda prompt: next(told, answers(CALL)))
    out = new_graph(model, [notes.read_note]).invoke(ask(request_), THREAD)
    assert notes.read == []
    assert out["messages"][-1].text == CALL


# --- several calls in one reply -------------------------------------------------------------------------------------


class TwoCalls(PolicyModel):
    """Makes two native calls in its first reply, both under the same id, and then answers."""

    call_id: str | None = None

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if self.prompts:
            return super()._generate(messages, stop, run_manager, **kwargs)
        self.prompts.append(list(messages))
        calls = [{"name": "get_stock", "args": {"shelf": shelf}, "id": self.call_id} for shelf in "AC"]
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=calls))])


@pytest.mark.parametrize("call_id", ["get_stock", "", None])
def test_two_calls_of_one_reply_each_get_their_own_result_whatever_their_ids(new_graph, memory, call_id):
    def get_stock(shelf: str) -> str:
        """Get the stock of a shelf."""
        return {"A": "12 crates", "C": "0 crates"}[shelf]

    model = TwoCalls(rule=lambda prompt: answers("A has 12, C has 0."), call_id=call_id)
    graph = new_graph(model, [get_stock], checkpointer=InMemorySaver())
    updates = graph.stream(ask("How much is on shelf A and on shelf C?"), THREAD, stream_mode="updates")
    seen = [update["plan"]["next"]["call_id"] for update in updates if "plan" in update]
    assert {event.arguments["shelf"]: event.observation for event in results(memory)} == {
        "A": "12 crates",
        "C": "0 crates",
    }
    assert len(results(memory)) == 2
    assert sum("You carry out a task" in prompt[0].text for prompt in model.prompts) == 2
    assert len(seen) == len(set(seen)) == 3
    state = graph.get_state(THREAD).values
    assert state["messages"][-1].text == "A has 12, C has 0."


# --- a call that nobody asked for -----------------------------------------------------------------------------------


@pytest.mark.parametrize("greeting", ["hello!", "你好！"])
def test_a_greeting_is_answered_and_nothing_is_destroyed(new_graph, memory, greeting):
    forgotten = []

    def forget_all() -> str:
        """Forget everything that is stored."""
        forgotten.append(True)
        return "forgotten"

    replies = iter([step("forget_all"), step("forget_all"), answers("Hello!")])
    out = new_graph(PolicyModel(rule=lambda prompt: next(replies, answers("Hello!"))), [forget_all]).invoke(
        ask(greeting), THREAD
    )
    assert forgotten == []
    assert out["messages"][-1].text == "Hello!"
    assert memory.list(SCOPE) == []


# --- a huge result --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["\n", ""])
def test_a_value_deep_in_a_huge_page_is_found_in_a_later_turn(new_graph, memory, tmp_path, blank):
    row = f'<div class="x">row</div>{blank}'
    page = row * (2_900_000 // len(row)) + f"order_total: 417.25{blank}" + row * (100_000 // len(row))

    def fetch(url: str) -> str:
        """Fetch a page."""
        return page

    model = once(step("fetch", url="http://shop/order"), "Fetched.")
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = new_graph(model, [fetch], checkpointer=saver, executor_window=2048)
        graph.invoke(ask("Fetch http://shop/order"), THREAD)
        model.rule = lambda prompt: answers("417.25" if "417.25" in prompt else "I do not know.")
        out = graph.invoke(ask("what was the order total?"), THREAD)
        state = json.dumps({k: v for k, v in graph.get_state(THREAD).values.items() if k != "messages"})
    assert out["messages"][-1].text == "417.25"
    assert len(state) < 16 * KB


# --- reasoning that leaks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thinking",
    ["<think>maybe she moved</think>", "maybe she moved</think>", "<think></think>maybe she moved</think>"],
)
def test_reasoning_reaches_no_record_no_answer_and_no_brief(new_graph, memory, thinking):
    def get_address(person: str) -> str:
        """Get where somebody lives."""
        return "Brno"

    first, last = step("get_address", person="Eva"), answers("She lives in Brno.")
    model = PolicyModel(rule=lambda prompt: thinking + json.dumps(last if "→" in prompt else first))
    out = new_graph(model, [get_address]).invoke(ask("Where does Eva live?"), THREAD)
    assert out["messages"][-1].text == "She lives in Brno."
    kept = json.dumps([[event.thought, event.observation, event.arguments] for event in memory.events(SCOPE)])
    assert "maybe" not in kept + out["brief"]


def test_what_a_user_says_of_the_mark_is_left_alone(new_graph, memory):
    said = "what does <think> mean in HTML?"
    out = new_graph(PolicyModel(rule=lambda prompt: answers("Nothing."))).invoke(ask(said), THREAD)
    assert out["task_state"]["goal"] == said
    assert memory.events(SCOPE)[0].observation == said


# --- what a checkpoint cannot hold ----------------------------------------------------------------------------------

STRANGE = """
    import sys
    from pathlib import PurePosixPath
    from langgraph.types import Command, interrupt
    from policy import PolicyModel, step
    from memory_secretary.graph import Settings, build_graph, open_checkpointer
    from memory_secretary.memory.tiered import TieredMemory

    def inspect_kiln(kiln: str):
        "Inspect a kiln."
        return {"error": ValueError("cracked"), "path": PurePosixPath("/kilns/7"), "heat": Heat(), "kiln": kiln}

    def ask_user(question: str) -> str:
        "Ask the user."
        return interrupt(question)

    class Heat(float):
        pass

    def rule(prompt):
        if "- ask_user(" in prompt:
            return step("final_answer", answer="It is cracked.")
        seen = "- inspect_kiln(" in prompt
        return step("ask_user", question="Repair it?") if seen else step("inspect_kiln", kiln="K-7")

    folder, resumed = sys.argv[1], sys.argv[2] == "resume"
    settings = Settings(user_id="ana")
    opened = TieredMemory.open(folder + "/memory", embedder=None)
    with opened as memory, open_checkpointer(folder + "/checkpoints.sqlite") as saver:
        graph = build_graph(PolicyModel(rule=rule), memory=memory, tools=[inspect_kiln, ask_user], settings=settings,
                            checkpointer=saver)
        given = Command(resume="yes") if resumed else {"messages": [("user", "Inspect kiln K-7 and ask me.")]}
        out = graph.invoke(given, {"configurable": {"thread_id": "t1"}})
        print(out.get("status"), "|", out["messages"][-1].text, "|", bool(out.get("__interrupt__")))
"""


@pytest.mark.integration
def test_a_result_of_strange_objects_does_not_stop_a_run_from_being_resumed_in_another_process(tmp_path):
    """Strict msgpack, in each process."""

    def run(how):
        command = [sys.executable, "-c", dedent(STRANGE), str(tmp_path), how]
        paths = {"PYTHONPATH": ":".join(sys.path), "LANGGRAPH_STRICT_MSGPACK": "true", "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, capture_output=True, text=True, env={**paths, "HOME": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run("start").endswith("| True")
    assert run("resume") == "done | It is cracked. | False"
