"""Another embedder: everything is embedded anew beside the index in use, which goes on answering."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.embedders import CheckedEmbedder, resolve_embedder
from memory_secretary.memory.errors import EmbedderMismatch, ModelUnreachable, SettingsError
from memory_secretary.memory.indexing import GENERATION_KEY
from memory_secretary.memory.reembedding import BATCH, BATCH_BESIDE, Reembedding

pytestmark = pytest.mark.integration
ANA, BEN = Scope(user="ana", thread="t1"), Scope(user="ben", thread="t1")


class Letters:
    """A LangChain embedder that counts letters; each model in its own order, and the texts it was given are kept."""

    def __init__(self, model: str, size: int = 26, fails_at: int = 1 << 30) -> None:
        self.model, self.size, self.fails_at = model, size, fails_at
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        if len(self.texts) > self.fails_at:
            raise ConnectionError
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        return [text.lower().count(chr(97 + number % 26)) + 0.01 for number in range(self.size)]


def fill(folder: Path, embedder: Letters | CheckedEmbedder, count: int = 5) -> list[str]:
    with TieredMemory.open(folder, embedder=embedder) as memory:
        ids = [memory.remember(ANA, f"kiln number {number}").memory_id for number in range(count)]
        memory.remember(BEN, "the boat")
        for scope in (ANA, BEN):
            memory.recall(scope, "kiln")
        memory.reindex()
    return ids


def wait_for(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_old_index_answers_until_the_new_one_takes_its_place(tmp_path: Path) -> None:
    ids = fill(tmp_path, Letters("a"))
    with TieredMemory.open(tmp_path, embedder=Letters("a")) as memory:
        memory.recall(ANA, "kiln")
        memory.reembed(Letters("b", size=52))
        assert {hit.ref for hit in memory.recall(ANA, "kiln number", k=9, mode="semantic", floor=0.0)} == set(ids)
        wait_for(lambda: memory.embedder == "Letters:b")
        assert {hit.ref for hit in memory.recall(ANA, "kiln number", k=9, mode="semantic", floor=0.0)} == set(ids)
        report = memory.check()
        assert (report.missing, report.stray, report.unreachable, report.waiting) == (0, 0, 0, 0)
    with pytest.raises(EmbedderMismatch, match=r"Letters:b.*Letters:a"):
        TieredMemory.open(tmp_path, embedder=Letters("a"))
    with TieredMemory.open(tmp_path, embedder=Letters("b", size=52)) as memory:
        assert {hit.ref for hit in memory.recall(BEN, "boat", mode="semantic", floor=0.0)} != set()
        assert memory.notices == []


def test_beside_recalls_few_records_are_taken_in_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While Chroma takes vectors in, no other thread of the process runs."""
    fill(tmp_path, Letters("a"), count=2 * BATCH)
    taken, take_in = list[int](), Reembedding.take_in
    monkeypatch.setattr(Reembedding, "take_in", lambda *args: taken.append(take_in(*args)) or taken[-1])
    with TieredMemory.open(tmp_path, embedder=Letters("a")) as memory:
        memory.recall(ANA, "kiln")
        memory.reembed(Letters("b", size=52))
        wait_for(lambda: memory.embedder == "Letters:b")
    assert (sum(taken), max(taken)) == (2 * BATCH + 1, BATCH_BESIDE)


def test_a_change_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    fill(tmp_path, Letters("a"), count=2 * BATCH)
    first = Letters("b", fails_at=BATCH + 5)
    with pytest.raises(ModelUnreachable):
        TieredMemory.open(tmp_path, embedder=first, reembed=True)
    with pytest.raises(EmbedderMismatch):
        TieredMemory.open(tmp_path, embedder=Letters("b"))
    second = Letters("b")
    with TieredMemory.open(tmp_path, embedder=second, reembed=True) as memory:
        done_again = [text for text in second.texts if text.startswith("kiln")]
        assert 0 < len(done_again) <= BATCH + 1
        assert len(memory.recall(ANA, "kiln", k=9, mode="semantic", floor=0.0)) == 9
        assert memory.check().missing == 0


