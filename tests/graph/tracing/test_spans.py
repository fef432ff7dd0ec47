"""The same spans for everybody who listens: LangSmith's tracer and OpenTelemetry; nobody is told where nobody asked."""

from __future__ import annotations

import pytest
from invoices import CONFIG, GOAL, World, clerk
from langchain_core.tracers.base import BaseTracer
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memory_secretary.graph import Settings, build_graph
from memory_secretary.memory.scope import Scope

ASKED = {"messages": [("user", GOAL)]}


class Kept(BaseTracer):
    """Keeps the run tree as LangSmith's tracer would send it."""

    def __init__(self):
        super().__init__()
        self.roots = []

    def _persist_run(self, run):
        self.roots.append(run)


def edges(run):
    for child in run.child_runs:
        yield run.name, child.name, child.run_type
        yield from edges(child)


@pytest.fixture
def spans(monkeypatch):
    """What OpenTelemetry exports; the provider is the program's for this test alone."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    yield exporter
    provider.shutdown()


def run(tmp_path, memory, **config):
    memory.record(Scope(user="ana", thread="t0"), actor="user", action="request", observation="The depot is open.")
    graph = build_graph(clerk(), memory=memory, tools=World(tmp_path).tools(), settings=Settings(user_id="ana"))
    return graph.invoke(ASKED, {**CONFIG, **config})


def test_model_calls_and_recalls_are_runs_below_their_nodes(tmp_path, memory):
    kept = Kept()
    run(tmp_path, memory, callbacks=[kept])
    [root] = kept.roots
    found = set(edges(root))
    assert {
        ("secretary", "retrieve", "chain"), ("retrieve", "recall", "retriever"),
        ("summarize", "secretary", "llm"), ("plan", "executor", "llm"),
    } <= found  # fmt: skip


def test_a_recall_tells_its_query_and_its_hits_with_their_scores(tmp_path, memory):
    kept = Kept()
    run(tmp_path, memory, callbacks=[kept])
    first = kept.roots[0].child_runs[0].child_runs[0]
    assert first.inputs["query"].startswith("List the open invoices")
    for document in first.outputs["documents"]:
        assert {"ref", "score", "similarity"} <= document.metadata.keys()


def test_opentelemetry_gets_the_spans_in_their_places(tmp_path, memory, spans):
    run(tmp_path, memory)
    found = spans.get_finished_spans()
    by_id = {span.context.span_id: span for span in found}
    places = {(by_id[span.parent.span_id].name if span.parent else None, span.name) for span in found}
    assert {
        (None, "invoke_agent secretary"), ("invoke_agent secretary", "retrieve"), ("retrieve", "recall"),
        ("summarize", "chat secretary"), ("plan", "chat executor"), ("invoke_agent secretary", "precipitate"),
    } <= places  # fmt: skip
    root = next(span for span in found if span.parent is None)
    assert root.attributes["memory_secretary.status"] == "done"
    assert root.attributes["gen_ai.conversation.id"] == "t1"
    assert all(span.end_time >= span.start_time for span in found)
    plans = [span for span in found if span.name == "plan"]
    assert plans[0].attributes["memory_secretary.action"] == "list_invoices"


def test_no_word_of_the_user_or_a_tool_is_an_attribute(tmp_path, memory, spans):
    run(tmp_path, memory)
    values = [str(value) for span in spans.get_finished_spans() for value in span.attributes.values()]
    assert not any(word in value for value in values for word in ("open invoices", "Amount due", "Paid what"))


def test_a_failure_is_the_status_of_its_spans(tmp_path, memory, spans):
    def broken(_state):
        raise ValueError("the cellar is flooded")

    graph = build_graph(clerk(), memory=memory, settings=Settings(user_id="ana"), nodes={"plan": broken})
    with pytest.raises(ValueError, match="flooded"):
        graph.invoke(ASKED, CONFIG)
    failed = {span.name: span.status.description for span in spans.get_finished_spans() if not span.status.is_ok}
    assert failed == {"plan": "ValueError", "invoke_agent secretary": "ValueError"}


def test_without_a_provider_nothing_is_made(tmp_path, memory, monkeypatch):
    monkeypatch.setattr(trace, "get_tracer", lambda *_: pytest.fail("a span was begun"))
    assert run(tmp_path, memory)["status"] == "done"
