"""With no tracing switched on, a run connects to nobody and writes no trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
reached = []
events = ("socket.connect", "socket.getaddrinfo")
sys.addaudithook(lambda event, args: reached.append(event) if event in events else None)
from pathlib import Path
from invoices import CONFIG, GOAL, World, clerk, make_graph
from memory_secretary.memory.tiered import TieredMemory
with TieredMemory.open(Path("memory"), embedder=None) as memory:
    out = make_graph(World(Path(".")), memory, clerk()).invoke({"messages": [("user", GOAL)]}, CONFIG)
print(json.dumps({"status": out["status"], "reached": reached}))
"""


def test_nothing_leaves_the_machine_unless_it_was_switched_on(tmp_path):
    tests = Path(__file__).parents[2]
    switches = ("LANGSMITH", "LANGCHAIN", "MEMORY_SECRETARY", "OTEL")
    env = {name: value for name, value in os.environ.items() if not name.startswith(switches)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path, env=env | {"PYTHONPATH": str(tests)}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[-1]) == {"status": "done", "reached": []}
    assert not list(tmp_path.rglob("*.jsonl"))
