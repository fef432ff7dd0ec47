"""Every command and option that a sentence of ours names is one that there is, in both languages."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
import typer

from memory_secretary.graph.cli import app

ROOT = Path(__file__).parents[2]
FILES = [path for room in ("graph", "memory", "nodes", "tools") for path in sorted((ROOT / room).rglob("*.py"))]
COMMAND = re.compile(r"(?<![\w./-])memory-secretary (?=[a-z]+)")
ENDS = {"`": "`", ": ": "", "：": "", "请运行 ": ""}
"""What stands before a command, and what ends it: a mark, or the end of the text."""
PLACE = "1.5b"
"""Stands for a value that is filled in: a model, an id, a thread."""


def sentences(path):
    """The texts of a module that are no docstrings, as they are said; a value that is filled in is a word."""
    tree = ast.parse(path.read_text("utf-8"))
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else PLACE for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield re.sub(r"\{\w+(![rs])?\}", PLACE, node.value)


def named(text):
    """The commands that a text names, each as it would be typed; None for one that goes over into other words."""
    for found in COMMAND.finditer(text):
        before, rest = text[: found.start()], text[found.start() :]
        mark = next((mark for mark in ENDS if before.endswith(mark)), None)
        if mark is None:
            yield None if before else rest
        else:
            yield rest.partition(ENDS[mark])[0] if ENDS[mark] else rest


ALL = [
    pytest.param(text, id=f"{path.relative_to(ROOT)}-{text[:60]}")
    for path in FILES
    for text in sentences(path)
    if COMMAND.search(text)
]


def parse(words):
    """Let the command line's own parser read the words; a value that is not given yet is no fault of a sentence."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        name, *words = words
        assert name in command.commands, name
        command = command.commands[name]
    try:
        command.make_context("memory-secretary", list(words))
    except typer.exceptions.TyperException as error:
        if type(error).__name__ != "MissingParameter":
            raise


def test_sentences_in_both_languages_are_looked_at():
    chinese = [text for text in ALL if re.search(r"[一-鿿]", text.values[0])]
    assert len(chinese) > 10
    assert len(ALL) - len(chinese) > 10


@pytest.mark.parametrize("text", ALL)
def test_each_command_that_is_named_can_be_typed(text):
    commands = list(named(text))
    assert commands
    for command in commands:
        assert command is not None, "write the command in backquotes, or behind a colon at the end"
        parse(shlex.split(command.rstrip("…").strip())[1:])


def options(command):
    yield from (name for parameter in command.params for name in parameter.opts)
    for below in getattr(command, "commands", {}).values():
        yield from options(below)


FOREIGN = {"--path", "--host"}
"""Of `chroma run`."""
SAYING = [
    pytest.param(text, id=f"{path.relative_to(ROOT)}-{text[:60]}")
    for path in FILES
    if "evaluation" not in path.parts and path.name != "server_process.py"
    for text in sentences(path)
    if re.search(r"(?<![\w-])--[a-z]", text) and " " in text
]


@pytest.mark.parametrize("text", SAYING)
def test_each_option_that_is_named_is_one(text):
    known = {*options(typer.main.get_command(app)), "--help", *FOREIGN}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known


@pytest.mark.parametrize(
    "text", ["`memory-secretary memory mend`", "try: memory-secretary run --again", "use memory-secretary run to go on"]
)
def test_a_command_that_is_none_is_found(text):
    with pytest.raises((AssertionError, typer.exceptions.TyperException)):
        test_each_command_that_is_named_can_be_typed(text)


@pytest.mark.parametrize("text", [text for path in FILES for text in sentences(path) if "chroma_url='" in text])
def test_what_only_python_can_do_is_said_to_be_so(text):
    assert "Python" in text
