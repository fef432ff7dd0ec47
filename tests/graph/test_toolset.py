"""Which tools a run over a folder gets."""

from __future__ import annotations

from memory_secretary.graph.toolset import tools_for


def test_table_tools_are_offered_where_there_is_a_table(tmp_path):
    plain = {"list_files", "read_file", "search_files", "write_file", "calculator", "clock"}
    assert {tool.name for tool in tools_for(tmp_path)} == plain
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "costs.csv").write_text("a,b\n1,2\n", "utf-8")
    assert {tool.name for tool in tools_for(tmp_path)} > plain
