"""The one place that understands what models reply: reasoning, JSON in text, and steps in every shape they write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from memory_secretary.memory.bilingual import said
from memory_secretary.nodes.models.jsontext import Found, find_json
from memory_secretary.nodes.models.reasoning import strip_reasoning

__all__ = [
    "FINAL",
    "Found",
    "Problem",
    "ProblemKind",
    "Step",
    "find_json",
    "parse_step",
    "parse_steps",
    "strip_reasoning",
]

FINAL = "final_answer"
"""The step that ends a run; its input is ``{"answer": …}``."""

Tools = Mapping[str, Mapping[str, Any]]
"""The names that may be called now, each with the JSON schema of its arguments."""

_CLIP = 200
"""Characters of a faulty reply that a problem quotes."""

_NAME_KEYS = ("action", "name", "tool", "tool_name")
_INPUT_KEYS = ("input", "action_input", "arguments", "parameters", "args")
_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_REACT_LABELS = {
    "thought": r"Thought|思考",
    "action": r"Action|行动|动作",
    "input": r"Action Input|行动输入|动作输入",
    "final": r"Final Answer|最终答案|最终回答",
    "observation": r"Observation|观察",
}
_REACT = re.compile(
    r"^[ \t*#]*(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in sorted(_REACT_LABELS.items(), key=lambda pair: -len(pair[1])))
    + r")[ \t*]*[:：]",
    re.MULTILINE | re.IGNORECASE,
)
_ASKED_TO_SEE = re.compile(
    r"\b(?:example|sample|show me|what does .* look like)\b.*\b(?:json|call)\b|\bjson\b.*\b(?:example|sample)\b"
    r"|(?:示例|例子|样例|举例|展示|给我看).*(?:json|调用)|json.*(?:示例|例子|样例)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the executor wants to do.

    Attributes:
        thought: its reason, word for word; may be empty.
        action: a known tool, or ``final_answer``.
        input: the arguments, as plain JSON data.
    """

    thought: str
    action: str
    input: dict[str, Any]


class ProblemKind(StrEnum):
    """What is wrong with a reply."""

    EMPTY = "empty"
    NO_CALL = "no_call"
    """Text that calls nothing; it may be meant as the answer."""
    UNKNOWN_TOOL = "unknown_tool"
    BAD_ARGUMENTS = "bad_arguments"
    CUT = "cut"
    """JSON that ends in the middle or cannot be read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a reply is no step; nothing may be run then.

    Attributes:
        kind: the kind of fault.
        text: one sentence for the model, with the tool's schema where that helps; the reply is quoted clipped.
        reply: the whole reply without reasoning.
    """

    kind: ProblemKind
    text: str
    reply: str


def parse_step(
    reply: str, tools: Tools, *, tool_calls: Sequence[Mapping[str, Any]] = (), request: str = ""
) -> Step | Problem:
    """The first step of :func:`parse_steps`, or its problem."""
    steps = parse_steps(reply, tools, tool_calls=tool_calls, request=request)
    return steps if isinstance(steps, Problem) else steps[0]


def parse_steps(
    reply: str, tools: Tools, *, tool_calls: Sequence[Mapping[str, Any]] = (), request: str = ""
) -> list[Step] | Problem:
    """Read the executor's reply as steps. Never raises, never guesses a tool, never completes what was cut off.

    Several steps come back only where the model plainly made several calls (native ones, or tagged ones side by side);
    what follows a first step written as JSON or as ``Action:`` text was imagined by the model and is left out.

    Args:
        reply: the text of the reply.
        tools: what may be called now, ``final_answer`` included if it may be given now.
        tool_calls: calls the model made natively, as ``{"name", "args"}``; they go before the text.
        request: the user's words; a bare call that the user asked to be shown stays text.
    """
    text = strip_reasoning(reply)
    if tool_calls:
        return _all_or_problem(_from_call(call, text, tools) for call in tool_calls)
    if not text:
        return Problem(ProblemKind.EMPTY, _nothing(reply), text)
    tagged = _TAGGED.findall(text)
    if tagged:
        return _all_or_problem(_from_text(inside, tools, request="") for inside in tagged)
    step = _from_text(text, tools, request=request)
    return step if isinstance(step, Problem) else [step]


def _all_or_problem(steps: Iterable[Step | Problem]) -> list[Step] | Problem:
    """All steps up to the first problem; the problem itself when nothing comes before it."""
    good: list[Step] = []
    for step in steps:
        if isinstance(step, Problem):
            return good or step
        good.append(step)
    return good


# --- shapes ------------------------------------------------------------------------------------------------------


