"""A task of a suite: what is asked, a fresh world to work in, and the judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_secretary.graph.evaluation.result import Turn
from memory_secretary.graph.evaluation.verdict import Verdict

__all__ = ["LENGTHS", "Task", "Verdict", "length_of"]

_MAIN = "main"
LENGTHS = {"≤3": 3, "4–10": 10, "11–30": 30, ">30": 10**9}
"""Classes of length, each with the most tool calls that are needed in it (first seed: little help up to 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task.

    Attributes:
        name: tells it from the suite's other tasks.
        goal: what the user says; or several turns, each a thread and words, of which the last one's answer is judged.
        steps: tool calls that a worker without a mistake needs. A run may take twice as many decisions and ten more.
        environment: makes a fresh world for one run: any object whose method ``tools()`` gives the tools that work in
            it (typed functions with a docstring, or LangChain tools); a method ``close()`` is called at the end.
        check: is given the world after the run and the answer; tells whether the run is right, as ``True`` or
            ``False``, or as a :class:`Verdict` that also says why.
    """

    name: str
    goal: str | Sequence[Turn]
    steps: int
    environment: Callable[[], Any]
    check: Callable[[Any, str], bool | Verdict]

    @property
    def turns(self) -> list[Turn]:
        """What the user says, each time with the thread in which it is said."""
        return [(_MAIN, self.goal)] if isinstance(self.goal, str) else list(self.goal)


def length_of(steps: int) -> str:
    """The class of length of so many needed tool calls."""
    return next(name for name, most in LENGTHS.items() if steps <= most)
