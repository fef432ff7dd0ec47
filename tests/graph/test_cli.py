"""The command line as a whole."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from memory_secretary.graph.cli import app
from memory_secretary.memory.tiered import TieredMemory


def test_the_version_is_that_of_the_installed_package():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"memory-secretary {version('memory-secretary')}\n")


def test_without_words_the_commands_are_named():
    result = CliRunner().invoke(app, [])
    assert "A secretary with a long memory" in result.output
    for name in ("run", "chat", "doctor", "models", "memory", "--version"):
        assert name in result.output


@pytest.mark.parametrize(
    ("words", "named"),
    [(["--window", "5"], "executor_window"), (["--executor", "foo:bar"], "'foo:bar'"), (["--user", ""], "''")],
)
def test_a_chat_too_is_refused_before_anything_is_made(tmp_path, words, named):
    result = CliRunner().invoke(app, ["chat", *words, "--memory", str(tmp_path / "memory")])
    assert result.exit_code == 2
    assert named in result.stderr
    assert not (tmp_path / "memory").exists()


@pytest.mark.parametrize(
    ("lang", "cure"), [("en", "memory-secretary memory list"), ("zh", "memory-secretary memory list")]
)
def test_a_card_that_is_none_is_named_in_words_of_the_command_line(tmp_path, lang, cure):
    TieredMemory.open(tmp_path / "memory", embedder=None).close()
    words = ["memory", "show", "nope", "--memory", str(tmp_path / "memory"), "--embedder", "none", "--lang", lang]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "'nope'" in result.stderr
    assert cure in result.stderr
