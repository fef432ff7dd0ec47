"""One long task in one arm of a comparison."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool, tool

from memory_secretary.graph.evaluation.arms import run_arm
from memory_secretary.graph.evaluation.longtask.task import LongTask
from memory_secretary.graph.evaluation.result import ArmResult
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.tools.calculator import calculator_tool

STEPS_PER_NEEDED, MORE_STEPS = 2, 10
"""A run may take twice the steps that a worker without a mistake needs, and ten more."""


def run_task(task: LongTask, arm: str, executor: ModelHandle, settings: Settings) -> dict[str, Any]:
    """Run the task in a fresh world with an empty memory, and judge it.

    A run that an error of ours ends is a wrong one; the error stands in ``stop_reason``.

    Args:
        task: what is to be done; its step limit replaces that of ``settings``.
        arm: one of :func:`~memory_secretary.graph.evaluation.arms.arm_names`.
        executor: the model, in both roles.
        settings: windows and user.

    Returns:
        Plain data: the task, the verdict and the run's figures.
    """
    world = task.environment()
    limit = STEPS_PER_NEEDED * task.needed_steps + MORE_STEPS
    tools: list[BaseTool] = [*(tool(function) for function in world.tools()), calculator_tool()]
    with tempfile.TemporaryDirectory() as folder:
        try:
            result = run_arm(
                arm,
                task.turns,
                executor=executor,
                tools=tools,
                settings=replace(settings, max_steps=limit),
                open_memory=lambda: TieredMemory.open(Path(folder)),
            )
        except MemorySecretaryError as error:
            result = ArmResult(stop_reason=f"{type(error).__name__}: {error}")
    verdict = task.check(result.answer, world)
    about = {"family": task.family, "seed": task.seed, "lang": task.lang, "length": task.length}
    judged = {
        "right": verdict.right,
        "missing": list(verdict.missing),
        "done_twice": verdict.done_twice,
        "wrong_effects": verdict.wrong_effects,
    }
    return {**about, "arm": arm, "needed": task.needed_steps, **judged, **result.as_dict()}
