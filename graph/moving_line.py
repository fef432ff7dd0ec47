"""The line at the foot of a terminal that says what is being done, and for how long already."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from memory_secretary.graph.cli_keyboard import unechoed

_FRAMES = 8
"""Pictures a second: few enough that they cost nothing beside a model."""
_BETWEEN = " · "
_CALL = re.compile(r"(?P<name>\w[\w.-]*)\(.*\)$")
"""A tool call at the end of what is said."""
_NEXT_ARGUMENT = re.compile(r", \w+=")
_LEAST = 12
"""Columns of an end that are worth showing."""


def fitted(doing: str, width: int) -> str:
    """A text in so many columns; of a call at its end with one argument the end is shown, where paths have names.

    Of several arguments the last is mostly a text, and its end says nothing: their beginning is shown.
    """
    call = _CALL.search(doing)
    if call is None or cell_len(doing) <= width or width < 2 * _LEAST:
        return _cut(doing, width)
    head = doing[: call.start()].split(_BETWEEN)
    while len(head) > 2 and cell_len(_BETWEEN.join(head) + call[0]) > width:  # what is done counts less than with what
        del head[1]
    before = _cut(_BETWEEN.join(head), width // 2)
    return before + _end_of(call, width - cell_len(before))


def _end_of(call: re.Match[str], room: int) -> str:
    """A call, or its name and the end of its argument, or the end alone where no more has room."""
    if cell_len(call[0]) <= room:
        return call[0]
    if _NEXT_ARGUMENT.search(call[0]):
        return _cut(call[0], room)
    name = f"{call['name']}(…" if cell_len(call["name"]) + _LEAST <= room else "…"
    end = call[0]
    while end and cell_len(end) > room - cell_len(name):
        end = end[1:]
    return name + end


def _cut(text: str, width: int) -> str:
    shown = Text(text)
    shown.truncate(width, overflow="ellipsis")
    return shown.plain


class MovingLine:
    """What is being done now, the seconds since it began, and a sign of life; where no terminal is, nothing.

    Args:
        console: where it stands.
        clock: seconds, from any beginning.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._spinner = Spinner("dots")
        self._doing = ""
        self._gone = False
        self._since = clock()
        self._live = Live(self, console=console, refresh_per_second=_FRAMES, transient=True)

    def show(self, doing: str) -> None:
        """Say what is done from now on."""
        self._doing, self._since = doing, self._clock()
        if self._console.is_terminal and not self._gone:
            self._live.start()
            self._live.refresh()

    def remove(self) -> None:
        """Take the line away for good: something else is written in its place, and must not be wiped out."""
        self._gone = True
        self._live.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The line as it stands at this moment; its seconds are shown however long the rest is."""
        picture = self._spinner.render(console.get_time())
        seconds = f" · {self._clock() - self._since:.0f} s"
        doing = Text(fitted(self._doing, max(options.max_width - len(seconds) - 3, 1)))
        yield Text.assemble(picture if isinstance(picture, Text) else "", " ", doing, seconds, no_wrap=True, end="")


@contextmanager
def busy(console: Console, doing: str, *, shown: bool = True) -> Iterator[MovingLine]:
    """Within this block the line says what is done, and what is typed waits for the next prompt.

    Args:
        console: where it stands.
        doing: what is done first.
        shown: False shows nothing, as programs want it.
    """
    with unechoed(), MovingLine(console) as line:
        if shown:
            line.show(doing)
        yield line
