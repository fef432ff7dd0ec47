"""Reading a line from the keyboard, in any script."""

from __future__ import annotations

import codecs
import locale
import os
import sys
from contextlib import suppress

_UTF8 = ("C.UTF-8", "C.utf8", "en_US.UTF-8")
"""Locales of which one knows UTF-8's characters on any system in use."""


def typed(prompt: str) -> str:
    """A line from the keyboard, with the keys and the history of ``readline`` where the system has it."""
    with suppress(ImportError):
        know_utf8()
        import readline  # noqa: F401  # importing it is what makes input() use it
    return input(prompt)


def know_utf8() -> None:
    """Let ``readline`` take UTF-8 for characters where Python does, and the C library, left alone, would not.

    A locale that the machine lacks leaves the C library with single bytes, of which ``readline`` takes some for keys.
    It reads the locale's name from the environment, where ``LC_ALL`` goes before the one for characters: what that
    says of messages is kept.
    """
    if not _is_utf8(sys.stdin.encoding) or _is_utf8(locale.nl_langinfo(locale.CODESET)):
        return
    name = next((name for name in _UTF8 if _taken(name)), None)
    if name is None:
        return
    everything = os.environ.pop("LC_ALL", "")
    if everything:
        os.environ["LC_MESSAGES"] = everything
    os.environ["LC_CTYPE"] = name


def _taken(name: str) -> bool:
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    return True


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        return False
