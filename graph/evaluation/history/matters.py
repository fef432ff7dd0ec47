"""What a simulated user may say: matters with their values, traps that must never be remembered, and talk around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_secretary.memory.records import MemoryType
from memory_secretary.nodes.spoken_of import USER

Lang = Literal["en", "zh"]
TrapKind = Literal["quoted", "hypothetical", "poison"]


@dataclass(frozen=True, kw_only=True)
class Matter:
    """One thing that has one value at a time.

    Attributes:
        name: what it is, unique within its words.
        values: those that it takes, one after the other.
        tell: sentences that say a value (``{value}``), of a policy until when (``{until}``).
        ask: questions about it; the last one is only asked by who measures, never in the history.
        change: sentences that say that the value is another one now, or of a slip that the one before
            (``{former}``) was wrong.
        subject: ``user``, or the name of another person.
        type: the card that it should become.
        lasts: days for which it holds, of a policy that says its end.
        negated: the sentence says that it is not so.
        slip: the first value is a slip that is corrected in the next turn.
        wish: the user asks to remember it.
    """

    name: str
    values: tuple[str, ...]
    tell: tuple[str, ...]
    ask: tuple[str, ...]
    change: tuple[str, ...] = ()
    subject: str = USER
    type: MemoryType = MemoryType.FACT
    lasts: int | None = None
    negated: bool = False
    slip: bool = False
    wish: bool = False


@dataclass(frozen=True, kw_only=True)
class Trap:
    """What looks like a fact about the user and is none.

    Attributes:
        kind: quoted from somebody else, only supposed, or planted in a tool's text.
        text: the user's turn.
        value: what must stand in no card.
        tool: what the tool brought, where the value stands in that.
    """

    kind: TrapKind
    text: str
    value: str
    tool: str = ""


@dataclass(frozen=True, kw_only=True)
class Words:
    """Everything that one simulated user says in one language.

    Attributes:
        zone: where the user lives, as an IANA name.
        matters: what is told.
        traps: what must not be remembered.
        small_talk: greetings and passing remarks.
        orders: what is to be done now.
        answers: what the assistant says; no value stands in them.
    """

    zone: str
    matters: tuple[Matter, ...]
    traps: tuple[Trap, ...]
    small_talk: tuple[str, ...]
    orders: tuple[str, ...]
    answers: tuple[str, ...]


def matter(
    name: str,
    values: str,
    tell: str,
    ask: str,
    change: str = "",
    *,
    subject: str = USER,
    type: MemoryType = MemoryType.FACT,
    lasts: int | None = None,
    negated: bool = False,
    slip: bool = False,
    wish: bool = False,
) -> Matter:
    """A matter whose values and sentences stand in one text each, separated by ``|``."""
    return Matter(
        name=name, values=_parts(values), tell=_parts(tell), ask=_parts(ask), change=_parts(change), subject=subject,
        type=type, lasts=lasts, negated=negated, slip=slip, wish=wish,
    )  # fmt: skip


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|") if part.strip())
