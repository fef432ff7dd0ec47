"""How a hit of a recall is printed: what it says, why it came in words, and then the numbers behind that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import hang, readable
from memory_secretary.graph.moments import day
from memory_secretary.graph.palette import NAME, QUIET
from memory_secretary.graph.words import colon, say, term
from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.memory.excerpts import telling_part
from memory_secretary.memory.records import TO_BE_REMEMBERED, Recalled, Status
from memory_secretary.memory.terms import label_named

if TYPE_CHECKING:
    from memory_secretary.memory.scoring import RecallWeights
    from memory_secretary.nodes.state import RecalledMemory

_EXCERPT = 200
"""Characters of a hit's text on a screen; five hits are seen at a glance."""
_NEAR = 0.5
"""Closeness in meaning, 0..1 of the closest, from which it is named beside shared words."""
_BETWEEN = " \n.,;:!?)，。；：！？、）”"
"""What no text begins with."""
_WORD_S_REST, _WORD_S_BEGINNING = re.compile(r"\A\w{1,20}\b", re.ASCII), re.compile(r"\b\w{1,20}\Z", re.ASCII)
_LINE = re.compile(r"- \[(?P<day>[^\]]*)\] \([^)]*\) (?P<quoted>\".*\")(?P<days>[^\"]*)", re.DOTALL)
"""A line of the brief, as :func:`~memory_secretary.memory.injection.memory_line` makes it."""
_INDENT = " " * 4


def hit_entry(hit: Recalled, console: Console, query: str) -> None:
    """A hit: what it says about the query; why it came, whose it is and when; its id and score, with the parts."""
    status = "" if hit.status == Status.ACTIVE else term(spoken(), "status", hit.status)
    about = [label_named(hit.label), status, day(hit.at, hit.at.tzinfo or UTC)]
    _print(_about(hit.text, query), hit.label, hit.ref, hit.score, hit.parts, about, console)


def recalled_entry(memory: RecalledMemory, console: Console) -> None:
    """What a step's recall brought: as :func:`hit_entry`, with the words that the brief had room for."""
    line = _LINE.fullmatch(memory["line"])
    text = f"{json.loads(line['quoted'])}{line['days']}" if line else memory["line"]
    about = [label_named(memory["label"]), line["day"] if line else ""]
    _print(text, memory["label"], memory["ref"], memory["score"], memory["parts"], about, console)


def forgotten_entry(memory: RecalledMemory, console: Console) -> None:
    """The same of what was forgotten since: that it was, and its id, by which it can be restored."""
    print_broken(console, say(spoken(), "chat_forgotten"), NAME)
    hang(console, _INDENT, Text(memory["ref"], QUIET))


def print_score_key(weights: RecallWeights, console: Console, *, short: bool = False) -> None:
    """How the parts of a hit make up its score; ``short`` leaves out what its first part is made of."""
    numbers = {name: getattr(weights, name) for name in ("similarity", "recency", "type", "related", "floor")}
    print_broken(console, say(spoken(), "score", **numbers), QUIET)
    if not short:
        print_broken(console, say(spoken(), "score_made", **numbers), QUIET)


def reasons(label: str, parts: Mapping[str, float]) -> Iterator[str]:
    """Why a memory came, by the keys of the words for it."""
    if label == TO_BE_REMEMBERED:
        yield "came_wished"
    elif not parts:
        yield "came_kept"
    elif "lexical" not in parts:
        yield "came_newest"
    else:
        yield from _alike(parts)


def _alike(parts: Mapping[str, float]) -> Iterator[str]:
    words = parts["lexical"] > 0
    near = parts.get("dense", 0.0) > (_NEAR if words else 0)
    if words:
        yield "came_words"
    if near:
        yield "came_meaning"
    if parts.get("situation", 0.0) > 0:
        yield "came_situation"
    if not words and not near and parts.get("neighbours", 0.0) > 0:
        yield "came_neighbours"


def _print(
    text: str,
    label: str,
    ref: str,
    score: float,
    parts: Mapping[str, float],
    about: list[str],
    console: Console,
) -> None:
    """The text cut to one line; why it came and what it is; the numbers."""
    first = Text(readable(text), NAME)
    first.truncate(console.width, overflow="ellipsis")
    console.print(first, soft_wrap=True)
    why = said(", ", "、").join(say(spoken(), key) for key in reasons(label, parts))
    hang(console, _INDENT, Text(" · ".join(filter(None, [why, *about]))))
    told = [part_text(name, value) for name, value in parts.items() if _tells(name, value)]
    scored = f"{say(spoken(), 'scored')} {score:.2f}" + (colon(spoken()).rstrip() if told else "")
    between = said(",", "，")
    pieces = [f"{ref} ·", scored, *(f"{part}{between}" for part in told[:-1]), *told[-1:]]
    hang(console, _INDENT, Text("\n".join(_filled(pieces, console.width - len(_INDENT))), QUIET))


def _filled(pieces: Iterable[str], width: int) -> list[str]:
    """The pieces in lines of this width, none of them torn."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and cell_len(lines[-1]) + 1 + cell_len(piece) > width:
            lines.append("")
        lines[-1] += f" {piece}" if lines[-1] else piece
    return lines


def _tells(name: str, value: float) -> bool:
    """Whether a part has changed the score."""
    return value != (1.0 if name == "standing" else 0.0)


def parts_text(parts: Mapping[str, float]) -> str:
    """What a score is made of, each part by its name."""
    return said(", ", "，").join(part_text(name, value) for name, value in parts.items())


def part_text(name: str, value: float) -> str:
    """One part of a score by its name."""
    return f"{term(spoken(), 'part', name)} {value:.2f}"


def _about(text: str, query: str) -> str:
    """The text where it speaks of the query; ``show`` has all of it."""
    start, end = telling_part(text, query, lambda start, end: end - start <= _EXCERPT)
    end = min(end, start + _EXCERPT)
    part = text[start:end]
    if start and (text[start - 1] + part[:1]).isalnum():
        part = _WORD_S_REST.sub("", part)
    if end < len(text) and (part[-1:] + text[end]).isalnum():
        part = _WORD_S_BEGINNING.sub("", part)
    begin = f"… {part.lstrip(_BETWEEN)}" if start else part
    return f"{begin.rstrip()} …" if end < len(text) else begin
