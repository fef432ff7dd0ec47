"""Runs the notebooks from top to bottom and stores what they show in them.

    python notebooks/execute.py                    all of them
    python notebooks/execute.py memory_tour        one of them

As Jupyter does, it stores what a cell prints, the value of its last line and the plots that it leaves open; and beside
them the hash of the sources, so that a test can tell outputs of older ones. Needs `.[embedded,notebooks]`; the model of
the quickstart takes minutes.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
HASH = "executed_sources"
"""The key in a notebook's metadata of :func:`sources_hash` at its last execution."""


def sources_hash(notebook: dict[str, Any]) -> str:
    """The hash of all that a notebook executes."""
    sources = ["".join(cell["source"]) for cell in code_cells(notebook)]
    return hashlib.sha256("\n\n".join(sources).encode()).hexdigest()


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that are executed, in their order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def execute(path: Path) -> None:
    """Run one notebook and write its outputs into it; it stays as it was where a cell fails."""
    notebook = json.loads(path.read_text("utf-8"))
    list(_plots())  # those that an earlier notebook has left open
    names: dict[str, Any] = {"__name__": path.stem}
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell["outputs"] = list(_outputs("".join(cell["source"]), names, f"{path.name}, cell {number}", number))
        cell["execution_count"] = number
    notebook["metadata"][HASH] = sources_hash(notebook)
    path.write_text(f"{json.dumps(notebook, ensure_ascii=False, indent=1)}\n", "utf-8")


def _outputs(source: str, names: dict[str, Any], where: str, number: int) -> Iterator[dict[str, Any]]:
    """Run a cell; gives what it printed, the value of its last line, and its plots."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, where, "exec"), names)
        value = eval(compile(ast.Expression(last.value), where, "eval"), names) if isinstance(last, ast.Expr) else None
    if printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)}
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        yield {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data}
    yield from ({"output_type": "display_data", "metadata": {}, "data": plot} for plot in _plots())


def _plots() -> Iterator[dict[str, Any]]:
    """The plots that a cell has left open, which are closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else ():
        figure, file = pyplot.figure(number), io.BytesIO()
        figure.savefig(file, format="png", metadata={"Software": None})
        pyplot.close(figure)
        said = f"<Figure with {len(figure.axes)} axes>"
        yield {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": [said]}


def main(chosen: Iterable[str]) -> None:
    """Run the notebooks of these names, or all."""
    import matplotlib as mpl

    mpl.use("Agg")
    for name in list(chosen) or sorted(path.stem for path in FOLDER.glob("*.ipynb")):
        print(f"{name} …", flush=True)
        execute(FOLDER / f"{name}.ipynb")


if __name__ == "__main__":
    main(sys.argv[1:])
