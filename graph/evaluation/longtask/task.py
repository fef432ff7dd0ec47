"""A long task with known right end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memory_secretary.graph.evaluation.example_truth import Lang
from memory_secretary.graph.evaluation.longtask.environment import Call, Environment, Fault, ToolSpec
from memory_secretary.graph.evaluation.longtask.outcome import Outcome, judge
from memory_secretary.graph.evaluation.verdict import Verdict

Length = Literal["short", "medium", "long", "longest"]
"""Needed tool calls: at most 3, 4 to 10, 11 to 30, more than 30 (and at most 40)."""
LENGTHS: tuple[Length, ...] = ("short", "medium", "long", "longest")


@dataclass(frozen=True, slots=True)
class Oracle:
    """A worker that makes no mistake: its calls in order (failing ones too, where a tool fails) and its answer."""

    calls: tuple[Call, ...]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTask:
    """One task.

    Attributes:
        family: its kind.
        seed: what it was made from.
        lang: language of everything in it.
        length: class of :attr:`needed_steps`.
        turns: what the user says, each with the thread in which it is said; the answer to the last one is judged.
        specs: the tools.
        records: the texts that they reach, by name.
        faults: which of the tools fail.
        outcome: the one right end.
        oracle: one way there.
    """

    family: str
    seed: int
    lang: Lang
    length: Length
    turns: tuple[tuple[str, str], ...]
    specs: tuple[ToolSpec, ...]
    records: Mapping[str, str]
    faults: tuple[Fault, ...]
    outcome: Outcome
    oracle: Oracle

    @property
    def needed_steps(self) -> int:
        """Tool calls of a worker that makes no mistake and adds up by itself."""
        return len(self.oracle.calls)

    def environment(self) -> Environment:
        """A fresh world for one run."""
        return Environment(self.specs, self.records, self.faults)

    def check(self, answer: str, environment: Environment) -> Verdict:
        """Judge a run.

        Args:
            answer: the text of the last answer.
            environment: the world that the run worked in.
        """
        return judge(self.outcome, answer, environment)
