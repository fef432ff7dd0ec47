"""The notebooks run from their first cell to their last, and what they show on the web is small and nobody's own."""

from __future__ import annotations

import base64
import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from policy import PolicyModel, example_worker

from memory_secretary.graph.evaluation.example_task import variant
from memory_secretary.graph.evaluation.example_truth import Lang

FOLDER = Path(__file__).parent.parent / "notebooks"
EXECUTE = SimpleNamespace(**runpy.run_path(str(FOLDER / "execute.py")))
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 200_000
"""Bytes of a notebook with its outputs."""
OWN_PATHS = re.compile(r"/(?:root|home|tmp|Users|work|var)/\S*")


def cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def texts(path: Path) -> str:
    """Everything that the stored outputs say in words."""
    outputs = [output for cell in cells(path) for output in cell["outputs"]]
    said = [output.get("text", []) for output in outputs]
    shown = [output.get("data", {}).get("text/plain", []) for output in outputs]
    return "\n".join("".join(part) for part in (*said, *shown))


def run(name: str, **parameters: Any) -> dict[str, Any]:
    """Run a notebook in one namespace, ``parameters`` in place of those that its cell of that tag sets."""
    names: dict[str, Any] = {"__name__": name}
    for number, cell in enumerate(cells(FOLDER / f"{name}.ipynb"), start=1):
        exec(compile("".join(cell["source"]), f"{name}, cell {number}", "exec"), names)
        if "parameters" in cell["metadata"].get("tags", ()):
            assert parameters.keys() <= names.keys()
            names |= parameters
    return names


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")


def test_the_tour_of_the_memory_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("memory_tour")
    assert "Answers under 100 words" in capsys.readouterr().out


@pytest.mark.integration
@pytest.mark.parametrize(("lang", "window"), [("en", 2048), ("zh", 3072)])  # without a tokenizer Chinese counts double
def test_the_quickstart_shows_a_whole_run_and_what_a_window_alone_loses(
    lang: Lang, window: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A capable model that lists the folder again and again as long as nobody tells it what is open."""
    names = run("quickstart", LANG=lang, WINDOW=window, MODEL=PolicyModel(rule=example_worker(variant(1, lang))))
    assert names["verdict"].right
    assert 0 < max(names["sizes"]) < names["WINDOW"] < names["recorded"][-1]
    assert names["moment"]["step"] == names["STEP"]
    assert any(hit["parts"] for hit in names["moment"]["recalled"])
    assert names["bare"].repeats
    assert not names["bare"].answer
    assert [len(axes.get_lines()) for axes in names["figure"].axes] == [4, 2]
    assert names["preference"] in capsys.readouterr().out


@pytest.mark.model
def test_the_quickstart_runs_with_a_real_model_and_few_steps() -> None:
    """The kind of result, never the model's wits."""
    names = run("quickstart", MODEL="embedded:0.5b", MAX_STEPS=4, MAX_STEPS_WITHOUT=3)
    assert names["answer"].strip()
    assert 0 < max(names["sizes"]) <= names["WINDOW"]
    assert 0 < max(names["bare"].prompts) <= names["WINDOW"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_small_and_name_no_path_of_a_machine(path: Path) -> None:
    assert path.stat().st_size <= LARGEST
    assert not OWN_PATHS.findall(texts(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_of_one_run_of_the_present_cells(path: Path) -> None:
    again = "the cells have changed since they were run: python notebooks/execute.py"
    notebook = json.loads(path.read_text("utf-8"))
    assert notebook["metadata"][EXECUTE.HASH] == EXECUTE.sources_hash(notebook), again
    counts = [cell["execution_count"] for cell in cells(path)]
    assert counts == list(range(1, len(counts) + 1))
    assert sum(bool(cell["outputs"]) for cell in cells(path)) > len(counts) // 2
    assert all(output["output_type"] != "error" for cell in cells(path) for output in cell["outputs"])


def notebook_of(path: Path, *sources: str) -> Path:
    made = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in sources]
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "utf-8")
    return path


def test_what_a_cell_prints_its_last_value_and_its_plots_are_stored(tmp_path: Path) -> None:
    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    path = notebook_of(tmp_path / "a.ipynb", "x = 1\nprint('行')\nx + 1", "None", "x", plot, "x;")
    EXECUTE.execute(path)
    outputs = [cell["outputs"] for cell in cells(path)]
    kinds = [[output["output_type"] for output in each] for each in outputs]
    assert kinds == [["stream", "execute_result"], [], ["execute_result"], ["display_data"], []]
    assert outputs[0][0]["text"] == ["行\n"]
    assert outputs[0][1]["data"] == {"text/plain": ["2"]}
    assert base64.b64decode(outputs[3][0]["data"]["image/png"]).startswith(b"\x89PNG")
    again = path.read_text("utf-8")
    EXECUTE.execute(path)
    assert path.read_text("utf-8") == again


def test_a_notebook_whose_cell_fails_stays_as_it_was(tmp_path: Path) -> None:
    path = notebook_of(tmp_path / "a.ipynb", "1", "1 / 0")
    before = path.read_text("utf-8")
    with pytest.raises(ZeroDivisionError):
        EXECUTE.execute(path)
    assert path.read_text("utf-8") == before
