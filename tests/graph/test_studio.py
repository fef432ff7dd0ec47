"""`langgraph dev` serves the graphs of our langgraph.json, offline, from another folder than the repository."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
import pytest_socket
from langgraph.store.memory import InMemoryStore
from langgraph_sdk.runtime import _ReadRuntime
from stand_in_ollama import StandInOllama
from teachers import every_line

from memory_secretary.graph import Settings, exports
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

CONFIG_FILE = Path(__file__).parents[2] / "langgraph.json"
QUESTION = "Where is the kiln? See note.txt"


def replies(body):
    """Reads the note when the goal is about the kiln; takes note of anything else."""
    prompt = body["messages"][-1]["content"]
    if 'Lines of "' in prompt:
        return every_line(prompt)
    if "These calls are possible now" in prompt:
        return {"1": "yes"}
    if "kiln" not in prompt.split("## Goal", 1)[-1].split("\n## ", 1)[0]:
        return final("Noted.")
    if "read_file(path=note.txt) →" in prompt:
        return final("The kiln is in the shed.")
    if '"choice": i1' in prompt:
        return {"thought": "as listed", "choice": "i1"}
    return {"step": {"thought": "look", "action": "read_file", "input": {"path": "note.txt"}}}


def final(answer):
    return {"step": {"thought": "", "action": "final_answer", "input": {"answer": answer}}}


# --- the server ------------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def posted(url, body):
    return Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})


def ask(url, body=None):
    with urlopen(url if body is None else posted(url, body), timeout=120) as reply:
        return json.load(reply)


def failure_of(url, body):
    """What the server tells of a run that failed, as text."""
    try:
        return json.dumps(ask(url, body), ensure_ascii=False)
    except HTTPError as error:
        return error.read().decode()


def events_of(url, body):
    """The server-sent events of a run, as pairs of name and data."""
    with urlopen(posted(url, body), timeout=120) as reply:
        blocks = reply.read().decode().replace("\r\n", "\n").split("\n\n")
    parts = [dict(line.split(": ", 1) for line in block.splitlines() if ": " in line) for block in blocks]
    return [(part["event"], json.loads(part.get("data", "null"))) for part in parts if "event" in part]


def run_of(text, **more):
    """The body of a run, as Studio's chat sends it."""
    asked = {"messages": [{"role": "user", "content": text}]}
    return {"assistant_id": "secretary", "input": asked, "context": {"user_id": "bob", "max_steps": 8}, **more}


