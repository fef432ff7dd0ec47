"""A memory and a graph builder for the tests of the assembled graph: SQLite in a folder, searched by words alone."""

from __future__ import annotations

import pytest

from memory_secretary.graph import Settings, build_graph
from memory_secretary.memory.tiered import TieredMemory


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
