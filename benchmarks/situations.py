"""Does a card come when its situation is there, though no word is shared, and stay away when it is not?

    python benchmarks/situations.py

The pairs of a card and a question stand in recall/situations.jsonl, half of them do not belong together; those that are
"held_out" were written after the floor had been chosen. All cards of a language lie beside the conversation of
recall/en.jsonl or zh.jsonl in one memory, and a card has come when it is among the first five hits.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from recall import USER, KeptVectors, record
from recall_data import load
from recall_embedders import embedder_named

from memory_secretary.memory import TieredMemory
from memory_secretary.memory.records import MemoryType

DATA = Path(__file__).parent / "recall"
K = 5


def main() -> None:
    pairs = [json.loads(line) for line in (DATA / "situations.jsonl").read_text("utf-8").splitlines()]
    embedder = embedder_named("embedded")
    assert embedder is not None
    vectors = KeptVectors(embedder, ":memory:")
    print("| language | pairs | came rightly | came wrongly |\n|---|---|---|---|")
    for lang in ("en", "zh"):
        of_lang = [pair for pair in pairs if pair["lang"] == lang]
        found = came(lang, of_lang, vectors)
        for held_out in (False, True):
            right = [hit for pair, hit in zip(of_lang, found, strict=True) if fits(pair, held_out, comes=True)]
            wrong = [hit for pair, hit in zip(of_lang, found, strict=True) if fits(pair, held_out, comes=False)]
            name = "held out" if held_out else "floor chosen with"
            print(f"| {lang} | {name} | {sum(right)} of {len(right)} | {sum(wrong)} of {len(wrong)} |")


def fits(pair: dict[str, Any], held_out: bool, *, comes: bool) -> bool:
    return pair["held_out"] is held_out and pair["comes"] is comes


def came(lang: str, pairs: list[dict[str, Any]], vectors: KeptVectors) -> list[bool]:
    """Whether the card of each pair came for its question."""
    conversation = load(DATA / f"{lang}.jsonl")[0]
    end = conversation.end()
    with (
        tempfile.TemporaryDirectory() as folder,
        TieredMemory.open(folder, embedder=vectors, clock=lambda: end) as memory,  # type: ignore[arg-type]
    ):
        for turn in conversation.turns:
            record(memory, turn)
        different = {pair["card"]: pair["applies_to"] for pair in pairs}
        written = {
            card: memory.remember(USER, card, type=MemoryType.PREFERENCE, applies_to=situations).memory_id
            for card, situations in different.items()
        }
        memory.reindex()
        return [
            written[pair["card"]] in {hit.ref for hit in memory.recall(USER, pair["question"], k=K)} for pair in pairs
        ]


if __name__ == "__main__":
    main()
