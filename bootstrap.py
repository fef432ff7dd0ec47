"""Sets the project up in `.venv` and runs it; needs Python 3.11 or newer with pip, and nothing else.

    python3 bootstrap.py run --example     install what a run needs, then `memory-secretary run --example`
    python3 bootstrap.py test              install what development needs, then run all tests
    python3 bootstrap.py setup             install what development needs

Any other words go to the `memory-secretary` command; words after `test` go to pytest. What is installed is kept:
the next call installs again only when `pyproject.toml` or the list of source files has changed (the editable install
links file by file, so an edited file is seen at once and a new one after the next call of this script).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "memory-secretary-install.json"
ROOMS = ("graph", "nodes", "memory", "tools")


def sha256(text: str) -> str:
    """The hash of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def source_names() -> str:
    """The names of all source files, one a line."""
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*"))
    return "\n".join(sorted(str(path) for path in files if path.is_file() and "__pycache__" not in path.parts))


def read_stamp() -> dict[str, Any]:
    """What the last complete install was made from; empty when there was none."""
    return json.loads(STAMP.read_text("utf-8")) if STAMP.exists() else {}


def install(wanted: set[str]) -> None:
    """Make `.venv` hold the package in editable form with the wanted extras, unless it does already."""
    old = read_stamp()
    new = {
        "home": f"{ROOT} {sys.version}",
        "project": sha256((ROOT / "pyproject.toml").read_text("utf-8")),
        "files": sha256(source_names()),
        "extras": sorted(wanted | set(old.get("extras", ()))),
    }
    if new == old:
        return
    print(f"Installing into {VENV} (the first time takes minutes) …", flush=True)
    moved = bool(old) and new["home"] != old["home"]  # scripts in a virtual environment name its folder and Python
    if moved or not PYTHON.exists():
        venv.create(VENV, with_pip=True, clear=True, symlinks=os.name != "nt")
    STAMP.unlink(missing_ok=True)
    only_files = {**new, "files": ""} == {**old, "files": ""}
    subprocess.run([PYTHON, "-m", "pip", *pip_words(new["extras"], relink=only_files)], cwd=ROOT, check=True)
    STAMP.write_text(json.dumps(new), "utf-8")


def pip_words(extras: list[str], *, relink: bool) -> list[str]:
    """The pip command of an install; ``relink`` when only the list of source files has changed."""
    words = ["install", "--disable-pip-version-check", "--config-settings", "editable_mode=strict"]
    words += [] if sys.stdout.isatty() else ["--quiet"]
    words += ["--no-deps"] if relink else []
    return [*words, "--editable", f".[{','.join(extras)}]"]


def hand_over(program: str, arguments: list[str]) -> None:
    """Become a program of `.venv`, so that its exit status and Ctrl-C are its own."""
    command = [str(BIN / program), *arguments]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def main(arguments: list[str]) -> None:
    """Install what the first word needs, then hand over to it."""
    if sys.version_info < (3, 11):
        sys.exit(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}: call this file with a newer one.")
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.exit(__doc__)
    word, *rest = arguments
    try:
        install({"embedded", "dev"} if word in ("test", "setup") else {"embedded"})
    except subprocess.CalledProcessError as error:
        cure = "install your system's python3-venv package" if "ensurepip" in str(error) else "see pip's message above"
        sys.exit(f"The installation stopped ({error}): {cure}, then call this again.")
    if word == "test":
        os.chdir(ROOT)
        hand_over("pytest", rest)
    elif word != "setup":
        hand_over("memory-secretary", arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
