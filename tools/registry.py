"""The executor's menu: any tools or typed functions in, checked tools and short descriptions out."""

from __future__ import annotations

import inspect
import json
import re
import typing
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.tools.base import get_all_basemodel_annotations
from langgraph.prebuilt import InjectedStore
from pydantic import BaseModel

from memory_secretary.memory.errors import SettingsError

RESERVED = frozenset({"final_answer", "something_else"})
"""Names of the executor's own actions."""

_KEPT_BY_LANGCHAIN = frozenset({"config", "self", "v__args", "v__kwargs"})
"""Arguments of functions that LangChain fills in itself, or keeps under another name (``args``, ``kwargs``)."""
_KEPT_BY_PYDANTIC = frozenset({"model_config", "run_manager"})
"""Arguments that never get into a schema; nor do those that begin with an underscore."""


def as_tools(tools: Sequence[BaseTool | Callable[..., Any]]) -> list[BaseTool]:
    """Tools and plain functions as tools, in the order given.

    A function needs a docstring and a type on each argument; it may be ``async``.

    Raises:
        SettingsError: something is neither, has no docstring or types, or a name is taken twice or reserved.
    """
    made = [_as_tool(item) for item in tools]
    seen: set[str] = set()
    for tool in made:
        _check(tool, seen)
        seen.add(tool.name)
    return made


def args_schema(tool: BaseTool) -> dict[str, Any]:
    """The JSON schema of the arguments a model fills in: plain data, references inlined, titles dropped.

    Injected arguments (state, store, runtime, call id) are not in it.

    Returns:
        An object schema with ``type``, ``properties`` and ``required``.
    """
    raw = _raw_schema(tool)
    schema = _inlined(raw, {**raw.get("definitions", {}), **raw.get("$defs", {})}, ())
    return {"type": "object", "properties": schema.get("properties", {}), "required": schema.get("required", [])}


def needs_store(tool: BaseTool) -> bool:
    """Whether the tool has an argument that LangGraph fills with its store, and fails without one."""
    schema, job = tool.get_input_schema(), getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    kinds = get_all_basemodel_annotations(schema) | (typing.get_type_hints(job, include_extras=True) if job else {})
    return any(_is_store(mark) for kind in kinds.values() for mark in typing.get_args(kind))


def signature(tool: BaseTool) -> str:
    """One line for a prompt, such as ``read_file(path: str) – Read one file.``."""
    schema = args_schema(tool)
    arguments = ", ".join(_argument(name, part, schema["required"]) for name, part in schema["properties"].items())
    return f"{tool.name}({arguments}) – {_first_sentence(tool.description)}"


def _is_store(mark: Any) -> bool:
    return isinstance(mark, InjectedStore) or (isinstance(mark, type) and issubclass(mark, InjectedStore))


def _raw_schema(tool: BaseTool) -> dict[str, Any]:
    visible = tool.tool_call_schema
    if isinstance(visible, dict):  # tools that came over MCP
        return visible
    return visible.model_json_schema() if issubclass(visible, BaseModel) else visible.schema()


def _as_tool(item: BaseTool | Callable[..., Any]) -> BaseTool:
    if isinstance(item, BaseTool):
        return item
    name = getattr(item, "__name__", None)
    if not callable(item) or not isinstance(name, str) or name == "<lambda>" or isinstance(item, type):
        msg = f"{item!r} is no tool: pass a LangChain tool, or a named function with types and a docstring"
        raise SettingsError(msg, zh=f"{item!r} 不是工具：请给出 LangChain 工具，或带类型和文档字符串的具名函数")
    _check_function(item, name)
    job, coroutine = (None, item) if inspect.iscoroutinefunction(item) else (item, None)
    try:
        return StructuredTool.from_function(job, coroutine, parse_docstring=True, error_on_invalid_docstring=False)
    except ValueError as error:  # raised when the docstring describes an argument that does not exist
        msg = f"the docstring of {name} does not fit its arguments ({error}): correct it, since the model reads it"
        zh = f"{name} 的文档字符串与参数不符（{error}）：请改正，因为模型会读它"
        raise SettingsError(msg, zh=zh) from error


