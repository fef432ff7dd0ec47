"""What the commands share that let a teacher work: a bar, and a price."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from memory_secretary.graph.live import one_line
from memory_secretary.graph.words import say
from memory_secretary.memory import bilingual

_NAME = 30
"""Characters of a name beside the bar."""


@contextmanager
def moving_bar(
    console: Console, total: int, doing: str, progress_line: str, *, shown: bool
) -> Iterator[Callable[[str], None]]:
    """Gives what moves a bar on by one, with the name of what is done; without a terminal, a line at each tenth."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not (shown and total and console.is_terminal)) as progress:
        task, done = progress.add_task(say(bilingual.spoken(), doing), total=total), 0

        def on(name: str) -> None:
            nonlocal done
            done += 1
            progress.update(task, completed=done, description=one_line(name)[:_NAME])
            if shown and not console.is_terminal and done * 10 // total > (done - 1) * 10 // total:
                console.print(say(bilingual.spoken(), progress_line, n=done, of=total), soft_wrap=True)

        yield on


def amount(price: float) -> str:
    """A price with as many decimals as say something."""
    return f"{price:,.2f}" if price >= 1 else f"{price:.4f}"
