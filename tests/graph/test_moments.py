"""Moments on the screens of the command line are those of the setting's zone, else of where they were said."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from memory_secretary.graph.moments import day, minute
from memory_secretary.memory import TieredMemory
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

EVE = datetime(2026, 1, 1, 16, 0, 10, 486947, UTC)
CARD = {"memory_id": "m1", "type": "fact", "content": "The cat is called Mo.", "source_agent": "a"}
CARD |= {"related_ids": [], "timestamp": "2026-01-02", "status": "active", "access_level": "all"}


def test_a_moment_is_that_of_the_setting_else_its_own(monkeypatch):
    assert (day(EVE, UTC), minute(EVE)) == ("2026-01-01", "2026-01-01 16:00+00:00")
    assert minute(EVE, timezone(timedelta(hours=8))) == "2026-01-02 00:00+08:00"
    monkeypatch.setenv("MEMORY_SECRETARY_ZONE", "Asia/Tokyo")
    assert minute(EVE, ZoneInfo("Asia/Shanghai")) == "2026-01-02 01:00+09:00"
    monkeypatch.setenv("MEMORY_SECRETARY_ZONE", "Mars")
    with pytest.raises(InvalidRecord, match="IANA"):
        minute(EVE)


@pytest.mark.parametrize("by_setting", [True, False])
def test_a_card_that_was_taken_in_with_a_zone_is_listed_under_its_own_day(command, tmp_path, monkeypatch, by_setting):
    path = tmp_path / "ok.jsonl"
    path.write_text(json.dumps(CARD), "utf-8")
    command("remember", "The dog is called Bo.")
    if by_setting:
        monkeypatch.setenv("MEMORY_SECRETARY_ZONE", "Asia/Shanghai")
    command("import", str(path), *([] if by_setting else ["--zone", "Asia/Shanghai"]))
    for words in (["list"], ["search", "cat"]):
        shown = command(*words).output
        assert "2026-01-02" in shown
        assert "2026-01-01" not in shown
    for words in (["show", "m1"], ["history", "m1"]):
        shown = command(*words).output
        assert "+08:00" in shown
    assert "2026-01-02 00:00+08:00" in command("show", "m1").output


def test_a_hit_comes_at_its_speakers_moment(tmp_path):
    with TieredMemory.open(tmp_path, embedder="none") as memory:
        view = memory.view(Role.SECRETARY, Scope(user="ana", thread="t"))
        view.record("user", "request", observation="My cat is called Mo.", at=EVE, zone="Asia/Shanghai")
        [hit] = memory.recall(Scope(user="ana"), "cat")
    assert hit.at == EVE
    assert hit.at.day == 2
