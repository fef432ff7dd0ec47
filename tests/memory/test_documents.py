"""Passages of documents are searched until they are withdrawn; the notes about documents never are."""

from __future__ import annotations

import pytest

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.documents import NOTES, DocumentAction

ANA = Scope(user="ana", thread="document:1")


@pytest.fixture
def memory(tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as opened:
        yield opened


def passage(memory, text):
    return memory.view(Role.SECRETARY, ANA).record("tool", DocumentAction.PASSAGE, observation=text).event_id


def withdraw(memory, ref):
    memory.view(Role.SECRETARY, ANA).record("tool", DocumentAction.WITHDRAWN, parent=ref)


def found(memory, query="kiln", **more):
    return [hit.ref for hit in memory.recall(ANA, query, k=10, floor=0, **more)]


def test_no_search_finds_a_note(memory):
    view = memory.view(Role.SECRETARY, ANA)
    for action in NOTES:
        view.record("tool", action, arguments={"document": "kiln.txt"}, observation="kiln")
    assert found(memory) == []
    assert found(memory, "", mode="recent") == []


def test_a_withdrawn_passage_is_in_the_record_and_in_no_search_not_even_after_reindexing(memory):
    ref, other = passage(memory, "The kiln is hot."), passage(memory, "The kiln is old.")
    assert set(found(memory)) == {ref, other}
    withdraw(memory, ref)
    for _ in range(2):
        assert found(memory) == [other]
        assert found(memory, "", mode="recent") == [other]
        memory.reindex()
    assert memory.check().repaired == 0
    assert memory.read(ANA, ref) == "The kiln is hot."
    for lang, word in (("en", "no longer holds"), ("zh", "不再含有")):
        with speaking(lang):
            assert word in memory.why(ANA, "kiln", expect=ref).text


def test_a_withdrawn_passage_stays_so_in_an_import(memory, tmp_path):
    withdraw(memory, passage(memory, "The kiln is hot."))
    memory.export(ANA, tmp_path / "out.jsonl")
    with TieredMemory.open(tmp_path / "other", embedder=None) as other:
        other.import_(ANA, tmp_path / "out.jsonl")
        assert found(other) == []
        other.check()
        assert found(other) == []
