"""The command `trace`: a run's steps on a screen of any width, in both languages, and as JSON."""

from __future__ import annotations

import json

import pytest
from invoices import ANSWER, CONFIG, GOAL, World, clerk
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from memory_secretary.graph import Settings, build_graph, cli_trace
from memory_secretary.graph.cli import app
from memory_secretary.graph.tracing.reading import read_trace
from memory_secretary.graph.words import _EN, _ZH
from memory_secretary.memory.tiered import TieredMemory


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The trace of one run, and of a second one that has not ended."""
    folder = tmp_path_factory.mktemp("traced")
    path = folder / "trace.jsonl"
    with TieredMemory.open(folder / "memory", embedder=None) as memory:
        graph = build_graph(
            clerk(), memory=memory, tools=World(folder).tools(), trace=path,
            settings=Settings(user_id="ana", executor_window=2048, max_steps=20),
        )  # fmt: skip
        graph.invoke({"messages": [("user", GOAL)]}, CONFIG)
    lines = path.read_text("utf-8").splitlines()
    open_one = [line.replace('"run": "', '"run": "x', 1) for line in lines[:3]]
    path.write_text("\n".join([*lines, *open_one, lines[1][:40]]) + "\n", "utf-8")
    return path


def shown(file, *words):
    return CliRunner().invoke(app, ["trace", str(file), *words])


def test_every_step_is_shown_with_what_became_of_it(file):
    page = shown(file).stdout
    assert f"task: {GOAL}" in page and f"Answer: {ANSWER}" in page
    assert "0 retrieve" in page and "list_invoices()" in page and "ok · " in page and "precipitate" in page
    assert "This run has no end here" in page and "1 lines were cut off" in page


def test_one_step_is_shown_with_everything(file):
    page = shown(file, "--step", "1").stdout
    assert "## Goal" in page and "the brief as the executor got it" in page and "executor PolicyModel" in page
    assert "0 retrieve" not in page


def test_a_step_that_is_not_there_is_named(file):
    result = shown(file, "--step", "99")
    assert result.exit_code == 2 and "there is no step 99 in this trace: its steps are 0 to" in result.stderr


def test_chinese_has_no_english_sentence(file):
    page = shown(file, "--lang", "zh").stdout
    assert "线程 t1" in page and "完成" in page and "没有结尾" in page
    assert not any(word in page for word in ("brief", "recalled", "thread t1", "left out"))


def test_json_holds_the_lines_of_each_run(file):
    data = json.loads(shown(file, "--json").stdout)
    assert data["torn"] == 1 and [run["thread"] for run in data["runs"]] == ["t1", "t1"]
    assert data["runs"][0]["nodes"][0]["node"] == "retrieve" and data["runs"][1]["foot"] is None


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 200])
def test_no_line_is_wider_than_the_screen(file, width, lang, whole, capsys):
    console = Console(width=width, force_terminal=True, color_system=None, highlight=False, markup=False)
    for run in read_trace(file).runs:
        cli_trace.print_run(run, lang, console, whole=whole)
    assert max(map(cell_len, capsys.readouterr().out.splitlines())) <= width


@pytest.mark.parametrize("text", ["", "hello"])
def test_what_is_no_trace_is_refused_in_both_languages(tmp_path, text):
    path = tmp_path / "other.txt"
    path.write_text(text, "utf-8")
    assert "is no trace of this program" in shown(path).stderr
    assert "不是本程序的追踪文件" in shown(path, "--lang", "zh").stderr
    assert shown(tmp_path / "none").exit_code == 2


def test_a_run_that_is_told_a_bad_file_says_so_and_runs_nothing(tmp_path):
    words = ["run", "hello", "--memory", str(tmp_path / "m"), "--trace", str(tmp_path / "no" / "t.jsonl")]
    result = CliRunner().invoke(app, [*words, "--executor", "ollama:x", "--embedder", "none"])
    assert result.exit_code == 2 and "name a file in a folder that you may write to" in result.stderr


def test_both_languages_have_every_word():
    from memory_secretary.graph import trace_words

    assert trace_words.EN.keys() == trace_words.ZH.keys()
    assert not trace_words.EN.keys() & _EN.keys() and not trace_words.ZH.keys() & _ZH.keys()
