"""The keyboard: a line in any script is read, and what is typed while nobody reads is kept off the screen."""

from __future__ import annotations

import codecs
import locale
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_UTF8 = ("C.UTF-8", "C.utf8", "en_US.UTF-8")
"""Locales of which one knows UTF-8's characters on any system in use."""

_CLEARED = "\r\x1b[K\x1b[?25h"
"""To a terminal: the line is empty, and the cursor is to be seen."""


def typed(prompt: str) -> str:
    """A line from the keyboard, with the keys and the history of ``readline`` where the system has it."""
    with suppress(ImportError):
        know_utf8()
        import readline  # noqa: F401  # importing it is what makes input() use it
    return input(prompt)


@contextmanager
def unechoed() -> Iterator[None]:
    """Within this block what is typed is not shown; it waits for the next prompt. Ctrl-C works as ever."""
    keyboard = _own_keyboard()
    if keyboard is None:
        yield
        return
    import termios

    before = termios.tcgetattr(keyboard)
    silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(keyboard, termios.TCSANOW, silent)
    try:
        yield
    finally:
        if _own_keyboard() is not None:  # the shell has set its own if the program was moved to the background
            termios.tcsetattr(keyboard, termios.TCSANOW, before)


def terminal_as_before() -> None:
    """Give the terminal back in order where a block that changed it is not left: its line, its cursor and its echo."""
    screen = sys.__stdout__  # the moving line has put its own in the place of the other
    if screen is not None and screen.isatty():
        screen.write(_CLEARED)
        screen.flush()
    keyboard = _own_keyboard()
    if keyboard is not None:
        import termios

        now = termios.tcgetattr(keyboard)
        termios.tcsetattr(keyboard, termios.TCSANOW, [*now[:3], now[3] | termios.ECHO, *now[4:]])


def _own_keyboard() -> int | None:
    """The terminal that is typed on, where this program may set it; a program in the background may not."""
    if os.name == "nt" or sys.stdin is None or sys.stdin.closed or not sys.stdin.isatty():
        return None
    number = sys.stdin.fileno()
    try:
        return number if os.tcgetpgrp(number) == os.getpgrp() else None
    except OSError:  # no terminal of this session
        return None


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
