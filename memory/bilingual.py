"""The language that code speaks deep inside a run, where no one hands it down: the user's, settled once per node."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Lang = Literal["en", "zh"]

VARIABLES = ("MEMORY_SECRETARY_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""The environment's variables that name the language: ours, then the system's; the first one that says something counts
(POSIX)."""

_SPOKEN: ContextVar[Lang | None] = ContextVar("memory_secretary_language", default=None)


@contextmanager
def speaking(lang: Lang) -> Iterator[None]:
    """Within this block, and in what it calls in threads of LangGraph's, :func:`said` speaks ``lang``."""
    token = _SPOKEN.set(lang)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def speak(lang: Lang) -> None:
    """From here on, to the end of the :func:`speaking` around it, :func:`said` speaks ``lang``."""
    _SPOKEN.set(lang)


def spoken() -> Lang:
    """The language that is spoken here; outside of every :func:`speaking` that of the environment."""
    return _SPOKEN.get() or named_by_environment()


def named_by_environment() -> Lang:
    """What ``MEMORY_SECRETARY_LANG`` says, ``en`` or ``zh``, else the system's language; neither Chinese is English."""
    ours, *system = (os.environ.get(name, "").strip() for name in VARIABLES)
    if ours in ("en", "zh"):
        return "zh" if ours == "zh" else "en"
    return "zh" if next(filter(None, system), "").lower().startswith("zh") else "en"


def said(en: str, zh: str) -> str:
    """The one of two like sentences that is in the language spoken here."""
    return zh if spoken() == "zh" else en
