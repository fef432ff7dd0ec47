"""The tools that a run over a folder of files gets, the same for the command line and for measurements."""

from __future__ import annotations

from pathlib import Path

from langchain_core.tools import BaseTool

from memory_secretary.tools.calculator import calculator_tool
from memory_secretary.tools.clock import clock_tool
from memory_secretary.tools.tables import table_tools
from memory_secretary.tools.workspace import workspace_tools


def tools_for(root: Path) -> list[BaseTool]:
    """Files and tables below ``root``, calculator and clock.

    Raises:
        WorkspaceError: ``root`` is no folder.
    """
    return [*workspace_tools(root), *table_tools(root), calculator_tool(), clock_tool()]
