"""A run that waits for the user says so in its status, though a node that is interrupted returns no update."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig
from langgraph.constants import CONFIG_KEY_CHECKPOINTER
from langgraph.pregel import NodeBuilder

from memory_secretary.memory.errors import SettingsError


def say_waiting(config: RunnableConfig, tool: str) -> None:
    """Let the result's status be ``needs_input``; to be called where LangGraph's interrupt passes through a node.

    Args:
        config: the node's own.
        tool: the tool that asks the user something.

    Raises:
        SettingsError: without a checkpointer nobody could ever answer.
    """
    if not config.get("configurable", {}).get(CONFIG_KEY_CHECKPOINTER):
        msg = f"the tool {tool} asks the user something, and only a checkpointer can wait for it: give build_graph one"
        zh = f"工具 {tool} 要向用户提问，而等待回答需要检查点：请给 build_graph 传入 checkpointer"
        raise SettingsError(msg, zh=zh)
    for writer in NodeBuilder().write_to(status="needs_input").build().writers:
        writer.invoke(None, config)
