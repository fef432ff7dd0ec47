"""What is installed against what is required."""

from __future__ import annotations

import sqlite3

import pytest

from memory_secretary.graph.doctor import versions
from memory_secretary.graph.doctor.finding import Notes, Severity
from memory_secretary.memory.errors import StorageError

REQUIRED = [
    "langgraph>=1.2,<2",
    "chromadb>=1.5.9,<2",
    "xllamacpp>=2026.10; extra == 'embedded'",
    "pytest; extra == 'dev'",
]
NOTES = Notes("en")


def problems(**installed):
    return list(versions.package_findings(NOTES, REQUIRED, installed.get))


def test_what_fits_is_no_finding_and_an_extra_may_be_missing():
    assert problems(langgraph="1.2.24", chromadb="1.5.9") == []


def test_a_missing_library_is_a_fault_with_the_command_that_installs_it():
    [only] = problems(langgraph="1.2.24")
    assert (only.severity, only.facts["package"]) == (Severity.FAULT, "chromadb")
    assert only.cure.startswith("pip install 'chromadb")


@pytest.mark.parametrize(("package", "found"), [("langgraph", "1.1.0"), ("langgraph", "2.0"), ("xllamacpp", "2025.1")])
def test_a_version_that_does_not_fit_is_named_with_the_range(package, found):
    [only] = problems(**{"langgraph": "1.2.24", "chromadb": "1.5.9", package: found})
    assert only.severity is Severity.WARNING
    assert found in only.sentence
    assert package in only.cure


def test_an_old_sqlite_and_one_without_full_text_search_are_faults():
    with pytest.raises(StorageError, match=r"3\.34\.1"):
        list(versions.sqlite_findings(NOTES, (3, 34, 1), has_fts5=True))
    [only] = versions.sqlite_findings(NOTES, (3, 40, 1), has_fts5=False)
    assert only.severity is Severity.FAULT
    assert "FTS5" in only.sentence
    assert list(versions.sqlite_findings(NOTES, (3, 40, 1), has_fts5=True)) == []


def test_full_text_search_is_found_by_trying(monkeypatch):
    assert versions.has_fts5()

    class Lacking(sqlite3.Connection):
        def execute(self, *_):
            raise sqlite3.OperationalError("no such module: fts5")

    made = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path: made(path, factory=Lacking))
    assert not versions.has_fts5()


def test_this_installation_fits():
    [only] = versions.check_versions(NOTES)
    assert only.severity is Severity.OK
    assert {"Python", "SQLite", "langgraph", "langchain-core", "chromadb"} <= only.facts.keys()
