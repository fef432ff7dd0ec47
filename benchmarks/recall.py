"""Is the right turn found? Recall as it is shipped beside plain Chroma: same embedder, same texts, same k, one run.

    python benchmarks/recall.py                                 # the sets of our own, English and Chinese
    python benchmarks/recall.py locomo.jsonl --vectors v.db     # made by benchmarks/locomo.py
    python benchmarks/recall.py --peers bm25,langgraph-store    # beside others, too (benchmarks/recall_peers.py)

A data set is JSON lines, each with "kind" and "conversation" (the turns of a conversation in order):

    {"kind": "turn", "id", "thread", "at" (ISO 8601), "zone", "speaker" ("user", "assistant", "tool" or a name), "text"}
    {"kind": "card", "id", "at", "text", "subject", "attribute", "value", "evidence": [turns], "supersedes": [cards]}
    {"kind": "question", "category", "text", "answer", "evidence": [turns], "superseded": [turns]}

Each conversation is a memory of its own, opened with the defaults; its clock stands at the last turn, and all is
indexed before the first question. Queries are embedded before they are asked, so latencies are without that; --vectors
keeps all vectors between runs, so that a run can be stopped and started again. A question without evidence has no
answer in its conversation. Where a conversation has cards, a second memory gets them, too, and is asked the same: are
cards beside the events at least as good as the events alone, and does the current value come before the former one?
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import sys
import tempfile
import time
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, quantiles

from langchain_core.embeddings import Embeddings
from recall_data import Conversation, Question, Turn, load
from recall_embedders import OTHERS, embedder_named
from recall_measures import all_at, any_at, comes_first, ndcg_at, reciprocal_rank
from recall_peers import PEERS

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.embedders import BATCH, Embedder
from memory_secretary.memory.passages import Passage, event_passages
from memory_secretary.memory.records import Action, Evidence

OWN = [Path(__file__).parent / "recall" / f"{lang}.jsonl" for lang in ("en", "zh")]
K = 10
OURS, WITH_CARDS, PLAIN = "recall", "recall, cards too", "plain Chroma"
USER = Scope(user="benchmark")
SPEAKERS = {
    "user": ("user", Action.REQUEST), "assistant": ("executor", Action.ANSWER), "tool": ("tool", "look_up"),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One question as one arm answered it: ids of turns, best first, after ``seconds``."""

    arm: str
    conversation: str
    question: Question
    ranked: list[str]
    seconds: float
    with_cards: bool = False


class KeptVectors(Embeddings):
    """An embedder that keeps every vector in a file; to the memory it is any LangChain embedder."""

    def __init__(self, embedder: Embedder, path: str) -> None:
        self.model = embedder.name
        self._embedder = embedder
        self._file = sqlite3.connect(path, check_same_thread=False)
        self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB, seconds REAL)")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of passages; those that are not kept yet are made in batches, each kept when it is made."""
        keys = [f"{self.model}\npassage\n{text}" for text in texts]
        new = [key for key in dict.fromkeys(keys) if self._kept(key) is None]
        for first in range(0, len(new), BATCH):
            some = new[first : first + BATCH]
            started = time.perf_counter()
            made = self._embedder.embed_documents([key.split("\n", 2)[2] for key in some])
            self._keep(some, made, (time.perf_counter() - started) / len(some))
        return [self._kept(key) or [] for key in keys]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        key = f"{self.model}\nquery\n{text}"
        if self._kept(key) is None:
            started = time.perf_counter()
            made = self._embedder.embed_query(text)
            self._keep([key], [made], time.perf_counter() - started)
        return self._kept(key) or []

    def query_seconds(self) -> list[float]:
        """How long each kept query took when it was embedded."""
        found = self._file.execute("SELECT seconds FROM vectors WHERE key LIKE ?", (f"{self.model}\nquery\n%",))
        return [seconds for (seconds,) in found]

    def _kept(self, key: str) -> list[float] | None:
        row = self._file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else array("f", row[0]).tolist()

    def _keep(self, keys: Sequence[str], made: Sequence[list[float] | None], seconds: float) -> None:
        rows = [(key, array("f", vector or []).tobytes(), seconds) for key, vector in zip(keys, made, strict=True)]
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)


