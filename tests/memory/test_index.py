"""The index on real Chroma: in memory, on disk, and behind a server."""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from langchain_core.embeddings import Embeddings

from memory_secretary.memory.embedders import CheckedEmbedder
from memory_secretary.memory.errors import EmbedderError, EmbedderMismatch, IndexUnavailable, SettingsError
from memory_secretary.memory.index import IndexEntry, VectorIndex
from memory_secretary.memory.roles import Tier

pytestmark = pytest.mark.integration

OWNER = "user:ana"


class Words(Embeddings):
    """A bag of hashed words, so that texts with common words are near each other; not normalised."""

    def __init__(self, size: int = 512) -> None:
        self.size = size

    def embed_query(self, text: str) -> list[float]:
        if "rizicích," in text:
            msg = "500 Internal Server Error"
            raise RuntimeError(msg)
        vector = [0.0] * self.size
        for word in re.findall(r"\w", text) if not text.isascii() else re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % self.size] += 3.0
        if text == "v1/a/b":
            vector[0] = float("nan")
        return vector[:-1] if text == "wrong length" else vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def embedder(name: str = "words", size: int = 512, max_chars: int = 200) -> CheckedEmbedder:
    return CheckedEmbedder(name, lambda: Words(size), server="test", model=name, max_chars=max_chars)


def entry(ref: str, text: str, *, start: int = 0) -> IndexEntry:
    return IndexEntry(ref=ref, start=start, text=text)


FACTS = [
    entry("evt_1", "the kiln slot is on thursday"),
    entry("evt_2", "refunds take thirty days"),
    entry("evt_3", "周五把备份脚本交给小周"),
]

