"""In which language the command line speaks to its user."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

import typer

from memory_secretary.graph.words import Lang
from memory_secretary.memory.bilingual import VARIABLES, named_by_environment, speak
from memory_secretary.nodes.language import language_of

Language = Annotated[
    Lang | None, typer.Option("--lang", help="Language of what is shown (default: that of your words or your system).")
]


def spoken(lang: Lang | None = None, text: str = "") -> Lang:
    """The language of this command, and from now on of its errors.

    Args:
        lang: what ``--lang`` says.
        text: the user's own words.
    """
    found = lang or users_language(text)
    speak(found)
    return found


def pass_on(ctx: typer.Context, lang: Lang | None) -> None:
    """Let the commands below a group speak ``lang``, where it stood before their names and they are told no other."""
    if lang is not None:
        ctx.default_map = _for_all(ctx.command, lang)


def _for_all(command: Any, lang: Lang) -> dict[str, Any]:
    below = getattr(command, "commands", {})
    return {"lang": lang, **{name: _for_all(each, lang) for name, each in below.items()}}


def language_on(words: Sequence[str]) -> Lang:
    """The language that a command line asks for with ``--lang``, wherever it stands, else the user's."""
    typed = [after for before, after in pairwise(words) if before == "--lang"]
    typed += [word.removeprefix("--lang=") for word in words if word.startswith("--lang=")]
    return "zh" if "zh" in typed else "en" if "en" in typed else users_language()


def users_language(text: str = "") -> Lang:
    """What ``MEMORY_SECRETARY_LANG`` says, else Chinese where the user's words or the system's language are."""
    said = os.environ.get(VARIABLES[0], "").strip() in ("en", "zh")
    return "zh" if not said and language_of(text) == "zh" else named_by_environment()
