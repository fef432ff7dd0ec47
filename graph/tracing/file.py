"""A trace file: every run appends what it did, one JSON object on a line."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from uuid import UUID

from memory_secretary.graph.tracing import record
from memory_secretary.graph.tracing.record import Record
from memory_secretary.graph.tracing.spans import Span, Spans
from memory_secretary.memory.clock import system_clock
from memory_secretary.memory.errors import StorageError
from memory_secretary.memory.system_words import system_reason

VARIABLE = "MEMORY_SECRETARY_TRACE"
"""Environment variable that names the file."""
_MODE = 0o600
"""What the user and the tools said is for the user's own eyes."""

log = logging.getLogger(__name__)


class TraceFile(Spans):
    """Writes a line when a node ends, and one each at a run's beginning and end.

    A line is written at once and whole, at the end of the file, so that several processes may share one and a process
    that is killed leaves one torn line at most. A file that cannot be written any more ends the trace, not the run.

    Args:
        path: the file; it is made, for its owner's eyes only, or appended to.
        now: the clock.
        timer: the clock that durations are taken with, in seconds.

    Raises:
        StorageError: it cannot be written.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        now: Callable[[], datetime] = system_clock,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(now, timer)
        self.path = Path(path)
        self._headed: set[UUID] = set()
        self._broken = False
        self._lock = threading.Lock()
        try:
            self._append("")
        except OSError as error:
            reason, zh = system_reason(error)
            msg = f"the trace {self.path} cannot be written ({reason}): name a file in a folder that you may write to"
            raise StorageError(
                msg, zh=f"追踪文件 {self.path} 无法写入（{zh}）：请指定可写文件夹里的一个文件"
            ) from error

    def ended(self, span: Span) -> None:
        """Write what is to be said of a node or a run."""
        run = span if span.kind == "run" else span.inside("run")
        if span.kind == "node" and run is not None:
            self._write([*self._head(run), record.of_node(span, run)])
        elif span.kind == "run" and span.id in self._headed:
            self._headed.discard(span.id)
            self._write([record.foot(span)])

    def _head(self, run: Span) -> list[Record]:
        """The run's first line, once."""
        if run.id in self._headed:
            return []
        self._headed.add(run.id)
        return [record.head(run)]

    def _write(self, lines: list[Record]) -> None:
        if self._broken:
            return
        try:
            self._append("".join(json.dumps(line, ensure_ascii=False, default=str) + "\n" for line in lines))
        except OSError as error:
            self._broken = True
            log.warning("the trace %s ends here: %s", self.path, error)

    def _append(self, text: str) -> None:
        """Add whole lines; a line that a killed process left torn is ended first."""
        with self._lock, open(self.path, "ab+", buffering=0, opener=_private) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            torn = bool(text) and size > 0 and file.read(1) != b"\n"
            file.write(("\n" * torn + text).encode("utf-8", "backslashreplace"))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _MODE)
