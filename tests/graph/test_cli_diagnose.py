"""The command `eval --trace`: the errors of an agent's trace and their cause, on a screen and as JSON."""

from __future__ import annotations

import json

import pytest
from rich.cells import cell_len
from rich.console import Console
from talks import CLEAN, ERRORS
from typer.testing import CliRunner

from memory_secretary.graph import diagnosis_words
from memory_secretary.graph.cli import app
from memory_secretary.graph.cli_diagnose import diagnose_file
from memory_secretary.graph.evaluation.diagnosis.verdict import KINDS


@pytest.fixture
def file(tmp_path):
    """A trace with three errors."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([*ERRORS["repeat"][1], *ERRORS["two values"][1], *ERRORS["made-up id"][1]]), "utf-8")
    return path


def asked(path, *words):
    return CliRunner().invoke(app, ["eval", "--trace", str(path), *words])


def test_each_error_is_shown_with_its_cause_and_the_verdict_ends_it(file):
    page = asked(file, "--window", "1024").stdout
    assert "step repeated: read_invoice(id=INV-1)" in page and "outside the window: forgotten" in page
    assert "Forgetting explains 3 of 3 errors" in page.splitlines()[-1]


def test_chinese_says_the_same(file):
    page = asked(file, "--window", "1024", "--lang", "zh").stdout
    assert "步骤重复：" in page and "状态矛盾：" in page and "编造：" in page
    assert "3 个错误中有 3 个由遗忘造成" in page


def test_a_large_window_says_that_forgetting_is_not_the_problem(file):
    page = asked(file, "--window", "100000").stdout
    assert "All of it fits the window" in page and "Forgetting is not your problem" in page


def test_a_clean_trace_is_said_to_be_clean(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(CLEAN["plain"]), "utf-8")
    assert "No error of these kinds is seen" in asked(path).stdout


def test_json_is_one_object(file):
    data = json.loads(asked(file, "--window", "1024", "--json").stdout)
    assert data["verdict"] == "forgetting" and data["explained"] == len(data["findings"]) == 3
    assert {"kind", "step", "quote", "needed", "needed_step", "outside"} == data["findings"][0].keys()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 200])
def test_no_line_is_wider_than_the_screen(file, width, lang, capsys):
    console = Console(width=width, force_terminal=True, color_system=None, highlight=False, markup=False)
    diagnose_file(file, 1024, lang=lang, console=console)
    assert max(map(cell_len, capsys.readouterr().out.splitlines())) <= width


def test_a_bad_file_is_one_sentence_in_both_languages(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text("hello", "utf-8")
    assert asked(path).exit_code == 2 and "holds no messages of an assistant" in asked(path).stderr
    assert "没有助手的消息" in asked(path, "--lang", "zh").stderr
    assert asked(tmp_path / "none.json").exit_code == 2


def test_both_languages_have_every_word_and_every_kind():
    assert diagnosis_words.EN.keys() == diagnosis_words.ZH.keys()
    assert {f"diagnosis_{kind}" for kind in KINDS} <= diagnosis_words.EN.keys()
