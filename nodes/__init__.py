"""The nodes of the graph and the pure functions they are made of."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_secretary.nodes.compose import compose_brief

__all__ = ["compose_brief"]


def __getattr__(name: str) -> Any:
    """Load at first use, so that importing one node does not import them all."""
    if name != "compose_brief":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return import_module(f"{__name__}.compose").compose_brief