@contextmanager
def dev_server(folder, executor_url):
    """The server's address; its log is in the folder."""
    shutil.copy(CONFIG_FILE, folder / "langgraph.json")
    (folder / "work").mkdir()
    (folder / "work" / "note.txt").write_text("The kiln is in the shed.", "utf-8")
    own = {
        "EXECUTOR": "ollama:qwen2.5:7b", "MEMORY": folder / "memory", "WORKSPACE": folder / "work", "LANG": "en",
    }  # fmt: skip
    env = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "OLLAMA_HOST": executor_url,
        "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "1", "LANGSMITH_TRACING": "false",
        **{f"MEMORY_SECRETARY_{name}": str(value) for name, value in own.items()},
    }  # fmt: skip
    port = free_port()
    words = ["dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", str(port)]
    command = [sys.executable, "-c", "from langgraph_cli.cli import cli; cli()", *words]
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_for(f"http://127.0.0.1:{port}/ok", process, folder / "log.txt")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def wait_for(url, process, log):
    for _ in range(1200):
        assert process.poll() is None, log.read_text()
        try:
            ask(url)
        except (URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def studio_folder(tmp_path_factory):
    """Where the server works; its memory is in ``memory``."""
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def served(studio_folder):
    """One server for the tests of this file: its address, and the stand-in that its executor asks."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
    folder = studio_folder
    with StandInOllama(replies=replies) as executor, dev_server(folder, executor.url) as url:
        yield url, executor
    log = (folder / "log.txt").read_text()
    assert "Blocking call" not in log
    assert "BlockingError" not in log


# --- what Studio sees ------------------------------------------------------------------------------------------------


@pytest.mark.integration
def test_the_graph_and_every_setting_are_shown_with_type_default_and_description(served):
    url, _ = served
    [assistant] = ask(f"{url}/assistants/search", {"graph_id": "secretary"})
    at = f"{url}/assistants/{assistant['assistant_id']}"
    drawn, schemas = ask(f"{at}/graph"), ask(f"{at}/schemas")
    assert assistant["name"] == "secretary"
    assert {"retrieve", "summarize", "plan", "act", "precipitate"} <= {node["id"] for node in drawn["nodes"]}
    shown = schemas["context_schema"]["properties"]
    assert set(shown) == {entry.name for entry in fields(Settings)}
    for entry in fields(Settings):
        assert shown[entry.name]["description"].startswith(entry.metadata["description"])
        assert entry.default is None or str(entry.default) in shown[entry.name]["description"]
    assert shown["max_steps"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 100_000}
    assert shown["lang"]["anyOf"][0]["enum"] == ["auto", "en", "zh"]
    assert list(schemas["input_schema"]["properties"]) == ["messages"]
    assert {"messages", "status", "stop_reason", "brief", "task_state"} <= set(schemas["output_schema"]["properties"])


@pytest.mark.integration
def test_two_turns_remember_each_other_are_streamed_and_leave_a_small_state(served):
    url, executor = served
    out = ask(f"{url}/runs/wait", run_of(QUESTION))
    assert (out["status"], out["messages"][-1]["content"]) == ("done", "The kiln is in the shed.")
    thread = f"{url}/threads/{ask(f'{url}/threads', {})['thread_id']}"
    modes = ["updates", "custom", "messages-tuple"]
    streamed = events_of(f"{thread}/runs/stream", run_of(QUESTION, stream_mode=modes))
    assert {"updates", "custom", "messages"} <= {name for name, _ in streamed}
    assert [node for name, data in streamed if name == "updates" for node in data][:4] == [
        "retrieve", "summarize", "plan", "act",
    ]  # fmt: skip
    ask(f"{thread}/runs/wait", run_of("Well, where was it?"))
    assert "The kiln is in the shed." in executor.prompts[-1]
    state = ask(f"{thread}/state")["values"]
    assert [message["type"] for message in state["messages"]] == ["human", "ai", "human", "ai"]
    assert {"brief", "task_state", "reminders", "next", "status"} <= set(state)
    assert len(json.dumps(state)) < 20_000


@pytest.mark.integration
@pytest.mark.parametrize(
    ("context", "named"),
    [({"max_step": 3}, "unknown setting max_step"), ({"max_steps": 0}, "max_steps"), ({"lang": "fr"}, "lang")],
)
def test_a_wrong_setting_is_named(served, context, named):
    url, _ = served
    said = failure_of(f"{url}/runs/wait", run_of(QUESTION, context={"user_id": "bob", **context}))
    assert "SettingsError" in said
    assert named in said


@pytest.mark.integration
def test_a_wrong_setting_in_the_configuration_is_named_and_the_servers_own_keys_pass(served):
    url, _ = served
    body = {name: part for name, part in run_of(QUESTION).items() if name != "context"}
    wrong = {"configurable": {"user_id": "bob", "max_step": 3}}
    assert "unknown setting max_step" in failure_of(f"{url}/runs/wait", {**body, "config": wrong})
    right = {"configurable": {"user_id": "bob", "max_steps": 8}}
    assert ask(f"{url}/runs/wait", {**body, "config": right})["status"] == "done"


@pytest.mark.integration
def test_a_fork_sees_only_its_own_past(served):
    url, executor = served
    thread = f"{url}/threads/{ask(f'{url}/threads', {})['thread_id']}"
    ask(f"{thread}/runs/wait", run_of("The wheel stands in room five."))
    history = ask(f"{thread}/history", {"limit": 100})
    ask(f"{thread}/runs/wait", run_of("Since May the wheel stands in the attic."))
    ask(f"{thread}/runs/wait", run_of("Where does the wheel stand?"))
    assert "attic" in executor.prompts[-1]

    before, answered = len(executor.prompts), next(entry for entry in history if not entry["next"])
    ask(f"{thread}/runs/wait", run_of("Where does the wheel stand now?", checkpoint=answered["checkpoint"]))
    seen = "\n".join(executor.prompts[before:])
    assert "room five" in seen
    assert "attic" not in seen

    before, asked = len(executor.prompts), [entry for entry in history if entry["next"] == ["retrieve"]][-1]
    edited = {**asked["values"]["messages"][0], "content": "Where does the wheel stand at all?"}
    change = {"values": {"messages": [edited]}, "checkpoint": asked["checkpoint"], "as_node": "__start__"}
    forked = ask(f"{thread}/state", change)["checkpoint"]
    out = ask(f"{thread}/runs/wait", {**run_of(""), "input": None, "checkpoint": forked})
    seen = "\n".join(executor.prompts[before:])
    assert [message["type"] for message in out["messages"]] == ["human", "ai"]
    assert "Where does the wheel stand at all?" in seen
    assert "attic" not in seen
    assert "room five" not in seen


@pytest.mark.integration
def test_maintenance_waits_there_for_an_approval_and_goes_on_with_the_answer(served, studio_folder):
    url, _ = served
    old = datetime.now(UTC) - timedelta(days=60)
    scope = Scope(user="mia")
    with TieredMemory.open(studio_folder / "memory", embedder=None) as memory:
        offer = memory.remember(scope, "Offer of 7", at=old, valid_until=old + timedelta(days=1)).memory_id
        memory.remember(scope, "The kiln is in the shed", at=old)
    thread = f"{url}/threads/{ask(f'{url}/threads', {})['thread_id']}"
    body = {"assistant_id": "maintenance", "input": {}, "context": {"user_id": "mia"}}
    waiting = ask(f"{thread}/runs/wait", body)
    (question,) = waiting["__interrupt__"]
    assert [one["memory_id"] for one in question["value"]["changes"]] == [offer]
    assert waiting["consolidated"]["promoted"] == 1
    resumed = {"assistant_id": "maintenance", "command": {"resume": [offer]}, "context": {"user_id": "mia"}}
    done = ask(f"{thread}/runs/wait", resumed)
    assert (done["status"], done["changed"]) == ("done", [offer])
    drawn = ask(f"{url}/assistants/maintenance/graph?xray=true")
    assert {"consolidate", "inspect", "approve", "apply"} <= {node["id"] for node in drawn["nodes"]}


@pytest.mark.integration
def test_documents_are_distilled_there_once_and_their_cards_are_in_the_memory(served, studio_folder):
    url, executor = served
    papers = studio_folder / "papers"
    papers.mkdir()
    (papers / "kiln.md").write_text("# Workshop\n\n## Kiln\n\nThe kiln is fired for nine hours.\n")
    (papers / "empty.txt").write_text("")
    body = {"assistant_id": "distill", "input": {"paths": [str(papers)]}, "context": {"user_id": "ida"}}
    thread = f"{url}/threads/{ask(f'{url}/threads', {})['thread_id']}"
    done = ask(f"{thread}/runs/wait", body)
    assert (done["status"], done["figures"]["distilled"], done["figures"]["cards"]) == ("done", 1, 1)
    assert [Path(one["path"]).name for one in done["failures"]] == ["empty.txt"]
    before = len(executor.prompts)
    again = ask(f"{thread}/runs/wait", body)
    assert (again["figures"]["unchanged"], len(executor.prompts)) == (1, before)
    with TieredMemory.open(studio_folder / "memory", embedder=None) as memory:
        [one] = memory.list(Scope(user="ida"))
    assert (one.content, one.tier) == ("Workshop › Kiln: The kiln is fired for nine hours.", "long")
    drawn = ask(f"{url}/assistants/distill/graph?xray=true")
    assert {"extract", "link", "review", "store"} <= {node["id"] for node in drawn["nodes"]}


async def test_the_exported_graph_is_one_and_brings_no_checkpointer(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_SECRETARY_EXECUTOR", "ollama:qwen2.5:7b")
    monkeypatch.setenv("MEMORY_SECRETARY_MEMORY", str(tmp_path / "memory"))
    monkeypatch.setenv("MEMORY_SECRETARY_WORKSPACE", str(tmp_path))
    exports._made.cache_clear()
    drawing = _ReadRuntime(access_context="assistants.read", store=InMemoryStore())
    try:
        graph, same = await asyncio.gather(*(exports.make_secretary_graph(drawing) for _ in range(2)))
        assert graph is same
        assert graph.checkpointer is None
    finally:
        exports._made.cache_clear()
