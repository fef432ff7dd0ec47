"""The faults of a first day, each provoked for real: its sentence in the user's language, a status, nothing lost."""

from __future__ import annotations

import ctypes
import json
import os
import re
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from policy import PolicyModel, step
from sqlalchemy import event
from sqlalchemy.engine import Engine
from stand_in_ollama import StandInOllama
from typer.testing import CliRunner

from memory_secretary.graph import Settings, build_graph
from memory_secretary.graph.cli import app
from memory_secretary.graph.words import say
from memory_secretary.memory import database, storage_errors
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.storage_errors import demand_sqlite
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.weights import known_weights

REFUSED = 2
TASK = {"en": "Where is the kiln?", "zh": "窑炉在哪里？"}
CARD = "Answers under 200 words"
OLLAMA = "ollama:qwen2.5:7b"

both_languages = pytest.mark.parametrize("lang", ["en", "zh"])


@pytest.fixture
def folder(tmp_path):
    """A memory that holds one card."""
    path = tmp_path / "memory"
    with TieredMemory.open(path, embedder=None) as memory:
        memory.remember(Scope(user="local"), CARD)
    return path


@pytest.fixture
def call(folder, tmp_path, monkeypatch):
    """Calls the command line in a language; gives the exit status and the sentence on the error stream."""
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)

    def run(lang, *words):
        options = ["--memory", str(folder), "--lang", lang]
        result = CliRunner().invoke(app, [*words, *options])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.stderr

    return run


@pytest.fixture
def ask(call, tmp_path):
    """Runs the task of a language with a model."""
    work = tmp_path / "work"
    work.mkdir()
    fixed = ("--workspace", str(work), "--executor")
    return lambda lang, model, *more: call(lang, "run", TASK[lang], *fixed, model, *more)


def language(sentence):
    """By its words; paths and commands are Latin in any language."""
    return "zh" if len(re.findall(r"[\u4e00-\u9fff]", sentence)) > 3 else "en"


def refused(outcome, lang, *parts):
    """Check that a call ended with one sentence of ours that names each of ``parts``, in the language asked for."""
    status, said = outcome
    assert status == REFUSED
    before, way_on, _ = said.partition(say(lang, "resume"))
    sentence = (before if way_on else said).strip().splitlines()[-1]
    assert language(sentence) == lang, sentence
    for part in parts:
        assert part in sentence
    assert "Traceback" not in said
    return said


def kept(folder):
    """What the memory still holds: its cards, and the requests of the user."""
    with TieredMemory.open(folder, embedder=None) as memory:
        cards = [card.content for card in memory.list(Scope(user="local"))]
        return cards, [task.state["goal"] for task in memory.open_tasks(Scope(user="local"))]


