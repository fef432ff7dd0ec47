"""One long task in one arm of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool

from memory_secretary.graph.evaluation.longtask.environment import Environment, Tool
from memory_secretary.graph.evaluation.longtask.task import LongTask
from memory_secretary.graph.evaluation.task import Task
from memory_secretary.graph.evaluation.trial import run_trial
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.tools.calculator import calculator_tool


class Desk:
    """The world of a long task, with a calculator beside it."""

    def __init__(self, world: Environment) -> None:
        self.world = world

    def tools(self) -> list[Tool | BaseTool]:
        """The world's tools and the calculator."""
        return [*self.world.tools(), calculator_tool()]


def as_task(task: LongTask) -> Task:
    """A long task in the form that every suite has."""

    def check(desk: Desk, answer: str) -> Any:
        return task.check(answer, desk.world)

    return Task(
        name=f"{task.family}-{task.seed}-{task.lang}",
        goal=task.turns,
        steps=task.needed_steps,
        environment=lambda: Desk(task.environment()),
        check=check,
    )


def run_task(
    task: LongTask,
    arm: str,
    executor: ModelHandle,
    settings: Settings,
    *,
    prepare: Callable[[TieredMemory], object] | None = None,
) -> dict[str, Any]:
    """Run the task in a fresh world with an empty memory, and judge it.

    Args:
        task: what is to be done; its step limit replaces that of ``settings``.
        arm: one of :func:`~memory_secretary.graph.evaluation.arms.arm_names`.
        executor: the model, in both roles.
        settings: windows and user.
        prepare: puts into the empty memory what is to be known before the run.

    Returns:
        Plain data: the task, the verdict and the run's figures.
    """
    about = {"family": task.family, "seed": task.seed, "lang": task.lang, "length": task.length}
    return {**about, **run_trial(as_task(task), arm, executor, settings, prepare=prepare)}
