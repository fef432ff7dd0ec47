"""Commands in sentences are those that can be typed where the user sits."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_secretary.memory import program as module
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.program import VARIABLE, as_typed, commanded, for_programs, is_commanded, program

SENTENCES = [
    ("see memory-secretary doctor --full", "see {} doctor --full"),
    ("请运行 `memory-secretary memory reindex`", "请运行 `{} memory reindex`"),
    ("start one with: memory-secretary run", "start one with: {} run"),
]


@pytest.fixture
def typed(monkeypatch, tmp_path):
    """Lets this process be the program as it was typed; with its folder on the PATH or not."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    for name in ("memory-secretary", "pip"):
        (scripts / name).touch(mode=0o755)
    monkeypatch.setattr(module.sysconfig, "get_path", lambda name: str(scripts))

    def call(word, *, on_path):
        monkeypatch.setattr(sys, "argv", [word])
        monkeypatch.setenv("PATH", str(scripts) if on_path else str(tmp_path))

    return call


@pytest.mark.parametrize(("sentence", "shown"), SENTENCES)
def test_a_script_that_started_it_is_named_in_its_place(monkeypatch, sentence, shown):
    monkeypatch.setenv(VARIABLE, "python3 bootstrap.py")
    assert as_typed(sentence) == shown.format("python3 bootstrap.py")
    assert as_typed(as_typed(sentence)) == as_typed(sentence)
    assert NotFound("x", zh=sentence).sentence("zh") == as_typed(sentence)


@pytest.mark.parametrize(("sentence", "shown"), SENTENCES)
def test_where_its_name_finds_nothing_its_path_is_named(typed, sentence, shown):
    typed(".venv/bin/memory-secretary", on_path=False)
    assert as_typed(sentence) == shown.format(".venv/bin/memory-secretary")
    assert as_typed(as_typed(sentence)) == as_typed(sentence)
    typed("/home/u/my venv/bin/memory-secretary", on_path=False)
    assert as_typed(sentence) == shown.format("'/home/u/my venv/bin/memory-secretary'")


@pytest.mark.parametrize("word", ["memory-secretary", "my_script.py", ""])
def test_on_the_path_and_in_programs_of_others_its_name_will_do(typed, word):
    typed(word, on_path=True)
    assert program() == "memory-secretary"
    assert as_typed(SENTENCES[0][0]) == SENTENCES[0][0]


def test_another_program_of_the_same_name_on_the_path_is_not_ours(typed, tmp_path, monkeypatch):
    typed(".venv/bin/memory-secretary", on_path=False)
    (tmp_path / "memory-secretary").touch(mode=0o755)
    assert program() == ".venv/bin/memory-secretary"


def test_pip_is_that_of_the_environment_it_runs_in(typed, monkeypatch):
    typed(".venv/bin/memory-secretary", on_path=False)
    monkeypatch.setattr(sys, "executable", "/v/bin/python")
    assert as_typed("install it with pip install 'memory-secretary[embedded]'") == (
        "install it with /v/bin/python -m pip install 'memory-secretary[embedded]'"
    )
    monkeypatch.setenv(VARIABLE, "python3 bootstrap.py")
    typed("x/memory-secretary", on_path=True)
    assert as_typed("pip install x") == "pip install x"


def test_names_of_the_package_and_paths_stay(monkeypatch):
    monkeypatch.setenv(VARIABLE, "python3 bootstrap.py")
    for text in ("memory-secretary 0.1.0", "/home/u/.local/share/memory-secretary run", "memory-secretary[embedded]"):
        assert as_typed(text) == text


def test_what_only_programs_can_use_is_left_out_on_the_command_line_in_every_thread():
    assert for_programs(" (from Python)") == " (from Python)"
    with commanded(), ThreadPoolExecutor() as threads:
        assert threads.submit(for_programs, " (from Python)").result() == ""
    assert not is_commanded()
