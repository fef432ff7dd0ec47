"""What repeated and fruitless steps have earned, as the state keeps it."""

from __future__ import annotations

from typing_extensions import TypedDict


class Brakes(TypedDict):
    """What earlier steps have earned: see :mod:`memory_secretary.nodes.reminders`.

    ``repeats`` counts refused steps in a row, ``off`` are tools off the menu for the coming step, ``escapes`` counts
    free menus taken while items were open, ``free`` opens the free menu for the coming step, ``last`` leaves only the
    answer, ``reason`` is the stop reason that then applies.
    """

    repeats: int
    off: list[str]
    escapes: int
    free: bool
    last: bool
    reason: str


def no_brakes() -> Brakes:
    """Nothing has gone wrong yet."""
    return Brakes(repeats=0, off=[], escapes=0, free=False, last=False, reason="")
