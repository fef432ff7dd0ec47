"""The spans of a run in OpenTelemetry, for whoever has set up a tracer provider; nothing happens where nobody has."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from uuid import UUID

from memory_secretary.graph.tracing.spans import Span, Spans

if TYPE_CHECKING:
    from opentelemetry.trace import Span as OtelSpan

SCOPE = "memory_secretary"
"""Name of the tracer."""
_OPERATIONS = {"run": "invoke_agent", "model": "chat"}
"""What the semantic conventions for generative models call a run and a call of a model."""
_NAMES = {
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "reply_tokens": "gen_ai.usage.output_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
    "model": "gen_ai.request.model",
}
"""Their names for our details of a call; any other detail is ``memory_secretary.<name>``."""
_TOLD = frozenset(
    "step recalled secretary_calls window replies action ok ran status stop_reason budget menu found".split()
)
"""Further details that become attributes: sizes and outcomes. No word of the user, a tool or a model is among them."""


def installed() -> bool:
    """Whether OpenTelemetry's API is there."""
    return find_spec("opentelemetry.trace") is not None if find_spec("opentelemetry") else False


class Telemetry(Spans):
    """Gives each span to the tracer provider that the program has set up, as a part of the span that is current there.

    A program that has set up none pays a look at a variable for each span.
    """

    def __init__(self) -> None:
        super().__init__()
        self._spans: dict[UUID, OtelSpan] = {}

    def began(self, span: Span) -> None:
        """Start it, below the one that it is a part of."""
        from opentelemetry import trace

        if span.kind == "other" or isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            return
        above = span.inside("run", "node")
        parent = self._spans.get(above.id) if above else None
        context = trace.set_span_in_context(parent) if parent else None
        started = trace.get_tracer(SCOPE).start_span(_name(span), context, start_time=_nanoseconds(span))
        self._spans[span.id] = started

    def ended(self, span: Span) -> None:
        """End it with what became known of it."""
        from opentelemetry.trace import Status, StatusCode

        started = self._spans.pop(span.id, None)
        if started is None:
            return
        started.set_attributes(_attributes(span))
        if span.error:
            started.set_status(Status(StatusCode.ERROR, span.error.partition(":")[0]))
        started.end(_nanoseconds(span) + round(span.seconds * 1e9))


def _name(span: Span) -> str:
    return f"{_OPERATIONS[span.kind]} {span.name}" if span.kind in _OPERATIONS else span.name


def _attributes(span: Span) -> Mapping[str, Any]:
    told = {_NAMES.get(name, f"memory_secretary.{name}"): value for name, value in _plain(span.details).items()}
    operation = {"gen_ai.operation.name": _OPERATIONS[span.kind]} if span.kind in _OPERATIONS else {}
    return {"memory_secretary.kind": span.kind, "gen_ai.conversation.id": span.thread, **operation, **told}


def _plain(details: Mapping[str, Any]) -> dict[str, Any]:
    kinds = (str, bool, int, float)
    return {
        name: value for name, value in details.items() if (name in _TOLD or name in _NAMES) and isinstance(value, kinds)
    }


def _nanoseconds(span: Span) -> int:
    return round(span.at.timestamp() * 1e9)
