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
import shlex
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "memory-secretary-install.json"
ROOMS = ("graph", "nodes", "memory", "tools")
SIGN_OF_LIFE = 20
"""Seconds between two signs of life while pip, whose own progress only a terminal shows, works in silence."""


def said(en: str, zh: str) -> str:
    """The sentence in the language of the system, or in that of MEMORY_SECRETARY_LANG."""
    names = ("MEMORY_SECRETARY_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    return zh if next((value for name in names if (value := os.environ.get(name))), "").startswith("zh") else en


@contextmanager
def signs_of_life() -> Iterator[None]:
    """Say now and then how long it has taken, where pip is silent."""
    ended, started = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(SIGN_OF_LIFE):
            print(said("… {n:.0f} s", "……已用 {n:.0f} 秒").format(n=time.monotonic() - started), flush=True)

    if not sys.stdout.isatty():
        threading.Thread(target=tell, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


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
    print(
        said(
            f"Installing into {VENV} (the first time takes minutes and about 1 GB of disk) …",
            f"正在安装到 {VENV}（首次需要几分钟，约占 1 GB 磁盘）……",
        ),
        flush=True,
    )
    moved = bool(old) and new["home"] != old["home"]  # scripts in a virtual environment name its folder and Python
    if moved or not PYTHON.exists():
        venv.create(VENV, with_pip=True, clear=True, symlinks=os.name != "nt")
    STAMP.unlink(missing_ok=True)
    only_files = {**new, "files": ""} == {**old, "files": ""}
    with signs_of_life():
        subprocess.run([PYTHON, "-m", "pip", *pip_words(new["extras"], relink=only_files)], cwd=ROOT, check=True)
    STAMP.write_text(json.dumps(new), "utf-8")


def pip_words(extras: list[str], *, relink: bool) -> list[str]:
    """The pip command of an install; ``relink`` when only the list of source files has changed."""
    words = ["install", "--disable-pip-version-check", "--config-settings", "editable_mode=strict"]
    words += [] if sys.stdout.isatty() else ["--quiet"]
    words += ["--no-deps"] if relink else []
    return [*words, "--editable", f".[{','.join(extras)}]"]


def as_called() -> str:
    """The words that this script was called with, for the commands that the program suggests."""
    words = [sys.orig_argv[0], sys.argv[0]]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def hand_over(program: str, arguments: list[str]) -> None:
    """Become a program of `.venv`, so that its exit status and Ctrl-C are its own."""
    os.environ["MEMORY_SECRETARY_PROGRAM"] = as_called()
    command = [str(BIN / program), *arguments]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def main(arguments: list[str]) -> None:
    """Install what the first word needs, then hand over to it."""
    if sys.version_info < (3, 11):
        found = sys.version.split()[0]
        sys.exit(
            said(
                f"Python 3.11 or newer is needed, this is {found}: call this file with a newer one.",
                f"需要 Python 3.11 或更新的版本，当前是 {found}：请用更新的版本运行本文件。",
            )
        )
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.exit(__doc__)
    word, *rest = arguments
    try:
        install({"embedded", "dev"} if word in ("test", "setup") else {"embedded"})
    except KeyboardInterrupt:
        print(said("Stopped; the next call goes on from here.", "已停止；下次运行会从这里继续。"), file=sys.stderr)
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        bare = "ensurepip" in str(error)
        cure = "install your system's python3-venv package" if bare else "see pip's message above"
        zh = "请安装系统的 python3-venv 软件包" if bare else "请看上面 pip 的提示"
        sys.exit(
            said(
                f"The installation stopped ({error}): {cure}, then call this again.",
                f"安装中断（{error}）：{zh}，然后再运行一次。",
            )
        )
    if word == "test":
        os.chdir(ROOT)
        hand_over("pytest", rest)
    elif word != "setup":
        hand_over("memory-secretary", arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
