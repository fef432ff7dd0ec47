"""Moving a memory: everything of one owner as JSON lines, and cards in the public form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller
from memory_secretary.memory.card_format import card_from_json, card_to_json, exported_json
from memory_secretary.memory.clock import random_id
from memory_secretary.memory.codec import checked_zone, member, safe_arguments, safe_moment, safe_text, to_json
from memory_secretary.memory.errors import (
    AccessDenied,
    InvalidRecord,
    MemorySecretaryError,
    NotFound,
    ScopeError,
    StorageError,
)
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.records import CardVersion, Event, Phase, Status
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.storage_errors import file_error
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
        StorageError: there is such a file already, or it cannot be written; then nothing is left of it.
    """
    if path.exists():
        msg = f"{path} exists already: name another file, an export never overwrites one"
        raise StorageError(msg, zh=f"{path} 已经存在：请换一个文件名，导出从不覆盖已有的文件")
    count, half = 0, path.with_name(f".{random_id()}.part")
    try:
        with half.open("x", encoding="utf-8") as file:
            for line in _lines(ledger, caller):
                file.write(to_json(line) + "\n")
                count += 1
        half.rename(path)
    except OSError as error:
        raise error if isinstance(error, MemorySecretaryError) else file_error(path, error) from error
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)
    return count


def import_(ledger: Ledger, caller: Caller, path: Path, zone: str) -> Imported:
    """Take in a file of :func:`export`, or cards in the public form: lines, one object, or a list.

    All of it is taken in or nothing, in one transaction; other writers wait meanwhile.

    Raises:
        InvalidRecord: the file is not JSON in UTF-8, or a record is unusable; the sentence names line and field.
        StorageError: the file cannot be read.
    """
    checked_zone(zone)
    found: Counter[str] = Counter()
    records = list(_records(path))
    try:
        with ledger.database.together():
            for place, data in records:
                kind = str(data.get("record", "card"))
                with _named(place):
                    new = _put_in(ledger, caller, kind, data, zone)
                found[kind if new else f"known {kind}"] += 1
    except BaseException:
        ledger.tasks.forget_parts()
        raise
    known = found["known event"] + found["known card"]
    return Imported(found["event"], found["card"], known, sum(found[kind] for kind in _OTHERS))


class _Place(NamedTuple):
    """Where in which file a record stands, in both languages."""

    en: str
    zh: str


@contextmanager
def _named(place: _Place) -> Iterator[None]:
    """What is wrong with a record, with its place."""
    try:
        yield
    except (InvalidRecord, ScopeError, AccessDenied, NotFound) as error:
        msg = f"{place.en}: {error.sentence('en')}"
        raise InvalidRecord(msg, zh=f"{place.zh}：{error.sentence('zh')}") from error


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
        if task.state["finished"] and task.state["goal_ref"] in forgotten:
            continue
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
            card = card_from_json(checks.fields(data["card"], "card"), caller.scope, zone)
            role, reason = member(Role, data["role"], "role"), checks.text(data["reason"], "reason")
            at = _moment(data["written_at"], "written_at")
            version = CardVersion(card=card, role=role, reason=reason, written_at=at)
            return ledger.cards.put_in_version(caller, version)
        if kind == "tombstone":
            for name in ("memory_id", "digest"):
                checks.text(data[name], name)
            member(Role, data["role"], "role")
            checks.whole(data["at"], "at", least=-checks.MOST)
            return ledger.cards.put_in_tombstone(caller, data)
        keeper = Caller(Role.SECRETARY, _scope(data, caller.scope))
        if kind == "pending":
            before = len(ledger.queue.pending(caller))
            event_ids, reason = checks.texts(data["event_ids"], "event_ids"), checks.text(data["reason"], "reason")
            ledger.queue.enqueue(keeper, event_ids, reason, data["text"])
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
    state, step = cast(TaskState, checks.fields(data["state"], "state")), checks.whole(data["step"], "step")
    try:
        ledger.tasks.save(keeper, state, head=checks.optional_text(data["head"], "head"), step=step)
    except (TypeError, AttributeError) as error:
        raise checks.refused("state", "a task state that export() wrote", "export() 写出的任务状态", state) from error
    return True


