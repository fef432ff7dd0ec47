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
from memory_secretary.graph.distill import DistillGraph, build_distill_graph
from memory_secretary.graph.maintenance import MaintenanceGraph, served_maintenance_graph
from memory_secretary.graph.settings import PREFIX, Settings, from_environment, refuse_unknown
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
    _check_context(runtime)
    return await asyncio.to_thread(_made_once)


async def make_maintenance_graph(runtime: ServerRuntime[Any]) -> MaintenanceGraph:
    """The maintenance graph for Studio, over the same memory; see :func:`make_secretary_graph`.

    Raises:
        SettingsError: the context names an unknown setting; the server ends the run with the sentence.
    """
    _check_context(runtime)
    return await asyncio.to_thread(_maintenance_once)


async def make_distill_graph(runtime: ServerRuntime[Any]) -> DistillGraph:
    """The distill graph for Studio, over the same memory; the paths in its input are the server's.

    The teacher is ``MEMORY_SECRETARY_TEACHER``, else the secretary's model; see :func:`make_secretary_graph`.

    Raises:
        SettingsError: the context names an unknown setting; the server ends the run with the sentence.
    """
    _check_context(runtime)
    return await asyncio.to_thread(_distill_once)


def _check_context(runtime: ServerRuntime[Any]) -> None:
    running = runtime.execution_runtime
    if running is not None:
        refuse_unknown(_settings_in(running.context or {}))


def _settings_in(context: Iterable[str]) -> list[str]:
    return [name for name in context if not name.startswith(_OWN_KEYS)]


def _made_once() -> SecretaryGraph:
    with _MAKING:
        return _made()


def _maintenance_once() -> MaintenanceGraph:
    with _MAKING:
        settings = _settings()
        return served_maintenance_graph(_memory(_memory_folder(), settings.zone), settings)


def _distill_once() -> DistillGraph:
    with _MAKING:
        return _distill()


@cache
def _distill() -> DistillGraph:
    settings = _settings()
    named = (os.environ.get(PREFIX + role) for role in ("TEACHER", "SECRETARY", "EXECUTOR"))
    teacher = next(filter(None, named), "embedded")
    return build_distill_graph(teacher, _memory(_memory_folder(), settings.zone), settings)


@cache
def _made() -> SecretaryGraph:
    settings = _settings()
    memory = _memory(_memory_folder(), settings.zone)
    workspace = _folder("WORKSPACE", Path.cwd())
    executor = os.environ.get(f"{PREFIX}EXECUTOR", "embedded")
    secretary = os.environ.get(f"{PREFIX}SECRETARY")
    return build_graph(executor, secretary, memory=memory, tools=tools_for(workspace), settings=settings)


def _settings() -> Settings:
    settings = from_environment()
    unnamed = settings.user_id is None and settings.team_id is None
    return replace(settings, user_id="local") if unnamed else settings


@cache
def _memory(folder: Path, zone: str) -> TieredMemory:
    """One for all graphs of the process: a folder's index belongs to whoever opened it."""
    return TieredMemory.open(folder, zone=zone)


def _memory_folder() -> Path:
    return _folder("MEMORY", platformdirs.user_data_path("memory-secretary"))


def _folder(name: str, default: Path) -> Path:
    return Path(os.environ.get(PREFIX + name) or default).expanduser()
