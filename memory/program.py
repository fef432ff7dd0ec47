"""How this program is called from where its user sits: sentences name commands as they can be typed there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "memory-secretary"
VARIABLE = "MEMORY_SECRETARY_PROGRAM"
"""Environment variable in which a script that starts the command line (``bootstrap.py``) says how it was called."""

_COMMAND = re.compile(rf"(?<![\w./\\-]){NAME}(?= (?:run|chat|brief|doctor|models|memory)\b)")
_PIP = re.compile(r"(?<![\w./\\-])(?<!-m )pip(?= install\b)")
_commanded = False  # of the whole process, since threads that work in the background must know it, too


@contextmanager
def commanded() -> Iterator[None]:
    """Within this block the command line is at work, which prints what it has to tell to somebody without Python."""
    global _commanded
    before, _commanded = _commanded, True
    try:
        yield
    finally:
        _commanded = before


def is_commanded() -> bool:
    """Whether the command line is at work, and no program that uses the package as a library."""
    return _commanded


def for_programs(words: str) -> str:
    """A part of a sentence that is of use in Python only; the command line leaves it out."""
    return "" if _commanded else words


def program() -> str:
    """The words that call the command line: those of the script that started it, else its name, or its path.

    The path is for the command line itself where its name would not find it; a program that uses the package as a
    library is told the name that the documentation has.
    """
    if named := os.environ.get(VARIABLE):
        return named
    typed = Path(sys.argv[0])
    return NAME if typed.stem != NAME or _found(NAME) else shlex.quote(str(typed))


def as_typed(sentence: str) -> str:
    """A sentence whose commands (``memory-secretary doctor``, ``pip install …``) are as they can be typed here."""
    called = program()
    if called == NAME:
        return sentence
    pip = "pip" if _found("pip") else f"{shlex.quote(sys.executable)} -m pip"
    return _PIP.sub(lambda _: pip, _COMMAND.sub(lambda _: called, sentence))


def _found(name: str) -> bool:
    """Whether a name that is typed finds the program of this very environment."""
    found = shutil.which(name)
    return found is not None and Path(found).resolve().parent == Path(sysconfig.get_path("scripts")).resolve()
