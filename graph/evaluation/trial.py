"""One task in one arm: run in a fresh world with an empty memory, judged, and told as plain data."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool

from memory_secretary.graph.evaluation.arms import run_arm
from memory_secretary.graph.evaluation.error_kinds import done_twice, error_kinds
from memory_secretary.graph.evaluation.result import ArmResult
from memory_secretary.graph.evaluation.task import Task
from memory_secretary.graph.evaluation.trace import Trace
from memory_secretary.graph.evaluation.users_code import checked_verdict, made_world, tools_of
from memory_secretary.graph.evaluation.verdict import Verdict
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.tools.effects import Effect, effect_of

STEPS_PER_NEEDED, MORE_STEPS = 2, 10
"""A run may take twice the steps that a worker without a mistake needs, and ten more."""


def run_trial(
    task: Task,
    arm: str,
    executor: ModelHandle,
    settings: Settings,
    *,
    noting: ModelHandle | None = None,
    embedder: str | None = "embedded",
    prepare: Callable[[TieredMemory], object] | None = None,
) -> dict[str, Any]:
    """Run the task and judge it. A run that an error of ours ends is a wrong one; the error is its ``stop_reason``.

    Args:
        task: what is to be done; its step limit replaces that of ``settings``.
        arm: one of :func:`~memory_secretary.graph.evaluation.arms.arm_names`.
        executor: the acting model.
        settings: windows and user.
        noting: the secretary's model; None takes the executor's.
        embedder: of the memory; None searches by words alone.
        prepare: puts into the empty memory what is to be known before the run.

    Returns:
        Plain data: arm, needed steps, the verdict, the kinds of error and the run's figures.

    Raises:
        SettingsError: the task's own code failed.
    """
    world = made_world(task)
    tools = tools_of(task, world)
    trace = Trace(task.turns)
    try:
        limited = replace(settings, max_steps=step_limit(task))
        result = _run(task, arm, executor, limited, noting, _opener(embedder, prepare), trace.watch(tools))
        messages = trace.messages(result.answer)
        verdict = _judged(task, world, result.answer, messages, tools)
    finally:
        getattr(world, "close", _nothing)()
    about = {"arm": arm, "needed": task.steps, "right": verdict.right, "missing": list(verdict.missing)}
    about |= {"done_twice": verdict.done_twice, "wrong_effects": verdict.wrong_effects}
    kinds = error_kinds(messages, verdict=verdict, repeats=result.repeats)
    return {**about, "errors": kinds, **result.as_dict()}


def step_limit(task: Task) -> int:
    """How many decisions a run of the task may take."""
    return STEPS_PER_NEEDED * task.steps + MORE_STEPS


def _run(
    task: Task,
    arm: str,
    executor: ModelHandle,
    settings: Settings,
    noting: ModelHandle | None,
    opened: Callable[[Path], TieredMemory],
    tools: Sequence[BaseTool],
) -> ArmResult:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return run_arm(
                arm,
                task.turns,
                executor=executor,
                tools=tools,
                settings=settings,
                open_memory=lambda: opened(Path(folder)),
                noting=noting,
            )
        except MemorySecretaryError as error:
            return ArmResult(stop_reason=f"{type(error).__name__}: {error}")


def _opener(embedder: str | None, prepare: Callable[[TieredMemory], object] | None) -> Callable[[Path], TieredMemory]:
    """Opens a new memory in a folder, with what is to be known before the run."""

    def opened(folder: Path) -> TieredMemory:
        memory = TieredMemory.open(folder, embedder=embedder)
        if prepare is not None:
            prepare(memory)
        return memory

    return opened


def _judged(task: Task, world: Any, answer: str, messages: Sequence[BaseMessage], tools: Sequence[BaseTool]) -> Verdict:
    """The task's own verdict; where it only says yes or no, side effects done twice are counted by their calls.

    Raises:
        SettingsError: the checker failed, or says neither.
    """
    said = checked_verdict(task, world, answer)
    if isinstance(said, Verdict):
        return said
    writing = {tool.name for tool in tools if effect_of(tool) is not Effect.READ_ONLY}
    return Verdict(said, done_twice=done_twice(messages, writing))


def _nothing() -> None:
    """A world that needs no end."""
