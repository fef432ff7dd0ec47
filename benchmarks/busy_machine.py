"""How fast the embedded model reads and writes while another program takes a core, by how long its threads spin.

    python benchmarks/busy_machine.py              # about 3 minutes; nothing else should run beside it

Prints tokens a second on the machine as it is and beside one busy process for each core, for OpenMP's own number of
spins, ours and others.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from memory_secretary.nodes.models.server import SPINS, LlamaServer
from memory_secretary.nodes.models.weights import ensure_weights

OPENMP = "300000"
"""GNU OpenMP's own number of spins where there are no more threads than cores (its manual, GOMP_SPINCOUNT)."""
PROMPT = "Once upon a time there was a kiln. " * 60
REPLY = 40
BURN = "while True: pass"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--spins", default=f"{OPENMP},10000,{SPINS},100,0")
    options = parser.parse_args()
    print("| spins | read alone | write alone | read beside others | write beside others |\n|---|---|---|---|---|")
    for spins in options.spins.split(","):
        os.environ["GOMP_SPINCOUNT"] = spins
        with LlamaServer(ensure_weights(options.model), window=2048, slots=1) as server:
            alone = speeds(server)
            with busy_cores():
                beside = speeds(server)
        print(f"| {spins} | " + " | ".join(f"{speed:.1f}" for speed in (*alone, *beside)) + " |", flush=True)


def speeds(server: LlamaServer) -> tuple[float, float]:
    """Tokens a second that are read and written."""
    asked = {"prompt": PROMPT, "n_predict": REPLY, "temperature": 0, "cache_prompt": False}
    took = httpx.post(f"{server.address}/completion", json=asked, timeout=1_800).json()["timings"]
    return took["prompt_per_second"], took["predicted_per_second"]


@contextmanager
def busy_cores() -> Iterator[None]:
    """One process that computes for each core."""
    others = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


if __name__ == "__main__":
    main()
