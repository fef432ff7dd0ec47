"""How the memory's records are printed: one line that says what a record is and its text below, or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from memory_secretary.graph.live import one_line, printable_lines
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.palette import NAME, QUIET
from memory_secretary.graph.words import figure, say
from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.memory.card_format import card_to_json
from memory_secretary.memory.injection import shown_label
from memory_secretary.memory.records import CardVersion, MemoryCard, Pending, Recalled

if TYPE_CHECKING:
    from memory_secretary.memory.scoring import RecallWeights
    from memory_secretary.memory.upkeep import CheckReport
    from memory_secretary.memory.why import Why
    from memory_secretary.nodes.state import RecalledMemory


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints to a console, as entries for a person or as one JSON document for a program."""

    console: Console
    as_json: bool

    def all(self, records: Sequence[Any], show: Callable[[Any, Console], None], *, none: str = "") -> None:
        """Every record; that there is none is said, with ``none`` where the command knows more."""
        if self.as_json:
            self._json([as_data(record) for record in records])
            return
        for record in records:
            show(record, self.console)
        if not records:
            self.console.print(none or say(spoken(), "nothing"), soft_wrap=True)

    def one(self, record: Any, show: Callable[[Any, Console], None]) -> None:
        """One record."""
        if self.as_json:
            self._json(as_data(record))
        else:
            show(record, self.console)

    def figures(self, rows: Mapping[str, Any]) -> None:
        """What an operation has come to, by name; for a person in the language spoken here."""
        self.one(dict(rows) if self.as_json else {figure(spoken(), name): rows[name] for name in rows}, fields_entry)

    def verdict(self, sentences: Iterable[str]) -> None:
        """What the figures mean, for a person."""
        for sentence in () if self.as_json else sentences:
            self.console.print(sentence, soft_wrap=True)

    def busy(self, doing: str) -> AbstractContextManager[object]:
        """A moving line for work that takes a while; on a terminal only."""
        return busy(self.console, doing, shown=not self.as_json)

    def _json(self, data: Any) -> None:
        self.console.out(json.dumps(data, ensure_ascii=False, indent=1, default=_plain), highlight=False)


def as_data(record: Any) -> Any:
    """A record as JSON data; a card in the same form as in an export."""
    if isinstance(record, MemoryCard):
        return card_to_json(record)
    if isinstance(record, CardVersion):
        return {"card": card_to_json(record.card)} | {
            "role": record.role,
            "reason": record.reason,
            "written_at": record.written_at,
        }
    return asdict(record) if is_dataclass(record) and not isinstance(record, type) else record


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def entry(head: Iterable[str], body: str, console: Console) -> None:
    """What a record is on one line, what it says indented below it."""
    console.print(Text(" · ".join(part for part in head if part), NAME), soft_wrap=True)
    if body:
        console.print(Padding(Text(one_line(body)), (0, 0, 0, 4), expand=False))


def card_entry(card: MemoryCard, console: Console) -> None:
    """A card: id, type, tier, status, version and day; then its content."""
    head = (card.memory_id, card.type, card.tier, card.status, f"v{card.version}", f"{card.at:%Y-%m-%d}")
    entry(head, card.content, console)


def version_entry(version: CardVersion, console: Console) -> None:
    """One version of a card: number, moment, who wrote it and why; then its content."""
    card = version.card
    head = (f"v{card.version}", f"{version.written_at:%Y-%m-%d %H:%M}", version.role, version.reason, card.status)
    entry(head, card.content, console)


def hit_entry(hit: Recalled, console: Console) -> None:
    """A hit: score and what it is made of; then its text."""
    head = (f"{hit.score:.2f}", hit.ref, shown_label(hit.label), hit.status, f"{hit.at:%Y-%m-%d}", _parts(hit.parts))
    entry(head, hit.text, console)


def recalled_entry(memory: RecalledMemory, console: Console) -> None:
    """What a step's recall brought: score and what it is made of; then the line as the brief shows it."""
    head = (f"{memory['score']:.2f}", memory["ref"], shown_label(memory["label"]), _parts(memory["parts"]))
    entry(head, memory["line"], console)


def print_score_key(weights: RecallWeights, console: Console) -> None:
    """How the parts of a hit make up its score."""
    numbers = {name: getattr(weights, name) for name in ("similarity", "recency", "type", "related", "floor")}
    console.print(Text(say(spoken(), "score", **numbers), QUIET))


def why_entry(why: Why, console: Console) -> None:
    """The rule that decided and what the score is made of; then the sentence."""
    entry((why.rule, _parts(why.parts or {})), why.text, console)


def pending_entry(waiting: Pending, console: Console) -> None:
    """Turns that wait to become cards: reason, state, tries; then the words, or why it failed."""
    tries = said(f"tried {waiting.attempts}", f"已尝试 {waiting.attempts} 次")
    head = (str(waiting.entry_id), waiting.reason, waiting.state, tries, f"{waiting.at:%Y-%m-%d %H:%M}")
    entry(head, waiting.note or waiting.text or ", ".join(waiting.event_ids), console)


def text_entry(text: str, console: Console) -> None:
    """A text with its lines, but without what could steer a terminal."""
    console.print(Text(printable_lines(text)), soft_wrap=True)


def fields_entry(record: Any, console: Console) -> None:
    """Every field that holds something, one a line."""
    data: Mapping[str, Any] = as_data(record)
    for name, value in data.items():
        if value not in (None, "", [], ()):
            console.print(Text(f"{name}: ", NAME).append(one_line(str(value)), "default"), soft_wrap=True)


def check_sentences(report: CheckReport) -> list[str]:
    """The verdict of a check, then what waits and who takes it in."""
    lang, repaired = spoken(), report.repaired + report.orphans
    found = "check_damaged" if report.damage else "check_repaired" if repaired else "check_sound"
    counts = {"check_waiting": report.waiting, "check_without_vector": report.without_vector}
    unchecked = [say(lang, "check_unchecked", why=report.unchecked)] if report.unchecked else []
    return [say(lang, found, n=repaired), *unchecked, *(say(lang, name, n=n) for name, n in counts.items() if n)]


def _parts(parts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
