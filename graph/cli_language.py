"""In which language the command line speaks to its user."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_secretary.graph.words import Lang
from memory_secretary.memory.bilingual import speak
from memory_secretary.nodes.language import language_of

Language = Annotated[
    Lang | None, typer.Option("--lang", help="Language of what is shown (default: that of your words or your system).")
]
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""The variables that name the system's language; the first one that is set counts (POSIX)."""


def spoken(lang: Lang | None = None, text: str = "") -> Lang:
    """The language of this command, and from now on of its errors.

    Args:
        lang: what ``--lang`` says.
        text: the user's own words.
    """
    found = lang or users_language(text)
    speak(found)
    return found


def users_language(text: str = "") -> Lang:
    """What ``MEMORY_SECRETARY_LANG`` says, else Chinese where the user's words or the system's language are."""
    named = os.environ.get("MEMORY_SECRETARY_LANG", "").strip()
    return "zh" if named == "zh" or (named != "en" and _is_chinese(text)) else "en"


def _is_chinese(text: str) -> bool:
    system = next((value for name in _LOCALES if (value := os.environ.get(name))), "")
    return language_of(text) == "zh" or system.lower().startswith("zh")
