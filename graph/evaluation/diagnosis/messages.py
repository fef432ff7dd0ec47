"""Reads an agent's trace in the forms in which agents keep their messages.

Messages may stand in one array, one on a line, or in an object under ``messages`` (a LangGraph state, a snapshot's
``values``, the body of a request). A message is LangChain's (``messages_to_dict``, ``model_dump``, ``dumpd``), OpenAI's
(``role``, ``content``, ``tool_calls``) or Anthropic's (blocks of ``tool_use`` and ``tool_result``). A call may also
stand in the text, as a small model writes it: one JSON object, or ``Action:`` and ``Action Input:``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.nodes.models.jsontext import find_json

Role = Literal["system", "user", "assistant", "tool"]

_ROLES: Mapping[str, Role] = {
    "system": "system", "developer": "system", "human": "user", "user": "user", "ai": "assistant",
    "assistant": "assistant", "model": "assistant", "tool": "tool", "function": "tool",
}  # fmt: skip
_RESULT = re.compile(
    r"\s*(?:Result of\b|Observation\s*[:：]|Tool (?:result|output)\b|This reply could not be used|"
    r"观察(?:结果)?\s*[:：]|工具(?:返回|结果|输出)|.{0,40}的结果[:：])",
    re.IGNORECASE,
)
"""How a result begins that is handed back as if the user had said it."""
_REACT = re.compile(r"\bAction\s*[:：]\s*(?P<name>[^\n]+)\n\s*Action Input\s*[:：]\s*(?P<input>.+)", re.DOTALL)
_NAMES, _INPUTS = ("action", "tool", "name", "tool_name"), ("input", "action_input", "arguments", "args", "parameters")
_FINAL = frozenset({"final_answer", "final answer", "finish", "answer"})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: the tool, its arguments, and its id where it has one."""

    name: str
    arguments: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a trace.

    Attributes:
        role: who speaks.
        text: the words; of an assistant's call only what it says beside it.
        calls: the calls that an assistant makes.
        answers: the id of the call that a tool's result belongs to, where it is told.
        step: which decision of the assistant's it is, or follows, from 1; 0 before the first.
        size: the text as it stands in a prompt, calls included; for counting tokens.
    """

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    answers: str = ""
    step: int = 0
    size: str = field(default="", repr=False)


def read_messages(path: str | Path) -> list[Message]:
    """The messages of a trace file.

    Raises:
        OSError: it cannot be read.
        InvalidRecord: it holds no messages in a form that is known here, or none of an assistant.
    """
    text = Path(path).read_text("utf-8-sig", "replace")
    data = _data(text)
    if any(isinstance(line, dict) and line.get("kind") in ("run", "node", "end") for line in data[:1]):
        msg = f"{path} is a trace of this program's own: `trace FILE` shows it; give a file with an agent's messages"
        zh = f"{path} 是本程序自己的追踪文件：请用 `trace FILE` 查看；这里要的是智能体的消息"
        raise InvalidRecord(msg, zh=zh)
    found = messages_of(_messages_in(data))
    if not any(message.role == "assistant" for message in found):
        msg = (
            f"{path} holds no messages of an assistant: give LangChain messages (messages_to_dict), OpenAI chat "
            "messages or a LangGraph state, as one JSON array or one JSON object a line"
        )
        zh = (
            f"{path} 里没有助手的消息：请给出 LangChain 消息（messages_to_dict）、OpenAI 聊天消息或 LangGraph 状态，"
            "写成一个 JSON 数组，或每行一个 JSON 对象"
        )
        raise InvalidRecord(msg, zh=zh)
    return found


def messages_of(entries: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Messages as plain data, read in order; what is none is passed over."""
    found: list[Message] = []
    step = 0
    for message in (one for entry in entries for one in _read(entry)):
        step += message.role == "assistant"
        role: Role = "tool" if _is_result(message, found) else message.role
        found.append(replace(message, role=role, step=step))
    return found


def _is_result(message: Message, before: Sequence[Message]) -> bool:
    """Whether a user's message is what came of the call that stands before it."""
    called = bool(before) and before[-1].role in ("assistant", "tool")
    return message.role == "user" and called and _RESULT.match(message.text) is not None


# --- the file ----------------------------------------------------------------------------------------------------


def _data(text: str) -> list[Any]:
    """The JSON values of a file: those of its one array, or one of each line."""
    try:
        whole = json.loads(text)
    except ValueError:
        return [value for line in text.splitlines() if (value := _value(line)) is not None]
    return whole if isinstance(whole, list) else [whole]


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _messages_in(data: Sequence[Any]) -> list[Mapping[str, Any]]:
    """The messages themselves; of several states the last one's, which holds those of the others."""
    states = [found for value in data if (found := _of_state(value)) is not None]
    return states[-1] if states else [value for value in data if isinstance(value, Mapping)]


