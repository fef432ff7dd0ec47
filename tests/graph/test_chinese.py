"""A run in Chinese speaks Chinese throughout: brief, reminders, what tools refuse, and the answer that code makes."""

from __future__ import annotations

import re

import pytest
from policy import PolicyModel, step

from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.tools.workspace import workspace_tools

THREAD = {"configurable": {"thread_id": "t1"}}
TOOLS = {"read_file", "search_files", "list_files", "write_file", "recall", "read_record"}
NAMES = TOOLS | {"path", "txt", "text", "folder", "evt", "start"}
"""Words that are the same in every language: of tools, their arguments, files and records."""


def english(text):
    return sorted(set(re.findall(r"[A-Za-z_]{3,}", text)) - NAMES)


@pytest.fixture
def run(new_graph, tmp_path):
    """Runs a Chinese task with a model that makes one call again and again."""
    files = tmp_path / "文件"
    files.mkdir()
    (files / "长文.txt").write_text("这一行与窑炉无关，只是很长的记录。\n" * 400, "utf-8")

    def call(action, **arguments):
        model = PolicyModel(rule=lambda prompt: step(action, **arguments))
        graph = new_graph(model, workspace_tools(files), max_steps=6, executor_window=2048, recall=False)
        return graph.invoke({"messages": [("user", "请查清窑炉放在哪里。")]}, THREAD)

    return call


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("read_file", {"path": "没有.txt"}),
        ("read_file", {"path": "长文.txt"}),
        ("search_files", {"text": "不存在的词"}),
    ],
)
def test_nothing_english_is_shown_to_executor_or_user(run, memory, action, arguments):
    out = run(action, **arguments)
    assert out["status"] == "stopped"
    assert english(out["brief"]) == []
    assert english(out["messages"][-1].text) == []
    for event in memory.events(Scope(user="ana", thread="t1")):
        assert event.phase not in (Phase.RESULT, Phase.FAILED) or english(event.observation) == []
