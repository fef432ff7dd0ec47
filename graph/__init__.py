"""Graphs: settings, builder, checkpoints, evaluation and the command line."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_secretary.graph.builder import SecretaryGraph, build_graph
    from memory_secretary.graph.checkpoints import open_checkpointer
    from memory_secretary.graph.distill import DistillGraph, build_distill_graph
    from memory_secretary.graph.maintenance import MaintenanceGraph, build_maintenance_graph
    from memory_secretary.graph.methods import MethodsGraph, build_methods_graph
    from memory_secretary.graph.settings import RunContext, Settings

_HOMES = {
    "DistillGraph": "distill",
    "MaintenanceGraph": "maintenance",
    "MethodsGraph": "methods",
    "RunContext": "settings",
    "SecretaryGraph": "builder",
    "Settings": "settings",
    "build_distill_graph": "distill",
    "build_graph": "builder",
    "build_maintenance_graph": "maintenance",
    "build_methods_graph": "methods",
    "open_checkpointer": "checkpoints",
}
__all__ = [
    "DistillGraph",
    "MaintenanceGraph",
    "MethodsGraph",
    "RunContext",
    "SecretaryGraph",
    "Settings",
    "build_distill_graph",
    "build_graph",
    "build_maintenance_graph",
    "build_methods_graph",
    "open_checkpointer",
]


def __getattr__(name: str) -> Any:
    """Load a name's module at its first use, so that importing the package stays fast."""
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