def _from_call(call: Mapping[str, Any], text: str, tools: Tools) -> Step | Problem:
    return _checked(text, str(call.get("name") or ""), call.get("args"), tools, reply=json.dumps(call, default=str))


def _from_text(text: str, tools: Tools, *, request: str) -> Step | Problem:
    """A step written as JSON, or as ``Action:`` lines, or a problem."""
    labelled = None if _begins_as_json(text) else _from_labels(text, tools)
    if isinstance(labelled, Step):
        return labelled
    found = find_json(text)
    call = _call_in(found.data) if found.data is not None else None
    if call is None or _is_content(call, tools, request):
        return labelled or _no_step(text, found, tools)
    return _checked(call.thought, call.name, call.arguments, tools, reply=text)


def _no_step(text: str, found: Found, tools: Tools) -> Problem:
    """Why ``text`` is no step."""
    if found.data is None and _begins_as_json(text):
        msg = said(
            f"the reply {found.problem}: {_clip(text)}. Reply with one complete JSON object.",
            f"回复{found.problem}：{_clip(text)}。请用一个完整的 JSON 对象回复。",
        )
        return Problem(ProblemKind.CUT, msg, text)
    names = ", ".join(tools)
    msg = said(
        f"the reply calls no tool ({_clip(text)}); the tools are {names}.",
        f"回复没有调用工具（{_clip(text)}）；工具有 {names}。",
    )
    return Problem(ProblemKind.NO_CALL, msg, text)


def _nothing(reply: str) -> str:
    """What to say of a reply without any text."""
    if reply.strip():
        return said(
            "the reply holds nothing but unfinished reasoning; reply with one step.",
            "回复里只有没写完的思考；请回复一步。",
        )
    return said("the reply is empty; reply with one step.", "回复是空的；请回复一步。")


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as it was written, before anything is checked."""

    thought: str
    name: str
    arguments: Any
    protocol: bool
    """Whether it has our own step's shape rather than that of a bare call."""


_MISSING = object()
"""Stands for arguments that were not written at all."""


def _call_in(data: Mapping[str, Any], thought: str = "") -> _Call | None:
    """The call that an object stands for, in any of the shapes that models write; None when it stands for none."""
    thought = _text(data.get("thought")) or thought
    for key in ("step", "function", "function_call", "tool_call", *_NAME_KEYS):
        inner = data.get(key)
        if isinstance(inner, Mapping):
            return _call_in(inner, thought)
    calls = data.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], Mapping):
        return _call_in(calls[0], thought)
    return _flat_call(data, thought)


def _flat_call(data: Mapping[str, Any], thought: str) -> _Call | None:
    """A call whose name and arguments stand side by side."""
    name = next((data[key] for key in (*_NAME_KEYS, "function") if isinstance(data.get(key), str)), None)
    if name is None:
        return _Call(thought, FINAL, data[FINAL], protocol=True) if FINAL in data else None
    arguments = next((data[key] for key in _INPUT_KEYS if key in data), _MISSING)
    if arguments is _MISSING and "action" not in data:
        return None  # {"name": "Anna"} names a person, not a tool
    return _Call(thought, name, arguments, protocol="action" in data)


def _is_content(call: _Call, tools: Tools, request: str) -> bool:
    """Whether a bare call is part of the answer: it names nothing of ours, or the user asked to see such a call."""
    return not call.protocol and (call.name not in tools or bool(_ASKED_TO_SEE.search(request)))


def _from_labels(text: str, tools: Tools) -> Step | Problem | None:
    """A step written as ``Thought:``, ``Action:`` and ``Action Input:`` lines, or as ``Final Answer:``."""
    parts = _labelled(text)
    if "action" in parts:
        name, arguments = _name_and_input(parts)
        return _checked(parts.get("thought", ""), name, arguments, tools, reply=text)
    if "final" in parts:
        return _checked(parts.get("thought", ""), FINAL, {"answer": parts["final"]}, tools, reply=text)
    return None


def _labelled(text: str) -> dict[str, str]:
    """What follows each label, for the first of each; nothing after an observation, which the model made up."""
    parts: dict[str, str] = {}
    labels = list(_REACT.finditer(text))
    for label, following in zip_longest(labels, labels[1:]):
        kind = str(label.lastgroup)
        end = following.start() if following else len(text)
        if kind == "observation" or kind in parts:
            break
        parts[kind] = text[label.end() : end].strip().removeprefix("**").strip()
    return parts


