from __future__ import annotations

import functools
import json
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, StructuredTool, tool
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from pydantic import BaseModel, Field

from memory_secretary.memory.errors import SettingsError
from memory_secretary.tools.registry import args_schema, as_tools, needs_store, signature


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    """A place."""

    title: str = Field(description="what it is called")
    inside: Place | None = None


class Move(BaseModel):
    """Where to."""

    place: Place
    colour: Colour
    stops: list[Place] = []


def greet(name: str, times: int = 1) -> str:
    """Greet somebody. It is polite.

    Args:
        name: who.
        times: how often.
    """
    return f"hello {name} " * times


async def wait(seconds: float) -> str:
    """Wait a while."""
    return str(seconds)


class Shop:
    def open_door(self, door: Literal["front", "back"]) -> str:
        """Open a door."""
        return door


def test_functions_methods_and_tools_become_tools_in_their_order() -> None:
    @tool
    def ready(x: int) -> int:
        """Give it back."""
        return x

    made = as_tools([greet, ready, Shop().open_door, wait])
    assert [one.name for one in made] == ["greet", "ready", "open_door", "wait"]
    assert made[0].invoke({"name": "Noor"}) == "hello Noor "
    assert made[1] is ready
    assert made[2].invoke({"door": "back"}) == "back"


async def test_async_functions_run() -> None:
    (made,) = as_tools([wait])
    assert await made.ainvoke({"seconds": 0.5}) == "0.5"


def test_signatures_are_one_short_line() -> None:
    made = as_tools([greet, Shop().open_door, wait])
    assert [signature(one) for one in made] == [
        "greet(name: str, times: int = 1) – Greet somebody.",
        'open_door(door: "front"|"back") – Open a door.',
        "wait(seconds: float) – Wait a while.",
    ]


def test_signatures_show_lists_options_and_free_schemas() -> None:
    def book(rooms: list[int], name: str | None = None, extra: dict[str, Any] | None = None) -> str:
        """预订房间。可以多间。"""
        return ""

    (made,) = as_tools([book])
    assert signature(made) == "book(rooms: list[int], name: str|null = null, extra: dict|null = null) – 预订房间。"


def test_a_dot_inside_the_first_sentence_does_not_end_it() -> None:
    def add(a: str) -> str:
        """Add numbers, e.g. 1.5 and 2. Exact."""
        return a

    assert signature(as_tools([add])[0]).endswith("– Add numbers, e.g. 1.5 and 2.")


def test_argument_descriptions_reach_the_schema() -> None:
    schema = args_schema(as_tools([greet])[0])
    assert schema["properties"]["name"] == {"type": "string", "description": "who."}
    assert schema["required"] == ["name"]


def test_references_are_inlined_and_titles_dropped_but_not_arguments_called_title() -> None:
    made = StructuredTool.from_function(lambda **_: "", name="move", description="Move.", args_schema=Move)
    schema = args_schema(made)
    text = json.dumps(schema)
    assert "$ref" not in text
    assert "$defs" not in text
    place = schema["properties"]["place"]
    assert place["properties"]["title"] == {"type": "string", "description": "what it is called"}
    assert schema["properties"]["colour"]["enum"] == ["red", "blue"]
    assert "title" not in place


def test_a_type_that_holds_itself_is_cut_at_its_second_appearance() -> None:
    made = StructuredTool.from_function(lambda **_: "", name="move", description="Move.", args_schema=Move)
    inside = args_schema(made)["properties"]["place"]["properties"]["inside"]
    assert inside["anyOf"] == [{}, {"type": "null"}]


def test_what_the_graph_injects_is_hidden() -> None:
    def save(
        note: str,
        state: Annotated[dict[str, Any], InjectedState],
        store: Annotated[Any, InjectedStore()],
        config: RunnableConfig,
        runtime: ToolRuntime[None],
    ) -> str:
        """Save a note."""
        return note

    (made,) = as_tools([save])
    assert list(args_schema(made)["properties"]) == ["note"]


def test_injected_arguments_are_hidden() -> None:
    def save(
        note: str,
        user: Annotated[str, InjectedToolArg],
        call: Annotated[str, InjectedToolCallId],
    ) -> str:
        """Save a note."""
        return note + user + call

    (made,) = as_tools([save])
    assert signature(made) == "save(note: str) – Save a note."
    assert list(args_schema(made)["properties"]) == ["note"]


