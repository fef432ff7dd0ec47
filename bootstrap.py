"""Sets the project up in `.venv` and runs it; needs Python 3.11 or newer with pip, and nothing else.

What is installed is kept: the next call installs again only when `pyproject.toml` or the list of source files has
changed (the editable install links file by file, so an edited file is seen at once and a new one after the next call of
this script). How it is called says :data:`HELP`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import venv
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "memory-secretary-install.json"
ROOMS = ("graph", "nodes", "memory", "tools")
SIDE_BY_SIDE = ("--numprocesses", "2", "--dist", "loadgroup")
"""How pytest runs all tests: a file's one after another, and those with a real model, too."""
INTERRUPTED = 130
"""Exit status after Ctrl-C."""
SIGN_OF_STOP = 0.2
"""Seconds between two looks whether Ctrl-C was pressed."""
SIGN_OF_LIFE = 10
"""Seconds between two lines about the installation where no terminal shows a moving one."""
HELP = (
    """Sets the project up in `.venv` and runs it; needs Python 3.11 or newer with pip, and nothing else.

    python3 bootstrap.py run --example     install what a run needs, then `memory-secretary run --example`
    python3 bootstrap.py test              install what development needs, then run all tests
    python3 bootstrap.py setup             install what development needs

Any other words go to the `memory-secretary` command (`python3 bootstrap.py chat --help`); words after `test` go to
pytest. What is installed is kept, and looked at again only when the project has changed.""",
    """在 `.venv` 中安装并运行本项目；只需要 Python 3.11 或更新的版本和 pip。

    python3 bootstrap.py run --example     安装运行所需的软件包，然后执行 `memory-secretary run --example`
    python3 bootstrap.py test              安装开发所需的软件包，然后运行全部测试
    python3 bootstrap.py setup             安装开发所需的软件包

其他任何词都会交给 `memory-secretary` 命令（`python3 bootstrap.py chat --help`）；`test` 后面的词交给 pytest。
装好的会一直保留，项目有变动时才再检查。""",
)
"""What `--help` says, in English and Chinese."""
_PACKAGE = re.compile(r"[\w.-]*")


class PipFailed(subprocess.CalledProcessError):
    """Pip failed; ``output`` is all that it said."""


