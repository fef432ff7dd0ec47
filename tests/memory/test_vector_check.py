"""A check finds what the vector index lacks, has too much, cannot reach or could not embed, and repairs it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_secretary.memory import Scope, Tier, TieredMemory
from memory_secretary.memory.errors import IndexUnavailable
from memory_secretary.memory.index import IndexEntry, VectorIndex

pytestmark = pytest.mark.integration
ANA = Scope(user="ana", thread="t1")


NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
"""Passages are headed with their day, whose letters count as well."""


class Letters:
    """A LangChain embedder that counts letters, and has no vector for a text with a semicolon."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        if ";" in text:
            return [float("nan")] * 26
        return [text.lower().count(chr(97 + number)) + 0.01 for number in range(26)]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[TieredMemory]:
    with TieredMemory.open(tmp_path / "m", embedder=Letters(), clock=lambda: NOW) as opened:
        opened.record(ANA, actor="user", action="request", observation="is the kiln free")
        opened.remember(ANA, "the boat is red")
        opened.remember(ANA, "the violin is tuned", tier=Tier.LONG)
        opened.recall(ANA, "kiln")
        yield opened


def index_of(memory: TieredMemory) -> VectorIndex:
    index = memory._place.opened
    assert index is not None
    return index


def found(memory: TieredMemory, query: str) -> str:
    return memory.recall(ANA, query, mode="semantic", floor=0.0)[0].text


def faults(memory: TieredMemory) -> tuple[int, int, int, int]:
    report = memory.check()
    return report.missing, report.stray, report.unreachable, report.without_vector


def test_a_sound_index_has_nothing_to_repair(memory: TieredMemory) -> None:
    assert faults(memory) == (0, 0, 0, 0)


def test_a_vector_that_was_lost_is_made_again(memory: TieredMemory) -> None:
    (card,) = memory.list(ANA, tiers=[Tier.SHORT])
    index_of(memory).remove(ANA.owner, [card.memory_id])
    assert found(memory, "boat") != card.content
    assert faults(memory) == (1, 0, 0, 0)
    assert found(memory, "boat") == card.content
    assert faults(memory) == (0, 0, 0, 0)


def test_vectors_of_no_record_are_removed(memory: TieredMemory) -> None:
    (card,) = memory.list(ANA, tiers=[Tier.SHORT])
    for ref in ("mem_ghost", card.memory_id):  # the second one stands in another tier
        index_of(memory).add(ANA.owner, Tier.LONG, [IndexEntry(ref, 0, "the boat is red")])
    assert faults(memory) == (0, 2, 0, 0)
    assert index_of(memory).refs(ANA.owner, Tier.LONG) == {memory.list(ANA, tiers=[Tier.LONG])[0].memory_id}
    assert found(memory, "boat") == card.content


def test_a_vector_that_finds_not_even_itself_is_made_again(memory: TieredMemory) -> None:
    (card,) = memory.list(ANA, tiers=[Tier.SHORT])
    place: Any = index_of(memory)._existing(ANA.owner, Tier.SHORT)
    place.upsert(ids=[f"{card.memory_id}:0"], embeddings=[[0.0] * 26], metadatas=[{"ref": card.memory_id}])
    assert faults(memory) == (0, 0, 1, 0)
    assert found(memory, "boat") == card.content
    assert faults(memory) == (0, 0, 0, 0)


def test_a_text_without_a_vector_is_tried_again_in_plain_words(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "harpsichord; clavichord")
    memory.recall(ANA, "kiln again")
    assert memory._ledger.indexing.work(ANA.owner, "failed", limit=9, largest=9) != []
    assert [hit.ref for hit in memory.recall(ANA, "clavichord", mode="lexical")] == [card.memory_id]
    assert faults(memory) == (0, 0, 0, 0)
    assert found(memory, "clavichord harpsichord") == card.content


def test_a_memory_that_was_never_searched_by_meaning_loads_no_embedder(tmp_path: Path) -> None:
    with TieredMemory.open(tmp_path / "other", embedder=Letters(), clock=lambda: NOW) as other:
        other.remember(ANA, "kiln")
        report = other.check()
        assert (report.missing, report.waiting, other._place.opened) == (0, 1, None)


def test_another_process_that_has_the_index_leaves_the_ledger_to_be_checked(
    memory: TieredMemory, tmp_path: Path
) -> None:
    with TieredMemory.open(tmp_path / "m", embedder=Letters(), clock=lambda: NOW) as second:
        report = second.check()
    assert (report.sound, report.missing) == (True, 0)
    assert "in use" in report.unchecked


def test_an_index_that_fails_half_way_is_said_not_to_have_been_checked(
    memory: TieredMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_arguments: Any, **_named: Any) -> None:
        msg = "the Chroma server does not answer: start it again"
        raise IndexUnavailable(msg, zh="Chroma 服务器没有应答：请重新启动它")

    assert memory.check().unchecked == ""
    monkeypatch.setattr(index_of(memory), "refs", down)
    report = memory.check()
    assert (report.sound, report.unchecked) == (True, "the Chroma server does not answer: start it again")
