"""Which model each role has with the present settings."""

from __future__ import annotations

from dataclasses import dataclass

from memory_secretary.graph.settings import PREFIX, Settings

SLOTS = 2
"""Contexts of an embedded model, one for each role, as the builder has it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A role's model.

    Attributes:
        spec: as ``build_graph`` takes it.
        window: tokens asked for.
        variable: the environment variable that sets this window.
    """

    spec: str
    window: int
    variable: str


def wanted_models(executor: str, secretary: str | None, settings: Settings) -> tuple[Wanted, Wanted]:
    """The executor's and the secretary's model; as the builder has it, a model for both gets the larger window."""
    largest = max(settings.executor_window, settings.secretary_window)
    larger = "EXECUTOR" if settings.executor_window == largest else "SECRETARY"
    acting = Wanted(executor, largest, f"{PREFIX}{larger}_WINDOW")
    if secretary in (None, executor):
        return acting, acting
    return acting, Wanted(secretary or executor, settings.secretary_window, f"{PREFIX}SECRETARY_WINDOW")
