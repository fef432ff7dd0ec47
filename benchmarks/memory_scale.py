"""What the memory costs as it grows: recall, record, indexing, disk and memory beside bare Chroma in the same run.

python benchmarks/memory_scale.py                  # 1,000, 10,000 and 100,000 memories: half an hour on two idle cores
python benchmarks/memory_scale.py --sizes 1000     # a minute
python benchmarks/memory_scale.py --owners 10000   # as many users, each with a collection of one record

Texts and vectors are made from a seed, and the time that makes them is left out. Bare Chroma gets the same vectors in
large batches, once with its own settings (fast, and it loses exact top hits) and once with ours. A machine with other
work on it shows in the wall-clock: the processor time of this process stands beside it. Each size is measured in a
process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memory_secretary.memory import Scope, Tier, TieredMemory
from memory_secretary.memory.embedders import CheckedEmbedder
from memory_secretary.memory.index import IndexEntry, VectorIndex, graph_settings

SIZES = (1_000, 10_000, 100_000)
DIMENSION = 384
TOPICS = 500
QUERIES = 200
K = 5
CARD_EVERY = 10
"""One memory of ten is a card, the others are turns."""
BATCH = 2_000
RAW = ("p50", "p95")
"""Milliseconds by the clock on the wall, for the ratios."""
OWNER = Scope(user="ana", thread="t0")
START = datetime(2026, 1, 1, tzinfo=UTC)
ANY_SIZE = 1 << 31

NOUNS = "kiln invoice boiler garden bicycle contract recipe violin harbour ledger 退款 窑炉 发票 合同 花园 会议".split()
VERBS = "moved paid repaired cancelled measured painted ordered found 修好了 付清了 取消了 改到周四 检查过".split()


class Prepared:
    """Vectors around the centre of a text's topic, made from the number in the text; a LangChain embedder."""

    def __init__(self) -> None:
        self.centres = np.random.default_rng(1).normal(size=(TOPICS, DIMENSION))
        self.spent = Spent([], [])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        made: list[list[float]] = []
        spent = timed([lambda: made.extend(map(self.embed_query, texts))])
        self.spent.wall.extend(spent.wall)
        self.spent.cpu.extend(spent.cpu)
        return made

    def embed_query(self, text: str) -> list[float]:
        number = next((int(word[1:]) for word in text.split() if word[:1] == "#" and word[1:].isdigit()), None)
        seed = hash_of(text) if number is None else number
        vector = self.centres[seed % TOPICS] + 0.7 * np.random.default_rng(seed).normal(size=DIMENSION)
        return list((vector / np.linalg.norm(vector)).tolist())


def hash_of(text: str) -> int:
    return sum(ord(letter) * (place + 1) for place, letter in enumerate(text))


def text_of(number: int) -> str:
    """A sentence about the number's topic, with words that other sentences have, too."""
    rng = random.Random(number)
    topic = number % TOPICS
    subject = f"{NOUNS[topic % len(NOUNS)]}-{topic}"
    return (
        f"#{number} {subject} {rng.choice(VERBS)} by {rng.choice(NOUNS)} {rng.randrange(9999)}, "
        f"{rng.choice(VERBS)} {rng.choice(NOUNS)} {rng.choice(NOUNS)} for {rng.randrange(900)} euros"
    )


@dataclass(frozen=True)
class Spent:
    """Seconds of each call: by the clock on the wall and of this process on the processor."""

    wall: list[float]
    cpu: list[float]

    def ms(self, share: float) -> str:
        """A percentile in milliseconds, the processor's in brackets."""
        return f"{1e3 * percentile(self.wall, share):.1f} ({1e3 * percentile(self.cpu, share):.1f})"


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def timed(calls: Sequence[Callable[[], Any]]) -> Spent:
    spent = Spent([], [])
    for call in calls:
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        spent.wall.append(time.perf_counter() - wall)
        spent.cpu.append(time.process_time() - cpu)
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: [int(part) for part in text.split(",")], default=SIZES)
    parser.add_argument("--owners", type=int, default=0, help="measure so many users instead")
    parser.add_argument("--one", choices=["memory", "bare", "same"], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.owners:
        many_owners(asked.owners)
    elif asked.one:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(MEASURES[asked.one](Path(folder), asked.sizes[0])))
    else:
        table(asked.sizes)


