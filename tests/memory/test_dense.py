"""The dense leg over a small stand-in index: words about one subject are close, whatever the language."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from memory_secretary.memory import Scope, Tier, TieredMemory
from memory_secretary.memory.background import BackgroundWork
from memory_secretary.memory.dense import REST, CachedVectors
from memory_secretary.memory.errors import EmbedderError, EmbedderMismatch, IndexUnavailable
from memory_secretary.memory.index import IndexEntry, IndexHit
from memory_secretary.memory.program import commanded
from memory_secretary.memory.why import Rule

ANA = Scope(user="ana", thread="t1")
SUBJECTS = (("dog", "pet", "狗", "宠物"), ("refund", "reimburse", "退款"), ("kiln",))


class SubjectEmbedder:
    """One dimension for each subject, and one that every text has."""

    name = "subjects"
    max_chars = 300

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.queries = 0
        self.slow: Callable[[], None] = lambda: None

    @property
    def known_dimension(self) -> int | None:
        return None

    def dimension(self) -> int:
        return len(SUBJECTS) + 1

    def embed_documents(self, texts: Sequence[str]) -> list[list[float] | None]:
        self.embedded += texts
        self.slow()
        return [None if "unembeddable" in text else self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float] | None:
        self.queries += 1
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        return [1.0, *(3.0 * any(word in text.lower() for word in words) for words in SUBJECTS)]


class ListIndex:
    """A vector index in a list."""

    def __init__(self, embedder: SubjectEmbedder) -> None:
        self.embedder = embedder
        self.max_chars = embedder.max_chars
        self.rows: list[tuple[str, Tier, IndexEntry, list[float]]] = []
        self.added: list[int] = []
        self.removed: list[str] = []
        self.broken: Exception | None = None
        self.open = True

    def add(self, owner: str, tier: Tier, entries: Sequence[IndexEntry]) -> list[str]:
        self.added.append(len(entries))
        made = self.embedder.embed_documents([entry.text for entry in entries])
        self.rows += [(owner, tier, entry, vector) for entry, vector in zip(entries, made, strict=True) if vector]
        return [entry.ref for entry, vector in zip(entries, made, strict=True) if vector is None]

    def search(
        self, owner: str, tiers: Collection[Tier], query: str, k: int, *, refs: Collection[str] | None = None
    ) -> list[IndexHit]:
        if self.broken is not None:
            raise self.broken
        wanted = self.embedder.embed_query(query)
        assert wanted is not None
        hits = [
            IndexHit(entry.ref, entry.start, cosine(wanted, vector))
            for where, tier, entry, vector in self.rows
            if where == owner and tier in tiers and (refs is None or entry.ref in refs)
        ]
        return sorted(hits, key=lambda hit: -hit.similarity)[:k]

    def remove(self, owner: str, refs: Collection[str]) -> None:
        self.removed += refs
        self.rows = [row for row in self.rows if row[0] != owner or row[2].ref not in refs]

    def drop(self) -> None:
        self.rows.clear()

    def close(self) -> None:
        self.open = False


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    size = sum(a * a for a in one) ** 0.5 * sum(b * b for b in other) ** 0.5
    return sum(a * b for a, b in zip(one, other, strict=True)) / size


class Rig:
    """A memory on the stand-in index."""

    def __init__(self, memory: TieredMemory, embedder: SubjectEmbedder, index: ListIndex) -> None:
        self.memory, self.embedder, self.index = memory, embedder, index
        self.opened: list[bool] = []
        self.refuse: Exception | None = None

    def open_index(self, _folder: Any, _url: Any, embedder: Any, rebuild: bool) -> ListIndex:
        self.opened.append(rebuild)
        if self.refuse is not None:
            raise self.refuse
        self.index.embedder = embedder
        if rebuild:
            self.index.drop()
        return self.index

    def refs(self, query: str, **filters: Any) -> list[str]:
        return [hit.ref for hit in self.memory.recall(ANA, query, **filters)]


@pytest.fixture
def rig(memory: TieredMemory) -> Iterator[Rig]:
    embedder = SubjectEmbedder()
    made = Rig(memory, embedder, ListIndex(embedder))
    dense: Any = memory._dense
    dense._open = made.open_index
    dense.use(embedder)
    yield made


def test_nothing_is_opened_or_embedded_before_the_first_search(rig: Rig) -> None:
    rig.memory.remember(ANA, "my dog is called Doudou")
    rig.memory.record(ANA, actor="user", action="request", observation="hello")
    rig.memory.recall(ANA, "", mode="recent")
    rig.memory.recall(ANA, "dog", mode="lexical")
    assert (rig.opened, rig.embedder.embedded) == ([], [])


def test_warming_up_opens_an_index_in_use_before_anybody_searches(rig: Rig) -> None:
    rig.memory.warm_up()
    rig.memory.recall(ANA, "dog")
    rig.memory._dense.use(rig.embedder)
    assert rig.opened == [False]  # an index that nothing was ever searched in is left alone
    rig.memory.warm_up()
    eventually(lambda: rig.opened == [False, False])


def test_long_records_are_taken_in_behind_the_back_of_a_recall(rig: Rig) -> None:
    text = " ".join(f"line {number} of the log says that all is well;" for number in range(150)) + " 小狗生病了"
    event = rig.memory.record(ANA, actor="tool", action="read", observation=text)
    rig.memory.recall(ANA, "anything")
    eventually(lambda: event in rig.refs("my pet"))


def test_an_answer_from_before_a_record_had_its_vector_is_not_given_again(rig: Rig) -> None:
    text = " ".join(f"line {number} of the log says that all is well;" for number in range(150)) + " 小狗生病了"
    event = rig.memory.record(ANA, actor="tool", action="read", observation=text)
    taken_in = rig.memory._dense._background
    rig.memory._dense._background = BackgroundWork(lambda: False, "idle")
    assert rig.refs("my pet") == []
    rig.memory._dense._background = taken_in
    rig.memory._dense.catch_up(ANA.owner, largest=100)
    assert rig.refs("my pet") == [event]


def test_closing_ends_the_background_work(rig: Rig) -> None:
    for number in range(5):
        rig.memory.record(ANA, actor="tool", action="read", observation=f"{number} all is well. " * 200)
    rig.memory.recall(ANA, "anything")
    rig.memory.close()
    taken = len(rig.index.rows)
    time.sleep(0.05)
    assert len(rig.index.rows) == taken


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_meaning_finds_what_shares_no_word(rig: Rig) -> None:
    card = rig.memory.remember(ANA, "我的狗叫豆豆")
    rig.memory.remember(ANA, "the kiln is hot")
    assert rig.refs("what is my pet called") == [card.memory_id]


def test_what_is_not_close_beyond_chance_is_not_recalled(rig: Rig) -> None:
    rig.memory.remember(ANA, "我的狗叫豆豆")
    assert rig.refs("zqxv 8841 flibber") == []


def test_a_query_without_words_is_not_asked_by_meaning(rig: Rig) -> None:
    rig.memory.remember(ANA, "我的狗叫豆豆 🐶")
    assert rig.refs("🐶", mode="semantic", floor=0) == []
    assert rig.embedder.queries == 0


def test_why_tells_a_record_that_has_no_vector_yet(rig: Rig) -> None:
    rig.memory._ledger.indexing.remember_embedder("subjects")
    card = rig.memory.remember(ANA, "an unembeddable dog")
    assert rig.memory.why(ANA, "宠物", expect=card.memory_id).rule is Rule.NOT_INDEXED
    assert rig.memory.why(ANA, "宠物", expect=card.memory_id, mode="lexical").rule is Rule.NO_MATCH
    kiln = rig.memory.remember(ANA, "the kiln is hot")
    assert rig.memory.why(ANA, "宠物", expect=kiln.memory_id).rule is Rule.NO_MATCH


def test_each_record_is_embedded_once(rig: Rig) -> None:
    rig.memory.remember(ANA, "我的狗叫豆豆")
    for _ in range(2):
        rig.refs("pet")
        rig.memory.record(ANA, actor="user", action="request", observation="hello")
    assert len([text for text in rig.embedder.embedded if "豆豆" in text]) == 1


def test_the_vector_of_a_query_survives_writes(rig: Rig) -> None:
    rig.memory.remember(ANA, "我的狗叫豆豆")
    rig.refs("pet")
    asked = rig.embedder.queries
    rig.memory.remember(ANA, "the kiln is hot")
    rig.refs("pet")
    assert rig.embedder.queries == asked


def test_an_edited_card_loses_its_old_vectors(rig: Rig) -> None:
    card = rig.memory.remember(ANA, "我的狗叫豆豆")
    rig.refs("pet")
    rig.memory.edit(ANA, card.memory_id, content="the oven was repaired")
    assert rig.refs("pet") == []


def test_only_what_was_reworded_is_sought_in_the_index_to_be_taken_out(rig: Rig) -> None:
    cards = [rig.memory.remember(ANA, f"the kiln holds {number} plates") for number in range(3)]
    rig.memory.edit(ANA, cards[0].memory_id, content="the kiln holds ten plates")
    rig.refs("kiln")
    assert rig.index.removed == [cards[0].memory_id]


def test_a_shortened_output_loses_its_old_vectors(rig: Rig, frozen_clock: Any) -> None:
    event = rig.memory.record(ANA, actor="tool", action="read", observation="all is well. " * 400)
    rig.memory.reindex()
    before = len(rig.index.rows)
    frozen_clock.now += timedelta(days=2)
    rig.memory.trim_outputs(older_than=timedelta(days=1), larger_than=2000)
    rig.memory._dense.catch_up(ANA.owner, largest=100)
    starts = [entry.start for _, _, entry, _ in rig.index.rows]
    assert len(starts) < before
    assert max(starts) < len(rig.memory.read(ANA, event, 0, 10_000))


def test_batches_grow_while_they_are_quick(rig: Rig, frozen_clock: Any) -> None:
    def fill(count: int) -> list[int]:
        for number in range(count):
            rig.memory.record(ANA, actor="user", action="request", observation=f"line {number} of {count}")
        rig.index.added.clear()
        rig.memory._dense.catch_up(ANA.owner, largest=9)
        return rig.index.added

    assert fill(330) == [64, 256, 10]
    rig.embedder.slow = lambda: setattr(frozen_clock, "now", frozen_clock.now + timedelta(seconds=2))
    assert fill(200) == [64, 64, 64, 8]


def test_a_forgotten_card_leaves_the_index(rig: Rig) -> None:
    card = rig.memory.remember(ANA, "我的狗叫豆豆")
    rig.refs("pet")
    rig.memory.forget(ANA, card.memory_id)
    assert rig.index.rows == []


def test_other_owners_are_not_embedded_for_me(rig: Rig) -> None:
    rig.memory.remember(Scope(user="ben"), "refund for Ben")
    rig.memory.remember(ANA, "我的狗叫豆豆")
    rig.refs("pet")
    assert not any("Ben" in text for text in rig.embedder.embedded)


def test_a_text_without_a_vector_is_found_by_its_words_and_counted(rig: Rig) -> None:
    card = rig.memory.remember(ANA, "an unembeddable dog")
    assert rig.refs("unembeddable") == [card.memory_id]
    assert rig.memory.check().without_vector == 1


def test_a_bulky_output_waits_for_reindex(rig: Rig) -> None:
    text = "nothing here\n" * 8000 + "the dog barked\n"
    event_id = rig.memory.record(ANA, actor="tool", action="fetch", observation=text)
    assert rig.refs("barked") == [event_id]
    assert rig.embedder.embedded == [] or not any("barked" in text for text in rig.embedder.embedded)
    rig.memory.reindex()
    hit = rig.memory.recall(ANA, "宠物", mode="semantic")[0]
    assert "dog barked" in rig.memory.read(ANA, event_id, hit.start, 300)


def test_narrow_filters_reach_the_index(rig: Rig) -> None:
    old = rig.memory.record(Scope(user="ana", thread="old"), actor="user", action="request", observation="my dog")
    for number in range(150):
        rig.memory.record(ANA, actor="user", action="request", observation=f"dog {number}")
    assert rig.refs("宠物", thread="old", mode="semantic") == [old]


def test_a_locked_index_leaves_the_words_and_says_so_once(rig: Rig) -> None:
    card = rig.memory.remember(ANA, "my dog is called Doudou")
    rig.refuse = IndexUnavailable("in use by another process")
    assert rig.refs("dog") == [card.memory_id]
    assert rig.refs("doudou", mode="semantic") == [card.memory_id]
    assert len(rig.memory.notices) == 1
    assert "in use" in str(rig.memory.notices[0])


def test_the_notice_is_logged_for_programs_and_left_to_the_command_line_to_print(
    rig: Rig, frozen_clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    rig.refuse = IndexUnavailable("in use by another process")
    with commanded():
        rig.refs("dog")
    assert (len(rig.memory.notices), caplog.records) == (1, [])
    rig.refuse = IndexUnavailable("damaged")
    frozen_clock.now += REST
    rig.refs("dog")
    assert "damaged" in caplog.text


def test_an_index_that_works_again_is_used_again(rig: Rig, frozen_clock: Any) -> None:
    card = rig.memory.remember(ANA, "我的狗叫豆豆")
    rig.refuse = IndexUnavailable("down")
    assert rig.refs("pet") == []
    rig.refuse = None
    assert rig.refs("pet") == []
    frozen_clock.now += REST
    assert rig.refs("pet") == [card.memory_id]


def test_an_index_that_breaks_in_a_search_leaves_the_words(rig: Rig) -> None:
    card = rig.memory.remember(ANA, "my dog is called Doudou")
    rig.refs("pet")
    rig.index.broken = IndexUnavailable("damaged")
    assert rig.refs("dog doudou") == [card.memory_id]
    assert "damaged" in str(rig.memory.notices[0])


def test_a_query_without_a_vector_does_not_switch_the_leg_off(rig: Rig) -> None:
    card = rig.memory.remember(ANA, "我的狗叫豆豆")
    rig.refs("pet")
    rig.index.broken = EmbedderError("no vector for this query")
    assert rig.refs("豆豆") == [card.memory_id]
    rig.index.broken = None
    assert rig.refs("宠物") == [card.memory_id]
    assert rig.memory.notices == []


def test_a_mismatch_is_not_hidden(rig: Rig) -> None:
    rig.memory.remember(ANA, "my dog")
    rig.refuse = EmbedderMismatch("made with another")
    with pytest.raises(EmbedderMismatch):
        rig.refs("pet")


class NamedEmbeddings:
    """A LangChain-like embedder."""

    def __init__(self, model: str) -> None:
        self.model = model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, float(len(text))] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, float(len(text))]


def test_another_embedder_is_refused_at_opening_with_both_names(tmp_path: Any) -> None:
    with TieredMemory.open(tmp_path, embedder=NamedEmbeddings("a")) as memory:
        indexing: Any = memory._ledger.indexing
        indexing.remember_embedder("NamedEmbeddings:a")
    with TieredMemory.open(tmp_path, embedder=NamedEmbeddings("a")):
        pass
    with pytest.raises(EmbedderMismatch, match=r"NamedEmbeddings:a.*NamedEmbeddings:b.*reindex"):
        TieredMemory.open(tmp_path, embedder=NamedEmbeddings("b"))
    with TieredMemory.open(tmp_path, embedder=None):
        pass


def test_the_executors_own_embedder_comes_later(memory: TieredMemory, counting_ids: Callable[[], str]) -> None:
    with TieredMemory.open(":memory:", embedder=None) as later:
        card = later.remember(ANA, "my dog")
        assert [hit.ref for hit in later.recall(ANA, "dog")] == [card.memory_id]
        assert later.notices == []


def test_equal_passages_of_different_batches_are_embedded_once() -> None:
    embedder = SubjectEmbedder()
    cached = CachedVectors(embedder)
    first = cached.embed_documents(["a dog", "a kiln", "a dog"])
    second = cached.embed_documents(["a kiln", "unembeddable", "a refund", "a dog"])
    assert embedder.embedded == ["a dog", "a kiln", "unembeddable", "a refund"]
    assert (second[0], second[1], second[3]) == (first[1], None, first[0] if first[0] == first[2] else None)
    cached.embed_documents(["unembeddable"])
    assert embedder.embedded.count("unembeddable") == 2


def test_only_the_last_passages_are_remembered() -> None:
    embedder = SubjectEmbedder()
    cached = CachedVectors(embedder)
    cached.embed_documents(["a dog", *(f"kiln {number}" for number in range(600))])
    cached.embed_documents(["a dog", "kiln 599"])
    assert (embedder.embedded.count("a dog"), embedder.embedded.count("kiln 599")) == (2, 1)