def _check_function(function: Callable[..., Any], name: str) -> None:
    if not inspect.getdoc(function):
        msg = f"the function {name} has no docstring: add one line that says what it does, since the model reads it"
        zh = f"函数 {name} 没有文档字符串：请加一行说明它做什么，因为模型会读它"
        raise SettingsError(msg, zh=zh)
    hints = _hints(function, name)
    for argument, detail in inspect.signature(function).parameters.items():
        if detail.kind in (detail.VAR_POSITIONAL, detail.VAR_KEYWORD):
            msg = f"the function {name} takes *{argument}: name each argument, since the model fills them in by name"
            zh = f"函数 {name} 使用了 *{argument}：请逐个写出参数，因为模型按名字填写"
            raise SettingsError(msg, zh=zh)
        if argument not in hints:
            msg = f"the argument {argument} of {name} has no type: write e.g. {argument}: str"
            raise SettingsError(msg, zh=f"{name} 的参数 {argument} 没有类型：请写成例如 {argument}: str")
        if argument in _KEPT_BY_PYDANTIC or argument.startswith("_"):
            raise _name_is_kept(argument, name)


def _name_is_kept(argument: str, tool: str) -> SettingsError:
    msg = f"the argument {argument} of {tool} has a name that LangChain keeps for itself: rename it"
    return SettingsError(msg, zh=f"{tool} 的参数 {argument} 用了 LangChain 自用的名字：请给参数改名")


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        msg = f"a type of {name} is not known where it is defined ({error}): import it at the top of its module"
        zh = f"{name} 的某个类型在其定义处不可见（{error}）：请在模块开头导入它"
        raise SettingsError(msg, zh=zh) from error


def _check(tool: BaseTool, seen: set[str]) -> None:
    if tool.name in RESERVED:
        msg = f"the tool name {tool.name} is the executor's own: rename the tool"
        raise SettingsError(msg, zh=f"工具名 {tool.name} 是执行者自用的：请给工具改名")
    if tool.name in seen:
        msg = f"two tools are called {tool.name}: rename one of them"
        raise SettingsError(msg, zh=f"有两个工具都叫 {tool.name}：请给其中一个改名")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", tool.name):
        msg = f"the tool name {tool.name!r} is not usable: model servers take 1 to 64 of A-Z, a-z, 0-9, dot, - and _"
        zh = f"工具名 {tool.name!r} 不可用：模型服务只接受 1 到 64 个英文字母（A-Z、a-z）、数字、点、- 或 _"
        raise SettingsError(msg, zh=zh)
    if not tool.description.strip():
        msg = f"the tool {tool.name} has no description: add one line that says what it does"
        raise SettingsError(msg, zh=f"工具 {tool.name} 没有说明：请加一行说明它做什么")
    kept = {"runtime"} | (_KEPT_BY_LANGCHAIN if isinstance(tool, StructuredTool) else set())
    for argument in args_schema(tool)["properties"]:
        if argument in kept:
            raise _name_is_kept(argument.removeprefix("v__"), tool.name)


def _inlined(node: Any, parts: dict[str, Any], above: tuple[str, ...]) -> Any:
    """A schema without references and titles; where a type holds itself, the inner one is left open."""
    if isinstance(node, list):
        return [_inlined(item, parts, above) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        key = str(node["$ref"]).rsplit("/", 1)[-1]
        if key in above or key not in parts:
            return {}
        rest = {name: value for name, value in node.items() if name != "$ref"}
        return _inlined({**parts[key], **rest}, parts, (*above, key))
    return {
        name: _named(value, parts, above) if name == "properties" else _inlined(value, parts, above)
        for name, value in node.items()
        if name not in ("$defs", "definitions") and not (name == "title" and isinstance(value, str))
    }


def _named(properties: Any, parts: dict[str, Any], above: tuple[str, ...]) -> Any:
    """Argument names are data: one called ``title`` or ``$defs`` stays."""
    return {name: _inlined(value, parts, above) for name, value in properties.items()}


def _argument(name: str, schema: dict[str, Any], required: list[str]) -> str:
    default = "" if name in required else f" = {json.dumps(schema.get('default'), ensure_ascii=False)}"
    return f"{name}: {_type(schema)}{default}"


_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", "null": "null"}


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return "|".join(json.dumps(value, ensure_ascii=False) for value in values)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return "|".join(dict.fromkeys(_type(option) for option in options))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list[{_type(schema.get('items') or {})}]"
    if isinstance(kind, list):
        return "|".join(_TYPES.get(one, str(one)) for one in kind)
    return _TYPES.get(kind, str(kind))


def _first_sentence(text: str) -> str:
    """The first sentence of the first paragraph; a dot inside ``e.g.`` or a number does not end one."""
    paragraph = " ".join(text.strip().split("\n\n", 1)[0].split())
    end = re.search(r"(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-Z])[.!?](?=\s+[A-Z])|[。！？]", paragraph)
    return paragraph[: end.end()] if end else paragraph
