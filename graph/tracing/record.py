"""What a trace file says of a run: its beginning, each node, its end, as plain data without secrets."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from importlib.metadata import version
from typing import Any

from memory_secretary.graph.tracing.spans import OF_FOOT, OF_HEAD, Span
from memory_secretary.memory.masking import mask_data

FORMAT = 1
"""Number of the form; a reader refuses a greater one."""

Record = dict[str, Any]


def head(run: Span) -> Record:
    """The first line of a run."""
    program = f"memory-secretary {version('memory-secretary')}"
    line = {"kind": "run", "format": FORMAT, "program": program, "at": run.at.isoformat()}
    return _masked(run, {**line, **_told(run, OF_HEAD)})


def of_node(node: Span, run: Span) -> Record:
    """The line of a node: what it told, the model calls and searches that it made, and what ended it early."""
    line: Record = {"kind": "node", "node": node.name, "step": None, "at": node.at.isoformat()}
    line |= {name: value for name, value in node.details.items() if name not in (*OF_HEAD, *OF_FOOT)}
    line["seconds"] = round(node.seconds, 3)
    line |= {"calls": [_below(each) for each in node.below if each.kind == "model"]}
    line |= {"searches": [_below(each) for each in node.below if each.kind == "recall"]}
    return _masked(run, {**line, **_early(node)})


def foot(run: Span) -> Record:
    """The last line of a run."""
    line: Record = {"kind": "end", "at": (run.at + timedelta(seconds=run.seconds)).isoformat()}
    line |= {"seconds": round(run.seconds, 3), "status": "needs_input" if run.waiting else "broken_off"}
    return _masked(run, {**line, **_told(run, ("status", "stop_reason", *OF_FOOT)), **_early(run)})


def _told(run: Span, names: Iterable[str]) -> Record:
    return {name: run.details[name] for name in names if name in run.details}


def _below(span: Span) -> Record:
    return {"name": span.name, **span.details, "seconds": round(span.seconds, 3), **_early(span)}


def _early(span: Span) -> Record:
    line: Record = {"error": span.error} if span.error else {}
    return {**line, "waiting": True} if span.waiting else line


def _masked(run: Span, line: Record) -> Record:
    """The line with its run and thread, without secrets."""
    kind = {"kind": line.pop("kind")}
    masked: Record = mask_data({**kind, "run": run.id.hex[-12:], "thread": run.thread, **line}, str)
    return masked