def _scope(data: Mapping[str, Any], scope: Scope) -> Scope:
    """The border of the import with the record's place inside it."""
    user = scope.user if scope.team is None else data["user"]
    return Scope(user=user, team=scope.team, agent=data["agent"], thread=data["thread"])


def _records(path: Path) -> Iterator[tuple[_Place, Mapping[str, Any]]]:
    """The records of a file, each with where it stands: its line, or its number in a list."""
    text = _text_of(path)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        found = [(_Place(f"{path.name}, line {n}", f"{path.name} 第 {n} 行"), line) for n, line in lines]
        parsed = [(place, _parsed(line, place)) for place, line in found]
    else:
        items = whole if isinstance(whole, list) else [whole]
        parsed = [
            (_Place(f"{path.name}, record {n}", f"{path.name} 第 {n} 条记录"), item) for n, item in enumerate(items, 1)
        ]
    for place, data in parsed:
        with _named(place):
            yield place, checks.fields(data, "a record")


def _text_of(path: Path) -> str:
    """The file's text; the mark that some editors put before it is left out."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is no text in UTF-8: import takes JSON lines, a card, or a list of cards, saved as UTF-8"
        zh = f"{path} 不是 UTF-8 文本：可导入保存为 UTF-8 的 JSON 行、一张卡片或卡片列表"
        raise InvalidRecord(msg, zh=zh) from error
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        refusal = error if isinstance(error, OSError) else OSError(str(error))
        raise file_error(path, refusal) from error


def _parsed(line: str, place: _Place) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", type(error).__name__)
        msg = f"{place.en} is not JSON ({why}): import takes JSON lines, a card, or a list of cards"
        zh = f"{place.zh}不是 JSON（{why}）：可导入 JSON 行、一张卡片或卡片列表"
        raise InvalidRecord(msg, zh=zh) from error


def _event_to_json(event: Event) -> dict[str, Any]:
    return {
        "event_id": event.event_id, "user": event.scope.user, "agent": event.scope.agent, "thread": event.scope.thread,
        "parent": event.parent, "step": event.step, "actor": event.actor, "action": event.action,
        "phase": event.phase, "thought": event.thought, "arguments": event.arguments,
        "observation": event.observation, "at": event.at.isoformat(), "zone": event.zone,
    }  # fmt: skip


def _event(data: Mapping[str, Any], scope: Scope, *, personal: bool) -> Event:
    read = checks.every(
        {
            "event_id": lambda: checks.text(data["event_id"], "event_id"),
            "scope": lambda: _scope(data, scope),
            "parent": lambda: checks.optional_text(data["parent"], "parent"),
            "step": lambda: checks.whole(data["step"], "step"),
            "actor": lambda: checks.text(data["actor"], "actor"),
            "action": lambda: checks.text(data["action"], "action"),
            "phase": lambda: None if data["phase"] is None else member(Phase, data["phase"], "phase"),
            "thought": lambda: safe_text(data["thought"], "thought", personal=personal),
            "arguments": lambda: safe_arguments(data["arguments"], personal=personal),
            "observation": lambda: safe_text(data["observation"], "observation", personal=personal),
            "at": lambda: _moment(data["at"], "at"),
            "zone": lambda: checked_zone(data["zone"]),
        }
    )
    return Event(**read, seq=0)


def _moment(value: Any, name: str) -> datetime:
    """A moment as :func:`export` writes it, with its offset."""
    try:
        return safe_moment(datetime.fromisoformat(checks.text(value, name)), name)
    except ValueError as error:
        if isinstance(error, InvalidRecord):
            raise
        wanted = "an ISO 8601 moment such as 2026-03-01T09:30:00+08:00"
        raise checks.refused(name, wanted, " ISO 8601 时刻，例如 2026-03-01T09:30:00+08:00", value) from error
