"""Help in Chinese: every text has its translation, nothing of it is cut, and English stays as it was."""

from __future__ import annotations

import re

import pytest
import typer
from typer import rich_utils
from typer.testing import CliRunner

from memory_secretary.graph.cli import app
from memory_secretary.graph.cli_help import _FIXED, CHINESE


def commands(command=None, path=()):
    """Every command with the words that call it."""
    command = command or typer.main.get_command(app)
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


def texts(command):
    """The English texts of a command's page of help."""
    parameters = (*command.params, command.get_help_option(typer.Context(command)))
    return [command.help, *(parameter.help for parameter in parameters)]


ALL = {" ".join(path): texts(command) for path, command in commands()}


@pytest.mark.parametrize("words", ALL)
def test_every_command_and_parameter_says_what_it_is_in_both_languages(words):
    assert [text for text in ALL[words] if text not in CHINESE] == []


def test_no_translation_is_left_of_a_text_that_is_gone():
    assert CHINESE.keys() == {text for each in ALL.values() for text in each}


@pytest.mark.parametrize("words", ALL)
def test_a_page_in_chinese_is_whole_at_80_columns_and_has_no_english_sentence(words, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 80)
    page = CliRunner().invoke(app, [*words.split(), "--help", "--lang", "zh"]).output
    assert "用法：" in page
    assert "…" not in page
    assert not any(text in page for text in ("Usage", "Options", "Arguments", "Commands", "default:", "env var"))
    shown = re.sub(r"[\s│]+", "", page)
    assert [text for text in ALL[words] if re.sub(r"\s+", "", CHINESE[text]) not in shown] == []


@pytest.mark.parametrize("words", ALL)
def test_a_page_in_chinese_has_chinese_placeholders_everywhere(words, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 200)
    page = CliRunner().invoke(app, [*words.split(), "--help", "--lang", "zh"]).output
    plain = re.sub(r"MEMORY_SECRETARY_\w+|\b(?:JSON|UTC|USD|Ctrl-C|zh-CN)\b", "", page)
    assert re.findall(r"\b[A-Z][A-Z,]*\b", plain) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("words", ALL)
def test_what_stands_behind_an_option_has_one_style(words, lang, monkeypatch):
    monkeypatch.setattr(rich_utils, "MAX_WIDTH", 120)
    page = CliRunner().invoke(app, [*words.split(), "--help", "--lang", lang]).output
    behind = re.findall(r"^│ +--?[a-z-]+ {2,}(.+?)(?: {2,}|$)", page, re.MULTILINE)
    assert behind
    helped = "显示本说明并退出。" if lang == "zh" else "Show this message and exit."
    assert behind[-1].startswith(helped), "a switch has nothing behind it"
    assert not re.search(r"<\w|\bint\b|\bstr\b|\bbool\b|x>=", page)
    valued = re.findall(r"^│ +--?(?:lang|memory|user|start|length|k|zone|window|seed) +(\S+)", page, re.MULTILINE)
    word = r"[\u4e00-\u9fff]+" if lang == "zh" else "[A-Z]+"
    assert all(re.fullmatch(rf"{word}|[a-z]+(\|[a-z]+)+", value) for value in valued), valued


@pytest.mark.parametrize(
    ("variables", "words", "heading"),
    [
        ({"LANG": "zh_CN.UTF-8"}, ["run", "--help"], "用法："),
        ({"MEMORY_SECRETARY_LANG": "zh"}, ["memory"], "用法："),
        ({"LANG": "zh_CN.UTF-8"}, ["run", "--lang", "en", "--help"], "Usage: "),
        ({}, ["memory", "list", "--lang=zh", "--help"], "用法："),
        ({}, ["--help"], "Usage: "),
    ],
)
def test_help_follows_the_language_of_the_line_else_that_of_the_user(monkeypatch, variables, words, heading):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "MEMORY_SECRETARY_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert heading in CliRunner().invoke(app, words).output


def test_a_page_in_chinese_leaves_the_library_as_it_was():
    before = {name: getattr(rich_utils, name) for name in (*_FIXED, "Columns")}
    CliRunner().invoke(app, ["run", "--help", "--lang", "zh"])
    assert {name: getattr(rich_utils, name) for name in before} == before
