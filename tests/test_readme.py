"""The READMEs' Python runs as it stands there, with a scripted model where a server is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_secretary.graph import Settings
from memory_secretary.graph.doctor.roles import SLOTS
from memory_secretary.graph.doctor.words import size
from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, known_weights

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh-CN.md")
SERVER = re.compile(r'"(?:(?:ollama|openai):[^"]+|embedded)"')


@pytest.mark.parametrize("name", READMES)
def test_the_python_of_the_readme_runs(
    name: str,
    new_scripted_model: Callable[[], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    [block] = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)
    model = new_scripted_model()
    model.enqueue(  # type: ignore[attr-defined]
        {"step": {"thought": "look", "action": "list_orders", "input": {}}},
        {"1": "yes"},
        {"thought": "first", "choice": "i2"},
        {"step": {"thought": "done", "action": "final_answer", "input": {"answer": "49, ORD-2"}}},
    )
    source, named = SERVER.subn("MODEL", block)
    assert named == 1
    exec(compile(source, name, "exec"), {"MODEL": model, "__name__": name})
    assert capsys.readouterr().out.strip() == "49, ORD-2"


@pytest.mark.parametrize("name", READMES)
def test_the_readme_opens_with_the_two_commands(name: str) -> None:
    [first, *_] = re.findall(r"```sh\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)
    commands = [line.split("#")[0].strip() for line in first.strip().splitlines()]
    assert commands == ["python3 bootstrap.py run --example", "python3 bootstrap.py test"]


@pytest.mark.parametrize("name", READMES)
def test_the_readme_and_the_program_say_the_same_of_memory(name: str) -> None:
    need = size(known_weights()[DEFAULT_WEIGHTS].memory(SLOTS * Settings().secretary_window))
    assert re.findall(r"([\d.]+ GB) (?:of memory|内存)", (ROOT / name).read_text("utf-8")) == [need]
