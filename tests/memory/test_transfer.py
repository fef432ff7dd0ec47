"""What cannot be taken in or written leaves nothing behind, and says where it stands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.errors import InvalidRecord, StorageError
from memory_secretary.memory.task_state import new_task
from memory_secretary.memory.tasks import TaskStates

ANA = Scope(user="ana", thread="t1")
CARD = {"record": "card", "memory_id": "m1", "type": "fact", "content": "one", "timestamp": "2026-03-01T09:30:00+08:00"}
EVENT = {
    "record": "event", "event_id": "evt_1", "user": "ana", "agent": None, "thread": "t1", "parent": None, "step": 0,
    "actor": "user", "action": "request", "phase": None, "thought": "", "arguments": None, "observation": "one",
    "at": "2026-03-01T09:30:00+08:00", "zone": "UTC",
}  # fmt: skip
VERSION = {"record": "version", "role": "user", "reason": "written", "written_at": "2026-03-01T09:30:00Z", "card": CARD}
GRAVE = {"record": "tombstone", "memory_id": "m0", "digest": "0" * 64, "role": "user", "at": 0}
PLACE = {"user": "ana", "agent": None, "thread": "t9"}
PENDING = {"record": "pending", **PLACE, "event_ids": ["evt_1"], "reason": "remember", "text": "one"}
TASK = {
    "record": "task",
    **PLACE,
    "head": None,
    "step": 0,
    "state": dict(new_task(task_id="t", goal="goal", goal_ref="evt_1")),
}
GOOD: list[dict[str, Any]] = [EVENT, CARD, VERSION, GRAVE, PENDING, TASK]

BAD: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *((CARD, {name: value}) for name, value in (
        ("weight", "a"), ("weight", 2), ("weight", None), ("confidence", "a"), ("version", "x"), ("version", -1),
        ("version", 2**70), ("evidence", [1]), ("evidence", 5), ("evidence", [{"event_id": 1, "quote": "x"}]),
        ("scope", 5), ("scope", {"agent": 5}), ("valid_from", 5), ("valid_until", "9999-12-31T23:59:59Z"),
        ("access_level", None), ("access_level", [5]), ("tier", "working"), ("type", 5), ("subject", 5), ("about", 5),
        ("related_ids", "m2"), ("timestamp", "0001-01-01T00:00:00+08:00"), ("memory_id", "\ud800"),
    )),
    *((EVENT, {name: value}) for name, value in (
        ("step", "x"), ("step", 2**70), ("phase", "zz"), ("at", "x"), ("at", "2026-03-01T09:30:00"), ("at", 5),
        ("at", "0001-01-01T00:00:00+08:00"), ("arguments", ["walrus"]), ("actor", None), ("event_id", 5),
        ("parent", 5), ("zone", 5), ("zone", "Mars"), ("agent", 5), ("observation", None), ("thread", "a\u2060"),
    )),
    *((VERSION, {name: value}) for name, value in (
        ("written_at", "x"), ("written_at", "2026-03-01T09:30:00"), ("role", "zz"), ("reason", 5), ("card", 5),
        ("card", CARD | {"weight": "a"}),
    )),
    *((GRAVE, {name: value}) for name, value in (("at", "x"), ("role", 5), ("digest", 5), ("memory_id", None))),
    *((PENDING, {name: value}) for name, value in (
        ("event_ids", "evt_1"), ("event_ids", ["evt_none"]), ("reason", 5), ("text", 5),
    )),
    *((TASK, {name: value}) for name, value in (("state", 5), ("state", {}), ("step", "x"), ("head", 5))),
    ({}, {"record": ["card"]}),
]  # fmt: skip


def written(file: Path, *records: Any) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def test_what_the_bad_lines_are_made_of_is_good(memory: TieredMemory, tmp_path: Path) -> None:
    done = memory.import_(ANA, written(tmp_path / "good.jsonl", *GOOD))
    assert (done.events, done.cards, done.known, done.others) == (1, 1, 0, 3)


@pytest.mark.parametrize(("record", "change"), BAD, ids=lambda value: json.dumps(value)[:40])
def test_a_bad_line_is_named_and_nothing_of_its_file_is_taken_in(
    memory: TieredMemory, tmp_path: Path, record: dict[str, Any], change: dict[str, Any]
) -> None:
    before = [dict(EVENT, event_id="evt_0"), dict(CARD, memory_id="m9", content="nine")]
    file = written(tmp_path / "bad.jsonl", *before, TASK | {"thread": "t8"}, record | change)
    with pytest.raises(InvalidRecord, match=r"bad\.jsonl, line 4: ") as refusal:
        memory.import_(ANA, file)
    assert "bad.jsonl 第 4 行：" in refusal.value.sentence("zh")
    assert (memory.events(ANA), memory.list(ANA), memory.open_tasks(ANA)) == ([], [], [])
    assert memory.recall(ANA, "nine one") == []
    assert memory.count_denied(ANA) == 0


def test_a_blank_line_counts_as_a_line(memory: TieredMemory, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(f"{json.dumps(EVENT)}\n\n{json.dumps(CARD | {'weight': 'a'})}\n", encoding="utf-8")
    with pytest.raises(InvalidRecord, match="line 3"):
        memory.import_(ANA, file)


def test_a_task_whose_import_was_given_up_can_be_taken_in_later(
    memory: TieredMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = dict(new_task(task_id="t", goal="goal", goal_ref="evt_1")) | {
        "values": [{"name": f"n{number}"} for number in range(100)]
    }
    task = TASK | {"state": state}
    kept: list[int] = []
    whole = TaskStates._write_parts
    monkeypatch.setattr(TaskStates, "_write_parts", lambda *a: (kept.append(len(a[2])), whole(*a))[1])
    with pytest.raises(InvalidRecord):
        memory.import_(ANA, written(tmp_path / "bad.jsonl", task, {"record": "none"}))
    memory.import_(ANA, written(tmp_path / "good.jsonl", task))
    assert len(kept) == 2 and kept[0] == kept[1] > 0


@pytest.mark.parametrize("deep", ["[" * 200_000, '{"a":' * 200_000, "9" * 5_000])
def test_what_no_reader_of_json_takes_is_named(memory: TieredMemory, tmp_path: Path, deep: str) -> None:
    file = tmp_path / "deep.jsonl"
    file.write_text(f"{json.dumps(EVENT)}\n{deep}\n", encoding="utf-8")
    with pytest.raises(InvalidRecord, match="line 2"):
        memory.import_(ANA, file)


def test_a_mark_before_the_text_is_no_part_of_it(memory: TieredMemory, tmp_path: Path) -> None:
    file = tmp_path / "bom.jsonl"
    file.write_text(json.dumps(EVENT) + "\r\n" + json.dumps(CARD) + "\r\n", encoding="utf-8-sig")
    assert memory.import_(ANA, file).cards == 1


def test_what_is_no_text_file_is_a_named_error(memory: TieredMemory, tmp_path: Path) -> None:
    binary = tmp_path / "cards.jsonl"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    with pytest.raises(InvalidRecord, match="UTF-8"):
        memory.import_(ANA, binary)
    for missing in (tmp_path / "none.jsonl", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(StorageError, match="cannot be used"):
            memory.import_(ANA, missing)


@contextmanager
def small_disk() -> Iterator[None]:
    """No file may grow beyond 64 kB."""
    resource = pytest.importorskip("resource")  # POSIX only
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


WRITERS: list[Callable[[TieredMemory, Path], Any]] = [
    lambda memory, path: memory.export(ANA, path),
    lambda memory, path: memory.backup(path),
]


@pytest.mark.parametrize("write", WRITERS, ids=["export", "backup"])
def test_a_full_disk_leaves_nothing_half_written(
    memory: TieredMemory, tmp_path: Path, write: Callable[[TieredMemory, Path], Any]
) -> None:
    for number in range(20):
        memory.record(ANA, actor="tool", action="log", observation=f"{number} " + "x" * 20_000)
    folder = tmp_path / "full"
    folder.mkdir()
    with small_disk(), pytest.raises(StorageError):
        write(memory, folder / "copy")
    assert list(folder.iterdir()) == []
    write(memory, folder / "copy")
    assert [path.name for path in folder.iterdir()] == ["copy"]


def test_a_place_that_cannot_be_written_is_a_named_error(memory: TieredMemory, tmp_path: Path) -> None:
    memory.remember(ANA, "one")
    with pytest.raises(StorageError, match="no such file or folder") as refusal:
        memory.export(ANA, tmp_path / "none" / "mine.jsonl")
    assert "没有这个文件或文件夹" in refusal.value.sentence("zh")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(StorageError):
        memory.backup(tmp_path / "file" / "copy")
    assert {path.name for path in tmp_path.iterdir()} <= {"file", "home"}


def test_all_fields_that_are_wrong_in_a_record_are_named_at_once(memory: TieredMemory, tmp_path: Path) -> None:
    bad_card = {"memory_id": "m1", "type": "thought", "content": "", "weight": 2}
    bad_event = {**EVENT, "step": -1, "actor": 7, "at": "noon"}
    for record, english, chinese in (
        (bad_card, ["type is one of", "content", "weight", "lacks timestamp: give it as an ISO 8601 moment"],
         ["type 只能是", "content", "weight", "缺少 timestamp：请补上（ISO 8601 时刻"]),
        (bad_event, ["step must", "actor must", "at must"], ["step 必须", "actor 必须", "at 必须"]),
    ):  # fmt: skip
        (tmp_path / "in.jsonl").write_text(json.dumps(record))
        with pytest.raises(InvalidRecord) as caught:
            memory.import_(ANA, tmp_path / "in.jsonl")
        assert [words for words in english if words not in caught.value.sentence("en")] == []
        assert [words for words in chinese if words not in caught.value.sentence("zh")] == []


@pytest.mark.parametrize("wrong", [7, "noon", ""])
def test_a_timestamp_that_is_wrong_is_named_once(memory: TieredMemory, tmp_path: Path, wrong: object) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({**CARD, "timestamp": wrong}))
    with pytest.raises(InvalidRecord) as caught:
        memory.import_(ANA, tmp_path / "in.jsonl")
    assert caught.value.sentence("en").count("timestamp") == 1
