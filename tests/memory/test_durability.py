"""Several processes on one folder, and processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.errors import StorageError

pytestmark = pytest.mark.integration

ANA = Scope(user="ana", thread="t1")
WRITER = """
import sys
from memory_secretary.memory import Scope, TieredMemory
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
memory = TieredMemory.open(folder, embedder=None)
scope = Scope(user="ana", thread=name)
for number in range(count):
    event_id = memory.record(scope, actor="tool", action="log", observation=f"{name} {number} " + "x" * 300)
    card = memory.remember(scope, f"{name} remembers {number}")
    print(event_id, card.memory_id, flush=True)
memory.close()
"""
COUNTER = """
import sys
from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.errors import VersionConflict
memory, scope = TieredMemory.open(sys.argv[1], embedder=None), Scope(user="ana")
done = 0
while done < int(sys.argv[2]):
    card = memory.list(scope)[0]
    try:
        memory.edit(scope, card.memory_id, value=str(int(card.value) + 1), expected_version=card.version)
        done += 1
    except VersionConflict:
        pass
"""
HOLDER = """
import sys, time
from pathlib import Path
from filelock import FileLock
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
with FileLock(folder / "index.lock"):
    print("locked", flush=True)
    time.sleep(60)
"""

KILLS = """
import json, os, random, signal, sys, time
from memory_secretary.memory import Scope, TieredMemory
folder, rounds, lies = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "lies"
chance, scope, held, broken = random.Random(4), Scope(user="ana", thread="t1"), {}, []

def write(pipe, number):
    memory = TieredMemory.open(folder, embedder=None)
    while True:
        text = f"{os.getpid()} {number} " + "x" * 2000
        if lies:  # says so before it is true
            os.write(pipe, f"{text[:30]}\\n".encode())
        memory.record(scope, actor="tool", action="log", observation=text)
        memory.remember(scope, f"card {text[:30]}")
        if not lies:
            os.write(pipe, f"{text[:30]}\\n".encode())
        number += 1

for _ in range(rounds):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        write(writing, 0)
    os.close(writing)
    said = os.read(reading, 1 << 16)
    time.sleep(chance.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reading, 1 << 16):
        said += more
    os.close(reading)
    words = said.decode().split("\\n")[:-1]
    with TieredMemory.open(folder, embedder=None) as memory:
        events = [event.observation for event in memory.events(scope)]
        cards = {card.content for card in memory.list(scope)}
        if not all(text.endswith("x" * 2000) for text in events):
            broken.append("half a record")
        if {word for word in words if f"card {word}" not in cards or not any(e.startswith(word) for e in events)}:
            broken.append("lost")
        report = memory.check()
        if (report.sound, report.repaired, report.orphans) != (True, 0, 0):
            broken.append(str(report))
print(json.dumps({"written": len(events), "broken": broken}))
"""
COUNTERS = """
import os, sys, threading
from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.errors import VersionConflict
folder, processes, threads, times, blind = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5] == "blind"
scope = Scope(user="ana")

def count(memory, ids, first):
    for number in range(times):
        memory_id = ids[(first + number) % len(ids)]
        while True:
            card = memory.history(scope, memory_id)[-1].card
            version = None if blind else card.version
            try:
                memory.edit(scope, memory_id, value=str(int(card.value) + 1), expected_version=version)
                break
            except VersionConflict:
                pass

def work(number):
    with TieredMemory.open(folder, embedder=None) as memory:
        ids = sorted(card.memory_id for card in memory.list(scope))
        made = [threading.Thread(target=count, args=(memory, ids, number)) for _ in range(threads)]
        for one in made:
            one.start()
        for one in made:
            one.join()

children = []
for number in range(processes):
    child = os.fork()
    if child == 0:
        work(number)
        os._exit(0)
    children.append(child)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""
FORKED = """
import os, signal, sys
from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.errors import StorageError

class Letters:
    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        return [1.0, *(float(text.count(chr(97 + number))) for number in range(26))]

scope, refused = Scope(user="ana", thread="t1"), 0
memory = TieredMemory.open(sys.argv[1], embedder=Letters())
memory.remember(scope, "the kiln is warm")
assert memory.recall(scope, "kiln", mode="semantic", floor=0.0)
child = os.fork()
if child == 0:
    signal.alarm(20)
    for use in (lambda: memory.record(scope, actor="user", action="request"), lambda: memory.recall(scope, "warm")):
        try:
            use()
        except StorageError as error:
            refused += "open it anew" in str(error) and "fork" in error.sentence("zh")
    memory.close()
    with TieredMemory.open(sys.argv[1], embedder=Letters()) as other:  # the index is still the parent's
        assert other.recall(scope, "kiln")[0].text == "the kiln is warm" and len(other.notices) == 1, other.notices
    sys.exit(refused)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
assert memory.recall(scope, "warm kiln", mode="semantic", floor=0.0) and memory.notices == []
memory.close()
"""


