"""Settings of a graph and the context of one call, and how the two, the environment and the defaults are settled."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from memory_secretary.memory.codec import checked_zone
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.scope import Scope
from memory_secretary.nodes.options import Options, setting

PREFIX = "MEMORY_SECRETARY_"
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """What a graph is built with: everything of :class:`~memory_secretary.nodes.options.Options`, and who it is for.

    Raises:
        SettingsError: a value is out of range; the sentence names the setting.
        InvalidRecord: there is no such time zone.
    """

    user_id: str | None = setting(
        None, "whose memory a call belongs to; a call without a user or a team is refused",
        "这次调用使用谁的记忆；既无用户也无团队的调用会被拒绝",
    )  # fmt: skip
    team_id: str | None = setting(None, "the team whose shared memory is used", "使用哪个团队的共享记忆")
    agent: str | None = setting(
        None, "the name of this agent inside the user's or team's memory", "本智能体在该用户或团队记忆中的名字"
    )

    def __post_init__(self) -> None:
        """Refuse what no run could work with."""
        for entry in fields(self):
            _check(entry, _types()[entry.name], getattr(self, entry.name))
        checked_zone(self.zone)


@cache
def _types() -> dict[str, Any]:
    """The type of every setting."""
    return get_type_hints(Settings)


def _check(entry: Field[Any], kind: Any, value: Any) -> None:
    name = entry.name
    if kind is bool and not isinstance(value, bool):
        msg = f"the setting {name} must be True or False, not {value!r}"
        raise SettingsError(msg, zh=f"设置 {name} 只能是 True 或 False，不能是 {value!r}")
    if kind is int:
        low, high = entry.metadata["ge"], entry.metadata["le"]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            msg = f"the setting {name} must be a whole number from {low} to {high}, not {value!r}"
            raise SettingsError(msg, zh=f"设置 {name} 必须是 {low} 到 {high} 之间的整数，不能是 {value!r}")
    if get_origin(kind) is Literal and value not in get_args(kind):
        *some, last = get_args(kind)
        msg = f"the setting {name} must be {', '.join(some)} or {last}, not {value!r}"
        raise SettingsError(msg, zh=f"设置 {name} 只能是 {'、'.join(some)} 或 {last}，不能是 {value!r}")


Context = TypeVar("Context")


def _with_every_setting(cls: type[Context]) -> type[Context]:
    """Make a class a dataclass that has each setting as a field, None where it was left out."""
    cls.__annotations__ = {name: kind | None for name, kind in _types().items()}
    for entry in fields(Settings):
        description = entry.metadata["description"]
        if entry.default is not None:
            description = f"{description} (left out: as the graph was built, else {entry.default})"
        setattr(cls, entry.name, field(default=None, metadata={**entry.metadata, "description": description}))
    return dataclass(init=False)(cls)


@_with_every_setting
class RunContext:
    """What one call may say, by name: any setting. What is left out, or None, is as the graph was built."""

    def __init__(self, **said: Any) -> None:
        """Take what was said.

        Raises:
            SettingsError: there is no such setting; the sentence names it and those there are.
        """
        refuse_unknown(said)
        for name in _types():
            setattr(self, name, said.get(name))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def refuse_unknown(names: Collection[str]) -> None:
    """Let only names of settings pass.

    Raises:
        SettingsError: one is none.
    """
    unknown, known = sorted(set(names) - _types().keys()), sorted(_types())
    if unknown:
        msg = f"unknown setting {', '.join(unknown)} in the context; known are {', '.join(known)}"
        raise SettingsError(msg, zh=f"上下文里的设置 {'、'.join(unknown)} 不存在；可用的有 {'、'.join(known)}")


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
        raise SettingsError(msg, zh=f"{variable}={text!r} 既不是开也不是关：请用 1 或 0")
    if isinstance(default, int):
        try:
            return int(text)
        except ValueError:
            msg = f"{variable}={text!r} is no whole number"
            raise SettingsError(msg, zh=f"{variable}={text!r} 不是整数") from None
    return text


def settled(settings: Settings, context: RunContext | Mapping[str, Any] | None) -> Settings:
    """The graph's settings with what this call's context says on top.

    Raises:
        SettingsError: the context names an unknown setting, or a value is out of range.
    """
    said = RunContext(**context) if isinstance(context, Mapping) else context
    given = {name: getattr(said, name, None) for name in _types()}
    changes = {name: value for name, value in given.items() if value is not None}
    return replace(settings, **changes) if changes else settings


def scope_of(settings: Settings, thread: str | None) -> Scope:
    """The scope of a call.

    Raises:
        ScopeError: neither a user nor a team is known, or one of them is unusable.
    """
    return Scope(user=settings.user_id, team=settings.team_id, agent=settings.agent, thread=thread)
