"""What is called of a task's own code, each fault of it told in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from langchain_core.tools import BaseTool

from memory_secretary.graph.evaluation.task import Task
from memory_secretary.graph.evaluation.verdict import Verdict
from memory_secretary.memory.errors import SettingsError
from memory_secretary.tools.asynchronous import callable_in_sync
from memory_secretary.tools.registry import as_tools

Given = TypeVar("Given")


def made_world(task: Task) -> Any:
    """A fresh world of the task.

    Raises:
        SettingsError: its ``environment`` failed.
    """
    return _called(task, "environment", task.environment)


def tools_of(task: Task, world: Any) -> list[BaseTool]:
    """The tools that work in a world.

    Raises:
        SettingsError: it has no ``tools()``, or something in it is no tool.
    """
    if not callable(getattr(world, "tools", None)):
        kind = type(world).__name__
        msg = f"the environment of task {task.name!r} makes a {kind} without a method tools(): give it one"
        raise SettingsError(msg, zh=f"任务 {task.name!r} 的 environment 造出的 {kind} 没有方法 tools()：请加上")
    return [callable_in_sync(tool) for tool in as_tools(_called(task, "tools()", world.tools))]


def checked_verdict(task: Task, world: Any, answer: str) -> bool | Verdict:
    """What the task's checker says of a world and an answer.

    Raises:
        SettingsError: it failed, or gave something else than a verdict.
    """
    said = _called(task, "check", lambda: task.check(world, answer))
    if not isinstance(said, bool | Verdict):
        msg = f"the check of task {task.name!r} gave {said!r}: let it return True, False or a Verdict"
        raise SettingsError(msg, zh=f"任务 {task.name!r} 的 check 返回了 {said!r}：请返回 True、False 或 Verdict")
    return said


def _called(task: Task, what: str, code: Callable[[], Given]) -> Given:
    try:
        return code()
    except Exception as error:  # a user's own code may fail in any way
        kind = type(error).__name__
        msg = f"{what} of task {task.name!r} failed ({kind}: {error}): correct it in the suite"
        zh = f"任务 {task.name!r} 的 {what} 出错（{kind}：{error}）：请在任务集里改正"
        raise SettingsError(msg, zh=zh) from error