def test_what_changes_meanwhile_is_embedded_as_it_is_at_the_end(tmp_path: Path) -> None:
    ids = fill(tmp_path, Letters("a"))
    embedder = Letters("b")
    with TieredMemory.open(tmp_path, embedder=Letters("a")) as memory:
        memory.recall(ANA, "kiln")
        checked = resolve_embedder(embedder)
        assert checked is not None
        job = Reembedding(memory._ledger, checked)
        while memory._place.fill_beside(job):
            pass
        memory.edit(ANA, ids[0], content="zzz")
        memory.forget(ANA, ids[1])
        new = memory.remember(ANA, "qqq")
        assert not job.switch()
        while memory._place.fill_beside(job):
            pass
        assert job.switch()
    assert {text.split()[0] for text in embedder.texts[-2:]} == {"zzz", "qqq"}
    with TieredMemory.open(tmp_path, embedder=Letters("b")) as memory:
        assert memory.recall(ANA, "zzz", mode="semantic", floor=0.0)[0].ref == ids[0]
        assert memory.recall(ANA, "qqq", mode="semantic", floor=0.0)[0].ref == new.memory_id
        assert memory._place.opened is not None
        assert ids[1] not in memory._place.opened.refs(ANA.owner, new.tier)
        assert memory.check().missing == 0


def test_a_third_embedder_never_meets_the_vectors_of_one_that_was_given_up(tmp_path: Path) -> None:
    fill(tmp_path, Letters("a"))
    with TieredMemory.open(tmp_path, embedder=Letters("a")) as memory:
        memory.recall(ANA, "kiln")
        memory.reembed(Letters("b", size=52, fails_at=0))
        wait_for(lambda: bool(memory.notices))
    with TieredMemory.open(tmp_path, embedder=Letters("c", size=30), reembed=True) as memory:
        assert len(memory.recall(ANA, "kiln", mode="semantic", floor=0.0)) == 5
        assert memory._ledger.indexing.fact(GENERATION_KEY) == "2"


def test_a_memory_that_was_never_indexed_just_takes_the_embedder(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "kiln")
    memory.reembed(Letters("b"))
    assert [hit.ref for hit in memory.recall(ANA, "kiln", mode="semantic", floor=0.0)] == [card.memory_id]
    with pytest.raises(SettingsError, match="makes no vectors"):
        memory.reembed("none")
    assert memory.view(Role.USER, ANA).cards() == [card]


def test_an_embedder_whose_vectors_have_another_length_is_refused_at_opening_where_that_is_known(
    tmp_path: Path,
) -> None:
    def sized(size: int) -> CheckedEmbedder:
        return CheckedEmbedder("same", lambda: Letters("x", size=size), server="s", model="same", dimension=size)

    fill(tmp_path, sized(26))
    with TieredMemory.open(tmp_path, embedder=sized(26)) as memory:
        memory.recall(ANA, "kiln")
    with pytest.raises(EmbedderMismatch, match=r"same of dimension 26.*same of dimension 52.*reindex") as refusal:
        TieredMemory.open(tmp_path, embedder=sized(52))
    assert re.search(r"same（26 维）.*same（52 维）.*reindex", refusal.value.sentence("zh"))
    with pytest.raises(EmbedderMismatch, match=r"same of dimension 26, now it is Letters:c:"):
        TieredMemory.open(tmp_path, embedder=Letters("c"))
    with TieredMemory.open(tmp_path, embedder=sized(52), reembed=True) as memory:
        assert memory.recall(ANA, "kiln", mode="semantic", floor=0.0)
    with TieredMemory.open(tmp_path, embedder=sized(52)) as memory:
        assert memory.recall(ANA, "kiln", mode="semantic", floor=0.0)


def test_where_a_length_is_not_known_at_opening_the_first_vector_tells_it_in_both_languages(tmp_path: Path) -> None:
    fill(tmp_path, Letters("a"))
    with TieredMemory.open(tmp_path, embedder=Letters("a")) as memory:
        memory.recall(ANA, "kiln")
    both = r"Letters:a of dimension 26.*Letters:a of dimension 52"
    with (
        TieredMemory.open(tmp_path, embedder=Letters("a", size=52)) as memory,
        pytest.raises(EmbedderMismatch, match=both) as refusal,
    ):
        memory.recall(ANA, "kiln")
    assert re.search(r"Letters:a（26 维）.*Letters:a（52 维）.*reindex", refusal.value.sentence("zh"))
