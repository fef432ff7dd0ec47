"""Calls that an observation makes possible: the paths and identifiers in it, matched with the tools that take one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool

from memory_secretary.memory.lexical import tokens
from memory_secretary.tools.effects import Effect, effect_of
from memory_secretary.tools.registry import args_schema

_PART = r"[^\s\"'<>|,;:/()\[\]{}*?，。；：、？！（）《》「」“”]+"
_BORDER = r"(?<![A-Za-z0-9/.:_-])"
_ENDING = r"\.[A-Za-z][A-Za-z0-9]{0,4}"
_PATH = re.compile(rf"{_BORDER}(?![A-Za-z]\.[A-Za-z]\b)(?:{_PART}/)*{_PART}{_ENDING}(?![A-Za-z0-9_/])")
_CHINESE_AFTER = re.compile(rf"{_ENDING}(?=[\u3400-\u9fff])")
"""Chinese runs straight on after a path: notes/a.md和notes/b.md."""
_FOLDER = re.compile(rf"{_BORDER}[A-Za-z0-9_.-]+(?:(?:/{_PART})+/?|/(?![\w/]))")
_CHINESE_LEAD = re.compile(r"^[\u3400-\u9fff]+(?=[A-Za-z][A-Za-z0-9_.-]*/)")
"""Chinese runs straight into a path: 超过了notes/a.md."""
_CHINESE_TAIL = re.compile(r"(?<=[^/])(?:里面|里边|里|中|下面|下|内|目录|文件夹|的).*$")
_IDENTIFIER = re.compile(r"(?<![\w./-])(?=[\w-]*\d)[A-Za-z]{1,10}[-_]?\d[\w-]*(?![\w/]|\.\w)", re.ASCII)
"""Of ASCII characters only: Chinese runs straight on after one."""
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_PATH_WORDS = frozenset({"path", "file", "filename", "filepath", "document", "doc"})
_KEY_WORDS = frozenset({"id", "no", "number", "code", "key"})
"""A ``file_no`` is no path."""
_FOLDER_WORDS = frozenset({"folder", "dir", "directory"})
_FILE_KINDS = frozenset("csv tsv xlsx xls json jsonl xml html htm pdf docx md txt yaml toml log png jpg".split())
_FREE_WORDS = frozenset({"query", "text", "expression", "content", "message", "body", "question", "note", "zone"})
"""Parameters that take prose; no value found in a record is an argument for them."""


@dataclass(frozen=True, slots=True)
class ToolShape:
    """What discovery needs to know of a tool: its name, its visible arguments as JSON schema, what it says it does."""

    name: str
    schema: Mapping[str, Any]
    read_only: bool
    description: str = ""

    @property
    def required(self) -> list[str]:
        """The names of the arguments that must be given."""
        return list(self.schema.get("required", []))


def shape_of(tool: BaseTool) -> ToolShape:
    """A tool as discovery and the menu see it."""
    return ToolShape(tool.name, args_schema(tool), effect_of(tool) is Effect.READ_ONLY, tool.description)


@dataclass(frozen=True, slots=True)
class Group:
    """Values of one shape that one tool could be called with.

    ``pattern`` is the shape with digits as ``#`` (``reports/#-#.md``); a value alone of its shape is its own pattern.
    """

    tool: str
    parameter: str
    pattern: str
    values: tuple[str, ...]

    @property
    def label(self) -> str:
        """One line for a model that chooses: the call, and how many values it stands for."""
        shown = self.values[0] if len(self.values) == 1 else self.pattern
        many = f" ({len(self.values)}: {self.values[0]} … {self.values[-1]})" if len(self.values) > 1 else ""
        return f"{self.tool}({self.parameter}={shown}){many}"


def find_groups(text: str, tools: Sequence[ToolShape], taken: Iterable[str] = ()) -> list[Group]:
    """Group the values of an observation by shape, for each read-only tool that takes exactly one such value.

    Args:
        text: the observation, or the passages of it that matter.
        tools: the tools on offer.
        taken: values that were already considered.

    Returns:
        The groups in order of first appearance; the same value may serve several tools.
    """
    old = set(taken)
    found: list[Group] = []
    for tool in tools:
        parameter = key_parameter(tool)
        if parameter is None:
            continue
        by_pattern: dict[str, list[str]] = {}
        for value in values_for(parameter, text):
            if not opens(tool, value, tools):
                continue
            if value not in old and value not in by_pattern.setdefault(pattern_of(value), []):
                by_pattern[pattern_of(value)].append(value)
        found += [
            Group(tool.name, parameter, pattern, tuple(values)) for pattern, values in by_pattern.items() if values
        ]
    return found


def pattern_of(value: str) -> str:
    """The shape of a value, with digits as ``#``."""
    return re.sub(r"\d+", "#", value)


