"""The language that code speaks deep inside a run, where no one hands it down: the user's, settled once per node."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Lang = Literal["en", "zh"]

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
    """The language that is spoken here; outside of every :func:`speaking` that of ``MEMORY_SECRETARY_LANG``."""
    return _SPOKEN.get() or ("zh" if os.environ.get("MEMORY_SECRETARY_LANG", "").strip() == "zh" else "en")


def said(en: str, zh: str) -> str:
    """The one of two like sentences that is in the language spoken here."""
    return zh if spoken() == "zh" else en