def main() -> None:
    options = parsed()
    spec = embedder_named(options.embedder)
    if spec is None:
        sys.exit("name an embedder: without one there is nothing to compare with plain Chroma")
    started = time.monotonic()
    for path in options.dataset or OWN:
        conversations = load(path)[: options.limit]
        vectors = KeptVectors(spec, options.vectors)
        asked = [one for conversation in conversations for one in measured(conversation, vectors, options.peers)]
        if options.out:
            with options.out.open("a") as file:
                file.writelines(row(one) for one in asked)
        print(report(path.name, conversations, asked, vectors, time.monotonic() - started), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", nargs="*", type=Path, help="JSON lines; without any, the sets of our own")
    parser.add_argument("--embedder", default="embedded", help=f"as the package takes it, or {', '.join(OTHERS)}")
    parser.add_argument("--limit", type=int, help="only the first conversations")
    parser.add_argument("--vectors", default=":memory:", help="file that keeps vectors between runs")
    parser.add_argument("--out", type=Path, help="append what was found for each question, as JSON lines")
    parser.add_argument("--peers", type=known_peers, default=[], help=f"others beside: {', '.join(PEERS)}")
    return parser.parse_args()


def known_peers(names: str) -> list[str]:
    """The peers of a list with commas, each of which must be known and its packages there."""
    for name in (chosen := names.split(",")):
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(PEERS)}")
    if "bm25" in chosen and not all(map(find_spec, ("bm25s", "Stemmer", "jieba"))):
        raise argparse.ArgumentTypeError("bm25 needs: pip install bm25s PyStemmer jieba")
    return chosen


def measured(conversation: Conversation, vectors: KeptVectors, peers: Sequence[str] = ()) -> Iterator[Asked]:
    """Everything that is asked of one conversation, by all arms; and once more in a memory that has its cards, too."""
    yield from searched(conversation, vectors, peers)
    if conversation.cards:
        with filled(conversation, vectors) as (memory, turn_of):
            turn_of |= write_cards(conversation, memory, turn_of)
            memory.reindex()
            for question in conversation.questions:
                yield ours(conversation, question, memory, turn_of, with_cards=True)


def searched(conversation: Conversation, vectors: KeptVectors, peers: Sequence[str] = ()) -> Iterator[Asked]:
    """Everything that is asked of the turns alone."""
    print(f"{conversation.name}: {len(conversation.turns)} turns", file=sys.stderr, flush=True)
    for question in conversation.questions:
        vectors.embed_query(question.text)
    with filled(conversation, vectors) as (memory, turn_of):
        for question in conversation.questions:
            yield ours(conversation, question, memory, turn_of)
        passages = indexed(memory, turn_of)
        yield from plain(conversation, passages, turn_of, vectors)
        for name in peers:
            yield from peer(name, conversation, passages, turn_of, vectors)


@contextmanager
def filled(conversation: Conversation, vectors: KeptVectors) -> Iterator[tuple[TieredMemory, dict[str, str]]]:
    """A memory with all turns, indexed, and which turn each of its records is."""
    end = conversation.end()
    with (
        tempfile.TemporaryDirectory() as folder,
        TieredMemory.open(folder, embedder=vectors, clock=lambda: end) as memory,  # type: ignore[arg-type]
    ):
        turn_of = {record(memory, turn): turn.id for turn in conversation.turns}
        memory.reindex()
        yield memory, turn_of


