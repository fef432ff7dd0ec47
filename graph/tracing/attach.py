"""Which of the traces a graph writes by itself: a file that was named, and OpenTelemetry where it is there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from langchain_core.callbacks import BaseCallbackHandler

from memory_secretary.graph.tracing import telemetry
from memory_secretary.graph.tracing.file import VARIABLE, TraceFile


def handlers(path: str | Path | None, environ: Mapping[str, str] | None = None) -> list[BaseCallbackHandler]:
    """The handlers that a graph is built with.

    Args:
        path: the trace file; None takes the one that the environment names, if it does.
        environ: the environment.

    Raises:
        StorageError: the file cannot be written.
    """
    source = os.environ if environ is None else environ
    named = path or source.get(VARIABLE, "").strip()
    found: list[BaseCallbackHandler] = [TraceFile(named)] if named else []
    return [*found, telemetry.Telemetry()] if telemetry.installed() else found
