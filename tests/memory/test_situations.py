"""Cards come for the situations that they are for; the pairs are those of ``benchmarks/situations.py``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memory_secretary.memory import MemoryType, Scope, TieredMemory
from memory_secretary.memory.situations import USUAL, USUAL_ZH, fit, usual

PAIRS = Path(__file__).parents[2] / "benchmarks" / "recall" / "situations.jsonl"
ANA = Scope(user="ana", thread="t1")


def test_a_situation_fits_as_far_as_it_is_nearer_than_the_usual_ones() -> None:
    to_usual = [0.5, 0.6, 0.6, 0.6, 0.95]
    assert fit(0.6, to_usual, 0.1) == 0
    assert fit(0.63, to_usual, 0.1) == 0
    assert fit(0.64, to_usual, 0.1) == pytest.approx(0.5)
    assert fit(0.66, to_usual, 0.1) == pytest.approx(0.75)
    assert fit(0.9, to_usual, 0.1) == 1
    assert fit(1.0, [1.0, 1.0], 0.1) == 0


def test_a_question_is_held_against_situations_in_its_own_language() -> None:
    assert usual("Draft a weekly report") is USUAL
    assert usual("写一份 report") is USUAL_ZH


class TopicEmbedder:
    """Texts about writing are near each other, those about cooking too; all are somewhat alike."""

    model = "topics"
    topics = (("writing", "report", "写", "报"), ("cooking", "onion", "做饭", "洋葱"), ("kiln", "窑"))

    def embed_query(self, text: str) -> list[float]:
        found = [float(any(word in text for word in words)) for words in self.topics]
        return [1.0, *found, 0.0 if any(found) else 1.0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Whatever a passage is about, its content decides, as it does where a situation is only a few of its words."""
        return [self.embed_query(text.partition(" writing")[0].partition(" cooking")[0]) for text in texts]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[TieredMemory]:
    with TieredMemory.open(tmp_path, embedder=TopicEmbedder()) as opened:  # type: ignore[arg-type]
        yield opened


@pytest.mark.integration
def test_a_preference_comes_for_its_situation_without_a_shared_word_and_for_no_other(memory: TieredMemory) -> None:
    for number in range(20):
        memory.record(ANA, actor="tool", action="look", observation=f"kiln {number} is blue")
    short = memory.remember(ANA, "Prefers short answers", type=MemoryType.PREFERENCE, applies_to=["travel", "writing"])
    oil = memory.remember(ANA, "Only olive oil", type=MemoryType.PREFERENCE, applies_to="cooking")
    hits = memory.recall(ANA, "a report please")
    assert hits[0].ref == short.memory_id
    assert hits[0].parts["situation"] > 0.5
    assert oil.memory_id not in {hit.ref for hit in hits}
    assert memory.recall(ANA, "fry an onion")[0].ref == oil.memory_id


@pytest.mark.integration
def test_a_situation_follows_its_card_when_it_is_edited_or_forgotten(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "Prefers short answers", applies_to=["writing"])
    assert memory.recall(ANA, "a report please")[0].ref == card.memory_id
    memory.edit(ANA, card.memory_id, applies_to=["cooking"])
    assert memory.recall(ANA, "a report please") == []
    assert memory.recall(ANA, "fry an onion")[0].ref == card.memory_id
    memory.forget(ANA, card.memory_id)
    assert memory.recall(ANA, "fry an onion") == []


@pytest.mark.integration
def test_the_situations_of_a_memory_that_has_none_in_its_index_yet_are_made_by_a_check(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "Prefers short answers", applies_to=["writing"])
    memory.reindex()
    index = memory._dense._index  # type: ignore[attr-defined]
    index.remove(ANA.owner, [card.memory_id], shelves=["situations"])
    assert memory.check().missing == 1
    assert memory.recall(ANA, "a report please")[0].ref == card.memory_id


@pytest.mark.model
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_embedded_embedder_tells_situations_apart(tmp_path: Path, lang: str) -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    of_lang = [pair for pair in pairs if pair["lang"] == lang]
    with TieredMemory.open(tmp_path) as memory:
        cards = {
            pair["card"]: memory.remember(ANA, pair["card"], applies_to=pair["applies_to"]).memory_id
            for pair in of_lang
        }
        memory.reindex()
        came = {True: 0, False: 0}
        for pair in of_lang:
            hits = {hit.ref: hit.parts["situation"] for hit in memory.recall(ANA, pair["question"])}
            came[pair["comes"]] += hits.get(cards[pair["card"]], 0) > 0
    half = len(of_lang) / 2
    assert came[True] >= 0.8 * half
    assert came[False] <= 0.2 * half
