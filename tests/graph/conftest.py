"""A memory and a graph builder for the tests of the assembled graph: SQLite in a folder, searched by words alone."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from memory_secretary.graph import Settings, build_graph
from memory_secretary.graph.cli import app
from memory_secretary.memory.records import MemoryType
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA = Scope(user="ana", thread="t1")


@pytest.fixture
def memory(tmp_path):
    """An empty memory."""
    with TieredMemory.open(tmp_path / "graph-memory", embedder=None) as opened:
        yield opened


@pytest.fixture
def new_graph(memory):
    """Builds a graph over the memory; other keywords than those of ``build_graph`` are settings."""

    def build(executor, tools=(), *, secretary=None, checkpointer=None, store=None, nodes=None, **settings):
        chosen = Settings(**{"user_id": "ana", "max_steps": 30, **settings})
        return build_graph(
            executor, secretary, memory=memory, tools=tools, settings=chosen,
            checkpointer=checkpointer, store=store, nodes=nodes,
        )  # fmt: skip

    return build


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A memory of two users that is searched by words alone."""
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    path = tmp_path / "memory"
    with TieredMemory.open(path, embedder=None) as memory:
        memory.remember(ANA, "Answers under 200 words", type=MemoryType.PREFERENCE)
        memory.remember(ANA, "周五把备份脚本交给小周")
        memory.remember(Scope(user="ana2"), "The secret of ana2 is a backup in the cellar")
    return path


@pytest.fixture
def command(folder):
    """Calls `memory-secretary memory …` as ana."""

    def call(*words, user="ana"):
        return CliRunner().invoke(app, ["memory", *map(str, words), "--memory", str(folder), "--user", user])

    return call


@pytest.fixture
def data(command):
    """What a command prints with --json."""

    def call(*words, user="ana"):
        result = command(*words, "--json", user=user)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return call