def said(en: str, zh: str) -> str:
    """The sentence in the language of --lang, else of MEMORY_SECRETARY_LANG, else of the system."""
    words = " ".join(sys.argv).replace("--lang=", "--lang ")
    for lang, sentence in (("zh", zh), ("en", en)):
        if f"--lang {lang}" in words:
            return sentence
    names = ("MEMORY_SECRETARY_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    return zh if next((value for name in names if (value := os.environ.get(name))), "").startswith("zh") else en


class Progress:
    """What pip does, and for how long it has been at it: one moving line, or in a file now and then a line.

    Args:
        doing: what is done before pip has said anything.
    """

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self._started = time.monotonic()
        self._ended = threading.Event()
        self._moving = sys.stdout.isatty()

    def __enter__(self) -> Progress:
        """Begin to tell."""
        threading.Thread(target=self._tell, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        """Take the moving line away; say how long it took, where nothing went wrong."""
        self._ended.set()
        if self._moving:
            print("\r\x1b[K", end="", flush=True)
        if error[0] is None:
            print(said("Done in {n:.0f} s.", "完成，用时 {n:.0f} 秒。").format(n=self._seconds()), flush=True)

    def _tell(self) -> None:
        while not self._ended.wait(1 if self._moving else SIGN_OF_LIFE):
            start, end = ("\r\x1b[K", "") if self._moving else ("", "\n")
            line = said("… {n:.0f} s: {doing}", "……{n:.0f} 秒：{doing}").format(n=self._seconds(), doing=self.doing)
            print(f"{start}{line}", end=end, flush=True)

    def _seconds(self) -> float:
        return time.monotonic() - self._started


def told_by(line: str) -> str:
    """What one line of pip's says that is being done, in a few words; empty where it says nothing of the kind."""
    word, _, rest = line.strip().partition(" ")
    if word == "Collecting":
        return said("looking for {}", "查找 {}").format(_PACKAGE.match(rest)[0])
    if word in ("Downloading", "Using"):
        size = rest.rpartition(" (")[2].rstrip(")") if rest.endswith("B)") else ""
        name = _PACKAGE.match(rest.removeprefix("cached ").rsplit("/", 1)[-1].split("-")[0])[0]
        return said("fetching {}", "下载 {}").format(f"{name} ({size})" if size else name)
    if word in ("Building", "Preparing", "Getting"):
        return said("preparing this package", "准备本软件包")
    if line.startswith("Installing collected packages"):
        return said("unpacking {} packages", "解压安装 {} 个软件包").format(line.count(",") + 1)
    return ""


def run_pip(words: list[str], doing: str) -> None:
    """Run pip in `.venv`; what it says itself is shown only when it fails.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    command = [str(PYTHON), "-m", "pip", *words]
    heard: list[str] = []
    quiet = {**os.environ, "PYTHONUNBUFFERED": "1", "PIP_PROGRESS_BAR": "off"}
    with (
        Progress(doing) as progress,
        subprocess.Popen(
            command, cwd=ROOT, env=quiet, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as pip,
    ):
        for line in pip.stdout or ():
            heard.append(line)
            progress.doing = told_by(line) or progress.doing
        if pip.wait():
            raise PipFailed(pip.returncode, command, "".join(heard))


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
    only_files = {**new, "files": ""} == {**old, "files": ""}
    moved = bool(old) and new["home"] != old["home"]  # scripts in a virtual environment name its folder and Python
    print(announcement(only_files, first=moved or not PYTHON.exists()), flush=True)
    if moved or not PYTHON.exists():
        venv.create(VENV, with_pip=True, clear=True, symlinks=os.name != "nt")
    STAMP.unlink(missing_ok=True)
    run_pip(pip_words(new["extras"], relink=only_files), said("starting pip", "启动 pip"))
    STAMP.write_text(json.dumps(new), "utf-8")


def announcement(only_files: bool, *, first: bool) -> str:
    """What is about to be done, and how long it takes; ``first`` where nothing is there yet."""
    if only_files:
        return said("Linking the changed list of source files (some seconds) …", "正在链接有变动的源文件（几秒钟）……")
    if not first:
        return said(
            "Adding what is missing or has changed; what is here already stays …",
            "正在补装缺少或有变动的软件包；已有的保留……",
        )
    return said(
        f"Installing into {VENV}: this package and about 120 that it needs (LangGraph, Chroma, llama.cpp …);\n"
        "this takes one to five minutes once, and about 1 GB of disk.",
        f"正在安装到 {VENV}：本软件包和它所需的约 120 个软件包（LangGraph、Chroma、llama.cpp 等）；\n"
        "只需一次，用时一到五分钟，约占 1 GB 磁盘。",
    )


def pip_words(extras: list[str], *, relink: bool) -> list[str]:
    """The pip command of an install; ``relink`` when only the list of source files has changed."""
    words = ["install", "--disable-pip-version-check", "--config-settings", "editable_mode=strict"]
    words += ["--no-deps"] if relink else []
    return [*words, "--editable", f".[{','.join(extras)}]"]


def as_called() -> str:
    """The words that this script was called with, for the commands that the program suggests."""
    python = sys.orig_argv[0]
    by_name = shutil.which(Path(python).name)
    if by_name and ("shims" in Path(by_name).parts or Path(by_name).samefile(sys.executable)):
        python = Path(python).name  # a shim of pyenv's puts the whole path in the place of the name that was typed
    words = [python, sys.argv[0]]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def hand_over(program: str, arguments: list[str]) -> None:
    """Become a program of `.venv`, so that its exit status and Ctrl-C are its own."""
    os.environ["MEMORY_SECRETARY_PROGRAM"] = as_called()
    command = [str(BIN / program), *arguments]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def run_tests(arguments: list[str]) -> int:
    """Run pytest to its end; gives its exit status, 130 where Ctrl-C ended it.

    It runs in a session of its own, where Ctrl-C of the terminal does not reach it, and is ended with all that its
    tests have started, so that nothing is left of it, its own lines about where it was broken off neither.
    """
    asked: list[int] = []  # an exception could come before there is anything to end
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: asked.append(number))
    command = [str(BIN / "pytest"), *SIDE_BY_SIDE, *arguments]
    with subprocess.Popen(command, start_new_session=True) as tests:
        while not asked:
            with suppress(subprocess.TimeoutExpired):
                return tests.wait(SIGN_OF_STOP)
        if os.name == "nt":
            tests.kill()
        else:
            os.killpg(tests.pid, signal.SIGTERM)
    print(said("\nStopped before the tests were done.", "\n已停止，测试没有全部做完。"), file=sys.stderr)
    return INTERRUPTED


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
    if not arguments:
        sys.exit(said(*HELP))
    if arguments[0] in ("-h", "--help"):
        print(said(*HELP))
        return
    word, *rest = arguments
    try:
        install({"embedded", "dev"} if word in ("test", "setup") else {"embedded"})
    except KeyboardInterrupt:
        print(said("Stopped; the next call goes on from here.", "已停止；下次运行会从这里继续。"), file=sys.stderr)
        sys.exit(INTERRUPTED)
    except subprocess.CalledProcessError as error:
        print(error.output or "", end="", file=sys.stderr)
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
        print(said("Looking for the tests …", "正在查找测试……"), flush=True)
        sys.exit(run_tests(rest))
    elif word != "setup":
        hand_over("memory-secretary", arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