def _name_and_input(parts: Mapping[str, str]) -> tuple[str, Any]:
    """``Action: name`` with its input on the next label, or ``Action: name({…})`` on one line."""
    name, bracket, inside = parts["action"].partition("(")
    if "input" in parts:
        return parts["action"], parts["input"]
    return (name, inside.rstrip().removesuffix(")")) if bracket else (parts["action"], _MISSING)


# --- checks ------------------------------------------------------------------------------------------------------


def _checked(thought: str, name: str, arguments: Any, tools: Tools, *, reply: str) -> Step | Problem:
    """A step whose tool is known and whose arguments fit the tool's schema, or the problem."""
    action = name.strip(" \n`\"'*").removeprefix("functions.")
    if action not in tools:
        names = ", ".join(tools)
        msg = said(
            f"there is no tool {_clip(action)!r} now; the tools are {names}.",
            f"现在没有工具 {_clip(action)!r}；工具有 {names}。",
        )
        return Problem(ProblemKind.UNKNOWN_TOOL, msg, reply)
    schema = tools[action]
    given, fault = _object(arguments, action, schema)
    fault = fault or _misfit(given, schema)
    if fault:
        msg = said(
            f"{action} was not run: {fault}. It takes {_takes(schema)}.",
            f"{action} 没有执行：{fault}。它的参数是 {_takes(schema)}。",
        )
        return Problem(ProblemKind.BAD_ARGUMENTS, msg, reply)
    return Step(thought=thought, action=action, input=given)


def _object(arguments: Any, action: str, schema: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The arguments as an object, read out of a string if they were written as one, and what is wrong with them."""
    if arguments is _MISSING or (arguments is None and not schema.get("properties")):
        return {}, said("its arguments are missing", "缺少参数") if schema.get("properties") else ""
    if isinstance(arguments, Mapping):
        return dict(arguments), ""
    if isinstance(arguments, str):
        return _object_in_text(arguments, action)
    shown = _clip(json.dumps(arguments, ensure_ascii=False, default=str))
    return {}, said(f"its arguments must be a JSON object, not {shown}", f"参数必须是 JSON 对象，而不是 {shown}")


def _object_in_text(written: str, action: str) -> tuple[dict[str, Any], str]:
    found = find_json(written)
    if found.data is not None and written.strip().strip("`").removeprefix("json").strip().startswith(("{", '"')):
        return found.data, ""
    if action == FINAL and written.strip():
        return {"answer": written.strip()}, ""
    reason = found.problem or said("holds text around it", "周围还有别的文字")
    return {}, said(
        f"its arguments are not a JSON object (the text {reason}): {_clip(written)}",
        f"参数不是 JSON 对象（文字{reason}）：{_clip(written)}",
    )


def _misfit(given: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """What a tool's schema does not allow in ``given``: names and fixed choices; types are the tool's own business."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    missing = [
        name for name in schema.get("required", ()) if given.get(name) is None and not _nullable(properties, name)
    ]
    if missing:
        return said(f"{', '.join(missing)} is missing", f"缺少 {', '.join(missing)}")
    unknown = [name for name in given if name not in properties]
    if unknown and properties and not schema.get("additionalProperties"):
        names = _clip(", ".join(unknown))
        return said(f"it has no argument {names}", f"它没有参数 {names}")
    wrong = [name for name, value in given.items() if not _allowed(value, properties.get(name))]
    names = ", ".join(wrong)
    return said(f"{names} is none of the values allowed now", f"{names} 不在现在允许的值之中") if wrong else ""


def _nullable(properties: Mapping[str, Any], name: str) -> bool:
    rule = properties.get(name)
    return isinstance(rule, Mapping) and '"null"' in json.dumps(rule, default=str)


def _allowed(value: Any, rule: Any) -> bool:
    """Whether a ``const`` or ``enum`` rule lets ``value`` through."""
    if not isinstance(rule, Mapping):
        return True
    if "const" in rule:
        return bool(value == rule["const"])
    return "enum" not in rule or value in rule["enum"]


def _takes(schema: Mapping[str, Any]) -> str:
    """A tool's arguments in one line."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    return _clip(json.dumps({name: _kind(rule) for name, rule in properties.items()}, ensure_ascii=False, default=str))


def _kind(rule: Any) -> Any:
    if not isinstance(rule, Mapping):
        return "any"
    return next((rule[key] for key in ("const", "enum", "type") if key in rule), "any")


def _begins_as_json(text: str) -> bool:
    return re.match(r"(?:```(?:json)?\s*)?[{\[]", text.lstrip()) is not None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _clip(text: str) -> str:
    return text if len(text) <= _CLIP else f"{text[:_CLIP]}…"