def record(memory: TieredMemory, turn: Turn) -> str:
    """Write a turn down as the graph does; a person other than the user is named in the text."""
    scope = Scope(user="benchmark", thread=turn.thread)
    actor, action = SPEAKERS.get(turn.speaker, SPEAKERS["user"])
    said = turn.text if turn.speaker in SPEAKERS else f"{turn.speaker}: {turn.text}"
    return memory.record(scope, actor=actor, action=action, observation=said, at=turn.at, zone=turn.zone)


def write_cards(conversation: Conversation, memory: TieredMemory, turn_of: dict[str, str]) -> dict[str, str]:
    """Write the cards as the precipitator does; returns the turn that each stands for."""
    event_of = {turn: event for event, turn in turn_of.items()}
    said = {turn.id: turn.text for turn in conversation.turns}
    view, ids = memory.view(Role.PRECIPITATOR, USER), dict[str, str]()
    for card in conversation.cards:
        evidence = [Evidence(event_id=event_of[turn], quote=said[turn]) for turn in card.evidence]
        draft = CardDraft(
            content=card.text, subject=card.subject, attribute=card.attribute, value=card.value, at=card.at,
            evidence=evidence, supersedes=[ids[former] for former in card.supersedes],
        )  # fmt: skip
        ids[card.id] = view.write(draft).memory_id
    return {ids[card.id]: card.evidence[0] for card in conversation.cards}


def ours(
    conversation: Conversation,
    question: Question,
    memory: TieredMemory,
    turn_of: dict[str, str],
    *,
    with_cards: bool = False,
) -> Asked:
    """Ask the memory as any caller would."""
    started = time.perf_counter()
    hits = memory.recall(USER, question.text, k=K)
    seconds = time.perf_counter() - started
    ranked = [turn_of[hit.ref] for hit in hits]
    return Asked(
        arm=OURS, conversation=conversation.name, question=question, ranked=ranked, seconds=seconds,
        with_cards=with_cards,
    )  # fmt: skip


def indexed(memory: TieredMemory, turn_of: dict[str, str]) -> list[Passage]:
    """The passages that the memory indexes."""
    view = memory.view(Role.USER, USER)
    return [passage for event_id in turn_of for passage in event_passages(view.event(event_id))]


def plain(
    conversation: Conversation, passages: Sequence[Passage], turn_of: dict[str, str], vectors: KeptVectors
) -> Iterator[Asked]:
    """Ask a Chroma collection as it comes."""
    import chromadb
    from chromadb.config import Settings

    with tempfile.TemporaryDirectory() as folder:
        client = chromadb.PersistentClient(path=folder, settings=Settings(anonymized_telemetry=False))
        place = client.create_collection("turns", embedding_function=None)
        texts = [passage.text for passage in passages]
        ids = list(map(str, range(len(texts))))
        place.add(ids=ids, embeddings=vectors.embed_documents(texts), documents=texts)
        for question in conversation.questions:
            vector = vectors.embed_query(question.text)
            started = time.perf_counter()
            answer = place.query(query_embeddings=[vector], n_results=K, include=["documents", "distances"])
            seconds = time.perf_counter() - started
            ranked = list(dict.fromkeys(turn_of[passages[int(key)].ref] for key in answer["ids"][0]))
            yield Asked(arm=PLAIN, conversation=conversation.name, question=question, ranked=ranked, seconds=seconds)


def peer(
    name: str, conversation: Conversation, passages: Sequence[Passage], turn_of: dict[str, str], vectors: KeptVectors
) -> Iterator[Asked]:
    """Ask one of the others, over the same passages."""
    search = PEERS[name]([passage.text for passage in passages], vectors)
    for question in conversation.questions:
        started = time.perf_counter()
        places = search(question.text, K)
        seconds = time.perf_counter() - started
        ranked = list(dict.fromkeys(turn_of[passages[place].ref] for place in places))
        yield Asked(arm=name, conversation=conversation.name, question=question, ranked=ranked, seconds=seconds)