Opener = Callable[..., VectorIndex]


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Opens indexes and closes them after the test."""
    made: list[VectorIndex] = []

    def open_(path: Path | None = None, url: str | None = None, **more: object) -> VectorIndex:
        made.append(VectorIndex.open(path=path, url=url, embedder=more.pop("embedder", embedder()), **more))  # type: ignore[arg-type]
        return made[-1]

    yield open_
    for index in made:
        index.close()


def refs(index: VectorIndex, query: str, k: int = 5, owner: str = OWNER) -> list[str]:
    return [hit.ref for hit in index.search(owner, list(Tier), query, k)]


def test_an_equal_text_comes_first_with_similarity_one(opened: Opener) -> None:
    index = opened()
    assert index.add(OWNER, Tier.WORKING, FACTS) == []
    for fact in FACTS:
        first = index.search(OWNER, list(Tier), fact.text, 3)[0]
        assert first.ref == fact.ref
        assert first.similarity == pytest.approx(1.0, abs=1e-4)


def test_similarities_lie_in_0_to_1_and_fall(opened: Opener) -> None:
    index = opened()
    index.add(OWNER, Tier.WORKING, FACTS)
    hits = index.search(OWNER, [Tier.WORKING], "thirty refunds on thursday", 5)
    assert [hit.similarity for hit in hits] == sorted((hit.similarity for hit in hits), reverse=True)
    assert all(0.0 <= hit.similarity <= 1.0 for hit in hits)
    nonsense = index.search(OWNER, [Tier.WORKING], "zqxv 8841 flibber", 5)
    assert max(hit.similarity for hit in nonsense) < 0.5


def test_similarity_means_the_same_in_every_tier(opened: Opener) -> None:
    index = opened()
    for tier in Tier:
        index.add(OWNER, tier, [entry(f"in_{tier.value}", "refunds take thirty days")])
    hits = index.search(OWNER, list(Tier), "refunds take ten days", 5)
    assert len(hits) == 3
    assert len({round(hit.similarity, 5) for hit in hits}) == 1
    assert [hit.ref for hit in index.search(OWNER, [Tier.LONG], "refunds", 5)] == ["in_long"]


def test_owners_never_see_each_other(opened: Opener) -> None:
    index = opened()
    index.add("user:ana", Tier.WORKING, [entry(f"evt_{number}", f"my car is red {number}") for number in range(200)])
    index.add("user:ana2", Tier.WORKING, [entry("evt_grey", "my car is grey")])
    assert refs(index, "car", owner="user:ana2") == ["evt_grey"]
    assert refs(index, "car", owner="team:ana") == []
    index.remove("user:ana2", ["evt_1", "evt_grey"])
    assert refs(index, "car", owner="user:ana2") == []
    assert "evt_1" in refs(index, "my car is red 1", k=200, owner="user:ana")


def test_records_that_differ_in_one_word_are_all_found(opened: Opener) -> None:
    index = opened(embedder=embedder(size=4_096))
    texts = [f"invoice number{number} was paid" for number in range(200)]
    index.add(OWNER, Tier.WORKING, [entry(f"evt_{number}", text) for number, text in enumerate(texts)])
    for text in texts[::20]:
        assert index.search(OWNER, [Tier.WORKING], text, 3)[0].similarity == pytest.approx(1.0, abs=1e-4)
    assert len(refs(index, texts[0], k=200)) == 200


def test_bad_vectors_are_reported_and_never_stored(opened: Opener, caplog: pytest.LogCaptureFixture) -> None:
    texts = ["good one", "good two", "good three", "vinic v rizicích,", "good five", "v1/a/b", "good seven", "…",
             "good nine", "wrong length"]  # fmt: skip
    index = opened()
    with caplog.at_level(logging.WARNING):
        bad = index.add(OWNER, Tier.WORKING, [entry(f"evt_{place}", text) for place, text in enumerate(texts)])
    assert bad == ["evt_3", "evt_5", "evt_7", "evt_9"]
    assert all(ref in caplog.text for ref in bad)
    assert sorted(refs(index, "good", k=20)) == ["evt_0", "evt_1", "evt_2", "evt_4", "evt_6", "evt_8"]
    again = [entry(ref, texts[int(ref[-1])]) for ref in bad]
    assert index.add(OWNER, Tier.WORKING, again, normalise=True) == ["evt_7", "evt_9"]
    assert refs(index, "vinic v rizicích", k=1) == ["evt_3"]


def test_a_query_without_a_vector_is_an_error_not_an_empty_answer(opened: Opener) -> None:
    index = opened()
    index.add(OWNER, Tier.WORKING, FACTS)
    with pytest.raises(EmbedderError, match="words instead"):
        index.search(OWNER, list(Tier), "…", 5)


def test_long_texts_are_found_at_the_offset_of_the_passage(opened: Opener) -> None:
    index = opened()
    text = "nothing of note happened. " * 100 + "the order total was 417.25 euro. " + "more of the same. " * 100
    index.add(OWNER, Tier.WORKING, [entry("evt_long", text), *FACTS])
    hit = index.search(OWNER, [Tier.WORKING], "order total euro", 3)[0]
    assert hit.ref == "evt_long"
    assert hit.start <= text.index("417.25") < hit.start + 200


def test_each_record_is_named_once_by_its_best_passage(opened: Opener) -> None:
    index = opened()
    index.add(OWNER, Tier.WORKING, [entry("evt_long", "kiln slot " * 400), *FACTS])
    assert sorted(refs(index, "kiln slot", k=4)) == ["evt_1", "evt_2", "evt_3", "evt_long"]


def test_several_entries_may_share_a_record(opened: Opener) -> None:
    index = opened()
    index.add(OWNER, Tier.WORKING, [entry("evt_1", "head of it", start=0), entry("evt_1", "tail of that", start=500)])
    assert index.search(OWNER, [Tier.WORKING], "tail of that", 5)[0].start == 500


def test_adding_again_replaces(opened: Opener) -> None:
    index = opened()
    index.add(OWNER, Tier.LONG, [entry("mem_1", "I bank with Nordia")])
    index.add(OWNER, Tier.LONG, [entry("mem_1", "Kestrel is the bank now")])
    hits = index.search(OWNER, [Tier.LONG], "Kestrel is the bank now", 5)
    assert [(hit.ref, round(hit.similarity, 3)) for hit in hits] == [("mem_1", 1.0)]


def test_a_search_can_be_limited_to_some_records(opened: Opener) -> None:
    index = opened()
    index.add(OWNER, Tier.WORKING, FACTS)
    only = index.search(OWNER, [Tier.WORKING], "kiln slot", 5, refs={"evt_2", "evt_9"})
    assert [hit.ref for hit in only] == ["evt_2"]
    assert index.search(OWNER, [Tier.WORKING], "kiln slot", 5, refs=[]) == []


def test_more_passages_than_chroma_takes_at_once(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    index = opened()
    monkeypatch.setattr(index._client, "get_max_batch_size", lambda: 7)
    many = [entry(f"evt_{number}", f"note{number}") for number in range(20)]
    assert index.add(OWNER, Tier.WORKING, many) == []
    assert len(refs(index, "note", k=20)) == 20


def test_indexes_in_memory_are_apart_and_end_with_close(opened: Opener) -> None:
    one, other = opened(), opened()
    one.add(OWNER, Tier.WORKING, FACTS)
    assert refs(other, "kiln") == []
    one.close()
    assert refs(opened(), "kiln") == []


def test_closing_a_folder_keeps_it_whatever_its_name(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = opened(Path("memory"))
    first.add(OWNER, Tier.WORKING, FACTS)
    first.close()
    assert refs(opened(Path("memory")), "kiln slot", k=1) == ["evt_1"]


def test_a_restart_keeps_the_vectors(tmp_path: Path) -> None:
    with_vectors = VectorIndex.open(path=tmp_path / "index", url=None, embedder=embedder())
    with_vectors.add(OWNER, Tier.WORKING, FACTS)
    with_vectors.close()
    code = f"""
