"""Follows a run through LangChain's callbacks: its nodes, and the model calls and searches that each of them makes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult
from langgraph.errors import GraphInterrupt

from memory_secretary.memory.clock import system_clock
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.nodes.tracing import DETAILS

NODES = ("retrieve", "summarize", "plan", "act", "precipitate")

OF_HEAD, OF_FOOT = ("owner", "request", "settings"), ("answer", "figures")
"""Details of a node that are its run's, known at the beginning and at the end."""
_OF_RUN = (*OF_HEAD, *OF_FOOT, "status", "stop_reason")

Kind = Literal["run", "node", "model", "recall", "other"]


@dataclass
class Span:
    """One run of LangChain's, from its start to its end.

    Attributes:
        kind: the run as a whole, one of its nodes, a call of a model, a search of the memory, or what lies in between.
        name: the node's, or the role of the model that is called.
        id: LangChain's id of it.
        above: the span that it is a part of; None for the outermost one that is seen.
        thread: the LangGraph thread.
        at: when it began, in UTC.
        began: the same on the timer, in seconds.
        seconds: how long it took, once it has ended.
        details: what is known of it.
        below: the model calls and searches of a node that have ended.
        error: what ended it early; empty where nothing did.
        waiting: whether it waits for an answer of the user's.
    """

    kind: Kind
    name: str
    id: UUID
    above: Span | None
    thread: str
    at: datetime
    began: float
    seconds: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)
    below: list[Span] = field(default_factory=list)
    error: str = ""
    waiting: bool = False

    def inside(self, *kinds: Kind) -> Span | None:
        """The nearest span of one of the kinds that this one is a part of."""
        found = self.above
        while found is not None and found.kind not in kinds:
            found = found.above
        return found


class Spans(BaseCallbackHandler):
    """A callback handler that puts a run's spans together; :meth:`began` and :meth:`ended` say what becomes of them.

    It may be given to any call (``config={"callbacks": [handler]}``) or built into a graph, and may follow several runs
    at the same time.

    Args:
        now: the clock.
        timer: the clock that durations are taken with, in seconds.
    """

    run_inline = True

    def __init__(
        self, now: Callable[[], datetime] = system_clock, timer: Callable[[], float] = time.perf_counter
    ) -> None:
        self._now = now
        self._timer = timer
        self._open: dict[UUID, Span] = {}

    def began(self, span: Span) -> None:
        """A span has begun."""

    def ended(self, span: Span) -> None:
        """A span has ended, and so have all that are part of it."""

    # --- LangChain's callbacks --------------------------------------------------------------------------------------

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **more: Any) -> None:
        """A graph, a node, or something that is neither."""
        self._begin(None, "", run_id, more)

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, **more: Any) -> None:
        """A tool runs; what it asks or searches belongs to its node."""
        self._begin("other", "tool", run_id, more)

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **more: Any) -> None:
        """A model is asked; without a prompt it is the answer that is streamed, which nobody is asked for."""
        model = (more.get("metadata") or {}).get("ls_model_name") or (serialized or {}).get("name") or ""
        self._begin("model" if any(messages) else "other", "model", run_id, more, model=str(model))

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, **more: Any) -> None:
        """The memory is searched."""
        self._begin("recall", "recall", run_id, more, query=query)

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **more: Any) -> None:
        """A node tells details."""
        if name == DETAILS:
            self._learn(run_id, data)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **more: Any) -> None:
        """A graph or a node has ended."""
        self._end(run_id)

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        """A tool has ended."""
        self._end(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        """A model has answered."""
        self._learn(run_id, _usage(response))
        self._end(run_id)

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **more: Any) -> None:
        """The memory was searched."""
        self._learn(run_id, {"found": len(documents)})
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        """A graph or a node has failed, or waits for the user."""
        self._end(run_id, error)

    on_tool_error = on_llm_error = on_retriever_error = on_chain_error

    # --- spans ------------------------------------------------------------------------------------------------------

    def _begin(self, kind: Kind | None, name: str, run_id: UUID, more: dict[str, Any], **details: Any) -> None:
        """Open a span; a chain says by its name and place of which kind it is."""
        above, about = self._open.get(more.get("parent_run_id") or run_id), more.get("metadata") or {}
        name = str(more.get("name") or name)
        thread = str(about.get("thread_id") or (above.thread if above else ""))
        kind = kind or _kind(name, about, above)
        span = Span(kind, name, run_id, above, thread, self._now(), self._timer(), details=details)
        self._open[run_id] = span
        self.began(span)

    def _learn(self, run_id: UUID, details: Mapping[str, Any]) -> None:
        if run_id in self._open:
            self._open[run_id].details.update(details)

    def _end(self, run_id: UUID, error: BaseException | None = None) -> None:
        span = self._open.pop(run_id, None)
        if span is None:
            return
        span.seconds = self._timer() - span.began
        span.waiting = span.waiting or isinstance(error, GraphInterrupt)
        if error is not None and not span.waiting:
            span.error = _sentence(error)
        node = span.inside("node")
        if node is not None and span.kind in ("model", "recall"):
            node.below.append(span)
        run = span.inside("run")
        if run is not None and span.kind == "node":
            run.waiting = span.waiting
            run.details.update({key: span.details[key] for key in _OF_RUN if key in span.details})
        self.ended(span)


def _kind(name: str, about: dict[str, Any], above: Span | None) -> Kind:
    if above is None:
        return "run"
    inside = above.kind == "node" or above.inside("node") is not None
    return "node" if name in NODES and about.get("langgraph_node") == name and not inside else "other"


def _usage(response: LLMResult) -> dict[str, int]:
    """Tokens of a call as far as its server told them."""
    message = getattr(response.generations[0][0], "message", None) if response.generations else None
    usage = getattr(message, "usage_metadata", None) or {}
    told = {
        "prompt_tokens": usage.get("input_tokens"),
        "cached_tokens": (usage.get("input_token_details") or {}).get("cache_read"),
        "reply_tokens": usage.get("output_tokens"),
    }
    return {name: tokens for name, tokens in told.items() if tokens is not None}


def _sentence(error: BaseException) -> str:
    text = error.sentence("en") if isinstance(error, MemorySecretaryError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