@contextmanager
def page_server(status, body, kind="text/html"):
    """Something that is no model server, or one that says no: the same answer to every request."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self._answer()

        def do_POST(self):
            self._answer()

        def log_message(self, format, *args):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def closed_address():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


# --- model servers: found out before anything is shown or begun -------------------------------------------------


@pytest.mark.integration
@both_languages
def test_a_server_that_is_down(ask, folder, monkeypatch, lang):
    monkeypatch.setenv("OLLAMA_HOST", closed_address())
    said = refused(ask(lang, OLLAMA), lang, os.environ["OLLAMA_HOST"], "ollama serve")
    assert said.count("\n") == 1
    talk = CliRunner().invoke(app, ["chat", "--executor", OLLAMA, "--memory", str(folder), "--lang", lang], input="?\n")
    assert (talk.stdout, talk.stderr) == ("", said)
    assert kept(folder) == ([CARD], [])


@pytest.mark.integration
@both_languages
def test_a_model_that_was_not_pulled(ask, folder, monkeypatch, lang):
    with StandInOllama(models=("bge-m3:latest",)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        said = refused(ask(lang, OLLAMA), lang, server.url, "ollama pull qwen2.5:7b")
    assert said.count("\n") == 1
    assert kept(folder) == ([CARD], [])


@pytest.mark.integration
@both_languages
@pytest.mark.parametrize(("status", "page"), [(404, b"<html>Not Found</html>"), (200, b"<html>Welcome</html>")])
def test_an_address_or_a_port_at_which_something_else_answers(ask, folder, monkeypatch, lang, status, page):
    with page_server(status, page) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        refused(ask(lang, "openai:some-model"), lang, url, "OPENAI_BASE_URL", "/v1")
        monkeypatch.setenv("OLLAMA_HOST", url)
        refused(ask(lang, OLLAMA), lang, url, "OLLAMA_HOST")
    assert kept(folder)[0] == [CARD]


@both_languages
def test_an_address_that_is_none(ask, monkeypatch, lang):
    monkeypatch.setenv("OPENAI_BASE_URL", "127.0.0.1 8080")
    refused(ask(lang, "openai:some-model"), lang, "127.0.0.1 8080", "http://")
    for host in ("127.0.0.1 8080", "http//x", "localhost:abc"):
        monkeypatch.setenv("OLLAMA_HOST", host)
        refused(ask(lang, OLLAMA), lang, f"OLLAMA_HOST={host!r}", "http://127.0.0.1:11434")


@pytest.mark.integration
@both_languages
def test_a_wrong_key(ask, folder, monkeypatch, lang):
    said = json.dumps({"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}).encode()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789abcdef")
    with page_server(401, said, "application/json") as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        shown = refused(ask(lang, "openai:some-model"), lang, url, "OPENAI_API_KEY")
    assert "0123456789abcdef" not in shown
    assert kept(folder) == ([CARD], [])


@both_languages
def test_no_key_and_no_address(ask, lang):
    refused(ask(lang, "openai:some-model"), lang, "OPENAI_API_KEY", "OPENAI_BASE_URL")


@both_languages
def test_a_model_of_no_known_kind(ask, lang):
    refused(ask(lang, "gpt-5"), lang, "gpt-5", "ollama:", "openai:", "embedded")


# --- the embedded model --------------------------------------------------------------------------------------------


@both_languages
def test_corrupted_weights_are_named_and_deleted(ask, tmp_path, monkeypatch, lang):
    weights = known_weights()["qwen2.5-coder-0.5b"]
    monkeypatch.setenv("MEMORY_SECRETARY_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "cache" / "weights" / weights.file
    file.parent.mkdir(parents=True)
    file.write_bytes(b"GGUF but no model")
    refused(ask(lang, "embedded:0.5b"), lang, str(file), weights.name)
    assert not file.exists()


@pytest.mark.integration
@both_languages
def test_no_network_at_first_use(ask, monkeypatch, tmp_path, lang):
    monkeypatch.setenv("MEMORY_SECRETARY_CACHE", str(tmp_path / "cache"))
    nowhere = closed_address()
    monkeypatch.setenv("HF_ENDPOINT", nowhere)
    for name, value in {"INDEX_URL": f"{nowhere}/simple", "EXTRA_INDEX_URL": "", "RETRIES": "0"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    refused(ask(lang, "embedded:0.5b"), lang, "HF_ENDPOINT", "embedded:/")


# --- the memory folder ---------------------------------------------------------------------------------------------


@pytest.mark.integration
@both_languages
def test_a_full_disk_loses_nothing_that_was_there(call, folder, tmp_path, monkeypatch, lang):
    pages = (folder / "ledger.db").stat().st_size // 4096

    def limit(connection, _record):
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(Engine, "connect", limit)
    try:
        long = TASK[lang] * 3000
        with StandInOllama(models=("qwen2.5:7b",)) as server:
            monkeypatch.setenv("OLLAMA_HOST", server.url)
            refused(call(lang, "run", long, "--executor", OLLAMA, "--workspace", str(tmp_path)), lang, str(folder))
    finally:
        event.remove(Engine, "connect", limit)
    assert kept(folder)[0] == [CARD]


@pytest.mark.integration
@pytest.mark.skipif(sys.platform != "linux", reason="takes root's right to write everywhere away in Linux's way")
@both_languages
def test_a_read_only_folder(folder, lang):
    command = [sys.executable, "-c", "from memory_secretary.graph.cli import main; main()"]
    words = ["memory", "list", "--memory", str(folder / "new" / "deeper"), "--lang", lang]
    (folder / "new").mkdir()
    (folder / "new").chmod(0o555)
    run = ["run", TASK[lang], "--executor", OLLAMA, "--embedder", "none", "--memory", words[3], "--lang", lang]
    done = subprocess.run([*command, *run], preexec_fn=_drop_write_everywhere, capture_output=True, text=True)
    refused((done.returncode, done.stderr), lang, str(folder / "new" / "deeper"))
    assert list((folder / "new").iterdir()) == []


def _drop_write_everywhere():
    ctypes.CDLL(None).prctl(24, 1)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE


@both_languages
def test_a_file_in_the_memory_folders_place(call, folder, lang):
    status, said = call(lang, "memory", "export", str(folder / "ledger.db" / "x.jsonl"))
    assert status == REFUSED
    assert language(said) == lang


@both_languages
def test_an_sqlite_that_is_too_old(ask, folder, monkeypatch, lang):
    for module in (database, storage_errors):
        monkeypatch.setattr(module, "demand_sqlite", partial(demand_sqlite, (3, 31, 1)))
    refused(ask(lang, OLLAMA), lang, "SQLite", "3.31.1")
    monkeypatch.undo()
    assert kept(folder)[0] == [CARD]


@both_languages
def test_a_folder_without_a_memory_and_a_card_that_is_none(call, folder, lang):
    result = CliRunner().invoke(app, ["memory", "list", "--memory", str(folder / "none"), "--lang", lang])
    refused((result.exit_code, result.stderr), lang, str(folder / "none"), "--memory")
    refused(call(lang, "memory", "show", "mem_none"), lang, "mem_none")
    refused(call(lang, "memory", "show", "evt_none"), lang, "evt_none")


# --- settings and tools --------------------------------------------------------------------------------------------


@both_languages
@pytest.mark.parametrize(
    ("variable", "value"),
    [("MAX_STEPS", "many"), ("GATE", "perhaps"), ("EXECUTOR_WINDOW", "12"), ("ZONE", "Mars/Base")],
)
def test_a_broken_setting_is_named(ask, folder, monkeypatch, lang, variable, value):
    monkeypatch.setenv(f"MEMORY_SECRETARY_{variable}", value)
    status, said = ask(lang, OLLAMA)
    refused((status, said), lang, value)
    assert variable.lower() in said.lower() or "时区" in said
    assert kept(folder)[0] == [CARD]


@both_languages
def test_options_that_contradict_each_other(call, ask, tmp_path, lang):
    refused(call(lang, "run"), lang, "--example")
    refused(call(lang, "run", "--resume", "--example"), lang, "--resume")
    refused(call(lang, "run", "--resume"), lang, "memory-secretary run")
    refused(ask(lang, OLLAMA, "--workspace", str(tmp_path / "nowhere")), lang, "--workspace")


def _tools(number):
    def tool(key: str) -> str:
        """Look one of many things up in one of many places, by the key under which it was put there long ago."""
        return key

    tool.__name__ = f"look_up_in_place_{number}"
    return tool


def no_docstring(key: str) -> str:
    return key


def no_type(key):
    """Look something up."""
    return key


@both_languages
@pytest.mark.parametrize(
    ("tools", "part"),
    [
        ([no_docstring], "no_docstring"),
        ([no_type], "key"),
        ([_tools(number) for number in range(40)], "executor_window"),
    ],
)
def test_tools_that_a_graph_cannot_work_with(tools, part, lang):
    model = PolicyModel(rule=lambda prompt: step("final_answer", answer="Fine."))
    with TieredMemory.open(":memory:", embedder=None) as memory:
        with pytest.raises(SettingsError) as caught:
            build_graph(model, memory=memory, tools=tools, settings=Settings(user_id="ana", executor_window=1024))
        assert memory.events(Scope(user="ana", thread="t1")) == []
    sentence = caught.value.sentence(lang)
    assert part in sentence
    assert language(sentence) == lang


# --- which language is spoken --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "system", "named", "lang"),
    [
        ("Where is the kiln?", "C.UTF-8", "", "en"),
        ("窑炉在哪里？", "C.UTF-8", "", "zh"),
        ("Where is the kiln?", "zh_CN.UTF-8", "", "zh"),
        ("窑炉在哪里？", "zh_CN.UTF-8", "en", "en"),
        ("Where is the kiln?", "C.UTF-8", "zh", "zh"),
    ],
)
def test_an_error_speaks_the_users_language(folder, monkeypatch, task, system, named, lang):
    monkeypatch.setenv("LC_ALL", system)
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", named)
    words = ["run", task, "--executor", "gpt-5", "--embedder", "none", "--memory", str(folder)]
    result = CliRunner().invoke(app, words)
    refused((result.exit_code, result.stderr), lang, "gpt-5")