def report(
    name: str, conversations: Sequence[Conversation], asked: Sequence[Asked], vectors: KeptVectors, seconds: float
) -> str:
    """The tables of one data set."""
    turns = sum(len(conversation.turns) for conversation in conversations)
    lines = [
        f"\n{name}: {len(conversations)} conversations, {turns} turns, embedder {vectors.model}, "
        f"{platform.machine()}, {seconds / 60:.1f} minutes\n",
        "| category | arm | questions | any@5 | any@10 | all@10 | MRR | nDCG@10 |",
        "|---|---|---|---|---|---|---|---|",
        *(quality(category, arm, group) for category, arm, group in grouped(asked)),
        "",
        "| arm | p50 | p95 |",
        "|---|---|---|",
        *(latency(arm, [one.seconds for one in asked if one.arm == arm and not one.with_cards]) for arm in arms(asked)),
        latency("embedding the query, apart", vectors.query_seconds()),
    ]
    lines += [*unanswerable(asked), *former(asked)]
    return "\n".join(lines)


def arms(asked: Sequence[Asked]) -> list[str]:
    """Those that were asked, in their order."""
    return list(dict.fromkeys(one.arm for one in asked))


def grouped(asked: Sequence[Asked]) -> Iterator[tuple[str, str, list[Asked]]]:
    """All answerable questions, then those of each category, by arm."""
    groups = defaultdict[tuple[str, str], list[Asked]](list)
    answerable = [one for one in asked if one.question.evidence]
    for category in ("all", *sorted({one.question.category for one in answerable})):
        for one in answerable:
            if category in ("all", one.question.category):
                groups[category, WITH_CARDS if one.with_cards else one.arm].append(one)
    for (category, arm), group in groups.items():
        yield category, arm, group


def quality(category: str, arm: str, group: Sequence[Asked]) -> str:
    pairs = [(one.ranked, one.question.evidence) for one in group]
    means = (
        mean(any_at(5, *pair) for pair in pairs),
        mean(any_at(K, *pair) for pair in pairs),
        mean(all_at(K, *pair) for pair in pairs),
        mean(reciprocal_rank(*pair) for pair in pairs),
        mean(ndcg_at(K, *pair) for pair in pairs),
    )
    return f"| {category} | {arm} | {len(group)} | {' | '.join(f'{value:.3f}' for value in means)} |"


def latency(arm: str, seconds: Sequence[float]) -> str:
    cuts = quantiles(seconds, n=20)
    return f"| {arm} | {cuts[9] * 1000:.1f} ms | {cuts[18] * 1000:.1f} ms |"


def unanswerable(asked: Sequence[Asked]) -> Iterator[str]:
    """How often nothing at all came for a question that nothing answers."""
    for arm in arms(asked):
        group = [one for one in asked if one.arm == arm and not one.question.evidence and not one.with_cards]
        if group:
            nothing = sum(not one.ranked for one in group)
            yield f"\nWithout an answer, {arm}: nothing came for {nothing} of {len(group)} questions, " + (
                f"{mean(len(one.ranked) for one in group):.1f} hits on average."
            )


def former(asked: Sequence[Asked]) -> Iterator[str]:
    """How often the current value came before the former one."""
    for arm, with_cards in ((OURS, True), *((arm, False) for arm in arms(asked))):
        group = [one for one in asked if one.arm == arm and one.with_cards is with_cards and one.question.superseded]
        if group:
            right = sum(comes_first(one.ranked, one.question.evidence, one.question.superseded) for one in group)
            what = "values are cards" if with_cards else "turns alone"
            yield f"\nCurrent value before the former one, {what}, {arm}: {right} of {len(group)}."


def row(one: Asked) -> str:
    found = {
        "arm": one.arm, "cards": one.with_cards, "conversation": one.conversation, "category": one.question.category,
        "text": one.question.text, "evidence": one.question.evidence, "superseded": one.question.superseded,
        "ranked": one.ranked,
    }  # fmt: skip
    return json.dumps(found, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