from pathlib import Path
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_index import OWNER, embedder, refs
from memory_secretary.memory.index import VectorIndex
index = VectorIndex.open(path=Path({str(tmp_path / "index")!r}), url=None, embedder=embedder())
print(refs(index, "备份", k=1))
index.close()
"""
    assert run(code) == "['evt_3']"


def test_a_second_process_is_told_at_once_and_a_killed_one_frees_the_folder(tmp_path: Path, opened: Opener) -> None:
    code = f"""
from pathlib import Path
import sys, time; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_index import FACTS, OWNER, embedder
from memory_secretary.memory.index import VectorIndex, Tier
index = VectorIndex.open(path=Path({str(tmp_path)!r}), url=None, embedder=embedder())
index.add(OWNER, Tier.WORKING, FACTS)
print("open", flush=True)
time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "open"
        began = time.monotonic()
        with pytest.raises(IndexUnavailable, match="chroma run"):
            opened(tmp_path)
        assert time.monotonic() - began < 5
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    assert refs(opened(tmp_path), "kiln slot", k=1) == ["evt_1"]


def test_a_forked_child_may_not_use_the_parents_folder(tmp_path: Path, opened: Opener) -> None:
    index = opened(tmp_path)
    index._process = os.getpid() + 1
    with pytest.raises(IndexUnavailable, match="in use"):
        index.add(OWNER, Tier.WORKING, FACTS)
    index._process = os.getpid()


@pytest.mark.parametrize(("name", "size"), [("b", 12), ("c", 8), ("a", 12)])
def test_another_embedder_is_refused_at_opening_and_nothing_changes(
    name: str, size: int, tmp_path: Path, opened: Opener
) -> None:
    first = opened(tmp_path, embedder=embedder("a", 8))
    first.add(OWNER, Tier.WORKING, FACTS)
    first.close()
    with pytest.raises(EmbedderMismatch) as caught:
        opened(tmp_path, embedder=embedder(name, size))
    for part in ("embedder a of dimension 8", f"{name} of dimension {size}", "memory-secretary memory reindex"):
        assert part in str(caught.value)
    assert refs(opened(tmp_path, embedder=embedder("a", 8)), "kiln slot", k=1) == ["evt_1"]