def table(sizes: Sequence[int]) -> None:
    """One line a size; times in ms, those of the processor in brackets."""
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for size in sizes:
        found = {name: alone(name, size) for name in MEASURES}
        ours, bare, same = found["memory"], found["bare"], found["same"]
        print(f"\n{size:,} memories, load {os.getloadavg()[0]:.1f}")
        for name, row in found.items():
            print(f"  {name:7}", ", ".join(f"{key} {value}" for key, value in row.items() if key not in RAW))
        for label, other in (("bare Chroma", bare), ("Chroma with our settings", same)):
            print(
                f"  to {label}: indexing {ours['indexed/cpu s'] / other['indexed/cpu s']:.2f} "
                f"(by the wall {ours['indexed/s'] / other['indexed/s']:.2f}), "
                f"recall p95 {ours['p95'] / other['p95']:.1f} times a query"
            )


def alone(name: str, size: int) -> dict[str, Any]:
    """A measurement in a process of its own, so that none inherits another's memory."""
    command = [sys.executable, __file__, "--one", name, "--sizes", str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_memory(folder: Path, size: int) -> dict[str, Any]:
    """The package: record and remember, take all into the index, recall."""
    embedder = Prepared()
    with TieredMemory.open(folder, embedder=embedder) as memory:
        written = timed([lambda number=number: write(memory, number) for number in range(size)])
        events = [number for number in range(size) if number % CARD_EVERY]
        record = Spent([written.wall[n] for n in events], [written.cpu[n] for n in events])
        before = resident()
        memory._dense.catch_up(OWNER.owner, largest=0)  # opens the index
        embedder.spent.wall.clear()
        embedder.spent.cpu.clear()
        index = timed([lambda: memory._dense.catch_up(OWNER.owner, largest=ANY_SIZE)])
        index.wall[0] -= sum(embedder.spent.wall)
        index.cpu[0] -= sum(embedder.spent.cpu)
        questions = [question(number) for number in sample(size)]
        for text in questions[:5]:
            memory.recall(OWNER, text + "?", k=K)  # opens what is opened once
        for text in questions:
            memory._dense._embedder.embed_query(text)  # cached: the embedding of the query is not counted
        recall = timed([lambda text=text: memory.recall(OWNER, text, k=K) for text in questions])
        rights = sum(own_found(memory, number) for number in sample(size))
        again = timed([lambda: memory.recall(OWNER, questions[-1], k=K) for _ in questions])
        return {
            "p50": 1e3 * percentile(recall.wall, 0.5), "p95": 1e3 * percentile(recall.wall, 0.95),
            "recall p50": recall.ms(0.5), "recall p95": recall.ms(0.95), "cached p50": again.ms(0.5),
            "record p50": record.ms(0.5), "record p95": record.ms(0.95),
            "indexed/s": round(size / index.wall[0]), "indexed/cpu s": round(size / index.cpu[0]),
            "its own found": f"{rights} of {QUERIES}",
            "disk MB/10k": per_10k(disk(folder), size), "ledger MB/10k": per_10k(disk(folder / "ledger.db"), size),
            "resident MB/10k": per_10k(resident() - before, size), "resident MB": resident() >> 20,
        }  # fmt: skip


def own_found(memory: TieredMemory, number: int) -> bool:
    return any(hit.text.startswith(f"#{number} ") for hit in memory.recall(OWNER, question(number), k=K))


def write(memory: TieredMemory, number: int) -> None:
    at = START + timedelta(minutes=number)
    if number % CARD_EVERY:
        memory.record(OWNER.on(f"t{number // 200}"), actor="user", action="request", observation=text_of(number), at=at)
    else:
        memory.remember(OWNER, text_of(number), at=at)


def bare_chroma(settings: dict[str, Any]) -> Callable[[Path, int], dict[str, Any]]:
    """Plain Chroma with the same vectors and metadata, in large batches."""

    def measure(folder: Path, size: int) -> dict[str, Any]:
        import chromadb

        embedder = Prepared()
        client = chromadb.PersistentClient(path=folder)
        place = client.create_collection("bare", embedding_function=None, configuration={"hnsw": settings})
        batches = [
            (numbers, [embedder.embed_query(text_of(n)) for n in numbers])
            for numbers in (range(first, min(first + BATCH, size)) for first in range(0, size, BATCH))
        ]
        before = resident()
        index = timed(
            [
                lambda numbers=numbers, vectors=vectors: place.upsert(
                    ids=[f"evt_{n:032x}:0" for n in numbers],
                    embeddings=vectors,
                    metadatas=[{"ref": f"evt_{n:032x}"} for n in numbers],
                )
                for numbers, vectors in batches
            ]
        )
        vectors = [embedder.embed_query(question(number)) for number in sample(size)]
        place.query(query_embeddings=vectors[0], n_results=K)
        query = timed([lambda vector=vector: place.query(query_embeddings=vector, n_results=K) for vector in vectors])
        rights = sum(
            f"evt_{n:032x}:0" in place.query(query_embeddings=embedder.embed_query(text_of(n)), n_results=K)["ids"][0]
            for n in sample(size)
        )
        return {
            "p50": 1e3 * percentile(query.wall, 0.5), "p95": 1e3 * percentile(query.wall, 0.95),
            "query p50": query.ms(0.5), "query p95": query.ms(0.95),
            "indexed/s": round(size / sum(index.wall)), "indexed/cpu s": round(size / sum(index.cpu)),
            "its own found": f"{rights} of {QUERIES}",
            "disk MB/10k": per_10k(disk(folder), size), "resident MB/10k": per_10k(resident() - before, size),
        }  # fmt: skip

    return measure


MEASURES: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "memory": measure_memory,
    "bare": bare_chroma({"space": "cosine"}),
    "same": bare_chroma(dict(graph_settings())),
}


