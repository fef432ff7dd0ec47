"""The notebooks run from their first cell to their last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert cells
    names: dict[str, object] = {"__name__": path.stem}
    for cell in cells:
        exec(compile("".join(cell["source"]), str(path), "exec"), names)
    assert capsys.readouterr().out.strip()
    assert all(not cell["outputs"] for cell in cells), "notebooks are kept without outputs"
