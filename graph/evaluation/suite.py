"""Suites of tasks: those that are shipped, and a user's own from a Python file or a folder."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memory_secretary.graph.evaluation.task import Task
from memory_secretary.graph.evaluation.users_code import checked_verdict, made_world, tools_of
from memory_secretary.graph.evaluation.verdict import Verdict
from memory_secretary.memory.errors import SettingsError

LONG, DEVELOPMENT, EXAMPLE = "long", "development", "example"
SHIPPED = (LONG, DEVELOPMENT, EXAMPLE)
FILE = "suite.py"
SHIPPED_WINDOW = 2048
"""Tokens of the executor's window that the shipped suites are made for: their records are several times longer."""
_QUICK_TASKS = 8
_EXAMPLE_SEEDS = range(1, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Tasks that are run together.

    Attributes:
        name: a shipped suite's, or the file's.
        state: tells one state of its text from another, so that old runs of a changed suite are not taken for its own.
        tasks: shortest first.
        window: tokens of the executor's window that it is made for; None where it has no wish.
    """

    name: str
    state: str
    tasks: tuple[Task, ...]
    window: int | None = None


def load_suite(name: str) -> Suite:
    """A shipped suite by its name, or one's own by the path of its file, or of the folder that holds ``suite.py``.

    Raises:
        SettingsError: there is none, or it cannot be used; the sentence names the task and the cure.
    """
    if name in SHIPPED:
        shipped = _sorted(_shipped(name))
        return Suite(name=name, state=version("memory-secretary"), tasks=shipped, window=SHIPPED_WINDOW)
    path = _file_of(name)
    tasks = _tasks_of(path, _loaded(path))
    for task in tasks:
        _try(task)
    return Suite(name=path.parent.name if path.name == FILE else path.stem, state=_state(path), tasks=_sorted(tasks))


def quick(suite: Suite) -> Suite:
    """The eight shortest tasks: of the long tasks those that the embedded model runs within half an hour."""
    return replace(suite, tasks=suite.tasks[:_QUICK_TASKS])


def _sorted(tasks: Sequence[Task]) -> tuple[Task, ...]:
    return tuple(sorted(tasks, key=lambda task: task.steps))


def _shipped(name: str) -> list[Task]:
    from memory_secretary.graph.evaluation.longtask import development_tasks, frozen_tasks
    from memory_secretary.graph.evaluation.longtask.run import as_task

    if name == EXAMPLE:
        from memory_secretary.graph.evaluation.example_suite import example_tasks

        return example_tasks(_EXAMPLE_SEEDS)
    return [as_task(task) for task in (frozen_tasks() if name == LONG else development_tasks())]


# --- one's own -------------------------------------------------------------------------------------------------------


def _file_of(name: str) -> Path:
    path = Path(name)
    file = path / FILE if path.is_dir() else path
    if file.is_file():
        return file.resolve()
    msg = f"there is no suite {name!r}: name {', '.join(SHIPPED)}, a Python file, or a folder with {FILE}"
    raise SettingsError(
        msg, zh=f"没有任务集 {name!r}：请写 {'、'.join(SHIPPED)}、一个 Python 文件，或含 {FILE} 的文件夹"
    )


def _state(path: Path) -> str:
    """A short hash of the file, or of every Python file of a folder."""
    files = sorted(path.parent.rglob("*.py")) if path.name == FILE else [path]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:12]


def _loaded(path: Path) -> Any:
    """The file's module; what lies beside it can be imported while it loads.

    Raises:
        SettingsError: it cannot be run.
    """
    spec = importlib.util.spec_from_file_location(f"memory_secretary_suite_{path.stem}", path)
    if spec is None or spec.loader is None:
        msg = f"{path} is no Python file: the suite's file ends in .py"
        raise SettingsError(msg, zh=f"{path} 不是 Python 文件：任务集的文件名以 .py 结尾")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        with _importable(path.parent):
            spec.loader.exec_module(module)
    except Exception as error:  # a user's own code may fail in any way
        kind = type(error).__name__
        msg = f"the suite {path} cannot be loaded ({kind}: {error}): correct it, or run it with Python to see where"
        zh = f"任务集 {path} 无法加载（{kind}：{error}）：请改正，或用 Python 运行它看出错的位置"
        raise SettingsError(msg, zh=zh) from error
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _tasks_of(path: Path, module: Any) -> list[Task]:
    tasks = getattr(module, "tasks", None)
    if not isinstance(tasks, list | tuple) or not tasks or not all(isinstance(task, Task) for task in tasks):
        msg = f"{path} has no list called tasks that holds at least one Task: see docs/eval.md"
        raise SettingsError(msg, zh=f"{path} 里没有名为 tasks、至少含一个 Task 的列表：见 docs/eval.zh-CN.md")
    names = [task.name for task in tasks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"two tasks of {path} are called {twice!r}: give each a name of its own"
        raise SettingsError(msg, zh=f"{path} 里有两个任务叫 {twice!r}：请给每个任务各自的名字")
    return list(tasks)


def _try(task: Task) -> None:
    """Refuse what no run could work with.

    Raises:
        SettingsError: a field is missing or wrong, the world has no usable tools, or its checker is content with
            nothing.
    """
    _check_fields(task)
    world = made_world(task)
    try:
        tools_of(task, world)
        said = checked_verdict(task, world, "")
    finally:
        getattr(world, "close", lambda: None)()
    if said.right if isinstance(said, Verdict) else said:
        msg = f"the check of task {task.name!r} calls a run right that did nothing and answered nothing: let it look"
        zh = f"任务 {task.name!r} 的 check 把什么都没做、什么都没答的运行判为正确：请让它真正检查"
        raise SettingsError(msg, zh=zh)


def _check_fields(task: Task) -> None:
    faults = {
        "name": (isinstance(task.name, str) and bool(task.name.strip()), "a few letters", "几个字"),
        "goal": (_is_goal(task.goal), "what the user says, or (thread, words) pairs", "用户的话，或（线程，话）对"),
        "steps": (
            isinstance(task.steps, int) and task.steps > 0,
            "how many tool calls are needed, at least 1",
            "所需的工具调用次数，至少 1",
        ),
        "environment": (
            callable(task.environment),
            "a function or class that makes a fresh world",
            "造出新环境的函数或类",
        ),
        "check": (callable(task.check), "a function of the world and the answer", "以环境和答案为参数的函数"),
    }
    for field, (good, wanted, wanted_zh) in faults.items():
        if not good:
            msg = f"{field} of task {task.name!r} is {getattr(task, field)!r}: it has to be {wanted}"
            zh = f"任务 {task.name!r} 的 {field} 是 {getattr(task, field)!r}：应为{wanted_zh}"
            raise SettingsError(msg, zh=zh)


def _is_goal(goal: Any) -> bool:
    if isinstance(goal, str):
        return bool(goal.strip())
    pairs = isinstance(goal, list | tuple) and goal
    return bool(pairs) and all(isinstance(turn, tuple) and list(map(type, turn)) == [str, str] for turn in goal)
