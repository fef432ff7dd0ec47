"""`langgraph dev` serves the graph of our langgraph.json, offline, from another folder than the repository."""

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
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from stand_in_ollama import StandInOllama

from memory_secretary.graph import exports

CONFIG_FILE = Path(__file__).parents[2] / "langgraph.json"


def replies(body):
    """Reads the note, then answers."""
    prompt = body["messages"][-1]["content"]
    if "These calls are possible now" in prompt:
        return {"1": "yes"}
    if "read_file(path=note.txt) →" in prompt:
        return {"step": {"thought": "", "action": "final_answer", "input": {"answer": "The kiln is in the shed."}}}
    if '"choice": i1' in prompt:
        return {"thought": "as listed", "choice": "i1"}
    return {"step": {"thought": "look", "action": "read_file", "input": {"path": "note.txt"}}}


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def ask(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Content-Type": "application/json"}), timeout=40) as reply:
        return json.load(reply)


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
    for _ in range(400):
        assert process.poll() is None, log.read_text()
        try:
            ask(url)
        except (URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(log.read_text())


@pytest.mark.integration
def test_the_server_offers_the_secretary_and_runs_it_without_blocking_calls(tmp_path):
    question = {"messages": [{"role": "user", "content": "Where is the kiln? See note.txt"}]}
    run = {"assistant_id": "secretary", "input": question, "context": {"user_id": "bob", "max_steps": 8}}
    with StandInOllama(replies=replies) as executor, dev_server(tmp_path, executor.url) as url:
        [assistant] = ask(f"{url}/assistants/search", {"graph_id": "secretary"})
        schemas = ask(f"{url}/assistants/{assistant['assistant_id']}/schemas")
        out = ask(f"{url}/runs/wait", run)
        thread = ask(f"{url}/threads", {})["thread_id"]
        again = ask(f"{url}/threads/{thread}/runs/wait", run)
        state = ask(f"{url}/threads/{thread}/state")
    assert assistant["name"] == "secretary"
    assert {"user_id", "executor_window", "gate"} <= set(schemas["context_schema"]["properties"])
    for result in (out, again, state["values"]):
        assert (result["status"], result["messages"][-1]["content"]) == ("done", "The kiln is in the shed.")
        assert result["figures"]["tool_calls"] == 1
    log = (tmp_path / "log.txt").read_text()
    assert "Blocking call" not in log
    assert "BlockingError" not in log


async def test_the_exported_graph_is_one_and_brings_no_checkpointer(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_SECRETARY_EXECUTOR", "ollama:qwen2.5:7b")
    monkeypatch.setenv("MEMORY_SECRETARY_MEMORY", str(tmp_path / "memory"))
    monkeypatch.setenv("MEMORY_SECRETARY_WORKSPACE", str(tmp_path))
    exports._made.cache_clear()
    try:
        graph, same = await asyncio.gather(exports.make_secretary_graph(), exports.make_secretary_graph())
        assert graph is same
        assert graph.checkpointer is None
    finally:
        exports._made.cache_clear()
