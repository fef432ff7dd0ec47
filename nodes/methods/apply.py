"""Which method fits the task at hand, and what of it helps with the coming step."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from typing_extensions import TypedDict

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.records import MemoryCard
from memory_secretary.memory.tokens import clip
from memory_secretary.nodes.grounding import stands_in
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.methods.kinds import asks_of
from memory_secretary.nodes.methods.method import Method, from_text
from memory_secretary.nodes.wording import Wording

LEAST_FIT = 0.3
"""Share of a method's words that a goal must have. The tools and what is asked for say most already.

Of the medium long tasks of seeds 5000 to 5149, 83 % (English) and 85 % (Chinese) have so many words of a method that
was learned from the first three of their family with the same tools.
"""
MOST = 1
"""Methods in a brief: a small model mixes two up."""
_LINE_TOKENS = 90


class KnownMethod(TypedDict):
    """A method that fits the task, as the graph's state keeps it: its card, and that card's text."""

    ref: str
    text: str


def applicable(cards: Sequence[MemoryCard], goal: str, tools: Collection[str]) -> list[KnownMethod]:
    """The methods that fit a goal, best first, at most :data:`MOST`.

    One fits when its tools are on offer, the goal asks for the same in the same language, and shares its words.

    Args:
        cards: of the type method; one whose text is no method, or a broken one, fits nothing.
        goal: the user's words.
        tools: names of the tools on offer.
    """
    lang, asks = language_of(goal), asks_of(goal)
    found: list[tuple[float, int, KnownMethod]] = []
    for card in cards:
        method = from_text(card.content)
        if method is None or (method.lang, method.asks) != (lang, asks):
            continue
        names, fit = {use.tool for use in method.tools}, _fit(method, goal)
        if names <= set(tools) and fit >= LEAST_FIT:
            found.append((fit, len(names), KnownMethod(ref=card.memory_id, text=card.content)))
    found.sort(key=lambda one: (-one[0], -one[1], one[2]["ref"]))
    return [known for _, _, known in found[:MOST]]


def _fit(method: Method, goal: str) -> float:
    mine, its = set(tokens(goal)), [set(tokens(word)) - STOPWORDS for word in method.words]
    return sum(bool(word) and word <= mine for word in its) / len(its) if its else 0.0


def fields_of(known: Sequence[KnownMethod], goal: str) -> list[str]:
    """What the methods have noted from each record, as far as this goal speaks of it, too."""
    notes = [note for method in _read(known) for note in method.notes]
    return list(dict.fromkeys(note for note in notes if stands_in(note, goal)))


def method_lines(known: Sequence[KnownMethod], kind: str, goal: str, words: Wording) -> list[str]:
    """What the brief says of the methods: the steps while the way is open, what is to be checked before the answer.

    A choice among open items needs neither: those are the steps.

    Args:
        known: the methods that fit.
        kind: of the coming step's menu.
        goal: the user's words.
        words: the user's language.
    """
    lines: list[str] = []
    for method in _read(known):
        if kind == "free":
            lines += [words.method_steps.format(steps=" → ".join(_steps(method))), *_open_way(method, goal, words)]
        if kind in ("free", "finish", "answer") and method.checks:
            lines.append(words.method_check.format(checks="; ".join(method.checks)))
    return [f"- {clip(line, _LINE_TOKENS)}" for line in lines]


def _steps(method: Method) -> list[str]:
    tools = {use.tool for use in method.tools}
    return [f"{goal.text} ({goal.tool})" if goal.tool in tools else goal.text for goal in method.sub_goals]


def _open_way(method: Method, goal: str, words: Wording) -> list[str]:
    notes = [note for note in method.notes if stands_in(note, goal)]
    noted = [words.method_note.format(names=", ".join(notes))] if notes else []
    return [*noted, *(words.method_look_up.format(how=how) for how in method.look_up)]


def _read(known: Sequence[KnownMethod]) -> list[Method]:
    return [method for one in known if (method := from_text(one["text"]))]
