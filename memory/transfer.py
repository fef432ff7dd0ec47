"""Moving a memory: everything of one owner as JSON lines, and cards in the public form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_secretary.memory.access import Caller
from memory_secretary.memory.card_format import card_from_json, card_to_json
from memory_secretary.memory.codec import checked_zone, safe_data, safe_text, to_json
from memory_secretary.memory.errors import InvalidRecord, StorageError
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.records import Event, Phase, Status
from memory_secretary.memory.scope import Scope


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import took in.

    Attributes:
        events: events that were new.
        cards: cards that were new.
        known: records that were there already and stayed as they were.
    """

    events: int
    cards: int
    known: int


def export(ledger: Ledger, caller: Caller, path: Path) -> int:
    """Write every event and card that the caller may see; returns the number of lines.

    A line is ``{"record": "event" | "card", …}``; events come first, in the order of their writing.

    Raises:
        StorageError: there is such a file already.
        OSError: the file cannot be written.
    """
    if path.exists():
        msg = f"{path} exists already: name another file, an export never overwrites one"
        raise StorageError(msg, zh=f"{path} 已经存在：请换一个文件名，导出从不覆盖已有的文件")
    count = 0
    with path.open("x", encoding="utf-8") as file:
        for line in _lines(ledger, caller):
            file.write(to_json(line) + "\n")
            count += 1
    return count


def import_(ledger: Ledger, caller: Caller, path: Path, zone: str) -> Imported:
    """Take in a file of :func:`export`, or cards in the public form: lines, one object, or a list."""
    checked_zone(zone)
    events = cards = known = 0
    for number, data in _records(path):
        try:
            is_event = data.get("record") == "event"
            if is_event:
                new = ledger.events.put_in(caller, _event(data, caller.scope))
            else:
                new = ledger.cards.put_in(caller, card_from_json(data, caller.scope, zone))
        except InvalidRecord as error:
            msg = f"{path.name}, record {number}: {error.sentence('en')}"
            raise InvalidRecord(msg, zh=f"{path.name} 第 {number} 条记录：{error.sentence('zh')}") from error
        events, cards, known = events + (new and is_event), cards + (new and not is_event), known + (not new)
    return Imported(events, cards, known)


def _lines(ledger: Ledger, caller: Caller) -> Iterator[dict[str, Any]]:
    for event in ledger.events.everything(caller):
        yield {"record": "event", **_event_to_json(event)}
    for card in reversed(ledger.cards.listed(caller, statuses=tuple(Status))):
        yield {"record": "card", **card_to_json(card)}


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    text = path.read_text(encoding="utf-8")
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = [_parsed(line, number, path) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    for number, data in enumerate(whole if isinstance(whole, list) else [whole], start=1):
        if not isinstance(data, dict):
            msg = f"{path.name}, record {number}: a record is a JSON object, not {type(data).__name__}"
            zh = f"{path.name} 第 {number} 条记录：记录必须是 JSON 对象，不能是 {type(data).__name__}"
            raise InvalidRecord(msg, zh=zh)
        yield number, data


def _parsed(line: str, number: int, path: Path) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        msg = (
            f"{path.name}, line {number} is not JSON ({error.msg}): import takes JSON lines, a card, or a list of cards"
        )
        zh = f"{path.name} 第 {number} 行不是 JSON（{error.msg}）：可导入 JSON 行、一张卡片或卡片列表"
        raise InvalidRecord(msg, zh=zh) from error


def _event_to_json(event: Event) -> dict[str, Any]:
    return {
        "event_id": event.event_id, "user": event.scope.user, "agent": event.scope.agent, "thread": event.scope.thread,
        "parent": event.parent, "step": event.step, "actor": event.actor, "action": event.action,
        "phase": event.phase, "thought": event.thought, "arguments": event.arguments,
        "observation": event.observation, "at": event.at.isoformat(), "zone": event.zone,
    }  # fmt: skip


def _event(data: Mapping[str, Any], scope: Scope) -> Event:
    try:
        user = scope.user if scope.team is None else data["user"]
        return Event(
            event_id=data["event_id"],
            scope=Scope(user=user, team=scope.team, agent=data["agent"], thread=data["thread"]),
            parent=data["parent"],
            step=int(data["step"]),
            actor=data["actor"],
            action=data["action"],
            phase=None if data["phase"] is None else Phase(data["phase"]),
            thought=safe_text(data["thought"], "thought"),
            arguments=None if data["arguments"] is None else safe_data(data["arguments"], "arguments"),
            observation=safe_text(data["observation"], "observation"),
            at=datetime.fromisoformat(data["at"]).astimezone(UTC),
            zone=checked_zone(data["zone"]),
            seq=0,
        )
    except KeyError as error:
        msg = f"an event needs {error}: export() writes it"
        raise InvalidRecord(msg, zh=f"事件缺少 {error}：export() 会写入它") from error
