"""Reads a trace file back into runs; a line that a killed process left torn is passed over and counted."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_secretary.graph.tracing.record import FORMAT, Record
from memory_secretary.memory.errors import InvalidRecord

_KINDS = ("run", "node", "end")


@dataclass
class TracedRun:
    """One run: its first line, the lines of its nodes in order, and its last line; None where one is missing."""

    thread: str
    head: Record | None = None
    nodes: list[Record] = field(default_factory=list)
    foot: Record | None = None


@dataclass
class Trace:
    """What a file holds: its runs in the order in which they began, and how many lines were torn."""

    runs: list[TracedRun]
    torn: int = 0


def read_trace(path: str | Path) -> Trace:
    """Read a trace.

    Raises:
        OSError: the file cannot be read.
        InvalidRecord: it is no trace, or a newer version wrote it.
    """
    runs: dict[str, TracedRun] = {}
    torn = 0
    for text in Path(path).read_text("utf-8", "replace").splitlines():
        line = _line(text)
        if line is None:
            torn += bool(text.strip())
            continue
        if line["kind"] == "run" and int(line.get("format", 0)) > FORMAT:
            raise _newer(path)
        _add(runs.setdefault(line["run"], TracedRun(line["thread"])), line)
    if not runs:
        raise _no_trace(path)
    return Trace(list(runs.values()), torn)


def _line(text: str) -> Record | None:
    """The line as a record; None where it is none of ours, or torn."""
    try:
        line: Any = json.loads(text)
    except ValueError:
        return None
    ours = isinstance(line, dict) and line.get("kind") in _KINDS
    return line if ours and isinstance(line.get("run"), str) and isinstance(line.get("thread"), str) else None


def _add(run: TracedRun, line: Record) -> None:
    if line["kind"] == "run":
        run.head = line
    elif line["kind"] == "end":
        run.foot = line
    else:
        run.nodes.append(line)


def _no_trace(path: str | Path) -> InvalidRecord:
    msg = f"{path} is no trace of this program: name a file that `run --trace FILE` or `chat --trace FILE` wrote"
    zh = f"{path} 不是本程序的追踪文件：请指定由 `run --trace FILE` 或 `chat --trace FILE` 写出的文件"
    return InvalidRecord(msg, zh=zh)


def _newer(path: str | Path) -> InvalidRecord:
    msg = f"{path} was written by a newer version of this program: update it to read the file"
    return InvalidRecord(msg, zh=f"{path} 由本程序的更新版本写出：请先更新再读取")
