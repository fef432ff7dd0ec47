"""The tools that a run over a folder of files gets, the same for the command line and for measurements."""

from __future__ import annotations

from pathlib import Path

from langchain_core.tools import BaseTool

from memory_secretary.tools.calculator import calculator_tool
from memory_secretary.tools.clock import clock_tool
from memory_secretary.tools.tables import table_tools
from memory_secretary.tools.workspace import workspace_tools


def tools_for(root: Path) -> list[BaseTool]:
    """Files, calculator and clock, and the table tools where there is a table: a small model picks what it sees.

    Raises:
        WorkspaceError: ``root`` is no folder.
    """
    tables = table_tools(root) if any(root.rglob("*.csv")) else []
    return [*workspace_tools(root), *tables, calculator_tool(), clock_tool()]
