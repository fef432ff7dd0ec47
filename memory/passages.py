"""What of a record is searched: passages that carry their speaker and date, made the same way for both indexes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory_secretary.memory.chunks import chunks
from memory_secretary.memory.codec import in_zone
from memory_secretary.memory.documents import NOTES
from memory_secretary.memory.records import Action, Event, MemoryCard, Phase

PASSAGE_CHARS = 800
PASSAGE_OVERLAP = 100
_HEAD_CHARS = 120
_LEAST_CHARS = 160
_OWN_ACTIONS = frozenset(Action)
_HAN = re.compile("[\u4e00-\u9fff]")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """A searchable piece of a record.

    Attributes:
        ref: the record's id.
        kind: ``event`` or ``card``.
        start: offset in the event's observation (or the card's content), in characters.
        length: in characters; 0 when only the heading is searched.
        text: what is indexed: the heading with speaker and date, and the piece.
    """

    ref: str
    kind: str
    start: int
    length: int
    text: str


def is_searched(action: str, phase: Phase | None) -> bool:
    """Whether recall may find an event: a brief would feed recall with its own output, an intent has a result."""
    return action != Action.BRIEF and action not in NOTES and phase is not Phase.INTENT


def event_passages(event: Event, max_chars: int = PASSAGE_CHARS, overlap: int = PASSAGE_OVERLAP) -> list[Passage]:
    """The passages of an event, each at most ``max_chars`` long with its heading; none for what is not searched."""
    if not is_searched(event.action, event.phase):
        return []
    head = _event_head(event)
    room = max(_LEAST_CHARS, max_chars - len(head) - 1)
    pieces = chunks(event.observation, room, min(overlap, room // 4)) if event.observation.strip() else []
    if not pieces:
        said = event.thought[:room]
        return [Passage(event.event_id, "event", 0, 0, f"{head} {said}")] if said or event.arguments else []
    return [Passage(event.event_id, "event", piece.start, len(piece.text), f"{head} {piece.text}") for piece in pieces]


def card_passages(card: MemoryCard, max_chars: int = PASSAGE_CHARS, overlap: int = PASSAGE_OVERLAP) -> list[Passage]:
    """The passages of a card: its content with what it is about and the situations it is for."""
    about = [card.about or "", card.subject, card.attribute, card.value, *card.applies_to]
    head = " ".join([*(part for part in about if part), date_words(card.at, "UTC", card.content)])
    room = max(_LEAST_CHARS, max_chars - len(head) - 1)
    return [
        Passage(card.memory_id, "card", piece.start, len(piece.text), f"{piece.text} {head}")
        for piece in chunks(card.content, room, min(overlap, room // 4))
    ]


def date_words(at: datetime, zone: str, text: str) -> str:
    """A moment's day in its speaker's zone as those write it who wrote ``text``: ``1 March 2026``, ``2026年3月1日``."""
    day = in_zone(at, ZoneInfo(zone))
    if _HAN.search(text):
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _event_head(event: Event) -> str:
    """The day and, of a tool's call, what was called: to an embedder each further word hides what was said."""
    called = "" if event.action in _OWN_ACTIONS else event.action
    arguments = json.dumps(event.arguments, ensure_ascii=False, default=str)[:_HEAD_CHARS] if event.arguments else ""
    said = (event.observation or event.thought)[:PASSAGE_CHARS]
    return " ".join(part for part in (date_words(event.at, event.zone, said), called, arguments) if part)