class Letters:
    """A LangChain embedder that counts letters."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[text.lower().count(chr(97 + number)) + 0.01 for number in range(26)] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    return out


def test_two_processes_that_start_on_an_empty_folder_both_write(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    both = [start(WRITER, folder, name, 25) for name in ("one", "two")]
    acknowledged = [line.split() for process in both for line in finish(process).splitlines()]
    with TieredMemory.open(folder, embedder=None) as memory:
        for name in ("one", "two"):
            assert len(memory.events(Scope(user="ana", thread=name))) == 25
        assert {card.memory_id for card in memory.list(ANA)} == {card_id for _, card_id in acknowledged}
        assert memory.check().repaired == 0


def test_no_update_of_two_processes_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    with TieredMemory.open(folder, embedder=None) as memory:
        memory.remember(ANA, "a counter", value="0")
    for process in [start(COUNTER, folder, 10) for _ in range(2)]:
        finish(process)
    with TieredMemory.open(folder, embedder=None) as memory:
        assert memory.list(ANA)[0].value == "20"


@pytest.mark.parametrize("after", [1, 4, 9])
def test_nothing_acknowledged_is_lost_when_a_process_is_killed(tmp_path: Path, after: int) -> None:
    folder = tmp_path / "m"
    process = start(WRITER, folder, "one", 10_000)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(after)]
    os.kill(process.pid, signal.SIGKILL)
    lines += process.communicate(timeout=60)[0].splitlines()
    acknowledged = [line.split() for line in lines if len(line.split()) == 2]
    with TieredMemory.open(folder, embedder=None) as memory:
        events = {event.event_id: event for event in memory.events(Scope(user="ana", thread="one"))}
        cards = {card.memory_id: card for card in memory.list(ANA)}
        assert {event_id for event_id, _ in acknowledged} <= events.keys()
        assert {card_id for _, card_id in acknowledged} <= cards.keys()
        assert all(event.observation.endswith("x" * 300) for event in events.values())
        report = memory.check()
        assert (report.sound, report.repaired, report.orphans) == (True, 0, 0)
        assert len(memory.recall(ANA, "remembers", k=5)) == 5 or len(cards) < 5


def test_a_second_process_searches_by_words_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    holder = start(HOLDER, folder / "index")
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        with TieredMemory.open(folder, embedder=Letters()) as memory:
            card = memory.remember(ANA, "the kiln is blue")
            began = time.monotonic()
            for _ in range(2):
                assert [hit.ref for hit in memory.recall(ANA, "kiln")] == [card.memory_id]
            assert time.monotonic() - began < 10
            assert len(memory.notices) == 1
            assert memory.check().waiting == 1
    finally:
        holder.kill()
        holder.communicate()
    with TieredMemory.open(folder, embedder=Letters()) as memory:
        assert [hit.ref for hit in memory.recall(ANA, "kiln")] == [card.memory_id]
        assert (memory.notices, memory.check().waiting) == ([], 0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_a_named_error(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir(mode=0o500)
    with pytest.raises(StorageError, match="cannot be used"):
        TieredMemory.open(folder, embedder=None)


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes are forked, to be many in a short time")


def killed(folder: Path, rounds: int, how: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(finish(start(KILLS, folder, rounds, how)).splitlines()[-1])
    return found


@forks
def test_every_acknowledged_write_is_there_after_each_of_fifty_kills(tmp_path: Path) -> None:
    found = killed(tmp_path / "m", 50, "honest")
    assert found["broken"] == []
    assert found["written"] >= 50


@forks
def test_a_writer_that_acknowledges_too_early_is_found_out(tmp_path: Path) -> None:
    assert "lost" in killed(tmp_path / "m", 20, "lies")["broken"]


def counted(folder: Path, cards: int, how: str, *, processes: int, threads: int, times: int) -> int:
    with TieredMemory.open(folder, embedder=None) as memory:
        for number in range(cards):
            memory.remember(ANA, f"counter {number}", value="0")
    finish(start(COUNTERS, folder, processes, threads, times, how))
    with TieredMemory.open(folder, embedder=None) as memory:
        return sum(int(card.value) for card in memory.list(ANA))


@forks
def test_four_processes_of_eight_threads_lose_no_update_of_fifty_cards(tmp_path: Path) -> None:
    assert counted(tmp_path / "m", 50, "checked", processes=4, threads=8, times=12) == 4 * 8 * 12


@forks
def test_writers_that_do_not_check_the_version_do_lose_updates(tmp_path: Path) -> None:
    assert counted(tmp_path / "m", 1, "blind", processes=2, threads=4, times=20) < 2 * 4 * 20


@forks
def test_a_memory_that_a_fork_inherits_says_so_there_and_goes_on_in_its_parent(tmp_path: Path) -> None:
    finish(start(FORKED, tmp_path / "m"))
