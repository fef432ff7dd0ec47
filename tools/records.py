"""The executor's way back into its own records: find a passage, read on from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.prebuilt import ToolRuntime

from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import Recalled, short_ref
from memory_secretary.tools.effects import Effect, mark

RECORD_TOOLS = ("recall", "read_record")
"""Names of the tools made here; what they take is no item to discover."""
HITS = 5
"""Passages that one recall shows."""
PAGE = 2_000
"""Characters that one reading shows."""


class RecordView(Protocol):
    """The part of a memory view that these tools need."""

    def recall(self, query: str, *, k: int = ...) -> Sequence[Recalled]:
        """The ``k`` records that fit ``query`` best, best first."""
        ...

    def read(self, event_id: str, start: int = ..., length: int = ...) -> str:
        """``length`` characters of an event's text from ``start``."""
        ...


class RecordError(ToolException):
    """A record cannot be shown; the sentence says what to call instead."""


ViewOf = Callable[[ToolRuntime[Any]], RecordView]
"""The view for the run that a tool is called in."""


def record_tools(view_of: ViewOf) -> list[BaseTool]:
    """``recall`` and ``read_record`` over what may be seen in the run that calls them."""

    def recall(query: str, runtime: ToolRuntime[Any]) -> str:
        """Find what was seen or done earlier, by words or meaning."""
        return found(view_of(runtime), query)

    def read_record(ref: str, runtime: ToolRuntime[Any], start: int = 0) -> str:
        """Read an earlier record in full; ref is its evt_… id, start a position in characters."""
        return page(view_of(runtime), ref, start)

    return [
        mark(StructuredTool.from_function(job, handle_tool_error=True), Effect.READ_ONLY)
        for job in (recall, read_record)
    ]


def found(view: RecordView, query: str) -> str:
    """The best hits, each as ``ref (date): text``.

    Raises:
        RecordError: the query is empty.
    """
    if not query.strip():
        msg = "The query is empty; give a few words of what you look for."
        raise RecordError(msg)
    hits = view.recall(query, k=HITS)
    return "\n".join(_hit(hit) for hit in hits) or f'Nothing recorded fits "{query.strip()}".'


def page(view: RecordView, ref: str, start: int) -> str:
    """Up to :data:`PAGE` characters of a record, and where it goes on.

    Raises:
        RecordError: there is no such record, or it ends before ``start``.
    """
    if start < 0:
        msg = f"start is {start}; give 0 or a later position."
        raise RecordError(msg)
    try:
        text = view.read(ref.strip(), start, PAGE + 1)  # one more tells whether it goes on
    except NotFound as error:
        msg = f'There is no record "{ref}"; recall finds the refs of earlier records.'
        raise RecordError(msg) from error
    if not text:
        msg = f"The record {ref} ends before position {start}; read it from start=0."
        raise RecordError(msg)
    rest = f"\n… goes on: read_record with start={start + PAGE}" if len(text) > PAGE else ""
    return text[:PAGE] + rest


def _hit(hit: Recalled) -> str:
    at = f" from {hit.start}" if hit.start else ""
    return f"{short_ref(hit.ref)}{at} ({hit.at:%Y-%m-%d}): {' '.join(hit.text.split())}"
