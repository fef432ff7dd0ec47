"""Which tools a run over a folder gets."""

from __future__ import annotations

import pytest

from memory_secretary.graph.toolset import tools_for
from memory_secretary.tools.sandbox import WorkspaceError


def test_a_run_gets_files_tables_calculator_and_clock(tmp_path):
    tools = {tool.name: tool for tool in tools_for(tmp_path)}
    assert set(tools) == {
        "list_files", "read_file", "search_files", "write_file", "read_table", "table_stats", "calculator", "clock",
    }  # fmt: skip
    (tmp_path / "a.txt").write_text("here", "utf-8")
    assert tools["read_file"].invoke({"path": "a.txt"}) == "here"


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(WorkspaceError):
        tools_for(tmp_path / "nowhere")
