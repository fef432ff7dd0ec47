"""Settings of a graph and the context of one call, and how the two, the environment and the defaults are settled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.scope import Scope
from memory_secretary.nodes.options import MECHANISMS, Options

PREFIX = "MEMORY_SECRETARY_"
_RANGES = {
    "executor_window": (1024, 2_000_000),
    "secretary_window": (1024, 10_000_000),
    "max_steps": (1, 100_000),
    "recall_k": (0, 100),
    "secretary_calls": (0, 1_000_000),
}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """What a graph is built with: everything of :class:`~memory_secretary.nodes.options.Options`, and who it is for.

    Attributes:
        user_id: whose memory a call without a user in its context belongs to; None refuses such a call.
        team_id: the team whose shared memory is used.
        agent: the name of this agent inside the user's or team's memory.

    Raises:
        SettingsError: a value is out of range or unknown; the sentence names the setting.
    """

    user_id: str | None = None
    team_id: str | None = None
    agent: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no run could work with."""
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                msg = f"the setting {name} must be a whole number from {low} to {high}, not {value!r}"
                raise SettingsError(msg)
        for name in MECHANISMS:
            if not isinstance(getattr(self, name), bool):
                msg = f"the setting {name} must be True or False, not {getattr(self, name)!r}"
                raise SettingsError(msg)
        if self.lang not in ("auto", "en", "zh"):
            msg = f"the setting lang must be auto, en or zh, not {self.lang!r}"
            raise SettingsError(msg)


Context = TypeVar("Context")


def _names_checked(cls: type[Context]) -> type[Context]:
    """Make a context refuse unknown names in a sentence: LangGraph hands a call's mapping straight to it."""
    made = cls.__init__

    def init(self: Any, **given: Any) -> None:
        known = {entry.name for entry in fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(given) - known)
        if unknown:
            msg = f"unknown setting {', '.join(unknown)} in the context; known are {', '.join(sorted(known))}"
            raise SettingsError(msg)
        made(self, **given)

    cls.__init__ = init  # type: ignore[method-assign]
    return cls


@_names_checked
@dataclass(kw_only=True)
class RunContext:
    """What one call may say; None inherits from the graph's settings.

    Attributes:
        user_id: whose memory this run uses; needed unless the graph was built with one.
        team_id: the team whose shared memory is used.
        agent: the name of this agent.
        executor_window: tokens of the executor's window, prompt and reply together.
        secretary_window: tokens of the secretary's window.
        max_steps: decisions of the executor in one run.
        lang: language of headings and reminders: auto, en or zh.
        zone: IANA time zone of the user.
        recall_k: memories recalled for a step.
        secretary_calls: upper limit of secretary calls in a run.
        brief: hand the executor a brief.
        recall: search memory for each step.
        digests: choose the lines of long results that matter.
        discovery: list the calls that results make possible.
        noting: copy the asked values out of each record.
        menu: offer open items as exact calls.
        carry: go on with the siblings of a chosen record without asking for each.
        gate: withhold the answer while items are open.
        reminders: do not run a step twice.
        pairing: run a call only when its arguments stand together in one record.
        grounding: keep only values that stand in their source.
    """

    user_id: str | None = None
    team_id: str | None = None
    agent: str | None = None
    executor_window: int | None = None
    secretary_window: int | None = None
    max_steps: int | None = None
    lang: str | None = None
    zone: str | None = None
    recall_k: int | None = None
    secretary_calls: int | None = None
    brief: bool | None = None
    recall: bool | None = None
    digests: bool | None = None
    discovery: bool | None = None
    noting: bool | None = None
    menu: bool | None = None
    carry: bool | None = None
    gate: bool | None = None
    reminders: bool | None = None
    pairing: bool | None = None
    grounding: bool | None = None


def from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """The defaults, changed by ``MEMORY_SECRETARY_<SETTING>`` variables.

    Raises:
        SettingsError: a variable cannot be read as its setting's type.
    """
    source = os.environ if environ is None else environ
    changes: dict[str, Any] = {}
    for entry in fields(Settings):
        text = source.get(PREFIX + entry.name.upper())
        if text is not None and text.strip():
            changes[entry.name] = _parsed(PREFIX + entry.name.upper(), text.strip(), entry.default)
    return Settings(**changes)


def _parsed(variable: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() in _TRUE + _FALSE:
            return text.lower() in _TRUE
        msg = f"{variable}={text!r} is neither on nor off: use 1 or 0"
        raise SettingsError(msg)
    if isinstance(default, int):
        try:
            return int(text)
        except ValueError:
            msg = f"{variable}={text!r} is no whole number"
            raise SettingsError(msg) from None
    return text


def settled(settings: Settings, context: RunContext | Mapping[str, Any] | None) -> Settings:
    """The graph's settings with what this call's context says on top.

    Raises:
        SettingsError: the context names an unknown setting, or a value is out of range.
    """
    if context is None:
        return settings
    said = RunContext(**context) if isinstance(context, Mapping) else context
    given = {entry.name: getattr(said, entry.name, None) for entry in fields(RunContext)}
    return replace(settings, **{name: value for name, value in given.items() if value is not None})


def scope_of(settings: Settings, thread: str | None) -> Scope:
    """The scope of a call.

    Raises:
        ScopeError: neither a user nor a team is known, or one of them is unusable.
    """
    return Scope(user=settings.user_id, team=settings.team_id, agent=settings.agent, thread=thread)
