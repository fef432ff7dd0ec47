"""The example task's variants as a suite, each on a fresh copy of the example's files."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from langchain_core.tools import BaseTool

from memory_secretary.graph.evaluation.example_task import TaskVariant, check, perfect_calls, variant
from memory_secretary.graph.evaluation.example_truth import Lang
from memory_secretary.graph.evaluation.task import Task
from memory_secretary.graph.evaluation.verdict import Verdict
from memory_secretary.graph.toolset import tools_for
from memory_secretary.tools.example_workspace import copy_example

_LANGS: tuple[Lang, ...] = ("en", "zh")


class Workspace:
    """A copy of the example's files that goes with the run."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.root = copy_example(Path(self._folder.name) / "workspace")

    def tools(self) -> list[BaseTool]:
        """Files, tables, calculator and clock, as ``run`` has them."""
        return tools_for(self.root)

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()


def example_tasks(seeds: Sequence[int]) -> list[Task]:
    """The variants of the seeds in both languages."""
    return [_task(variant(seed, lang)) for lang in _LANGS for seed in seeds]


def _task(task: TaskVariant) -> Task:
    def judged(workspace: Workspace, answer: str) -> Verdict:
        found = check(task, answer, workspace.root)
        return Verdict(found.right, tuple(found.missing))

    return Task(
        name=f"example-{task.seed}-{task.lang}",
        goal=task.goal,
        steps=len(perfect_calls(task)),
        environment=Workspace,
        check=judged,
    )
