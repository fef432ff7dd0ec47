"""What of the things that could stand in a brief does not, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypedDict

from memory_secretary.memory.tokens import clip
from memory_secretary.nodes.brief import Brief, Section
from memory_secretary.nodes.state import RecalledMemory

Why = Literal["no_room", "folded", "not_needed", "held", "switched_off"]
"""The budget was full; older done items are counted only; the coming step does better without; the task holds it
anyway; the brief is switched off."""

_QUOTED, _TOKENS = 3, 40
"""Lines that are quoted of what was left out together, and tokens of each: the rest is counted."""


class LeftOut(TypedDict):
    """Lines of one section that are not in the brief for one reason: how many, and the first of them."""

    section: str
    why: Why
    lines: int
    first: list[str]


def shortened(sections: Sequence[Section], brief: Brief) -> Iterator[LeftOut]:
    """What the budget, and the folding of done items, took out of the sections that were to be fitted in."""
    for section in sections:
        count = brief.left_out.get(section.name, 0)
        start = 0 if section.drop == "first" else len(section.lines) - count
        gone = section.lines[start : start + count]
        folded = min(section.folded, count)
        yield from _entry(section.name, "folded", gone[:folded])
        yield from _entry(section.name, "no_room", gone[folded:])


def unneeded(whole: Mapping[str, Sequence[str]], chosen: Mapping[str, Sequence[str]], why: Why) -> Iterator[LeftOut]:
    """What stood in the sections of ``whole`` and was not chosen to be fitted in."""
    for name, lines in whole.items():
        kept = set(chosen.get(name, ()))
        yield from _entry(name, why, [line for line in lines if line not in kept])


def passed_over(memories: Sequence[RecalledMemory], kept: Sequence[RecalledMemory], why: Why) -> Iterator[LeftOut]:
    """The recalled memories that were not kept."""
    refs = {memory["ref"] for memory in kept}
    yield from _entry("recalled", why, [memory["line"] for memory in memories if memory["ref"] not in refs])


def _entry(section: str, why: Why, lines: Sequence[str]) -> Iterator[LeftOut]:
    if lines:
        yield LeftOut(
            section=section, why=why, lines=len(lines), first=[clip(line, _TOKENS) for line in lines[:_QUOTED]]
        )