def sample(size: int) -> list[int]:
    return random.Random(7).sample(range(size), QUERIES)


def question(number: int) -> str:
    """Asks for one memory by some of its words; its vector is the memory's own."""
    return "what about " + " ".join(text_of(number).split()[:4])


def many_owners(count: int) -> None:
    """Users with one record each: what a collection costs, and what opening and searching cost among so many."""
    with tempfile.TemporaryDirectory() as folder:
        path, embedder = Path(folder), CheckedEmbedder("prepared", Prepared, server="prepared", model="prepared")
        with opened(path, embedder) as index:
            before, steps = resident(), max(1, count // 10)
            for first in range(0, count, steps):
                added = timed([lambda n=n: add_one(index, n) for n in range(first, min(first + steps, count))])
                print(
                    f"{first + steps:,} users: a user's first record {added.ms(0.5)} ms p50, {added.ms(0.95)} p95",
                    flush=True,
                )
            print(
                f"disk {disk(path) / count / 1024:.0f} kB a user, "
                f"resident {(resident() - before) / count / 1024:.0f} kB a user"
            )
        reopened = timed([lambda: opened(path, embedder).__enter__().close()])
        print(f"opening again {reopened.ms(0.5)} ms")
        with opened(path, embedder) as index:
            some = random.Random(7).sample(range(count), min(count, 500))
            found = timed([lambda n=n: index.search(f"user:{n}", [Tier.WORKING], text_of(n), 5) for n in some])
            print(f"a user's first search {found.ms(0.5)} ms p50, {found.ms(0.95)} p95; resident {resident() >> 20} MB")


@contextmanager
def opened(path: Path, embedder: CheckedEmbedder) -> Iterator[VectorIndex]:
    index = VectorIndex.open(path=path, url=None, embedder=embedder)
    try:
        yield index
    finally:
        index.close()


def add_one(index: VectorIndex, number: int) -> None:
    index.add(f"user:{number}", Tier.WORKING, [IndexEntry(f"evt_{number}", 0, text_of(number))])


def disk(path: Path) -> int:
    """Bytes of a file (with its log) or of all files of a folder."""
    if path.is_dir():
        return sum(file.stat().st_blocks * 512 for file in path.rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def resident() -> int:
    """Bytes of this process in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def per_10k(size: int, count: int) -> float:
    return round(size / 2**20 / (count / 10_000), 1)


if __name__ == "__main__":
    main()
