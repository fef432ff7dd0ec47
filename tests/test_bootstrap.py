"""Setting up on a fresh machine: what is installed when, without installing anything."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "bootstrap.py"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """The script in a small checkout of its own; `calls` are the pip commands, `made` the virtual environments."""
    spec = importlib.util.spec_from_file_location("bootstrap", FILE)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for room in script.ROOMS:
        (tmp_path / room).mkdir()
    (tmp_path / "pyproject.toml").write_text("[project]", "utf-8")
    venv = tmp_path / ".venv"
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "VENV", venv)
    monkeypatch.setattr(script, "PYTHON", venv / "bin" / "python")
    monkeypatch.setattr(script, "STAMP", venv / "stamp.json")
    script.calls, script.made = [], []

    def create(path, *, clear, **options):
        script.made.append(clear)
        (path / "bin").mkdir(parents=True, exist_ok=True)
        (path / "bin" / "python").touch()

    monkeypatch.setattr(script.venv, "create", create)
    monkeypatch.setattr(script.subprocess, "run", lambda command, **options: script.calls.append(command[3:]))
    return script


def test_the_first_call_installs_in_strict_editable_form(checkout):
    checkout.install({"embedded"})
    [words] = checkout.calls
    assert words[-2:] == ["--editable", ".[embedded]"]
    assert "editable_mode=strict" in words
    assert "--no-deps" not in words
    assert checkout.made == [True]


def test_a_second_call_installs_nothing_even_after_an_edit(checkout):
    (checkout.ROOT / "graph" / "a.py").write_text("x = 1", "utf-8")
    checkout.install({"embedded"})
    (checkout.ROOT / "graph" / "a.py").write_text("x = 2", "utf-8")
    (checkout.ROOT / "graph" / "__pycache__").mkdir()
    (checkout.ROOT / "graph" / "__pycache__" / "a.pyc").touch()
    checkout.install({"embedded"})
    assert len(checkout.calls) == 1


def test_a_new_file_is_linked_without_looking_at_dependencies(checkout):
    checkout.install({"embedded"})
    (checkout.ROOT / "memory" / "new.py").touch()
    checkout.install({"embedded"})
    assert "--no-deps" in checkout.calls[1]
    assert checkout.made == [True]


def test_changed_dependencies_are_installed(checkout):
    checkout.install({"embedded"})
    (checkout.ROOT / "pyproject.toml").write_text("[project]\nname = 'other'", "utf-8")
    checkout.install({"embedded"})
    assert "--no-deps" not in checkout.calls[1]


def test_extras_add_up_and_stay(checkout):
    checkout.install({"embedded"})
    checkout.install({"embedded", "dev"})
    checkout.install({"embedded"})
    assert [words[-1] for words in checkout.calls] == [".[embedded]", ".[dev,embedded]"]
    assert "--no-deps" not in checkout.calls[1]


def test_another_python_or_folder_starts_over(checkout, monkeypatch):
    checkout.install({"embedded"})
    monkeypatch.setattr(checkout.sys, "version", "3.99")
    checkout.install({"embedded"})
    assert checkout.made == [True, True]
    assert "--no-deps" not in checkout.calls[1]


def test_an_installation_that_failed_is_done_again_in_full(checkout, monkeypatch):
    checkout.install({"embedded"})
    (checkout.ROOT / "memory" / "new.py").touch()

    def fail(command, **options):
        raise subprocess.CalledProcessError(1, command)

    with monkeypatch.context() as broken:
        broken.setattr(checkout.subprocess, "run", fail)
        with pytest.raises(SystemExit, match="stopped"):
            checkout.main(["run", "--example"])
    checkout.install({"embedded"})
    assert "--no-deps" not in checkout.calls[1]


def test_words_reach_the_right_program(checkout, monkeypatch):
    handed = []
    monkeypatch.setattr(checkout, "hand_over", lambda program, words: handed.append((program, words)))
    monkeypatch.setattr(checkout.os, "chdir", lambda path: None)
    checkout.main(["run", "--example"])
    checkout.main(["test", "-k", "x"])
    checkout.main(["setup"])
    assert handed == [("memory-secretary", ["run", "--example"]), ("pytest", ["-k", "x"])]


def test_an_older_python_is_told_so(checkout, monkeypatch):
    monkeypatch.setattr(checkout.sys, "version_info", (3, 10, 1))
    with pytest.raises(SystemExit, match=r"3\.11 or newer"):
        checkout.main(["run"])


@pytest.mark.parametrize("words", [["python3", "bootstrap.py"], ["/usr/bin/python3.12", "../my clone/bootstrap.py"]])
def test_the_program_is_told_how_it_can_be_called_again(checkout, monkeypatch, words):
    told = []
    monkeypatch.setattr(checkout.os, "name", "posix")
    monkeypatch.setattr(checkout.os, "execv", lambda *command: told.append(os.environ["MEMORY_SECRETARY_PROGRAM"]))
    monkeypatch.setattr(checkout.sys, "orig_argv", [words[0], "-u", words[1], "doctor"])
    monkeypatch.setattr(checkout.sys, "argv", [words[1], "doctor"])
    monkeypatch.setenv("MEMORY_SECRETARY_PROGRAM", "")
    checkout.hand_over("memory-secretary", ["doctor"])
    assert told == [shlex.join(words)]
