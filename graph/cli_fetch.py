"""Sees to it that a run's models are there before it begins: servers are asked, weights fetched with a progress bar."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from memory_secretary.graph.cli_language import spoken
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.cli_start import settings_with
from memory_secretary.graph.live import make_console
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.words import say
from memory_secretary.memory.bilingual import said

_MEGABYTE = 1_000_000


def make_ready(record: RunRecord) -> None:
    """Have the models of both roles there, before anything is shown or begun.

    Raises:
        MemorySecretaryError: a server is down or lacks its model, or an embedded model's weights cannot be had.
    """
    from memory_secretary.nodes.models.facts import refuse_dead_server

    settings = settings_with(window=record.window, max_steps=None, lang=spoken(record.lang, record.goal))
    models = {record.executor, record.secretary or record.executor}
    console = make_console(stderr=True)
    for model in sorted(model for model in models if not model.startswith("embedded")):
        with busy(console, say(spoken(record.lang, record.goal), "asking", model=model)):
            refuse_dead_server(model, settings.executor_window)
    fetch_weights(models, console)


def fetch_weights(models: set[str], console: Console) -> None:
    """Have the weights of every embedded model among ``models`` on this machine; others need nothing.

    Args:
        models: names as ``build_graph`` takes them.
        console: where the bar is drawn; one that is no terminal gets a line at each tenth.

    Raises:
        ModelError: no source answered, or the bytes are not the pinned ones.
    """
    from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, ensure_weights

    for provider, _, name in sorted(model.partition(":") for model in models):
        if provider == "embedded":
            chosen = name or DEFAULT_WEIGHTS
            with _Bar(console, said(f"weights of {chosen}", f"{chosen} 的权重")) as bar:
                ensure_weights(chosen, progress=bar.show)


class _Bar:
    """A progress bar that appears with the first report, so that a model already here shows nothing."""

    def __init__(self, console: Console, what: str) -> None:
        self._console = console
        self._what = what
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._progress = Progress(*columns, TimeRemainingColumn(), console=console)
        self._task = self._progress.add_task("", visible=False)
        self._tenths = -1
        self._checking = False

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        if self._checking and failed is None:
            sound = said(f"{self._what}, verified", f"{self._what}（已校验）")
            self._progress.update(self._task, description=sound)
            if not self._console.is_terminal:
                self._console.print(sound, soft_wrap=True)
        if self._progress.live.is_started:
            self._progress.stop()

    def show(self, source: str, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` bytes have come from ``source``."""
        what = said(f"{self._what} from {source}", f"{self._what}（来自 {source}）")
        if done >= total:  # all bytes are here; their hash takes some seconds
            self._checking = True
            what = said(f"{self._what}, being checked", f"{self._what}（正在校验）")
        if self._console.is_terminal:
            self._progress.start()
            self._progress.update(
                self._task, description=what, completed=done, total=total, visible=True, refresh=done >= total
            )
        elif total and done * 10 // total > self._tenths:
            self._tenths = done * 10 // total
            have, whole = f"{done // _MEGABYTE:,}", f"{total // _MEGABYTE:,}"
            self._console.print(said(f"{what}: {have} of {whole} MB", f"{what}：{have} / {whole} MB"), soft_wrap=True)
