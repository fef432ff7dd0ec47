"""A small world of records: the tools that reach it, and what was done to it."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from langchain_core.tools import ToolException

Tool = Callable[..., str]
"""A typed function with a docstring, as any user of the graph would write it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: its name and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What a tool of the environment is called and does.

    Attributes:
        name: a reading word first (``list_…``, ``get_…``) exactly when it changes nothing.
        doc: its docstring, in the task's language.
        parameters: names and types, in order.
        job: ``list`` gives the listing, ``read`` a record, ``act`` has a side effect.
        keyed: the first argument must be the name of a record.
        reply: what it says, filled with its arguments by name; the listing itself for ``list``.
        unknown: the error for a name that no record has, filled with ``name``.
    """

    name: str
    doc: str
    parameters: Mapping[str, type] = field(default_factory=dict)
    job: Literal["list", "read", "act"]
    keyed: bool = False
    reply: str = ""
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A tool that fails for one record: with this error, the first ``times`` times, or always."""

    tool: str
    key: str
    error: str
    times: int | None = None


class Environment:
    """A fresh world; calls change nothing but its own record of them.

    Attributes:
        calls: every call that reached a tool, failed ones too, in order.
        deeds: the calls of side-effecting tools that took effect, in order.
    """

    def __init__(self, specs: Sequence[ToolSpec], records: Mapping[str, str], faults: Sequence[Fault] = ()):
        self.calls: list[Call] = []
        self.deeds: list[Call] = []
        self._specs = specs
        self._records = records
        self._faults = {(fault.tool, fault.key): fault for fault in faults}
        self._failed: Counter[tuple[str, str]] = Counter()

    def tools(self) -> list[Tool]:
        """The tools of this world as plain functions.

        They raise :class:`langchain_core.tools.ToolException` with a sentence that says what to do.
        """
        return [_function(spec, self._run) for spec in self._specs]

    def call(self, call: Call) -> str:
        """Make one call by the tool's name."""
        return self._run(next(spec for spec in self._specs if spec.name == call.tool), call.arguments)

    def _run(self, spec: ToolSpec, arguments: Mapping[str, Any]) -> str:
        call = Call(spec.name, dict(arguments))
        self.calls.append(call)
        key = str(next(iter(arguments.values()), "")).strip()
        self._fail(spec.name, key)
        if spec.keyed and key not in self._records:
            raise ToolException(spec.unknown.format(name=key))
        if spec.job == "list":
            return spec.reply
        if spec.job == "read":
            return self._records[key]
        self.deeds.append(call)
        return spec.reply.format_map(call.arguments)

    def _fail(self, tool: str, key: str) -> None:
        fault = self._faults.get((tool, key))
        if fault and (fault.times is None or self._failed[tool, key] < fault.times):
            self._failed[tool, key] += 1
            raise ToolException(fault.error)


def _function(spec: ToolSpec, run: Callable[[ToolSpec, Mapping[str, Any]], str]) -> Tool:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind, annotation=type_) for name, type_ in spec.parameters.items()]
    signature = inspect.Signature(parameters, return_annotation=str)

    def tool(*values: Any, **named: Any) -> str:
        return run(spec, signature.bind(*values, **named).arguments)

    made = cast(Any, tool)
    made.__name__ = made.__qualname__ = spec.name
    made.__doc__ = spec.doc
    made.__signature__ = signature
    made.__annotations__ = {**spec.parameters, "return": str}
    return tool
