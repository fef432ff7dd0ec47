"""The form of a recall data set, as benchmarks/recall.py describes it, and its reader."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What ``user``, ``assistant``, a ``tool`` or a person by name said; ``zone`` is the IANA name of the speaker's."""

    id: str
    thread: str
    at: datetime
    speaker: str
    text: str
    zone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class Card:
    """A fact as a card; ``evidence`` holds ids of turns, ``supersedes`` ids of cards before it."""

    id: str
    at: datetime
    text: str
    subject: str
    attribute: str
    value: str
    evidence: tuple[str, ...]
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with the turns that answer it, and those that held an earlier value; no evidence, no answer."""

    category: str
    text: str
    evidence: tuple[str, ...]
    superseded: tuple[str, ...] = ()
    answer: str = ""


@dataclass
class Conversation:
    """One memory's worth of turns, and what is asked at its end."""

    name: str
    turns: list[Turn] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def end(self) -> datetime:
        """When the questions are asked: at the last turn."""
        return max(turn.at for turn in self.turns)


def load(path: Path) -> list[Conversation]:
    """Read a data set."""
    return parse(path.read_text("utf-8").splitlines())


def parse(lines: Iterable[str]) -> list[Conversation]:
    """The conversations of a data set's lines, in the order of their first line.

    Raises:
        ValueError: a line is of no known kind.
    """
    found: dict[str, Conversation] = {}
    for line in lines:
        record = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(line).items()}
        kind, name = record.pop("kind"), record.pop("conversation")
        if "at" in record:
            record["at"] = datetime.fromisoformat(record["at"])
        conversation = found.setdefault(name, Conversation(name))
        if kind == "turn":
            conversation.turns.append(Turn(**record))
        elif kind == "card":
            conversation.cards.append(Card(**record))
        elif kind == "question":
            conversation.questions.append(Question(**record))
        else:
            msg = f"kind is turn, card or question, not {kind!r}"
            raise ValueError(msg)
    return list(found.values())
