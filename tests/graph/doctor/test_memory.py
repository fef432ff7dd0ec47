"""What the state of a memory's folder means."""

from __future__ import annotations

import pytest

from memory_secretary.graph.doctor import memory
from memory_secretary.graph.doctor.finding import Notes, Severity
from memory_secretary.memory.health import LedgerHealth, Owner
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

NOTES = Notes("en")


def ledger(**known):
    given = {"damage": (), "events": 3, "cards": 2, "pending": 1, "failed": 0, "waiting": 0, "without_vector": 0}
    return LedgerHealth(**{**given, "embedder": None, "size": 4096, **known})


def severities(findings):
    return [each.severity for each in findings]


def test_a_folder_that_is_a_file_is_a_fault_and_one_that_is_missing_is_none(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    assert severities(memory.check_folder(NOTES, file)) == [Severity.FAULT]
    assert severities(memory.check_folder(NOTES, tmp_path / "new" / "deep")) == [Severity.OK]
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["file"]


def test_little_room_is_warned_about():
    assert memory.disk_finding(NOTES, memory.LOW_DISK - 1).severity is Severity.WARNING
    assert memory.disk_finding(NOTES, memory.LOW_DISK).severity is Severity.OK


def test_a_ledger_that_is_damaged_is_a_fault_with_the_backup_as_cure():
    [only] = memory.ledger_findings(NOTES, ledger(damage=("row 3 missing from index x",)))
    assert only.severity is Severity.FAULT
    assert "backup" in only.cure


def test_what_failed_to_become_cards_is_noted():
    assert severities(memory.ledger_findings(NOTES, ledger(pending=0, failed=2))) == [Severity.OK, Severity.NOTE]
    assert severities(memory.ledger_findings(NOTES, None)) == [Severity.OK]


@pytest.mark.parametrize(("lang", "nothing"), [("en", "nothing is to be done"), ("zh", "无需处理")])
def test_what_takes_care_of_itself_says_that_nothing_is_to_be_done(lang, nothing):
    found = [*memory.ledger_findings(Notes(lang), ledger(pending=4))]
    found += memory.index_findings(Notes(lang), (), None, ledger(waiting=7))
    found += memory.index_findings(Notes(lang), None, None, ledger())
    assert severities(found) == [Severity.OK, Severity.NOTE, Severity.OK, Severity.OK]
    assert [nothing in each.sentence for each in found] == [False, False, True, True]
    assert "4" in found[1].sentence
    assert "7" in found[2].sentence


@pytest.mark.parametrize(
    ("broken", "owner", "lacking", "expected"),
    [
        (None, None, 0, [Severity.OK]),
        ((), None, 0, [Severity.OK]),
        (("malformed",), None, 0, [Severity.FAULT]),
        ((), Owner(4711), 0, [Severity.OK, Severity.NOTE]),
        ((), None, 5, [Severity.OK, Severity.NOTE]),
    ],
)
def test_the_state_of_the_index(broken, owner, lacking, expected):
    found = list(memory.index_findings(NOTES, broken, owner, ledger(without_vector=lacking)))
    assert severities(found) == expected
    if owner:
        assert "4711" in found[-1].sentence


def test_the_embedder_is_asked_only_when_wished_and_compared_with_the_index(tmp_path):
    assert severities(memory.check_embedder(NOTES, "none", tmp_path, ask=True)) == [Severity.NOTE]
    with TieredMemory.open(tmp_path / "m", embedder=None) as opened:
        opened.remember(Scope(user="ana"), "the kiln is blue")
        opened._ledger.indexing.remember_embedder("ollama:bge-m3")
    same = list(memory.check_embedder(NOTES, "ollama:bge-m3", tmp_path / "m", ask=False))
    assert severities(same) == [Severity.OK]
    other = list(memory.check_embedder(NOTES, "ollama:nomic-embed-text", tmp_path / "m", ask=False))
    assert severities(other) == [Severity.FAULT, Severity.OK]
    assert "ollama:bge-m3" in other[0].sentence
    assert "reindex" in other[0].cure


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_turns_that_wait_come_with_the_command_that_makes_cards_of_them(lang):
    [_, waiting] = memory.ledger_findings(Notes(lang), ledger(pending=5))
    assert "5" in waiting.sentence
    assert "memory settle" in waiting.cure