def test_a_tool_with_a_plain_json_schema_works() -> None:
    raw = {"type": "object", "properties": {"q": {"type": "string", "title": "Q"}}, "required": ["q"], "$defs": {}}
    made = StructuredTool(name="ask", description="Ask.", args_schema=raw, func=lambda q: q)
    assert args_schema(made) == {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    assert signature(made) == "ask(q: str) – Ask."


def test_a_tool_without_arguments_has_an_empty_schema() -> None:
    def ping() -> str:
        """Ping."""
        return "pong"

    (made,) = as_tools([ping])
    assert args_schema(made) == {"type": "object", "properties": {}, "required": []}
    assert signature(made) == "ping() – Ping."


def no_docstring(x: int) -> int:
    return x


def no_type(x) -> int:  # type: ignore[no-untyped-def]
    """Have no type."""
    return x


def stale(note: str) -> str:
    """Save a note.

    Args:
        note: the note.
        author: gone since last year.
    """
    return note


def many(*names: str) -> str:
    """Take many."""
    return "".join(names)


def configure(config: dict[str, str]) -> str:
    """Configure it."""
    return str(config)


def forward(args: list[str]) -> str:
    """Forward them."""
    return " ".join(args)


def watch(run_manager: str) -> str:
    """Watch somebody."""
    return run_manager


def hide(_where: str) -> str:
    """Hide it."""
    return _where


def start(runtime: str) -> str:
    """Start it."""
    return runtime


def final_answer(text: str) -> str:
    """Answer."""
    return text


def _described(name: str, description: str) -> BaseTool:
    return StructuredTool.from_function(lambda x="": x, name=name, description=description)


@pytest.mark.parametrize(
    ("given", "cure"),
    [
        ([no_docstring], "add one line"),
        ([no_type], "x: str"),
        ([many], "name each argument"),
        ([configure], "the argument config of configure .* rename it"),
        ([forward], "the argument args of forward .* rename it"),
        ([watch], "the argument run_manager of watch .* rename it"),
        ([hide], "the argument _where of hide .* rename it"),
        ([start], "the argument runtime of start .* rename it"),
        ([StructuredTool.from_function(configure)], "the argument config of configure .* rename it"),
        ([stale], "correct it"),
        ([final_answer], "rename the tool"),
        ([_described("something_else", "x")], "rename the tool"),
        ([greet, greet], "rename one"),
        ([lambda x: x], "named function"),
        ([functools.partial(greet, "Noor")], "named function"),
        (["greet"], "named function"),
        ([Shop], "named function"),
        ([_described("two words", "x")], "1 to 64 of A-Z, a-z, 0-9"),
        ([_described("查询", "x")], "1 to 64 of A-Z, a-z, 0-9"),
        ([_described("blank", "  ")], "no description"),
    ],
)
def test_what_is_no_usable_tool_is_refused_with_the_cure(given: list[Any], cure: str) -> None:
    with pytest.raises(SettingsError, match=cure):
        as_tools(given)


def test_what_langchain_fills_in_by_its_type_is_no_name_to_be_changed() -> None:
    def look(q: str, config: RunnableConfig, runtime: ToolRuntime) -> str:
        """Look it up."""
        return q

    (made,) = as_tools([look])
    assert list(args_schema(made)["properties"]) == ["q"]


def test_a_tool_that_needs_a_store_is_known() -> None:
    def keep(note: str, store: Annotated[Any, InjectedStore()]) -> str:
        """Keep a note."""
        return note

    def keep_too(note: str, store: Annotated[Any, InjectedStore]) -> str:
        """Keep a note."""
        return note

    raw = {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}
    plain = StructuredTool(name="ask", description="Ask.", args_schema=raw, func=lambda note: note)
    hidden = StructuredTool(name="hide", description="Hide.", args_schema=raw, func=keep)
    assert [needs_store(one) for one in as_tools([keep, keep_too, hidden])] == [True, True, True]
    assert [needs_store(one) for one in as_tools([greet, wait, plain])] == [False, False, False]
