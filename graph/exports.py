"""The graphs that Studio and ``langgraph dev`` load: without a checkpointer, which the server brings.

They use the settings of the environment (``MEMORY_SECRETARY_*``), the memory folder of the command line and, as it
does, the user ``local`` unless the call's context names another.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
from langgraph_sdk.runtime import ServerRuntime

from memory_secretary.graph.builder import SecretaryGraph, build_graph
from memory_secretary.graph.settings import PREFIX, from_environment, refuse_unknown
from memory_secretary.graph.toolset import tools_for
from memory_secretary.memory.tiered import TieredMemory

_MAKING = threading.Lock()


_OWN_KEYS = ("__", "x-", "langgraph_", "thread_", "checkpoint_", "user-agent")
"""How keys begin that the server and its clients add to a run's configuration."""


async def make_secretary_graph(runtime: ServerRuntime[Any]) -> SecretaryGraph:
    """The secretary graph for Studio; the same one at every call, since a server asks again for each request.

    It is made in a thread: a server's event loop must not wait for folders, weights and servers.

    Args:
        runtime: what the server is about to do. Before a run it holds the context as it was sent; the graph itself
            would never hear of a mistyped setting, since the server drops keys that the schema does not have.

    Raises:
        SettingsError: the context names an unknown setting; the server ends the run with the sentence.
    """
    running = runtime.execution_runtime
    if running is not None:
        refuse_unknown(_settings_in(running.context or {}))
    return await asyncio.to_thread(_made_once)


def _settings_in(context: Iterable[str]) -> list[str]:
    return [name for name in context if not name.startswith(_OWN_KEYS)]


def _made_once() -> SecretaryGraph:
    with _MAKING:
        return _made()


@cache
def _made() -> SecretaryGraph:
    settings = from_environment()
    if settings.user_id is None and settings.team_id is None:
        settings = replace(settings, user_id="local")
    memory = TieredMemory.open(_folder("MEMORY", platformdirs.user_data_path("memory-secretary")), zone=settings.zone)
    workspace = _folder("WORKSPACE", Path.cwd())
    executor = os.environ.get(f"{PREFIX}EXECUTOR", "embedded")
    secretary = os.environ.get(f"{PREFIX}SECRETARY")
    return build_graph(executor, secretary, memory=memory, tools=tools_for(workspace), settings=settings)


def _folder(name: str, default: Path) -> Path:
    return Path(os.environ.get(PREFIX + name) or default).expanduser()
