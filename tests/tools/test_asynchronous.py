"""Tools that are only asynchronous, or give something to be awaited, called from synchronous code."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from langchain_core.callbacks import AsyncCallbackManagerForToolRun, CallbackManagerForToolRun
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool

from memory_secretary.tools.asynchronous import callable_in_sync
from memory_secretary.tools.registry import args_schema, as_tools

CONFIG = {"configurable": {"thread_id": "t1"}}


class OnlyAsync(BaseTool):
    name: str = "ask"
    description: str = "Ask."

    def _run(self, question: str, run_manager: CallbackManagerForToolRun | None = None) -> str:
        raise NotImplementedError("use it asynchronously")

    async def _arun(self, question: str, run_manager: AsyncCallbackManagerForToolRun | None = None) -> str:
        await asyncio.sleep(0)
        assert run_manager is None or await run_manager.on_text("asked") is None
        return f"asked {question}"


class OnlySync(OnlyAsync):
    def _run(self, question: str, run_manager: CallbackManagerForToolRun | None = None) -> str:
        return f"at once {question}"

    async def _arun(self, question: str, run_manager: AsyncCallbackManagerForToolRun | None = None) -> str:
        raise NotImplementedError("use it synchronously")


class Neither(BaseTool):
    name: str = "ask"
    description: str = "Ask."

    def _run(self, question: str) -> str:
        raise NotImplementedError("not written yet")


async def answer(question: str) -> str:
    """Answer it.

    Args:
        question: what is asked.
    """
    await asyncio.sleep(0)
    return f"answered {question}"


def answer_later(question: str) -> Any:
    """Answer it, but later."""
    return answer(question)


class Later:
    def __init__(self, value: str):
        self.value = value

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return self.value


def promise(question: str) -> Any:
    """Promise an answer."""
    return Later(f"promised {question}")


def repeat(question: str) -> str:
    """Say it again."""
    return question


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        (answer, "answered why"),
        (answer_later, "answered why"),
        (promise, "promised why"),
        (repeat, "why"),
        (OnlyAsync(), "asked why"),
        (OnlySync(), "at once why"),
        (StructuredTool.from_function(coroutine=answer), "answered why"),
        (StructuredTool.from_function(repeat, answer), "why"),
    ],
)
def test_every_kind_of_tool_gives_its_result(tool: Any, result: str) -> None:
    (made,) = as_tools([tool])
    ready = callable_in_sync(made)
    (argument,) = args_schema(ready)["properties"]
    assert ready.invoke({argument: "why"}, CONFIG) == result
    assert (ready.name, args_schema(ready)) == (made.name, args_schema(made))


def test_the_tool_that_was_handed_in_stays_as_it_was() -> None:
    tool = OnlyAsync()
    callable_in_sync(tool)
    with pytest.raises(NotImplementedError):
        tool.invoke({"question": "why"})


def test_what_langchain_fills_in_arrives() -> None:
    async def where(q: str, config: RunnableConfig, call: Annotated[str, InjectedToolCallId]) -> str:
        """Say where it runs."""
        return f"{q} {config['configurable']['thread_id']} {call}"

    (made,) = as_tools([where])
    call = {"name": "where", "args": {"q": "here"}, "id": "call_1", "type": "tool_call"}
    assert callable_in_sync(made).invoke(call, CONFIG).content == "here t1 call_1"


def test_a_tool_that_can_neither_says_so() -> None:
    with pytest.raises(NotImplementedError, match="not written yet"):
        callable_in_sync(Neither()).invoke({"question": "why"})


def test_a_function_that_fails_is_called_once() -> None:
    tries = []

    def fail(q: str) -> str:
        """Fail."""
        tries.append(q)
        raise NotImplementedError("not for this")

    (made,) = as_tools([fail])
    with pytest.raises(NotImplementedError, match="not for this"):
        callable_in_sync(made).invoke({"q": "why"})
    assert tries == ["why"]


def test_an_asynchronous_fault_comes_through() -> None:
    async def fail(q: str) -> str:
        """Fail."""
        raise ValueError(f"no {q}")

    (made,) = as_tools([fail])
    with pytest.raises(ValueError, match="no way"):
        callable_in_sync(made).invoke({"q": "way"})


async def test_it_can_be_called_while_another_loop_runs() -> None:
    ready = callable_in_sync(OnlyAsync())
    assert ready.invoke({"question": "why"}) == "asked why"
    assert await ready.ainvoke({"question": "why"}) == "asked why"
