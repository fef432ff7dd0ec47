"""Fetching the embedded model before a run: only where it is needed, and never silently."""

from __future__ import annotations

import io
from contextlib import nullcontext

import pytest
from rich.console import Console

from memory_secretary.graph.cli_fetch import fetch_weights
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import ModelError
from memory_secretary.nodes.models import weights


@pytest.fixture
def fetched(monkeypatch):
    """The names that were asked for; each download reports twenty times."""
    names = []

    def ensure_weights(name, *, progress):
        names.append(name)
        for done in range(0, 1_000_000_001, 50_000_000):
            progress("a hub", done, 1_000_000_000)

    monkeypatch.setattr(weights, "ensure_weights", ensure_weights)
    return names


def test_only_embedded_models_are_fetched(fetched):
    fetch_weights({"ollama:qwen2.5:7b", "openai:gpt"}, Console(file=io.StringIO()))
    assert fetched == []
    fetch_weights({"embedded", "ollama:qwen2.5:7b", "embedded:/models/own.gguf"}, Console(file=io.StringIO()))
    assert fetched == [weights.DEFAULT_WEIGHTS, "/models/own.gguf"]


def test_a_file_gets_a_line_at_each_tenth(fetched):
    out = io.StringIO()
    fetch_weights({"embedded"}, Console(file=out, width=100))
    lines = out.getvalue().splitlines()
    assert len(lines) == 12
    assert lines[5] == "weights of qwen2.5-coder-1.5b from a hub: 500 of 1,000 MB"
    assert "\x1b" not in out.getvalue()


def test_a_terminal_gets_a_bar(fetched):
    out = io.StringIO()
    fetch_weights({"embedded"}, Console(file=out, width=100, force_terminal=True))
    assert "━" in out.getvalue()
    assert "1.0/1.0 GB" in out.getvalue()


@pytest.mark.parametrize(("lang", "word"), [("en", "being checked"), ("zh", "正在校验")])
@pytest.mark.parametrize("terminal", [True, False])
def test_once_all_bytes_are_here_it_says_that_they_are_checked(fetched, lang, word, terminal):
    out = io.StringIO()
    with speaking(lang):
        fetch_weights({"embedded"}, Console(file=out, width=120, force_terminal=terminal))
    before, _, _ = out.getvalue().rpartition(word)
    assert word in out.getvalue() and word not in before.partition("500")[0]


@pytest.mark.parametrize(("lang", "word"), [("en", ", verified"), ("zh", "（已校验）")])
@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("sound", [True, False])
def test_at_the_end_it_says_that_they_are_verified_if_they_are(monkeypatch, fetched, lang, word, terminal, sound):
    def ensure_weights(name, *, progress):
        progress("a hub", 10, 10)
        if not sound:
            raise ModelError("not the pinned bytes")

    monkeypatch.setattr(weights, "ensure_weights", ensure_weights)
    out = io.StringIO()
    with speaking(lang), nullcontext() if sound else pytest.raises(ModelError):
        fetch_weights({"embedded"}, Console(file=out, width=120, force_terminal=terminal))
    _, _, after = out.getvalue().rpartition({"en": "being checked", "zh": "正在校验"}[lang])
    assert (word in after) == sound


def test_a_model_that_is_here_already_shows_nothing(monkeypatch):
    monkeypatch.setattr(weights, "ensure_weights", lambda name, progress: None)
    for terminal in (True, False):
        out = io.StringIO()
        fetch_weights({"embedded"}, Console(file=out, force_terminal=terminal))
        assert out.getvalue() == ""