def _of_state(value: Any) -> list[Mapping[str, Any]] | None:
    """The messages of a state, a snapshot or a request; None where the value is none of these."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], Mapping):  # ("values", state) of a stream
        return _of_state(value[1])
    if not isinstance(value, Mapping):
        return None
    for holder in (value, value.get("values"), value.get("data"), value.get("channel_values")):
        if isinstance(holder, Mapping) and isinstance(holder.get("messages"), list):
            return [entry for entry in holder["messages"] if isinstance(entry, Mapping)]
    return None


# --- one message -------------------------------------------------------------------------------------------------


def _read(entry: Mapping[str, Any]) -> Iterator[Message]:
    """The messages that an entry holds: one, or an Anthropic user's results and words apart."""
    kind, data = _unwrapped(entry)
    role = _ROLES.get(kind)
    if role is None:
        return
    content = data.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    for block in blocks:
        if block.get("type") == "tool_result":
            text = _text(block.get("content"))
            yield Message("tool", text, answers=str(block.get("tool_use_id") or ""), size=text)
    text = _text(content)
    if role == "assistant":
        yield _assistant(text, [*_native(data), *_in_blocks(blocks)])
    elif text or role == "tool":
        yield Message(role, text, answers=str(data.get("tool_call_id") or ""), size=text)


def _unwrapped(entry: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What kind of message it is, and its fields."""
    if isinstance(entry.get("data"), Mapping):  # messages_to_dict
        return str(entry.get("type")), entry["data"]
    if isinstance(entry.get("kwargs"), Mapping) and isinstance(entry.get("id"), list):  # dumpd
        name = str(entry["id"][-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return name, entry["kwargs"]
    return str(entry.get("role") or entry.get("type") or "").removesuffix("MessageChunk").lower(), entry


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, str | Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))


def _native(data: Mapping[str, Any]) -> Iterator[Call]:
    """Calls in a field of their own, LangChain's or OpenAI's."""
    extra = data.get("additional_kwargs")
    made = data.get("tool_calls") or (extra.get("tool_calls") if isinstance(extra, Mapping) else None) or []
    for each in made if isinstance(made, list) else []:
        if not isinstance(each, Mapping):
            continue
        inner = each.get("function")
        function = inner if isinstance(inner, Mapping) else each
        given = function.get("args", function.get("arguments"))
        yield Call(str(function.get("name") or ""), _arguments(given), str(each.get("id") or ""))


def _in_blocks(blocks: Sequence[Mapping[str, Any]]) -> Iterator[Call]:
    for block in blocks:
        if block.get("type") == "tool_use":
            yield Call(str(block.get("name") or ""), _arguments(block.get("input")), str(block.get("id") or ""))


def _arguments(given: Any) -> Mapping[str, Any]:
    if isinstance(given, str):
        data = _value(given)
        return data if isinstance(data, Mapping) else {"input": given}
    return given if isinstance(given, Mapping) else {}


def _assistant(text: str, calls: list[Call]) -> Message:
    """An assistant's message; the same call stands once, and one in the text is read where there is no other."""
    made = tuple({call.id or json.dumps([call.name, call.arguments], default=str): call for call in calls}.values())
    size = text + "".join(json.dumps([call.name, call.arguments], ensure_ascii=False, default=str) for call in made)
    if made:
        return Message("assistant", text, made, size=size)
    said, call = _in_text(text)
    if call is None:
        return Message("assistant", text, size=size)
    if call.name.lower() in _FINAL:
        return Message("assistant", _answer(call) or said, size=size)
    return Message("assistant", said, (call,), size=size)


def _in_text(text: str) -> tuple[str, Call | None]:
    """What is said beside a call that stands in the text, and the call."""
    react = _REACT.search(text)
    if react:
        said = re.sub(r"\bThought\s*[:：]", "", text[: react.start()]).strip()
        return said, Call(react["name"].strip(), _arguments(react["input"].strip().split("\nObservation")[0]))
    if "{" not in text:
        return text, None
    data = find_json(text).data or {}
    inner = data["step"] if isinstance(data.get("step"), Mapping) else data
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str)), None)
    given = next((inner[key] for key in _INPUTS if key in inner), None)
    if name is None or given is None:
        return text, None
    return str(inner.get("thought") or ""), Call(name, _arguments(given))


def _answer(call: Call) -> str:
    return "\n".join(value for value in call.arguments.values() if isinstance(value, str))
