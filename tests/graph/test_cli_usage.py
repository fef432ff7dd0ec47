"""A command line that cannot be understood: one sentence in the user's language, and exit status 2."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from memory_secretary.graph.cli import app
from memory_secretary.graph.placeholders import placeholders

WRONG = [
    (["run", "--exekutor", "x"], ["--exekutor", "--executor"]),
    (["-x"], ["-x", " --help"]),
    (["chta"], ["chta", "chat"]),
    (["memory", "nonsense"], ["nonsense", "memory --help"]),
    (["run", "a", "b"], ["'b'", "run --help"]),
    (["run", "--window"], ["--window"]),
    (["run", "--example=3"], ["--example"]),
    (["run", "x", "--window", "abc"], ["--window", "'abc'"]),
    (["run", "x", "--max-steps", "0"], ["--max-steps", "1", "'0'"]),
    (["memory", "list", "--status", "foo"], ["--status", "quarantined", "'foo'"]),
    (["run", "x", "--workspace", __file__], ["--workspace", __file__]),
    (["memory", "edit"], ["ID", "memory edit --help"]),
    (["memory", "why"], ["QUERY", "memory why --help"]),
    (["models", "eat"], ["ACTION", "fetch", "'eat'"]),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("words", "named"), WRONG)
def test_what_cannot_be_understood_is_one_sentence_that_names_it(monkeypatch, words, named, lang):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", lang)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert result.stdout == ""
    [sentence] = result.stderr.splitlines()
    assert [name for name in named if placeholders(name, lang) not in sentence] == []
    assert any("一" <= sign <= "鿿" for sign in sentence) == (lang == "zh")


def test_a_language_that_is_none_is_named_with_those_there_are():
    result = CliRunner().invoke(app, ["run", "x", "--lang", "fr"])
    assert (result.exit_code, result.stderr) == (2, "--lang takes en or zh, not 'fr'\n")


@pytest.mark.parametrize(("lang", "asks"), [("en", "did you mean {}?"), ("zh", "您是想用 {} 吗？")])
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["run", "x", "--executer", "embedded"], "--executor"),
        (["run", "--executer=embedded", "x"], "--executor"),
        (["chat", "--Executor", "embedded"], "--executor"),
        (["run", "--exec", "x"], "--executor"),
        (["memory", "list", "--statsu", "active"], "--status"),
        (["run", "--exampel"], "--example"),
        (["run", "--hepl"], "--help"),
    ],
)
def test_a_mistyped_option_is_answered_with_the_one_that_was_meant(monkeypatch, words, meant, lang, asks):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", lang)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert result.stderr.rstrip().endswith(asks.format(meant))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["--executor", "--executer"])
def test_an_option_before_its_command_is_told_where_it_belongs(monkeypatch, name, lang):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", lang)
    result = CliRunner().invoke(app, [name, "embedded", "run", "x"])
    assert (result.exit_code, "--executor" in result.stderr) == (2, True)
    assert {"en": "behind the command", "zh": "命令之后"}[lang] in result.stderr


def test_an_option_that_is_like_none_gets_the_page_and_no_guess():
    result = CliRunner().invoke(app, ["run", "x", "--model", "embedded"])
    assert (result.exit_code, "run --help" in result.stderr, "did you mean" in result.stderr) == (2, True, False)


def test_a_command_of_the_memory_is_found_one_level_down():
    result = CliRunner().invoke(app, ["forget", "x"])
    assert (result.exit_code, "did you mean memory forget?" in result.stderr) == (2, True)
