"""Texts of an earlier step as they may still be shown: without what the user has forgotten since."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_secretary.memory.records import Event, short_ref
from memory_secretary.memory.sessions import new_turns

if TYPE_CHECKING:
    from memory_secretary.memory.views import UserView

_TELLING = 12
"""Bytes; shorter words also stand in lines that say something else."""
_BEGINNING = 24
"""Characters by which a text is known again whose middle was left out."""


@dataclass(frozen=True, slots=True)
class Gone:
    """What was forgotten of all that a step was made of.

    Attributes:
        refs: ids of cards and events.
        texts: their words, as far as a step shows them without an id.
    """

    refs: frozenset[str]
    texts: tuple[str, ...] = ()


def gone_since(view: UserView, state: Mapping[str, Any]) -> Gone:
    """What was forgotten since a step of the view's thread.

    Args:
        view: the user's, of that thread.
        state: what passed between the nodes at that step.
    """
    turns = new_turns(view.events(), ())
    texts = dict(_texts(turns, state.get("task_state")))
    refs = view.forgotten([*texts, *(memory["ref"] for memory in state.get("recalled") or [])])
    return Gone(frozenset(refs), tuple(text for ref, words in texts.items() if ref in refs for text in words))


def _texts(turns: Sequence[Event], task: Mapping[str, Any] | None) -> Iterator[tuple[str, list[str]]]:
    """Which words came from which record; those that the task took over stand in it even where a vacuum erased them."""
    own = {event.event_id: [event.observation] for event in turns}
    for note in task["told"] if task else ():
        own.setdefault(note["ref"], []).append(note["text"])
    if task:
        own.setdefault(task["goal_ref"], []).append(task["goal"])
    yield from own.items()


def without_forgotten(text: str, gone: Gone, mark: str) -> str:
    """The text with ``mark`` in place of the lines that say what was forgotten."""
    if not gone.refs:
        return text
    ids = {short_ref(ref) for ref in gone.refs}
    pieces = list(_pieces(gone.texts))
    shown: list[str] = []
    for line in text.split("\n"):
        hidden = any(ref in line for ref in ids) or _says(line, pieces)
        if not hidden:
            shown.append(line)
        elif shown[-1:] != [mark]:
            shown.append(mark)
    return "\n".join(shown)


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    """Every line and every sentence of the texts, also as they are quoted in JSON."""
    from memory_secretary.nodes.sayings import statements  # loads the graph's libraries

    for text in texts:
        for piece in (text, *text.split("\n"), *statements(text)):
            if piece.strip():
                yield piece.strip()
                yield json.dumps(piece.strip(), ensure_ascii=False)[1:-1]


def _says(line: str, pieces: Collection[str]) -> bool:
    """Whether a line says what one of the pieces says, or a part of it, or the piece without its middle."""
    own = line.removeprefix("- ").strip()
    if own in pieces:
        return True
    telling = [piece for piece in pieces if len(piece.encode()) >= _TELLING]
    if any(piece in own for piece in telling):
        return True
    is_long = len(own.encode()) >= _TELLING and not own.startswith("## ")
    return is_long and any(own in piece or piece.startswith(own[:_BEGINNING]) for piece in telling)
