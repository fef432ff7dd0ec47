"""What a run of any arm said and did, as messages: noted at the tools, so that every arm is seen the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool

from memory_secretary.graph.evaluation.result import Turn
from memory_secretary.nodes.calls import call_key


class Trace(BaseCallbackHandler):
    """Notes each call that reaches a tool, with its result.

    Args:
        turns: what the user says; all of it stands before the calls.
    """

    run_inline = True

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._messages: list[BaseMessage] = [HumanMessage(text) for _, text in turns]
        self._begun: dict[UUID, ToolCall] = {}

    def watch(self, tools: Sequence[BaseTool]) -> list[BaseTool]:
        """Copies of the tools whose calls are noted here."""
        return [tool.model_copy(update={"callbacks": [self]}) for tool in tools]

    def messages(self, answer: str) -> list[BaseMessage]:
        """The user's turns, each call with its result, and the answer where there is one."""
        return [*self._messages, *([AIMessage(answer)] if answer.strip() else [])]

    def on_tool_start(self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **more: Any) -> None:
        """A call begins."""
        given = more.get("inputs") or {"input": input_str}
        name = (serialized or {}).get("name", "")
        self._begun[run_id] = ToolCall(name=name, args=dict(given), id=str(run_id), type="tool_call")

    def on_tool_end(self, output: Any, *, run_id: UUID, **_more: Any) -> None:
        """It has a result."""
        failed = getattr(output, "status", "") == "error"
        self._note(run_id, str(getattr(output, "content", output)), failed=failed)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_more: Any) -> None:
        """It failed."""
        self._note(run_id, str(error), failed=True)

    def _note(self, run_id: UUID, text: str, *, failed: bool) -> None:
        call = self._begun.pop(run_id)
        result = ToolMessage(text, tool_call_id=str(run_id), name=call["name"], status="error" if failed else "success")
        self._messages += [AIMessage("", tool_calls=[call]), result]


class Done(NamedTuple):
    """A call that took effect."""

    name: str
    arguments: dict[str, Any]
    key: str
    """Equal for calls that mean the same."""


def calls_done(messages: Sequence[BaseMessage]) -> Iterator[Done]:
    """The calls that did not fail, in order."""
    failed = {note.tool_call_id for note in messages if isinstance(note, ToolMessage) and note.status == "error"}
    for message in messages:
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            if call["id"] not in failed:
                yield Done(call["name"], call["args"], call_key(call["name"], call["args"]))
