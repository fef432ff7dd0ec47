"""llama.cpp's own server in a child process: OpenAI's protocol on a free loopback port, gone when we are gone."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import httpx

from memory_secretary.memory.errors import ModelError, ModelUnreachable
from memory_secretary.memory.tokens import clean
from memory_secretary.nodes.models.weights import cache_folder

LOAD_SECONDS = 600.0
"""Longest time a model may take to load; a 1.5B takes 2 to 5 s here, a 7B from a slow disk minutes."""

ASK_SECONDS = 120.0
"""Limit of one small question to the server (its window, a count of tokens); it takes milliseconds, but on a machine
whose processors are taken by others it has been seen to take more than ten seconds, and a run must not end for that."""

COUNTS_KEPT = 4096
"""How many token counts are remembered: the parts of a prompt are counted again at every step."""

LOGS_KEPT = 20
"""How many logs of earlier servers are kept."""

_PROCESS = Path(__file__).with_name("server_process.py")


SPINS = "1000"
"""How often a thread of llama.cpp looks whether the others are ready before it sleeps (GNU's OpenMP, variable
``GOMP_SPINCOUNT``, unless the user has set it). OpenMP's own number lets threads wait for each other in vain wherever
another program takes a core: 5 tokens a second were written there, 13 with this one (benchmarks/RESULTS.md)."""


class LlamaServer:
    """A running server of one model.

    Args:
        weights: a GGUF file.
        window: tokens of each slot's context.
        slots: prompts that are kept apart; one per role, so that no role evicts another's prompt cache.
        threads: threads that compute; None takes every core this process may use.
        log: where llama.cpp's own output goes; None means the cache folder.

    Raises:
        ModelError: llama.cpp is not installed, or could not load the weights; the sentence names the log.
    """

    def __init__(
        self, weights: Path, *, window: int, slots: int = 2, threads: int | None = None, log: Path | None = None
    ) -> None:
        if not _installed("xllamacpp"):
            msg = "the embedded model needs llama.cpp: install it with pip install 'memory-secretary[embedded]'"
            raise ModelError(msg, zh="内置模型需要 llama.cpp：请运行 pip install 'memory-secretary[embedded]'")
        self.name = weights.stem
        self.log = log if log is not None else _log_file(f"{self.name}-{window}x{slots}")
        self._owner = os.getpid()
        self._process = _start(self.log)
        orders = {
            "weights": str(weights.resolve()), "window": window, "slots": slots, "threads": threads or _cores(),
        }  # fmt: skip
        self.address = _address(self._process, orders, self.log)
        self._http = httpx.Client(base_url=self.address, timeout=ASK_SECONDS, trust_env=False)
        self.window = int(self._ask("/props")["default_generation_settings"]["n_ctx"])
        self.count = lru_cache(maxsize=COUNTS_KEPT)(self._count)
        """Tokens of a text as this model counts them, remembered for texts counted before."""

    @property
    def base_url(self) -> str:
        """Where OpenAI's protocol is spoken."""
        return f"{self.address}/v1"

    @property
    def alive(self) -> bool:
        """Whether the server's process still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """Stop the server. Closing twice, or from a fork of the process that started it, does nothing."""
        if os.getpid() != self._owner:
            return
        self._http.close()
        _stop(self._process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _count(self, text: str) -> int:
        return len(self._ask("/tokenize", {"content": clean(text)})["tokens"])

    def _ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """One small question to the server: GET without a body, else POST."""
        try:
            answer = self._http.get(path) if body is None else self._http.post(path, json=body)
            answer.raise_for_status()
        except httpx.HTTPError as error:
            msg = f"the embedded model {self.name} does not answer ({error}); its log is {self.log}: start again"
            zh = f"内置模型 {self.name} 没有应答（{error}）；日志在 {self.log}：请重新开始"
            raise ModelUnreachable(msg, zh=zh) from error
        found: dict[str, Any] = answer.json()
        return found


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ValueError:  # it is blocked
        return False


def _log_file(name: str) -> Path:
    """A log for a new server of this process; the oldest of many are cleared away."""
    folder = cache_folder() / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):  # another process may clear away at the same time, or still write to one
        for old in sorted(folder.glob("llama-*.log"), key=os.path.getmtime)[:-LOGS_KEPT]:
            old.unlink()
    return folder / f"llama-{os.getpid()}-{name}.log"


def _cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start(log: Path) -> subprocess.Popen[str]:
    """Start the child, in a session of its own so that Ctrl-C reaches us and not the server in mid reply."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as sink:
        return subprocess.Popen(
            [sys.executable, "-P", str(_PROCESS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink,
            text=True, encoding="utf-8", start_new_session=True, env={"GOMP_SPINCOUNT": SPINS} | os.environ,
        )  # fmt: skip


def _address(process: subprocess.Popen[str], orders: dict[str, Any], log: Path) -> str:
    """Give the child its orders and wait until it listens."""
    limit = threading.Timer(LOAD_SECONDS, process.kill)
    limit.start()
    try:
        line = _exchange(process, json.dumps(orders))
    finally:
        limit.cancel()
    answer = json.loads(line) if line.strip() else {"error": "its process ended while loading"}
    if "error" in answer:
        _stop(process)
        msg = f"llama.cpp could not serve {orders['weights']} ({answer['error']}); the reason stands in {log}"
        zh = f"llama.cpp 无法加载 {orders['weights']}（{answer['error']}）；原因见 {log}"
        raise ModelError(msg, zh=zh)
    return str(answer["address"])


def _exchange(process: subprocess.Popen[str], orders: str) -> str:
    """Write one line, read one line; an empty answer when the child is gone."""
    try:
        stdin = _pipe(process.stdin)
        stdin.write(f"{orders}\n")
        stdin.flush()
        return _pipe(process.stdout).readline()
    except BrokenPipeError:
        return ""


def _pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        msg = "the child process was started without its pipes"
        raise RuntimeError(msg)
    return stream


def _stop(process: subprocess.Popen[str]) -> None:
    """End the child and close its pipes."""
    process.kill()  # it holds nothing that needs a farewell
    process.wait()
    for stream in (process.stdin, process.stdout):
        _close_quietly(_pipe(stream))


def _close_quietly(stream: IO[str]) -> None:
    try:
        stream.close()
    except BrokenPipeError:  # orders that never reached a dead child
        return


class ServerPool:
    """One server for each (weights, window, slots) in this process, stopped when its last user gives it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._servers: dict[tuple[Path, int, int], LlamaServer] = {}
        self._users: dict[LlamaServer, int] = {}

    def take(self, weights: Path, *, window: int, slots: int) -> LlamaServer:
        """The running server, or a new one; give it back with :meth:`give_back`."""
        key = (weights.resolve(), window, slots)
        with self._lock:
            server = self._servers.get(key)
            if server is None or not server.alive:
                server = LlamaServer(weights, window=window, slots=slots)
                self._servers[key] = server
            self._users[server] = self._users.get(server, 0) + 1
            return server

    def give_back(self, server: LlamaServer) -> None:
        """Say that one user is done with ``server``."""
        with self._lock:
            left = self._users.get(server, 0) - 1
            if left > 0:
                self._users[server] = left
            elif self._users.pop(server, None) is not None:
                self._servers = {key: other for key, other in self._servers.items() if other is not server}
                server.close()

    def close(self) -> None:
        """Stop every server."""
        with self._lock:
            for server in self._users:
                server.close()
            self._servers.clear()
            self._users.clear()


POOL = ServerPool()
"""This process's servers."""

atexit.register(POOL.close)
