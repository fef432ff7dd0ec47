import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memory_secretary.memory.errors import ModelError, ModelUnreachable
from memory_secretary.nodes.models import server as module
from memory_secretary.nodes.models.server import LlamaServer, ServerPool
from memory_secretary.nodes.models.weights import ensure_weights


def gone(pid: int, seconds: float = 15.0) -> bool:
    """Whether the process ends within ``seconds``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


class Pretended:
    """A server that serves nothing, for the pool's bookkeeping."""

    def __init__(self, weights, *, window, slots):
        self.key, self.alive, self.closed = (weights, window, slots), True, 0

    def close(self):
        self.alive, self.closed = False, self.closed + 1


@pytest.fixture
def pool(monkeypatch) -> ServerPool:
    monkeypatch.setattr(module, "LlamaServer", Pretended)
    return ServerPool()


def test_one_server_for_the_same_weights_window_and_slots(pool, tmp_path):
    first = pool.take(tmp_path / "a", window=2048, slots=2)
    assert pool.take(tmp_path / "a", window=2048, slots=2) is first
    assert pool.take(tmp_path / "a", window=4096, slots=2) is not first


def test_a_server_stops_when_its_last_user_gives_it_back(pool, tmp_path):
    server = pool.take(tmp_path / "a", window=2048, slots=2)
    pool.take(tmp_path / "a", window=2048, slots=2)
    pool.give_back(server)
    assert server.alive
    pool.give_back(server)
    pool.give_back(server)
    assert server.closed == 1
    assert pool.take(tmp_path / "a", window=2048, slots=2) is not server


def test_a_server_that_died_is_replaced(pool, tmp_path):
    server = pool.take(tmp_path / "a", window=2048, slots=2)
    server.alive = False
    assert pool.take(tmp_path / "a", window=2048, slots=2) is not server


def test_closing_the_pool_stops_every_server(pool, tmp_path):
    servers = [pool.take(tmp_path / name, window=2048, slots=2) for name in "ab"]
    pool.close()
    assert [server.closed for server in servers] == [1, 1]


def test_without_llama_cpp_the_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError, match=r"memory-secretary\[embedded\]"):
        LlamaServer(tmp_path / "a.gguf", window=256)


def test_only_the_newest_logs_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORY_SECRETARY_CACHE", str(tmp_path))
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(module.LOGS_KEPT + 3):
        (logs / f"llama-{number}-m.log").touch()
        os.utime(logs / f"llama-{number}-m.log", (number, number))
    module._log_file("m")
    left = {int(log.name.split("-")[1]) for log in logs.iterdir()}
    assert left == set(range(3, module.LOGS_KEPT + 3))


@pytest.mark.integration
def test_weights_that_cannot_be_loaded_are_named_with_the_log(tmp_path):
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + b"\x00" * 64)
    log = tmp_path / "log.txt"
    with pytest.raises(ModelError, match=r"bad\.gguf.*log\.txt"):
        LlamaServer(bad, window=256, log=log)
    assert log.read_text("utf-8"), "llama.cpp's own words are in the log"


@pytest.fixture(scope="module")
def small() -> Path:
    return ensure_weights("0.5b")


@pytest.mark.model
def test_each_slot_has_the_window_and_tokens_are_counted_by_the_model(small, tmp_path):
    with LlamaServer(small, window=512, slots=2, log=tmp_path / "log.txt") as server:
        assert server.window == 512
        assert server.count("") == 0
        assert server.count("hello 你好") == 3
        assert server.count("half \ud83e") > 0
        assert server.base_url.endswith("/v1")
        assert server.alive
        process = server._process.pid
    assert gone(process)
    assert not server.alive


@pytest.mark.model
@pytest.mark.skipif(sys.platform != "linux", reason="reads a process's environment in Linux's way")
@pytest.mark.parametrize("own", [None, "7"])
def test_its_threads_sleep_soon_unless_the_user_says_otherwise(small, tmp_path, monkeypatch, own):
    if own:
        monkeypatch.setenv("GOMP_SPINCOUNT", own)
    with LlamaServer(small, window=256, log=tmp_path / "log.txt") as server:
        environment = Path(f"/proc/{server._process.pid}/environ").read_text().split("\0")
    assert f"GOMP_SPINCOUNT={own or module.SPINS}" in environment


@pytest.mark.model
def test_a_server_that_was_killed_is_a_named_error(small, tmp_path):
    with LlamaServer(small, window=256, log=tmp_path / "log.txt") as server:
        os.kill(server._process.pid, signal.SIGKILL)
        server._process.wait()
        with pytest.raises(ModelUnreachable, match=r"log\.txt"):
            server.count("anything")


@pytest.mark.model
def test_the_server_survives_the_thread_that_started_it(small, tmp_path):
    servers: list[LlamaServer] = []
    thread = threading.Thread(target=lambda: servers.append(LlamaServer(small, window=256, log=tmp_path / "log.txt")))
    thread.start()
    thread.join()
    time.sleep(1.5)
    with servers[0] as server:
        assert server.count("still here") > 0


PARENT = """
import json, os, sys, time
from pathlib import Path
from memory_secretary.nodes.models.server import POOL
server = POOL.take(Path(sys.argv[1]), window=256, slots=1)
if sys.argv[2] == "fork" and os.fork() == 0:
    time.sleep(60)
print(json.dumps(server._process.pid), flush=True)
if sys.argv[2] != "exit":
    time.sleep(60)
"""


@pytest.mark.model
@pytest.mark.skipif(os.name != "posix", reason="signals and forks as POSIX has them")
@pytest.mark.parametrize("end", ["exit", "term", "kill", "fork"])
def test_the_server_stops_with_its_process_however_that_ends(small, end):
    command = [sys.executable, "-c", PARENT, str(small), end]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        assert parent.stdout is not None
        child = json.loads(parent.stdout.readline())
        if end != "exit":
            os.kill(parent.pid, signal.SIGTERM if end == "term" else signal.SIGKILL)
        parent.wait(timeout=30)
        stopped = gone(child)
        if end == "fork":
            os.killpg(parent.pid, signal.SIGKILL)
    assert stopped
