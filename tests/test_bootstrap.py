"""Setting up on a fresh machine: what is installed when, without installing anything."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
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
    monkeypatch.setattr(script, "run_pip", lambda words, doing: script.calls.append(words))
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

    def fail(words, doing):
        raise subprocess.CalledProcessError(1, words)

    with monkeypatch.context() as broken:
        broken.setattr(checkout, "run_pip", fail)
        with pytest.raises(SystemExit, match="stopped"):
            checkout.main(["run", "--example"])
    checkout.install({"embedded"})
    assert "--no-deps" not in checkout.calls[1]


def test_words_reach_the_right_program(checkout, monkeypatch):
    handed = []
    monkeypatch.setattr(checkout, "hand_over", lambda program, words: handed.append((program, words)))
    monkeypatch.setattr(checkout, "run_tests", lambda words: handed.append(("pytest", words)) or 5)
    monkeypatch.setattr(checkout.os, "chdir", lambda path: None)
    checkout.main(["run", "--example"])
    with pytest.raises(SystemExit) as ended:
        checkout.main(["test", "-k", "x"])
    assert ended.value.code == 5
    checkout.main(["setup"])
    assert handed == [("memory-secretary", ["run", "--example"]), ("pytest", ["-k", "x"])]


ENDLESS = """
import importlib.util, pathlib, sys
spec = importlib.util.spec_from_file_location("bootstrap", sys.argv[1])
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
script.BIN = pathlib.Path(sys.argv[2])
sys.exit(script.run_tests([]))
"""


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands in for pytest")
@pytest.mark.parametrize(("lang", "said"), [("en", "Stopped before"), ("zh", "已停止")])
def test_ctrl_c_ends_the_tests_with_one_sentence_and_its_own_status(tmp_path, lang, said):
    stand_in = tmp_path / "pytest"
    stand_in.write_text("#!/bin/sh\necho begun $$\nsleep 600\n", "utf-8")
    stand_in.chmod(0o755)
    command = [sys.executable, "-c", ENDLESS, str(FILE), str(tmp_path)]
    environment = os.environ | {"MEMORY_SECRETARY_LANG": lang, "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment
    ) as script:
        child = int(script.stdout.readline().split()[1])
        script.send_signal(signal.SIGINT)
        shown, told = script.communicate(timeout=20)
    assert script.returncode == 130
    assert (shown, told.strip().count("\n")) == ("", 0)
    assert said in told
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


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
    monkeypatch.setattr(checkout.shutil, "which", lambda name: None)
    checkout.hand_over("memory-secretary", ["doctor"])
    assert told == [shlex.join(words)]
    monkeypatch.setattr(checkout.shutil, "which", lambda name: f"/root/.pyenv/shims/{name}")
    checkout.hand_over("memory-secretary", ["doctor"])
    assert told[1] == shlex.join([Path(words[0]).name, words[1]])


PIP = """
import sys
print("WARNING: Location 'file:///nowhere/' is ignored: it is neither a file nor a directory.", file=sys.stderr)
print("Collecting chromadb<2,>=1.0")
print("  Downloading chromadb-1.5.0-cp39-abi3-manylinux_2_17_x86_64.whl (21.4 MB)")
print("Installing collected packages: a, b, c")
sys.exit(int(sys.argv[-1]))
"""


@pytest.fixture
def pip(checkout, monkeypatch, tmp_path):
    """Runs a pip that says the usual things and ends with a status."""
    script = tmp_path / "pip.py"
    script.write_text(PIP, "utf-8")
    monkeypatch.undo()
    monkeypatch.setattr(checkout, "PYTHON", sys.executable)
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    real = subprocess.Popen
    monkeypatch.setattr(
        checkout.subprocess, "Popen", lambda command, **options: real([command[0], script, *command[3:]], **options)
    )
    return lambda status: checkout.run_pip([str(status)], "starting pip")


def test_what_pip_says_is_kept_back_unless_it_fails(checkout, pip, capsys):
    pip(0)
    assert re.fullmatch(r"Done in \d+ s\.\n", capsys.readouterr().out)
    with pytest.raises(subprocess.CalledProcessError) as failed:
        pip(3)
    assert capsys.readouterr().out == ""
    assert "WARNING: Location" in failed.value.output
    assert "Installing collected packages" in failed.value.output


def test_a_failed_installation_shows_all_that_pip_said(checkout, monkeypatch, capsys):
    def fail(words, doing):
        raise checkout.PipFailed(1, words, "ERROR: no matching distribution\n")

    monkeypatch.setattr(checkout, "run_pip", fail)
    with pytest.raises(SystemExit, match="see pip's message above"):
        checkout.main(["setup"])
    assert capsys.readouterr().err == "ERROR: no matching distribution\n"


@pytest.mark.parametrize(
    ("line", "lang", "told"),
    [
        ("Collecting langchain-core<2,>=1.0 (from memory-secretary==0.1.0)", "en", "looking for langchain-core"),
        ("  Downloading chromadb-1.5.0-cp39-abi3-linux.whl (21.4 MB)", "en", "fetching chromadb (21.4 MB)"),
        ("  Using cached https://x.invalid/typing_extensions-4.1-py3.whl", "en", "fetching typing_extensions"),
        ("Installing collected packages: a, b, c", "en", "unpacking 3 packages"),
        ("  Preparing editable metadata (pyproject.toml): started", "zh", "准备本软件包"),
        ("Processing /somewhere/wheel.whl", "en", ""),
        ("WARNING: Location 'file:///x/' is ignored", "en", ""),
        ("", "en", ""),
    ],
)
def test_lines_of_pips_are_told_in_a_few_words(checkout, monkeypatch, line, lang, told):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", lang)
    assert checkout.told_by(line) == told


@pytest.mark.parametrize(("lang", "words"), [("en", "… 0 s: fetching x"), ("zh", "……0 秒：fetching x")])
def test_a_file_gets_a_line_now_and_then(checkout, monkeypatch, capsys, lang, words):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", lang)
    monkeypatch.setattr(checkout, "SIGN_OF_LIFE", 0.01)
    with checkout.Progress("fetching x"):
        time.sleep(0.2)
    lines = capsys.readouterr().out.splitlines()
    assert set(lines[:-1]) == {words}
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("words", [["run", "--lang", "zh"], ["run", "--lang=zh", "x"]])
def test_the_language_of_the_line_is_spoken_before_that_of_the_system(checkout, monkeypatch, words):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", "en")
    monkeypatch.setattr(checkout.sys, "argv", ["bootstrap.py", *words])
    assert checkout.said("yes", "是") == "是"
    monkeypatch.setattr(checkout.sys, "argv", ["bootstrap.py", "run"])
    assert checkout.said("yes", "是") == "yes"


@pytest.mark.parametrize(("locale", "own", "other"), [("zh_CN.UTF-8", "安装", "needs"), ("C.UTF-8", "needs", "安装")])
def test_the_help_is_in_the_language_of_the_system(checkout, monkeypatch, capsys, locale, own, other):
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setattr(checkout.sys, "argv", ["bootstrap.py", "--help"])
    checkout.main(["--help"])
    page = capsys.readouterr().out
    assert own in page
    assert other not in page
    assert [word for word in ("run --example", "test", "setup") if f"bootstrap.py {word}" not in page] == []


@pytest.mark.parametrize(
    ("lang", "first", "more"), [("en", "this takes one to five", "Adding"), ("zh", "只需一次", "补装")]
)
def test_what_is_added_later_is_not_announced_as_the_first_time(checkout, monkeypatch, capsys, lang, first, more):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", lang)
    monkeypatch.setattr(checkout.sys, "argv", ["bootstrap.py"])
    checkout.install({"embedded"})
    assert first in capsys.readouterr().out
    checkout.install({"embedded", "dev"})
    told = capsys.readouterr().out
    assert more in told
    assert first not in told


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(("locale", "chinese"), [("zh_CN.UTF-8", True), ("C.UTF-8", False)])
def test_make_lists_its_targets_in_the_language_of_the_system(locale, chinese):
    environment = {**os.environ, "LC_ALL": locale}
    words = ["make", "-s", "-C", str(FILE.parent), "--no-print-directory", "help"]
    lines = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    targets = re.findall(r"^\.PHONY: (.*)$", (FILE.parent / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert [line.split()[1] for line in lines] == targets[0].split()
    assert all(bool(re.search("[一-鿿]", line)) is chinese for line in lines)
    assert "|" not in "".join(lines)
