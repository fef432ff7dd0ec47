"""Which tools can have an effect before anything was looked up: a record whose key nobody has named cannot be opened.

A 1.5B opens one all the same, with a key that it makes up out of a date, and again when that fails.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import TIME
from memory_secretary.memory.records import RECORD_TOOLS
from memory_secretary.nodes.candidates import ToolShape, is_key, is_path, values_for, words_of
from memory_secretary.nodes.fields import AGGREGATE, OF_TELLING, asks_by_state, asks_of_few_records

_WORDED = frozenset({"text", "query", "words", "question"})
_LISTS = frozenset("list search find browse index catalog catalogue ls query titles".split())
_OF_MANY = re.compile(
    r"\b(?:all|each|every|which|whose|any of|the list|list of|one by one)\b|\w{2,}est\b"
    r"|全部|所有|每|各|哪|清单|列表|逐|最",
    re.IGNORECASE,
)
_THE_LIST = re.compile(r"\b(?:the|this|that|my|our|your) list\b|清单|列表", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'“‘「《`][^\"'“”‘’「」《》`]+[\"'”’」》`]")
_DATE = re.compile(rf"(?<!\d)(?:19|20)\d\d(?:\s?[-/.]\s?\d{{1,2}}){{0,2}}(?!\d)|{TIME.pattern}", re.IGNORECASE)


def reachable(
    tools: Sequence[ToolShape], goal: str, known: str = "", tried: Collection[str] = ()
) -> tuple[ToolShape, ...]:
    """The tools without those that open a record by a key or a path, where no word that is known can be one.

    All of them where none of the others says which records there are, or one was asked already, whatever it said.

    Args:
        tools: every tool on offer.
        goal: the user's words.
        known: what else may hold keys.
        tried: the names of the tools that were called in this task.
    """
    finders = {tool.name for tool in tools if _finds(tool)}
    if not finders or finders & set(tried):
        return tuple(tools)
    return tuple(tool for tool in tools if not _keyed(tool) or _named(tool, goal, known))


def listing_for(goal: str, tools: Sequence[ToolShape]) -> str:
    """The one tool that lists, without being told anything, the records of which a goal wants all or some; or empty.

    A goal speaks of the list, or names such records by a word that the tool has, too (*all the branch reports*,
    全部分馆简报), and none of them by its key. Where it asks for the records in some state, a search would miss those
    that say it in other words (*overdue* for *not paid*).
    """
    finders = [tool for tool in tools if _finds(tool) and not tool.required]
    away = len(reachable(tools, goal)) < len(tools)
    if len(finders) != 1 or not away or not _OF_MANY.search(goal):
        return ""
    own = _telling(f"{finders[0].name.replace('_', ' ')} {finders[0].description}")
    meant = _THE_LIST.search(goal) or own & _telling(goal) or asks_by_state(goal)
    return finders[0].name if meant else ""


def search_for(goal: str, tools: Sequence[ToolShape]) -> tuple[str, dict[str, str]] | None:
    """The one call that searches for a plain question in the user's own words; None where none or several tools do.

    A 1.5B searches for a word that it made up (*prices*), in a folder that there is not.
    """
    if not asks_of_few_records(goal):
        return None
    found = [(tool.name, tool.required[0]) for tool in tools if _searches(tool) and tool.name not in RECORD_TOOLS]
    return (found[0][0], {found[0][1]: goal.strip()}) if len(found) == 1 else None


def only_finds(action: str) -> bool:
    """Whether a tool of this name says which records there are, and not what stands in one."""
    return bool(words_of(action) & _LISTS)


def _searches(tool: ToolShape) -> bool:
    free = len(tool.required) == 1 and words_of(tool.required[0]) & _WORDED
    return tool.read_only and bool(words_of(tool.name) & {"search", "find"}) and bool(free)


def _telling(text: str) -> set[str]:
    return {token for token in tokens(text) if len(token) > 1} - STOPWORDS - AGGREGATE - OF_TELLING - _LISTS


def _finds(tool: ToolShape) -> bool:
    return tool.read_only and not _keyed(tool) and only_finds(tool.name)


def _keyed(tool: ToolShape) -> bool:
    return bool(_opens_by(tool))


def _opens_by(tool: ToolShape) -> str:
    """The argument that says which record is opened, beside others or alone; empty where there is none."""
    named = (name for name in tool.required if is_key(name) or is_path(name))
    return next(named, "") if tool.read_only else ""


def _named(tool: ToolShape, goal: str, known: str) -> bool:
    """Whether something may be what a tool is called by: a bare number only where the user says it."""
    parameter = _opens_by(tool)
    if values_for(parameter, f"{goal}\n{known}"):
        return True
    form = _QUOTED.search(goal) if is_path(parameter) else re.search(r"\d", _DATE.sub(" ", goal))
    return form is not None
