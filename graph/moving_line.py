"""The line at the foot of a terminal that says what is being done, and for how long already."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from memory_secretary.graph.cli_keyboard import unechoed

_FRAMES = 8
"""Pictures a second: few enough that they cost nothing beside a model."""


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
        doing = Text(self._doing)
        doing.truncate(max(options.max_width - len(seconds) - 3, 1), overflow="ellipsis")
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
