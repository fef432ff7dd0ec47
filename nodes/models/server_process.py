"""The child process that holds llama.cpp's server; it never outlives the process that started it.

Run by path, not as a module of the package, so that it starts without importing anything else. It reads its
orders as one line of JSON on standard input, answers one line of JSON (``{"address": …}`` or ``{"error": …}``)
on standard output, and then only waits: standard input closes when the parent closes it or dies, however it dies.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import IO, Any

PARENT_CHECK_SECONDS = 1.0
"""How often the child asks who its parent is. Closing the pipe is noticed at once; this is for the case that a
fork of the parent keeps the pipe open. (Linux's parent-death signal is no use here: it fires when the *thread* that
started the child ends, and graphs run their nodes on short-lived threads.)"""

PROMPT_CACHE_MIB = 512
"""Memory for prompts that a slot had to give up; llama.cpp's own default of 8 GB is the whole of a small machine."""


def serve(orders: dict[str, Any]) -> Any:
    """Load the model and start listening on the loopback; the returned server must be kept alive."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = orders["weights"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = orders["slots"]
    params.n_ctx = orders["slots"] * orders["window"]  # llama.cpp shares it out among the slots
    params.cpuparams.n_threads = orders["threads"]
    params.cpuparams_batch.n_threads = orders["threads"]
    params.use_jinja = True
    params.cache_prompt = True
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.fit_params = False  # the window that was asked for, or an error: never quietly a smaller one
    params.ui = False
    params.cors_origins = "http://127.0.0.1"  # no web page of elsewhere reads what the model says
    return xllamacpp.Server(params)


def exit_with_parent(orders: IO[str], parent: int) -> None:
    """End this process as soon as ``orders`` is closed or ``parent`` is no longer our parent."""

    def watch_pipe() -> None:
        while orders.readline():
            pass
        os._exit(0)

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        os._exit(0)

    for watch in (watch_pipe, watch_parent):
        threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Read the orders, serve, and wait for the parent's end."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # llama.cpp prints; its output belongs in the log
    parent = os.getppid()
    orders = json.loads(sys.stdin.readline())
    exit_with_parent(sys.stdin, parent)
    try:
        server = serve(orders)
        answer = {"address": server.listening_address}
    except (ImportError, RuntimeError, ValueError, OSError) as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(f"{json.dumps(answer)}\n")
    answers.flush()
    while "address" in answer:
        time.sleep(3600)


if __name__ == "__main__":
    main()
