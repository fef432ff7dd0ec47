"""The command `doctor`: one screen, one JSON document, an exit status, and nothing left behind."""

from __future__ import annotations

import json
import re

import pytest
import typer
from stand_in_ollama import StandInOllama
from typer.testing import CliRunner

from memory_secretary.graph import cli_doctor
from memory_secretary.graph.doctor import memory as memory_checks
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

NAMES = {"versions", "settings", "weights", "embedder", "folder", "disk", "ledger", "index"}

app = typer.Typer(pretty_exceptions_enable=False)
app.command("doctor")(cli_doctor.doctor)
app.command("other")(lambda: None)


@pytest.fixture
def doctor(tmp_path, monkeypatch):
    """Calls `doctor` on the memory in the test's folder."""
    monkeypatch.setenv("MEMORY_SECRETARY_MEMORY", str(tmp_path / "memory"))
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    return lambda *words: CliRunner().invoke(app, ["doctor", *words])


def found(result):
    return {each["name"]: each for each in json.loads(result.stdout)["findings"]}


def test_with_nothing_set_up_it_says_what_to_do_first_and_leaves_nothing_behind(doctor, tmp_path):
    result = doctor("--json")
    data = json.loads(result.stdout)
    assert result.exit_code == data["exit_status"] == 1
    assert data["first"] == "memory-secretary models fetch 1.5b"
    assert found(result).keys() >= NAMES
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_screen_fits_and_speaks_the_user_s_language(doctor, monkeypatch):
    english = doctor()
    assert "Do this first: what stands at “weights” above" in english.stdout
    assert english.stdout.count("memory-secretary models fetch 1.5b") == 1
    assert "\x1b" not in english.stdout
    for way in (doctor("--lang", "zh"), monkeypatch.setenv("LANG", "zh_CN.UTF-8") or doctor()):
        assert "第一步：先处理上面“权重”这一项" in way.stdout
        assert way.stdout.count("请运行 memory-secretary models fetch 1.5b") == 1
        assert not re.search(r"\b(free|fetched|asked|index|tokens)\b", way.stdout)
    assert len(english.stdout.splitlines()) < 24


def test_broken_settings_are_findings_and_the_other_checks_go_on(doctor, monkeypatch):
    monkeypatch.setenv("MEMORY_SECRETARY_EXECUTOR_WINDOW", "huge")
    result = doctor("--json")
    assert result.exit_code == 2
    assert "MEMORY_SECRETARY_EXECUTOR_WINDOW" in found(result)["settings"]["sentence"]
    assert found(result).keys() >= NAMES


def test_an_unknown_model_and_embedder_are_findings(doctor):
    result = doctor("--executor", "gpt", "--embedder", "bert", "--json")
    assert result.exit_code == 2
    assert [found(result)[name]["severity"] for name in ("model", "embedder")] == ["fault", "fault"]
    assert found(result).keys() >= {"disk", "ledger"}


def test_a_file_in_the_memory_s_place_is_a_finding(doctor, tmp_path):
    (tmp_path / "memory").write_text("mine")
    result = doctor("--json")
    assert found(result)["folder"]["severity"] == "fault"


def test_a_check_that_breaks_off_stops_no_other(doctor, monkeypatch):
    def breaks(folder):
        raise RuntimeError("the disk fell off")

    monkeypatch.setattr(memory_checks.health, "free_bytes", breaks)
    result = doctor("--json")
    assert "the disk fell off" in found(result)["disk"]["sentence"]
    assert found(result).keys() >= NAMES


def test_a_memory_that_is_used_is_counted_and_not_changed(doctor, tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        memory.remember(Scope(user="ana"), "周五把备份脚本交给小周")
        written = [path for path in (tmp_path / "memory").rglob("*") if not path.name.endswith("-shm")]
        before = [(path.stat().st_size, path.stat().st_mtime_ns) for path in written]
        ledger = found(doctor("--json"))["ledger"]
        assert [(path.stat().st_size, path.stat().st_mtime_ns) for path in written] == before
    assert ledger["facts"]["cards"] == 1


@pytest.mark.integration
def test_an_ollama_is_looked_at_all_round(doctor, monkeypatch):
    with StandInOllama(replies=lambda body: {"story": "boats " * 30}) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        both = found(doctor("--executor", "ollama:qwen2.5:7b", "--json"))
        assert [both[name]["severity"] for name in ("server", "model", "window", "schema", "speed")] == ["ok"] * 5
        assert both["window"]["facts"]["window"] == 8192
        assert len({window for _, window in server.loads}) == 1, "the doctor loads no second window"
        server.requests.clear()
        quick = found(doctor("--executor", "ollama:qwen2.5:7b", "--quick", "--json"))
        assert server.chats() == []
        assert "speed" not in quick
        missing = doctor("--executor", "ollama:llama9", "--json")
    assert missing.exit_code == 2
    assert "ollama pull llama9" in found(missing)["model"]["sentence"]


@pytest.mark.integration
def test_a_window_that_ollama_does_not_grant_is_a_fault(doctor, monkeypatch):
    with StandInOllama(replies=lambda body: {"story": "boats " * 30}, largest_num_ctx=4096) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        result = doctor("--executor", "ollama:qwen2.5:7b", "--json")
    assert result.exit_code == 2
    window = found(result)["window"]
    assert (window["severity"], window["facts"]["window"], window["facts"]["asked"]) == ("fault", 4096, 8192)


@pytest.mark.integration
def test_two_models_are_looked_at_each_for_its_role_and_then_together(doctor, monkeypatch):
    with StandInOllama(replies=lambda body: {"story": "boats " * 30}, models=("a:1b", "b:1b")) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        result = doctor("--executor", "ollama:a:1b", "--secretary", "ollama:b:1b", "--json")
    findings = json.loads(result.stdout)["findings"]
    assert {each["role"] for each in findings if each["name"] == "model"} == {"executor", "secretary"}
    assert found(result)["together"]["severity"] == "ok"


@pytest.mark.integration
def test_a_server_that_is_off_is_a_fault_with_the_way_to_start_it(doctor, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    result = doctor("--executor", "ollama:qwen2.5:7b")
    assert result.exit_code == 2
    assert "ollama serve" in result.stdout
