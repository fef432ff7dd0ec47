"""``memory consolidate``, ``memory inspect`` and ``maintain``, as they are typed, in both languages."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from memory_secretary.graph import cli_maintain
from memory_secretary.graph.cli import app
from memory_secretary.graph.cli_maintain import duration
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.records import MemoryType
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA = Scope(user="ana", thread="t1")
OLD = datetime.now(UTC) - timedelta(days=60)


@pytest.fixture
def offer(folder):
    """The id of a card that ended long ago."""
    with TieredMemory.open(folder, embedder=None) as memory:
        return memory.remember(ANA, "Offer <b>7</b>: 九折", at=OLD, valid_until=OLD + timedelta(days=1)).memory_id


def maintain(folder, *words):
    return CliRunner().invoke(app, ["maintain", *words, "--memory", str(folder), "--user", "ana"])


def test_consolidate_tells_what_it_did(folder, command, data):
    with TieredMemory.open(folder, embedder=None) as memory:
        memory.remember(ANA, "Two signatures above 500", type=MemoryType.RULE, at=OLD)
    assert "Settled: 1;" in command("consolidate").output
    assert data("consolidate")["promoted"] == 0
    assert "已看卡片" in command("consolidate", "--lang", "zh").output


def test_inspect_asks_and_does_what_is_agreed_to(command, data, offer):
    refused = CliRunner().invoke(app, ["memory", "list"])  # the pipe of the runner answers nothing
    assert refused.exit_code != 130
    nobody = command("inspect")
    assert nobody.exit_code == 0
    assert "out of date (1)" in nobody.output
    assert "memory inspect --yes" in nobody.output.replace("\n", " ")
    assert data("inspect")["changed"] == []
    assert command("inspect", "--yes", "--lang", "zh").output.rstrip().endswith("未动的 0 项。")
    assert command("inspect").output.count(offer) == 0
    assert "检查：过期" in command("history", offer, "--lang", "zh").output
    command("restore", offer)
    assert data("show", offer)["status"] == "active"


def test_a_report_for_programs_says_what_was_changed(data, offer):
    found = data("inspect", "--yes")
    assert [one["kind"] for one in found["findings"]] == ["stale"]
    assert (found["changed"], found["skipped"], found["left"]) == ([offer], [], 0)


@pytest.mark.parametrize(("lang", "kind"), [("en", "out of date"), ("zh", "过期")])
def test_the_page_stands_by_itself_and_quotes_what_it_shows(tmp_path, command, offer, lang, kind):
    page = tmp_path / "report.html"
    assert command("inspect", "--html", page, "--lang", lang).exit_code == 0
    text = page.read_text("utf-8")
    assert kind in text
    assert "Offer &lt;b&gt;7&lt;/b&gt;: 九折" in text
    assert not re.search(r"https?:|src=|<script|<link|@import", text)
    again = command("inspect", "--html", page)
    assert again.exit_code != 0
    assert page.read_text("utf-8") == text


def test_show_tells_what_a_card_was_good_for(folder, command, data):
    ref = data("list")[0]["memory_id"]
    assert "in no run so far" in command("show", ref).output
    with TieredMemory.open(folder, embedder=None) as memory:
        memory.view(Role.SECRETARY, ANA).note_uses([ref], [ref], succeeded=True, run="r")
    assert "in 1 runs; cited in 1; 1 done, 0 stopped" in command("show", ref).output
    assert "用于 1 次运行" in command("show", ref, "--lang", "zh").output
    assert data("show", ref)["uses"]["recalled"] == 1


def test_maintain_does_both_and_changes_nothing_unasked(folder, offer):
    told = maintain(folder)
    assert told.exit_code == 0
    assert "Nothing was changed" in told.output
    done = json.loads(maintain(folder, "--yes", "--json").stdout)
    assert (done["changed"], done["consolidated"]["refused"]) == ([offer], [])


def test_maintain_goes_on_by_the_clock_until_it_is_stopped(folder, monkeypatch):
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        with TieredMemory.open(folder, embedder=None):
            pass  # free for others meanwhile
        if len(waited) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(cli_maintain.time, "sleep", sleep)
    assert maintain(folder, "--every", "24h").exit_code == 130
    assert waited == [86400.0] * 3


@pytest.mark.parametrize(("text", "hours"), [("24h", 24), ("30m", 0.5), ("7D", 168), (" 2 w ", 336), ("90s", 0.025)])
def test_times_as_they_are_typed(text, hours):
    assert duration(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "h", "24", "5x", "-1h", "0m", "59s", "1e3h", "九小时"])
def test_what_is_no_time_is_named(text):
    with pytest.raises(SettingsError, match="--every"):
        duration(text)
