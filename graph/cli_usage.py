"""What is wrong with a command line that cannot be understood, in one sentence of the user's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from typer.exceptions import TyperException

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.program import program

_NO_COMMAND = re.compile(r"No such command '(?P<name>.*)'\.(?: Did you mean (?P<meant>.+)\?)?", re.DOTALL)
_QUOTED = re.compile(r"'.*'", re.DOTALL)
_TOO_MANY = re.compile(r"Got unexpected extra argument\(s\) \((?P<words>.*)\)", re.DOTALL)


def usage_sentence(error: TyperException) -> str:
    """One sentence for what the library refused, with its cure."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else program()
    describe = _KINDS.get(type(error).__name__, _other)
    return describe(error, f"{path} --help")


def _no_option(error: Any, page: str) -> str:
    name, command = error.option_name, error.ctx.command if error.ctx else None
    meant, meant_below = _nearest(name, ("--help", *_options_of(command))), _nearest(name, _options_below(command))
    if meant:
        return said(f"there is no option {name}; did you mean {meant}?", f"没有选项 {name}；您是想用 {meant} 吗？")
    if meant_below:
        return said(
            f"there is no option {name} here; did you mean {meant_below}, behind the command that it is for?",
            f"这里没有选项 {name}；您是想用 {meant_below} 吗？请写在它所属的命令之后",
        )
    return said(f"there is no option {name}; {page} lists those there are", f"没有选项 {name}；{page} 列出所有选项")


def _nearest(name: str, known: Iterable[str]) -> str:
    """The option that a mistyped one is most like, without the dashes that all have; empty where none is like it."""
    bare = {option.strip("-"): option for option in known}
    near = get_close_matches(name.strip("-"), bare, n=1)
    return bare[near[0]] if near else ""


def _options_of(command: Any) -> Iterator[str]:
    """The long options of a command."""
    for parameter in getattr(command, "params", ()):
        yield from (name for name in [*parameter.opts, *parameter.secondary_opts] if name.startswith("--"))


def _options_below(command: Any) -> Iterator[str]:
    """The long options of all commands below one."""
    for below in getattr(command, "commands", {}).values():
        yield from _options_of(below)
        yield from _options_below(below)


def _option_misused(error: Any, _page: str) -> str:
    name = error.option_name
    if "not take a value" in error.message:
        return said(f"{name} takes no value: write it alone", f"{name} 不带值：请单独写它")
    return said(f"{name} needs a value: write it behind the option", f"{name} 需要一个值：请写在它后面")


def _missing(error: Any, page: str) -> str:
    name = _named(error.param)
    return said(f"{name} is missing; {page} shows what belongs there", f"缺少 {name}；{page} 说明应填什么")


def _bad_value(error: Any, page: str) -> str:
    name, given = _named(error.param), _given(error)
    wanted, wanted_zh = _wanted(error.param)
    if not wanted:
        return said(f"{name} cannot be {given}; {page} says what can", f"{name} 不能是 {given}；{page} 说明可取的值")
    return said(f"{name} takes {wanted}, not {given}", f"{name} 应为{wanted_zh}，不能是 {given}")


def _within(error: Any, name: str) -> str:
    """The command of this name one level down: ``memory forget`` for *forget*; or empty."""
    groups = getattr(error.ctx.command, "commands", {}) if error.ctx else {}
    name = name.strip("'")
    return next((f"{group} {name}" for group, one in groups.items() if name in getattr(one, "commands", {})), "")


def _other(error: Any, page: str) -> str:
    message = error.format_message()
    if found := _NO_COMMAND.fullmatch(message):
        name, meant = found["name"], (found["meant"] or "").replace("'", "") or _within(error, found["name"])
        if meant:
            return said(f"there is no command {name}; did you mean {meant}?", f"没有命令 {name}；您是想用 {meant} 吗？")
        return said(f"there is no command {name}; {page} lists them", f"没有命令 {name}；{page} 列出所有命令")
    if found := _TOO_MANY.fullmatch(message):
        words = found["words"]
        return said(
            f"nothing is to be done with {words!r}: put several words that belong together in quotes, or see {page}",
            f"不知道 {words!r} 是什么：请把属于一起的几个词放进引号，或查看 {page}",
        )
    return said(f"{message.rstrip('.')}; see {page}", f"命令行无法理解（{message.rstrip('.')}）；请查看 {page}")


_KINDS: dict[str, Callable[[Any, str], str]] = {
    "NoSuchOption": _no_option,
    "BadOptionUsage": _option_misused,
    "MissingParameter": _missing,
    "BadParameter": _bad_value,
}
"""By the library's class: it exports no more than their common base."""


def _named(parameter: Any) -> str:
    """An option as it is typed, an argument as the line of usage names it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


def _given(error: Any) -> str:
    """The refused value in quotes, as the validation below the library's error saw it, or as its message has it."""
    details = getattr(error.__cause__, "errors", None)
    if details:
        return repr(str(details()[0]["input"]))
    quoted = _QUOTED.search(error.message)
    return quoted[0] if quoted else said("that", "这个值")


def _wanted(parameter: Any) -> tuple[str, str]:
    """What a parameter takes, in both languages; empty where no more can be said."""
    kind = parameter.type_descriptor
    if kind.choices is not None:
        *some, last = map(str, kind.choices)
        return f"{', '.join(some)} or {last}", f" {'、'.join(some)} 或 {last}"
    if kind.annotation is int:
        least = kind.parameter_info.min
        from_on, from_on_zh = ("", "") if least is None else (f" from {least} on", f"不小于 {least} 的")
        return f"a whole number{from_on}", f"{from_on_zh}整数"
    if kind.is_path and not kind.parameter_info.file_okay:
        return "a folder", "文件夹"
    return "", ""
