"""Which files the given paths mean: files, folders with all below them, and patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.system_words import system_reason
from memory_secretary.nodes.distill.document import Failure


@dataclass
class Found:
    """The files, each once and in a steady order, and what could not be looked at."""

    files: list[Path] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def fail(self, path: str | Path, reason: str) -> None:
        """Note that a path gives nothing."""
        self.failures.append({"path": str(path), "reason": reason})


def files_of(given: Iterable[str]) -> Found:
    """The files that paths mean; a path that means none is a failure and sinks no other.

    Folders are walked through all levels, names that begin with a dot left out, each real folder once, so that a link
    that leads back ends nowhere. A name with ``*``, ``?`` or ``[`` that is no file is a pattern; ``**`` crosses levels.
    """
    found, seen = Found(), set[str]()
    for text in given:
        for path in _meant(text, found):
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                found.files.append(Path(real))
    return found


def demand_places(given: Sequence[str]) -> None:
    """Refuse names of which none is a file, a folder or a pattern that fits one: they are mistyped.

    Raises:
        NotFound: there is nothing of what was named.
    """
    if given and not any(map(_places, given)):
        names = ", ".join(given)
        msg = f"there is no file or folder {names}: check the name, or the folder that you are in"
        raise NotFound(msg, zh=f"没有文件或文件夹 {names}：请检查名称，或您所在的文件夹")


def _places(text: str) -> list[Path]:
    """What a name or pattern means; nothing where there is no such thing."""
    path = Path(text).expanduser()
    if path.exists():
        return [path]
    pattern = str(path.relative_to(path.anchor))
    return sorted(Path(path.anchor or ".").glob(pattern)) if glob.has_magic(pattern) else []


def _meant(text: str, found: Found) -> Iterator[Path]:
    places = _places(text)
    for place in places:
        yield from _below(place, found)
    if not places:
        found.fail(
            text, said("there is no such file or folder; check the name", "没有这个文件或文件夹；请检查名称")
        )  # fmt: skip


def _below(path: Path, found: Found) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    before = len(found.failures)
    files = sorted(_walked(path, found))
    if not files and len(found.failures) == before:
        found.fail(path, said("no document lies in this folder; name another", "这个文件夹里没有文档；请换一个"))
    yield from files


def _walked(folder: Path, found: Found) -> Iterator[Path]:
    def refused(error: OSError) -> None:
        found.fail(str(error.filename), said(*system_reason(error)))

    seen = set[str]()
    for place, folders, names in os.walk(folder, followlinks=True, onerror=refused):
        seen.add(os.path.realpath(place))
        below = {name: os.path.realpath(Path(place, name)) for name in folders if not name.startswith(".")}
        folders[:] = sorted(name for name, real in below.items() if real not in seen)
        seen.update(below.values())
        yield from (Path(place, name) for name in names if not name.startswith("."))
