"""Which tasks are of one kind, and what code can say for sure of how they were done."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from memory_secretary.memory.bilingual import Lang
from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.task_state import closed_items
from memory_secretary.nodes.fields import AGGREGATE, OF_TELLING, asks_by_state, asks_for_values
from memory_secretary.nodes.figures import PARTS, asked_for, figures_of
from memory_secretary.nodes.grounding import stands_in
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.leads import pursues
from memory_secretary.nodes.methods.finished import Finished
from memory_secretary.nodes.methods.method import (
    CHECKS,
    NAME,
    NOTES,
    TOOLS,
    WORDS,
    Asks,
    Often,
    ToolUse,
    kind_of,
    plain,
)
from memory_secretary.nodes.noting import AGGREGATE_ZH

_WORD = re.compile(r"(?<![\w/.-])[a-z][a-z'-]{2,}(?![\w/]|\.\w)")
"""A word in small letters: no name, number, path or identifier, which belong to one task."""
_HAN = re.compile(r"[\u3400-\u9fff]+")
_COMMON = STOPWORDS | AGGREGATE | OF_TELLING
"""Words that say nothing of a task's matter."""
_FEWEST = 3
"""Common words of several goals; where they share fewer, those of the newest stand for all."""

_CHECKED: dict[str, dict[Lang, str]] = {
    "noted": {"en": "each record that was read has its value noted", "zh": "读过的每份记录都记下了数值"},
    "unread": {"en": "a record that could not be read is named in the answer", "zh": "没能读到的记录在回答里写明"},
    "kept_closed": {"en": "records that the user wants closed stay closed", "zh": "用户不让打开的记录没有打开"},
    "limit": {"en": "the values are held against the limit", "zh": "数值与限额作了比较"},
    "states": {"en": "each record's own words tell the state it is in", "zh": "每份记录的状态以其原文为准"},
    "changed": {"en": "corrections and exceptions of the user are applied", "zh": "用户的更正和例外已经计入"},
}
"""What was seen to, in words; code finds it in the record of the task."""


def asks_of(goal: str) -> tuple[Asks, ...]:
    """What a goal asks for, by its words."""
    found: dict[Asks, bool] = {
        "values": asks_for_values(goal), "state": asks_by_state(goal), "follow": pursues(goal),
    }  # fmt: skip
    return tuple(name for name in get_args(Asks) if found[name])


def kind_of_task(task: Finished) -> str:
    """The kind of a finished task; see :func:`~memory_secretary.nodes.methods.method.kind_of`."""
    return kind_of(language_of(task.goal), asks_of(task.goal), task.tools)


def grouped(tasks: Sequence[Finished]) -> dict[str, list[Finished]]:
    """The tasks by kind, in their order; one with more tools than a method may name is of no kind."""
    groups: dict[str, list[Finished]] = {}
    for task in tasks:
        if len(task.tools) <= TOOLS:
            groups.setdefault(kind_of_task(task), []).append(task)
    return groups


def words_of(goal: str) -> tuple[str, ...]:
    """The words of a goal that could stand in the goal of another task of its kind, in order, each once.

    Of Chinese the pairs of neighbouring characters.
    """
    parts = [part for run in _HAN.findall(goal) for part in AGGREGATE_ZH.split(run)]
    pairs = [part[n : n + 2] for part in parts for n in range(len(part) - 1)]
    return tuple(dict.fromkeys([*(word for word in _WORD.findall(goal) if set(tokens(word)) - _COMMON), *pairs]))


def shared_words(goals: Sequence[str]) -> tuple[str, ...]:
    """The words that at least half of the goals have."""
    each = [words_of(goal) for goal in goals]
    counted = Counter(word for words in each for word in words)
    least = max(len(goals) / 2, min(2, len(goals)))
    common = [word for word, count in counted.most_common() if count >= least]
    return tuple((common if len(common) >= _FEWEST else each[0])[:WORDS])


def tool_uses(tasks: Sequence[Finished]) -> tuple[ToolUse, ...]:
    """The tools in the order of the newest task, each with what its calls were made from and how often it was called.

    A parameter counts as found where its value stood in the request or in an earlier result, in every call and task.
    """
    uses = [{use.tool: use for use in _uses(task)} for task in tasks]
    found = []
    for tool in tasks[0].tools:
        same = [each[tool] for each in uses]
        names = [name for name in same[0].found if all(name in one.found for one in same)]
        often = max((one.often for one in same), key=("once", "each", "some").index)
        found.append(ToolUse(tool, tuple(names), often))
    return tuple(found)


def _uses(task: Finished) -> list[ToolUse]:
    read = task.goal
    found: dict[str, list[set[str]]] = {}
    calls: dict[str, int] = Counter()
    for event in task.results:
        given = event.arguments or {}
        found.setdefault(event.action, []).append({name for name, value in given.items() if str(value) in read})
        calls[event.action] += 1
        read = f"{read}\n{event.observation}"
    return [
        ToolUse(tool, tuple(sorted(set.intersection(*names))), _often(task, tool, calls[tool]))
        for tool, names in found.items()
    ]


def _often(task: Finished, tool: str, calls: int) -> Often:
    acts = any(item["subject"] for item in task.state["items"] if item["action"] == tool)
    return "some" if acts else "each" if calls > 1 else "once"


def noted_fields(tasks: Sequence[Finished]) -> tuple[str, ...]:
    """What was noted from the records of the tasks, each name once."""
    names = dict.fromkeys(plain(value["name"], NAME) for task in tasks for value in task.state["values"])
    return tuple(name for name in names if name)[:NOTES]


def computed(tasks: Sequence[Finished]) -> tuple[str, ...]:
    """What every task asked to have computed of the noted values; see ``PARTS``."""
    each = [_computed(task) for task in tasks]
    return tuple(part for part in PARTS if all(part in parts for parts in each))


def _computed(task: Finished) -> set[str]:
    figures = figures_of(task.state["values"], task.state["adjustments"])
    return {part for figure in figures for part in asked_for(task.goal, limited=bool(figure.limits))}


def checked(tasks: Sequence[Finished], lang: Lang) -> tuple[str, ...]:
    """What all of the tasks were seen to at their end, by the record; what one of them lacks is left out."""
    each = [_checked(task) for task in tasks]
    names = [name for name in _CHECKED if all(name in found for found in each)]
    return tuple(_CHECKED[name][lang] for name in names)[:CHECKS]


def _checked(task: Finished) -> set[str]:
    state, answer = task.state, task.answer.observation
    closed = closed_items(state)
    failed = [value for item in closed if item["status"] == "failed" for value in map(str, item["arguments"].values())]
    refs = {value["ref"] for value in state["values"]}
    read = [event for event in task.results if event.arguments]
    figures = figures_of(state["values"], state["adjustments"])
    found = {
        "noted": bool(read) and all(event.event_id in refs for event in read),
        "unread": bool(failed) and all(stands_in(name, answer) for name in failed),
        "kept_closed": bool(state["closed"]) and not any(
            name in map(str, item["arguments"].values()) for item in closed for name in state["closed"]
        ),
        "limit": any(figure.limits for figure in figures),
        "states": bool(state["states"]),
        "changed": bool(state["adjustments"]),
    }  # fmt: skip
    return {name for name, holds in found.items() if holds}
