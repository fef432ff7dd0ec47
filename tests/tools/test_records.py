from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import Recalled
from memory_secretary.tools.effects import Effect, effect_of
from memory_secretary.tools.records import HITS, PAGE, record_tools
from memory_secretary.tools.registry import signature


class FakeView:
    """Knows one long record."""

    def __init__(self) -> None:
        self.text = "".join(f"{number:05}" for number in range(1_000))
        self.asked: list[tuple[str, int]] = []

    def recall(
        self, query: str, *, k: int = 1, head: str | None = None, exclude: Collection[str] = ()
    ) -> list[Recalled]:
        self.asked.append((query, k))
        at = datetime(2026, 3, 1, tzinfo=UTC)
        if query == "nothing":
            return []
        whole = Recalled(ref="evt_a", source="event", text="two\n lines", score=0.9, at=at, status="active")
        return [whole, Recalled(ref="evt_b", source="event", text="柴油", score=0.5, at=at, status="active", start=40)]

    def read(self, event_id: str, start: int = 0, length: int = 10, *, head: str | None = None) -> str:
        if event_id != "evt_a":
            raise NotFound(event_id)
        return self.text[start : start + length]


@pytest.fixture
def view() -> FakeView:
    return FakeView()


@pytest.fixture
def tools(view: FakeView) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in record_tools(lambda runtime: view)}


def call(tool: BaseTool, **arguments: Any) -> str:
    """One call as a graph makes it, with the runtime injected."""
    graph = (
        StateGraph(MessagesState)
        .add_node("tools", ToolNode([tool]))
        .add_edge(START, "tools")
        .add_edge("tools", END)
        .compile()
    )
    asked = AIMessage("", tool_calls=[{"name": tool.name, "args": arguments, "id": "c1"}])
    return str(graph.invoke({"messages": [asked]})["messages"][-1].content)


def test_the_runtime_is_hidden_from_the_model(tools: dict[str, BaseTool]) -> None:
    assert signature(tools["recall"]).startswith("recall(query: str) ")
    assert signature(tools["read_record"]).startswith("read_record(ref: str, start: int = 0) ")


def test_recall_shows_ref_date_and_passage_on_one_line_each(view: FakeView, tools: dict[str, BaseTool]) -> None:
    assert call(tools["recall"], query="oil") == "evt_a (2026-03-01): two lines\nevt_b from 40 (2026-03-01): 柴油"
    assert view.asked == [("oil", HITS)]


def test_recall_says_when_nothing_fits_and_refuses_an_empty_query(view: FakeView, tools: dict[str, BaseTool]) -> None:
    assert call(tools["recall"], query="nothing") == 'Nothing recorded fits "nothing".'
    assert "empty" in call(tools["recall"], query="  ")
    assert [query for query, _ in view.asked] == ["nothing"]


def test_a_record_is_read_page_by_page_to_its_end(view: FakeView, tools: dict[str, BaseTool]) -> None:
    pages, start = [], 0
    while True:
        page = call(tools["read_record"], ref=" evt_a ", start=start)
        text, _, rest = page.partition("\n… goes on: read_record with start=")
        pages.append(text)
        if not rest:
            break
        start = int(rest)
    assert "".join(pages) == view.text
    assert len(pages) == -(-len(view.text) // PAGE)


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        ({"ref": "evt_x"}, "recall finds"),
        ({"ref": "evt_a", "start": 9_999}, "start=0"),
        ({"ref": "evt_a", "start": -1}, "give 0"),
    ],
)
def test_errors_name_the_cure(tools: dict[str, BaseTool], arguments: dict[str, object], cure: str) -> None:
    assert cure in call(tools["read_record"], **arguments)


def test_looking_back_is_read_only(tools: dict[str, BaseTool]) -> None:
    assert {effect_of(tool) for tool in tools.values()} == {Effect.READ_ONLY}
