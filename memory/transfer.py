"""Moving a memory: everything of one owner as JSON lines, and cards in the public form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from memory_secretary.memory.access import Caller
from memory_secretary.memory.card_format import card_from_json, card_to_json, exported_json
from memory_secretary.memory.codec import checked_zone, safe_arguments, safe_text, to_json
from memory_secretary.memory.errors import InvalidRecord, StorageError
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.records import CardVersion, Event, Phase, Status
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState

_OTHERS = ("version", "tombstone", "pending", "task")
_ALL = 1 << 31


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import took in.

    Attributes:
        events: events that were new.
        cards: cards that were new.
        known: events and cards that were there already and stayed as they were.
        others: earlier versions, tombstones, waiting turns and tasks that were new.
    """

    events: int
    cards: int
    known: int
    others: int = 0


def export(ledger: Ledger, caller: Caller, path: Path) -> int:
    """Write everything that the caller may see but what was forgotten; returns the number of lines.

    A line is ``{"record": …}`` with an ``event``, an earlier ``version`` of a card, a ``card``, a ``tombstone`` of
    something forgotten, ``pending`` turns or a thread's ``task``, in this order.

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
    found: Counter[str] = Counter()
    for number, data in _records(path):
        try:
            kind = str(data.get("record", "card"))
            new = _put_in(ledger, caller, kind, data, zone)
            found[kind if new else f"known {kind}"] += 1
        except InvalidRecord as error:
            msg = f"{path.name}, record {number}: {error.sentence('en')}"
            raise InvalidRecord(msg, zh=f"{path.name} 第 {number} 条记录：{error.sentence('zh')}") from error
    known = found["known event"] + found["known card"]
    return Imported(found["event"], found["card"], known, sum(found[kind] for kind in _OTHERS))


def _lines(ledger: Ledger, caller: Caller) -> Iterator[dict[str, Any]]:
    graves = ledger.cards.tombstones(caller)
    forgotten = {grave["memory_id"] for grave in graves}
    for event in ledger.events.everything(caller):
        if event.event_id not in forgotten:
            yield {"record": "event", **_event_to_json(event)}
    for card in reversed(ledger.cards.listed(caller, statuses=tuple(Status))):
        if card.memory_id in forgotten and card.status is Status.ARCHIVED:
            continue
        for earlier in ledger.cards.history(caller, card.memory_id)[:-1]:
            yield _version_line(earlier)
        yield {"record": "card", **exported_json(card)}
    yield from ({"record": "tombstone", **grave} for grave in graves)
    for entry in ledger.queue.pending(caller):
        named = {"event_ids": list(entry.event_ids), "reason": entry.reason, "text": entry.text}
        yield {"record": "pending", **_place(entry.scope), **named}
    for task in reversed(ledger.tasks.threads(caller, _ALL)):
        yield {"record": "task", **_place(task.scope), "head": task.head, "step": task.step, "state": dict(task.state)}


def _version_line(version: CardVersion) -> dict[str, Any]:
    written = {"role": version.role, "reason": version.reason, "written_at": version.written_at.isoformat()}
    return {"record": "version", **written, "card": card_to_json(version.card)}


def _place(scope: Scope) -> dict[str, str | None]:
    return {"user": scope.user, "agent": scope.agent, "thread": scope.thread}


def _put_in(ledger: Ledger, caller: Caller, kind: str, data: Mapping[str, Any], zone: str) -> bool:
    """Take in one record; whether it was new.

    Raises:
        InvalidRecord: a field is missing or unusable; the sentence names it.
    """
    try:
        if kind == "event":
            return ledger.events.put_in(caller, _event(data, caller.scope, personal=ledger.personal))
        if kind == "card":
            return ledger.cards.put_in(caller, card_from_json(data, caller.scope, zone))
        if kind == "version":
            card = card_from_json(data["card"], caller.scope, zone)
            at = datetime.fromisoformat(data["written_at"])
            version = CardVersion(card=card, role=Role(data["role"]), reason=data["reason"], written_at=at)
            return ledger.cards.put_in_version(caller, version)
        if kind == "tombstone":
            return ledger.cards.put_in_tombstone(caller, data)
        keeper = Caller(Role.SECRETARY, _scope(data, caller.scope))
        if kind == "pending":
            before = len(ledger.queue.pending(caller))
            ledger.queue.enqueue(keeper, data["event_ids"], data["reason"], data["text"])
            return len(ledger.queue.pending(caller)) > before
        if kind == "task":
            return _put_in_task(ledger, keeper, data)
    except KeyError as error:
        msg = f"a record of kind {kind!r} needs {error}: export() writes it"
        raise InvalidRecord(msg, zh=f"{kind!r} 类记录缺少 {error}：export() 会写入它") from error
    msg = f"a record is one of {', '.join(('event', 'card', *_OTHERS))}, not {kind!r}"
    raise InvalidRecord(msg, zh=f"记录只能是 event、card、{'、'.join(_OTHERS)} 之一，不能是 {kind!r}")


def _put_in_task(ledger: Ledger, keeper: Caller, data: Mapping[str, Any]) -> bool:
    if ledger.tasks.load(keeper) is not None:
        return False
    ledger.tasks.save(keeper, cast(TaskState, data["state"]), head=data["head"], step=int(data["step"]))
    return True


def _scope(data: Mapping[str, Any], scope: Scope) -> Scope:
    """The border of the import with the record's place inside it."""
    user = scope.user if scope.team is None else data["user"]
    return Scope(user=user, team=scope.team, agent=data["agent"], thread=data["thread"])


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    text = path.read_text(encoding="utf-8")
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = [_parsed(line, number, path) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
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


def _event(data: Mapping[str, Any], scope: Scope, *, personal: bool) -> Event:
    return Event(
        event_id=data["event_id"],
        scope=_scope(data, scope),
        parent=data["parent"],
        step=int(data["step"]),
        actor=data["actor"],
        action=data["action"],
        phase=None if data["phase"] is None else Phase(data["phase"]),
        thought=safe_text(data["thought"], "thought", personal=personal),
        arguments=safe_arguments(data["arguments"], personal=personal),
        observation=safe_text(data["observation"], "observation", personal=personal),
        at=datetime.fromisoformat(data["at"]).astimezone(UTC),
        zone=checked_zone(data["zone"]),
        seq=0,
    )
