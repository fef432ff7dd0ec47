from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from memory_secretary.tools.effects import Effect, effect_of, mark


def _tool(name: str = "do_it", metadata: dict[str, Any] | None = None, tags: list[str] | None = None) -> BaseTool:
    def job(x: str) -> str:
        """Do it."""
        return x

    return StructuredTool.from_function(job, name=name, metadata=metadata, tags=tags)


@pytest.mark.parametrize(
    "name", ["get_weather", "listFiles", "read-file", "search", "calculator", "find_user", "get_order", "fetchPost"]
)
def test_a_reading_name_is_read_only(name: str) -> None:
    assert effect_of(_tool(name)) is Effect.READ_ONLY


@pytest.mark.parametrize(
    "name",
    [
        "send_mail",
        "pay",
        "get_and_delete",
        "fetchAndClear",
        "do_it",
        "check_in",
        "weather",
        "read_mark",
        "list_submit",
        "get_or_book",
    ],
)
def test_every_other_name_has_a_side_effect(name: str) -> None:
    assert effect_of(_tool(name)) is Effect.SIDE_EFFECT


@pytest.mark.parametrize(
    ("hints", "effect"),
    [
        ({"readOnlyHint": True}, Effect.READ_ONLY),
        ({"readOnlyHint": True, "destructiveHint": True}, Effect.SIDE_EFFECT),
        ({"readOnlyHint": False, "idempotentHint": True}, Effect.IDEMPOTENT_WRITE),
        ({"readOnlyHint": False}, Effect.SIDE_EFFECT),
        ({"destructiveHint": False}, Effect.SIDE_EFFECT),
        ({"readOnlyHint": None, "idempotentHint": None, "destructiveHint": None, "title": "x"}, Effect.READ_ONLY),
        ({"annotations": {"readOnlyHint": False}}, Effect.SIDE_EFFECT),
        ({"annotations": {"readOnlyHint": True}}, Effect.READ_ONLY),
    ],
)
def test_mcp_annotations_come_before_the_name(hints: dict[str, Any], effect: Effect) -> None:
    assert effect_of(_tool("get_weather", hints)) is effect


def test_a_mark_comes_before_annotations_and_name() -> None:
    tool = _tool("get_weather", {"readOnlyHint": True, "owner": "me"})
    marked = mark(tool, Effect.SIDE_EFFECT)
    assert effect_of(marked) is Effect.SIDE_EFFECT
    assert marked.metadata == {"readOnlyHint": True, "owner": "me", "effect": "side_effect"}
    assert effect_of(tool) is Effect.READ_ONLY
    assert marked.invoke({"x": "works"}) == "works"


def test_a_tag_is_a_mark_and_the_careful_one_of_two_wins() -> None:
    assert effect_of(_tool(tags=["read_only", "mine"])) is Effect.READ_ONLY
    assert effect_of(_tool(tags=["read_only", "side_effect"])) is Effect.SIDE_EFFECT


def test_an_unknown_mark_is_no_mark() -> None:
    assert effect_of(_tool("get_weather", {"effect": "harmless"})) is Effect.READ_ONLY
    assert effect_of(_tool("pay", {"effect": "harmless"})) is Effect.SIDE_EFFECT
