"""How the memory's records are printed: one line that says what a record is and its text below, or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from memory_secretary.graph.cli_hits import parts_text
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import one_line, printable_lines, readable
from memory_secretary.graph.moments import day, minute
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.palette import NAME
from memory_secretary.graph.words import colon, figure, say, term
from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.memory.card_format import card_to_json
from memory_secretary.memory.codec import zone_of
from memory_secretary.memory.records import (
    REMEMBER,
    CardVersion,
    Event,
    MemoryCard,
    Pending,
    short_ref,
)

if TYPE_CHECKING:
    from memory_secretary.memory.benefits import Use
    from memory_secretary.memory.upkeep import CheckReport
    from memory_secretary.memory.why import Why


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
            print_broken(self.console, none or say(spoken(), "nothing"))

    def one(self, record: Any, show: Callable[[Any, Console], None], **beside: Any) -> None:
        """One record; for a program with what is known beside it."""
        if self.as_json:
            self._json(as_data(record) | beside if beside else as_data(record))
        else:
            show(record, self.console)

    def figures(self, rows: Mapping[str, Any]) -> None:
        """What an operation has come to, by name; for a person in the language spoken here."""
        self.one(dict(rows) if self.as_json else {figure(spoken(), name): rows[name] for name in rows}, rows_entry)

    def outcome(self, data: Mapping[str, Any], sentence: str) -> None:
        """What an operation has come to: its data for a program, a sentence for a person."""
        if self.as_json:
            self._json(dict(data))
        else:
            self.verdict([sentence])

    def verdict(self, sentences: Iterable[str]) -> None:
        """What the figures mean, for a person."""
        for sentence in () if self.as_json else sentences:
            print_broken(self.console, sentence)

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
    print_broken(console, " · ".join(part for part in head if part), NAME)
    if body:
        console.print(Padding(Text(readable(body)), (0, 0, 0, 4), expand=False))


def card_entry(card: MemoryCard, console: Console) -> None:
    """A card: id, type, tier, status, version and day; then its content."""
    kinds = (_term("type", card.type), _term("tier", card.tier), _term("status", card.status))
    entry(
        (card.memory_id, *kinds, f"v{card.version}", day(card.at, _zone(card))),
        card.content,
        console,
    )


def version_entry(version: CardVersion, console: Console) -> None:
    """One version of a card: number, moment, who wrote it and why; then its content."""
    card = version.card
    written = (
        minute(version.written_at, _zone(card)),
        _term("who", version.role),
        _reason(version.reason),
    )
    entry((f"v{card.version}", *written, _term("status", card.status)), card.content, console)


def why_entry(why: Why, console: Console) -> None:
    """The rule that decided and what the score is made of; then the sentence."""
    entry((_term("rule", why.rule), parts_text(why.parts or {})), why.text, console)


def pending_entry(waiting: Pending, console: Console, turns: Sequence[Event]) -> None:
    """Turns that wait to become cards: reason, state, tries; why it failed; then the beginning of their words."""
    state = (_term("queue", waiting.reason), _term("queue", waiting.state))
    tries = say(spoken(), "tried", n=waiting.attempts) if waiting.attempts else ""
    head = (str(waiting.entry_id), *state, tries, minute(waiting.at))
    entry(head, waiting.note, console)
    for turn in turns:
        words = one_line(turn.observation)
        clipped = words if len(words) <= _CLIPPED else f"{words[:_CLIPPED]}…"
        console.print(Padding(Text(f"{short_ref(turn.event_id)} {clipped}"), (0, 0, 0, 4), expand=False))


def own_wishes(pending: Iterable[Pending], user: str | None) -> list[Pending]:
    """What this person asked to remember and nobody has made into a card yet, newest first."""
    return [one for one in pending if one.reason == REMEMBER and one.scope.user == user and one.event_ids][::-1]


def wish_entry(wish: Pending, console: Console) -> None:
    """A wish that waits to become a card: the id of its turn, what it is, day; then the words."""
    entry((wish.event_ids[0], say(spoken(), "wish"), minute(wish.at)), wish.text, console)


def told_entry(turn: Event, console: Console) -> None:
    """What was told in passing: the id of its turn and its moment; then the words."""
    entry((turn.event_id, minute(turn.at, ZoneInfo(turn.zone))), turn.observation, console)


def turn_entry(event: Event, console: Console) -> None:
    """What was said: id, who said it in which way, day; then the words."""
    who = f"{_term('who', event.actor)} {_term('action', event.action)}"
    entry((event.event_id, who, day(event.at, ZoneInfo(event.zone))), event.observation, console)


def text_entry(text: str, console: Console) -> None:
    """A text with its lines, but without what could steer a terminal."""
    print_broken(console, printable_lines(text))


def card_fields(card: MemoryCard, console: Console, use: Use | None = None) -> None:
    """Every field of a card that holds something, one a line; then what it was good for. A method keeps its lines."""
    data, zone = card_to_json(card), _zone(card)
    times = {"timestamp": card.at, "valid_from": card.valid_from, "valid_until": card.valid_until}
    words = {name: _term(group, data[name]) for name, group in _CODES.items() if isinstance(data[name], str)}
    place = [f"{_term('who', name)} {value}" for name, value in data["scope"].items() if value]
    proofs = [f"{proof.event_id} “{proof.quote}”" for proof in card.evidence]
    shown = {name: minute(at, zone) for name, at in times.items() if at}
    fields = {**data, **words, **shown, "scope": place, "evidence": proofs}
    del fields["at"]  # the moment of its timestamp
    last = minute(use.last, zone) if use else ""
    fields["uses"] = say(spoken(), "uses", **asdict(use) | {"last": last}) if use else say(spoken(), "no_uses")
    parted = card.is_learned_method and "\n" in str(fields["content"])
    text = fields.pop("content") if parted else ""
    rows_entry({_term("field", name): value for name, value in fields.items()}, console)
    if text:
        rows_entry({_term("field", "content"): " "}, console)
        text_entry(str(text), console)


def rows_entry(rows: Mapping[str, Any], console: Console) -> None:
    """What holds something, one name and value a line; of a list its items."""
    between = colon(spoken())
    for name, value in rows.items():
        shown = said(", ", "、").join(map(str, value)) if isinstance(value, list | tuple) else value
        if shown not in (None, ""):
            print_broken(console, Text().append(f"{name}{between}", NAME).append(one_line(str(shown))))


def check_sentences(report: CheckReport) -> list[str]:
    """The verdict of a check, then what waits and who takes it in."""
    lang, repaired = spoken(), report.repaired + report.orphans
    sound = "check_ledger_sound" if report.unchecked else "check_sound"
    found = "check_damaged" if report.damage else "check_repaired" if repaired else sound
    waiting = "check_behind" if report.unchecked else "check_waiting"
    counts = {waiting: report.waiting, "check_without_vector": report.without_vector}
    unchecked = [say(lang, "check_unchecked", why=report.unchecked)] if report.unchecked else []
    return [say(lang, found, n=repaired), *unchecked, *(say(lang, name, n=n) for name, n in counts.items() if n)]


def _zone(card: MemoryCard) -> tzinfo:
    return zone_of(card.timestamp, card.at)


def _reason(reason: str) -> str:
    """Why a version was written: in our words where a rule did so, else in those of who did."""
    before, _, ref = reason.rpartition(" ")
    return f"{_term('reason', before)} {ref}" if ref.startswith("mem_") else _term("reason", reason)


def _term(group: str, code: str) -> str:
    return term(spoken(), group, code)


_CLIPPED = 80
"""Characters of a turn that are shown where it only waits."""
_CODES = {
    "type": "type", "tier": "tier", "status": "status", "kind": "kind", "access_level": "access", "source_agent": "who",
}  # fmt: skip
"""The fields of a card whose values are codes, and of which kind."""