def test_rebuilding_makes_room_for_another_embedder(tmp_path: Path, opened: Opener) -> None:
    first = opened(tmp_path, embedder=embedder("a", 8))
    first.add(OWNER, Tier.WORKING, FACTS)
    first.close()
    (tmp_path / "ledger.sqlite").write_text("not ours")
    second = opened(tmp_path, embedder=embedder("b", 12), rebuild=True)
    assert refs(second, "kiln") == []
    second.add(OWNER, Tier.WORKING, FACTS)
    second.close()
    assert refs(opened(tmp_path, embedder=embedder("b", 12)), "kiln slot", k=1) == ["evt_1"]
    assert (tmp_path / "ledger.sqlite").read_text() == "not ours"


def test_a_damaged_folder_is_named_with_its_cure_and_can_be_made_anew(tmp_path: Path, opened: Opener) -> None:
    first = opened(tmp_path)
    first.add(OWNER, Tier.WORKING, FACTS)
    first.close()
    (tmp_path / "chroma.sqlite3").write_bytes(b"garbage " * 1_000)
    with pytest.raises(IndexUnavailable, match="memory-secretary memory reindex"):
        opened(tmp_path)
    healed = opened(tmp_path, rebuild=True)
    healed.add(OWNER, Tier.WORKING, FACTS)
    assert refs(healed, "kiln slot", k=1) == ["evt_1"]


def test_dropping_empties_every_owner_and_leaves_it_usable(opened: Opener) -> None:
    index = opened()
    index.add(OWNER, Tier.WORKING, FACTS)
    index.add("team:x", Tier.LONG, FACTS)
    index.drop()
    assert refs(index, "kiln") == refs(index, "kiln", owner="team:x") == []
    index.add(OWNER, Tier.WORKING, FACTS)
    assert refs(index, "kiln slot", k=1) == ["evt_1"]


def test_opening_an_empty_index_embeds_nothing(tmp_path: Path, opened: Opener) -> None:
    def refuse() -> Words:
        msg = "the model was loaded"
        raise AssertionError(msg)

    opened(tmp_path, embedder=CheckedEmbedder("a", refuse, server="test", model="a"))


def test_a_server_that_is_down_is_named_with_its_cure() -> None:
    with pytest.raises(IndexUnavailable, match="chroma run"):
        VectorIndex.open(path=None, url=f"http://127.0.0.1:{free_port()}", embedder=embedder())


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="http://127"):
        VectorIndex.open(path=None, url="localhost", embedder=embedder())


def test_two_indexes_share_a_server(tmp_path: Path, opened: Opener) -> None:
    port = free_port()
    program = str(Path(sys.executable).with_name("chroma"))
    command = [program, "run", "--path", str(tmp_path), "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(url)
        one, other = opened(url=url), opened(url=url)
        one.add(OWNER, Tier.WORKING, FACTS)
        assert refs(other, "kiln slot", k=1) == ["evt_1"]
        other.add(OWNER, Tier.WORKING, [entry("evt_4", "the kiln is hot")])
        assert refs(one, "kiln is hot", k=1) == ["evt_4"]
        with pytest.raises(EmbedderMismatch):
            opened(url=url, embedder=embedder("b"))
        one.drop()
    finally:
        server.kill()
        server.wait()
    with pytest.raises(IndexUnavailable, match="chroma run"):
        refs(one, "kiln")


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


def wait_for(url: str) -> None:
    for _ in range(300):
        try:
            if httpx.get(f"{url}/api/v2/heartbeat", timeout=1).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail("the Chroma server did not start")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