def opens(tool: ToolShape, value: str, tools: Sequence[ToolShape]) -> bool:
    """Whether a tool is the one for a file of this kind.

    A tool that speaks of kinds of files (CSV, PDF …) takes only those, and takes them before a tool for any file.
    """
    if not _PATH.fullmatch(value):
        return True
    ending, kinds = value.rsplit(".", 1)[-1].casefold(), _kinds(tool)
    if kinds:
        return ending in kinds
    return not any(ending in _kinds(other) for other in tools if key_parameter(other) and other is not tool)


def _kinds(tool: ToolShape) -> set[str]:
    return set(tokens(tool.description)) & _FILE_KINDS


def key_parameter(tool: ToolShape) -> str | None:
    """The argument that a read-only tool is called by: its one required string or integer, or its only one; or None."""
    names = tool.required or list(tool.schema.get("properties", {}))
    if not tool.read_only or len(names) != 1:
        return None
    name = names[0]
    kind = tool.schema["properties"][name].get("type")
    return name if kind in ("string", "integer") and not words_of(name) & _FREE_WORDS else None


def words_of(name: str) -> set[str]:
    """``customerId`` and ``customer_id`` → {customer, id}."""
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold().split("_"))


def is_key(parameter: str) -> bool:
    """Whether a parameter takes an identifier: ``order_id``, ``file_no``."""
    return bool(words_of(parameter) & _KEY_WORDS)


def is_path(parameter: str) -> bool:
    """Whether a parameter takes a file's path."""
    return not is_key(parameter) and bool(words_of(parameter) & _PATH_WORDS)


def values_for(parameter: str, text: str) -> list[str]:
    """The values in a text that a parameter of this name could take, in order, each once."""
    words = words_of(parameter)
    if is_key(parameter):
        found = _keyed_values(parameter, text) or _identifiers(words, text)
    elif is_path(parameter):
        apart = _CHINESE_AFTER.sub(r"\g<0> ", text)
        found = [_CHINESE_LEAD.sub("", m.group()) for m in _PATH.finditer(apart)]
    elif words & _FOLDER_WORDS:
        found = [_CHINESE_TAIL.sub("", m.group()).rstrip("/.") for m in _FOLDER.finditer(text)]
        found = [value for value in found if not _PATH.match(value)]
    elif "email" in words or "mail" in words:
        found = [m.group() for m in _EMAIL.finditer(text)]
    else:
        found = _keyed_values(parameter, text) or _identifiers(words, text)
    return list(dict.fromkeys(found))


def identifiers_in(text: str) -> list[str]:
    """The identifiers of a text (``ORD-17``, ``INV3``), in order; paths are none."""
    return [m.group() for m in _IDENTIFIER.finditer(text) if not _PATH.fullmatch(m.group())]


def _identifiers(words: set[str], text: str) -> list[str]:
    """Identifiers whose letters fit the parameter (``order_id`` takes ORD-17, not INV-3) when any do, else all."""
    found = identifiers_in(text)
    fitting = [v for v in found if any(_abbreviates(v, word) for word in words - _KEY_WORDS)]
    return fitting or found


def _abbreviates(value: str, word: str) -> bool:
    letters = re.match(r"[A-Za-z]+", value)
    return letters is not None and word.startswith(letters.group().casefold()[:3]) and len(letters.group()) >= 1


def _keyed_values(parameter: str, text: str) -> list[str]:
    """Values that stand under the parameter's own name in JSON (``{"order_id": 17}``)."""
    found: list[str] = []
    try:
        _collect(json.loads(text), parameter, found)
    except (ValueError, RecursionError):  # no JSON, or nested too deep to be read as such
        key = rf"\b{re.escape(parameter)}\b\"?\s*[:=]\s*\"?"
        return [m.group(1) for m in re.finditer(rf"{key}([\w./@-]*\w)", text)]
    return found


def _collect(value: Any, key: str, found: list[str]) -> None:
    if isinstance(value, dict):
        if isinstance(value.get(key), str | int) and not isinstance(value.get(key), bool):
            found.append(str(value[key]))
        for inner in value.values():
            _collect(inner, key, found)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, key, found)
