"""The executor's way back into its own records: find a passage, read on from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolRuntime

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import Recalled, short_ref
from memory_secretary.tools.effects import Effect, mark
from memory_secretary.tools.refusal import Refusal, told

HITS = 5
"""Passages that one recall shows."""
PAGE = 2_000
"""Characters that one reading shows."""


class RecordView(Protocol):
    """The part of a memory view that these tools need."""

    def recall(
        self, query: str, *, k: int = ..., head: str | None = ..., exclude: Collection[str] = ...
    ) -> Sequence[Recalled]:
        """The ``k`` records that fit ``query`` best, best first; of the head's thread only what led to it."""
        ...

    def read(self, event_id: str, start: int = ..., length: int = ..., *, head: str | None = ...) -> str:
        """``length`` characters of an event's text from ``start``; of the head's thread only what led to it."""
        ...


class RecordError(Refusal):
    """A record cannot be shown; the sentence says what to call instead."""


ViewOf = Callable[[ToolRuntime[Any]], RecordView]
"""The view for the run that a tool is called in."""


def record_tools(view_of: ViewOf) -> list[BaseTool]:
    """``recall`` and ``read_record`` over what may be seen in the run that calls them."""

    def recall(query: str, runtime: ToolRuntime[Any]) -> str:
        """Find what was seen or done earlier, by words or meaning."""
        request = (runtime.state.get("task_state") or {}).get("goal_ref", "")
        return found(view_of(runtime), query, head=runtime.state.get("head") or None, exclude={request})

    def read_record(ref: str, runtime: ToolRuntime[Any], start: int = 0) -> str:
        """Read an earlier record in full; ref is its evt_… id, start a position in characters."""
        return page(view_of(runtime), ref, start, head=runtime.state.get("head") or None)

    return [
        mark(StructuredTool.from_function(job, handle_tool_error=told), Effect.READ_ONLY)
        for job in (recall, read_record)
    ]


def found(view: RecordView, query: str, *, head: str | None = None, exclude: Collection[str] = ()) -> str:
    """The best hits, each as ``ref (date): text``.

    Args:
        view: where to look.
        query: what to look for.
        head: the run's newest event; None looks at its whole thread.
        exclude: refs that are not wanted: the present request is no answer to itself.

    Raises:
        RecordError: the query is empty.
    """
    if not query.strip():
        msg = "The query is empty; give a few words of what you look for."
        raise RecordError(msg, zh="检索词是空的；请用几个词说明要找什么。")
    hits = view.recall(query, k=HITS, head=head, exclude=exclude)
    return "\n".join(hit_line(hit, hit.text) for hit in hits) or nothing_fits(query)


def page(view: RecordView, ref: str, start: int, *, head: str | None = None) -> str:
    """Up to :data:`PAGE` characters of a record, and where it goes on.

    Args:
        view: where to look.
        ref: the record.
        start: a position in characters.
        head: the run's newest event; None looks at its whole thread.

    Raises:
        RecordError: there is no such record, or it ends before ``start``.
    """
    if start < 0:
        msg = f"start is {start}; give 0 or a later position."
        raise RecordError(msg, zh=f"start 是 {start}；请给出 0 或更后的位置。")
    try:
        text = view.read(_whole(ref), start, PAGE + 1, head=head)  # one more tells whether it goes on
    except NotFound as error:
        msg = f'There is no record "{ref}"; recall finds the refs of earlier records.'
        raise RecordError(msg, zh=f"没有记录“{ref}”；可用 recall 查到先前记录的编号。") from error
    if not text:
        msg = f"The record {ref} ends before position {start}; read it from start=0."
        raise RecordError(msg, zh=f"记录 {ref} 在位置 {start} 之前就结束了；请从 start=0 读起。")
    if len(text) <= PAGE:
        return text
    on = start + PAGE
    return text[:PAGE] + said(f"\n… goes on: read_record with start={on}", f"\n……未完：read_record，start={on}")


def _whole(ref: str) -> str:
    """A ref as it is recorded: small models copy one without what it begins with."""
    return re.sub(r"^(?=[0-9a-f]{8}(?:[0-9a-f]*|-.*)$)", "evt_", ref.strip())


def nothing_fits(query: str) -> str:
    """What is said where no record fits."""
    return said(f'Nothing recorded fits "{query.strip()}".', f"没有与“{query.strip()}”相符的记录。")


def hit_line(hit: Recalled, text: str) -> str:
    """A record and what of it is shown, on one line: ``ref (date): text``."""
    at = f" from {hit.start}" if hit.start else ""
    return f"{short_ref(hit.ref)}{at} ({hit.at:%Y-%m-%d}): {' '.join(text.split())}"
