"""The example workspace: the papers of a small logistics firm, shipped with the package."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib import resources
from pathlib import Path

from memory_secretary.tools.sandbox import WorkspaceError


def copy_example(target: Path) -> Path:
    """Copy the example workspace to ``target`` and return it.

    Args:
        target: a folder that does not exist yet, or is empty.

    Raises:
        WorkspaceError: something lies there already.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        msg = f"{target} is not empty; name a new folder for the example workspace"
        raise WorkspaceError(msg, zh=f"{target} 不是空文件夹；请为示例工作区指定一个新文件夹")
    with _shipped() as source:
        shutil.copytree(source, target, dirs_exist_ok=True)
    return target


def changed_files(workspace: Path) -> list[str]:
    """The files that were added, removed or changed since :func:`copy_example`, by relative path."""
    with _shipped() as source:
        before, after = _contents(source), _contents(workspace)
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _shipped() -> AbstractContextManager[Path]:
    return resources.as_file(resources.files("memory_secretary.tools") / "example")


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
