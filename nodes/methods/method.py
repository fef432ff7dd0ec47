"""A method as plain bounded data, and as the text of a card that a person can read and change.

It says how tasks of one kind are done and never what is true: no value, name or place of a single task stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args

from memory_secretary.memory.bilingual import Lang
from memory_secretary.nodes.figures import PARTS

Asks = Literal["values", "state", "follow"]
"""What a goal asks for: quantities, the records in some state, or to follow a matter from record to record."""
Often = Literal["once", "each", "some"]
"""How often a tool is called: once, for each record, or for each record that the user's condition holds for."""
ANSWER = "answer"
"""Stands in the place of a tool where a sub-goal needs none."""

WORDS, TOOLS, SUB_GOALS, NOTES, LOOK_UP, CHECKS = 16, 8, 6, 6, 2, 6
"""How many of each a method has at most."""
TEXT, NAME = 100, 60
"""Characters of a sentence and of a name at most."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How a tool is used: its parameters whose values were found in the request or in a record, and how often."""

    tool: str
    found: tuple[str, ...]
    often: Often


@dataclass(frozen=True, slots=True)
class SubGoal:
    """A step in words, with the tool that does it, or :data:`ANSWER`."""

    text: str
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How tasks of one kind are done.

    Attributes:
        lang: the language of the tasks, and so of the words here.
        asks: what the goals ask for.
        words: words that the goals share.
        tools: in the order of their first use.
        sub_goals: in order.
        notes: what was noted from the records, in words of the goals or the records.
        computed: what was computed of it: some of :data:`~memory_secretary.nodes.figures.PARTS`.
        look_up: how what is wanted is found.
        checks: what is seen to before the answer.
        tasks: how many finished tasks it was learned from.
    """

    lang: Lang
    asks: tuple[Asks, ...]
    words: tuple[str, ...]
    tools: tuple[ToolUse, ...]
    sub_goals: tuple[SubGoal, ...]
    notes: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()
    look_up: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    tasks: int = 1

    @property
    def kind(self) -> str:
        """Which tasks it is for, as one word for code."""
        return kind_of(self.lang, self.asks, [use.tool for use in self.tools])


def kind_of(lang: Lang, asks: Sequence[str], tools: Sequence[str]) -> str:
    """One word for all tasks in a language that ask for the same and were done with the same tools."""
    return f"{lang}:{'+'.join(asks) or '-'}:{','.join(sorted(set(tools)))}"


def plain(text: str, most: int = TEXT) -> str:
    """A text on one line, without the signs that part a method's text; shortened to ``most`` characters."""
    return " ".join(re.sub(r"[;；\[\]\r\n]", " ", text).split())[:most].strip()


# --- as text ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Labels:
    """How the lines of a method begin in one language; the title counts the tasks."""

    title: str
    asks: str
    words: str
    tools: str
    sub_goals: str
    notes: str
    computed: str
    look_up: str
    checks: str


_LABELS: dict[Lang, _Labels] = {
    "en": _Labels(
        "How tasks like these are done (learned from {n})", "Asks for", "Words of the task", "Tools", "Steps", "Note",
        "Compute", "Look up", "Check",
    ),
    "zh": _Labels(
        "这类任务的做法（从 {n} 个任务学到）", "问的是", "任务用词", "工具", "步骤", "要记", "要算", "查找", "检查",
    ),
}  # fmt: skip
_IN_CHINESE = {
    "values": "数值", "state": "状态", "follow": "追查",
    "once": "一次", "each": "逐份", "some": "符合条件的",
    "total": "合计", "high": "最高", "low": "最低", "spread": "相差", "mean": "平均",
    ANSWER: "回答",
}  # fmt: skip
_IN_CODE = {word: name for name, word in _IN_CHINESE.items()}
_USE = re.compile(r"([^\s()]+)\(([^()]*)\) (\w+)")
_STEP = re.compile(r"(.+) \[([^\[\]]+)\]")
_PART = "; "


def to_text(method: Method) -> str:
    """The method as a card's text: one line for each part, its entries parted by semicolons."""
    labels, named = _LABELS[method.lang], _IN_CHINESE if method.lang == "zh" else {}
    parts = {
        "asks": [named.get(name, name) for name in method.asks],
        "words": method.words,
        "tools": [f"{use.tool}({', '.join(use.found)}) {named.get(use.often, use.often)}" for use in method.tools],
        "sub_goals": [f"{goal.text} [{named.get(goal.tool, goal.tool)}]" for goal in method.sub_goals],
        "notes": method.notes,
        "computed": [named.get(name, name) for name in method.computed],
        "look_up": method.look_up,
        "checks": method.checks,
    }
    lines = [f"{getattr(labels, name)}: {_PART.join(entries)}" for name, entries in parts.items() if entries]
    return "\n".join([labels.title.format(n=method.tasks), *lines])


def from_text(text: str) -> Method | None:
    """The method that a card's text holds; None for a text that is no method or a broken one."""
    title, *lines = text.strip().splitlines() or [""]
    for lang, labels in _LABELS.items():
        found = re.fullmatch(re.escape(labels.title).replace(r"\{n\}", r"(\d{1,6})"), title.strip())
        if found:
            return _read(lang, labels, int(found[1]), lines)
    return None


def _read(lang: Lang, labels: _Labels, tasks: int, lines: Sequence[str]) -> Method | None:
    names = {getattr(labels, entry.name): entry.name for entry in fields(labels)}
    parts: dict[str, tuple[str, ...]] = {}
    for line in lines:
        label, _, rest = line.partition(":")
        if line.strip() and label.strip() not in names:
            return None
        parts[names.get(label.strip(), "")] = tuple(part.strip() for part in rest.split(";") if part.strip())
    uses = [_USE.fullmatch(part) for part in parts.pop("tools", ())]
    steps = [_STEP.fullmatch(part) for part in parts.pop("sub_goals", ())]
    if not all(uses) or not all(steps):
        return None
    read: dict[str, Any] = {
        **{name: parts.get(name, ()) for name in ("words", "notes", "look_up", "checks")},
        **{name: tuple(map(_code, parts.get(name, ()))) for name in ("asks", "computed")},
        "tools": tuple(ToolUse(u[1], _listed(u[2]), cast(Often, _code(u[3]))) for u in uses if u),
        "sub_goals": tuple(SubGoal(step[1], _code(step[2])) for step in steps if step),
    }
    method = Method(lang=lang, tasks=tasks, **read)
    return method if is_sound(method) else None


def _code(word: str) -> str:
    return _IN_CODE.get(word, word)


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def is_sound(method: Method) -> bool:
    """Whether nothing is missing, too much or too long, and every step names a tool of the method."""
    most = {
        "words": WORDS, "tools": TOOLS, "sub_goals": SUB_GOALS, "notes": NOTES, "look_up": LOOK_UP, "checks": CHECKS,
    }  # fmt: skip
    tools = {use.tool for use in method.tools}
    texts = [*(goal.text for goal in method.sub_goals), *method.look_up, *method.checks]
    return (
        bool(tools)
        and bool(method.sub_goals)
        and all(len(getattr(method, name)) <= count for name, count in most.items())
        and set(method.asks) <= set(get_args(Asks))
        and set(method.computed) <= set(PARTS)
        and all(use.often in get_args(Often) for use in method.tools)
        and all(goal.tool in tools | {ANSWER} for goal in method.sub_goals)
        and all(text == plain(text) for text in texts)
        and all(note == plain(note, NAME) for note in method.notes)
    )
