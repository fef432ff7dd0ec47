"""What ``eval`` does before its report: makes the runs that are left, shows how far it is, and keeps each."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from memory_secretary.graph.cli_interrupt import prompt_ctrl_c
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import make_console
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.palette import GOOD, NAME, QUIET, WARNING
from memory_secretary.graph.words import term
from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.memory.clock import system_clock
from memory_secretary.memory.errors import ModelUnreachable

if TYPE_CHECKING:
    from memory_secretary.graph.evaluation.campaign import Campaign, Row, Run
    from memory_secretary.graph.evaluation.estimate import Estimate

ROWS = "runs.jsonl"
_IN_A_ROW = 3
"""Runs without an answer of the server after which it is given up."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Options about the models and how they are asked."""

    executor: str
    secretary: str | None
    window: int | None
    embedder: str
    parallel: int


def make(campaign: Campaign, typed: Typed, path: Path, minutes: int | None) -> None:
    """Make every run that is left; one that was stopped is made again the next time.

    Args:
        campaign: the comparison.
        typed: how the models are asked.
        path: where the rows are kept.
        minutes: how long it may take; None sets no end.

    Raises:
        MemorySecretaryError: a model cannot be had, or its server stopped answering.
    """
    from memory_secretary.graph.cli_fetch import make_ready
    from memory_secretary.graph.cli_runs import RunRecord
    from memory_secretary.graph.evaluation.campaign import models
    from memory_secretary.graph.evaluation.rows import read_rows

    console = make_console(stderr=True)
    rows = read_rows(path)
    left = campaign.left(rows)
    _print_head(campaign, left, rows, minutes, console)
    if not left:
        return
    record = RunRecord(
        thread="", user="eval", goal="", workspace="", executor=typed.executor, secretary=typed.secretary,
        window=campaign.settings.executor_window, lang=spoken(),
    )  # fmt: skip
    make_ready(record)
    way_on = _once(lambda: _print_way_on(console))
    with prompt_ctrl_c(way_on), ExitStack() as opened:
        try:
            with busy(console, said("starting the models", "启动模型")):
                trial = opened.enter_context(models(campaign))
            _run_all(campaign, left, trial, typed.parallel, path, minutes, console)
        except KeyboardInterrupt:
            way_on()
            raise


def _print_head(campaign: Campaign, left: list[Run], rows: list[Row], minutes: int | None, console: Console) -> None:
    """How much there is to do, how long it will take, and what that is based on."""
    tasks, arms = len(campaign.suite.tasks), ", ".join(campaign.arms)
    head = said(
        f"{campaign.suite.name}: {tasks} tasks in the arms {arms}; {len(left)} runs to make",
        f"{campaign.suite.name}：{tasks} 个任务，方式 {arms}；还有 {len(left)} 个运行要做",
    )
    print_broken(console, head, NAME)
    if left:
        print_broken(console, _estimated(campaign, left, rows))
    if left and minutes:
        limit = said(
            f"No run begins that would end after {minutes} minutes.", f"预计在 {minutes} 分钟后才结束的运行不再开始。"
        )
        print_broken(console, limit, QUIET)


def _estimated(campaign: Campaign, left: list[Run], rows: list[Row]) -> str:
    found = _expected(campaign, left, rows)
    if found.seconds is None:
        return said("How long it takes is known after the first runs.", "需要多久，做完最初几个运行才知道。")
    basis = (
        said(f"by the {found.basis} runs made here before", f"依据此前在这里做过的 {found.basis} 个运行")
        if found.basis
        else said("by what the embedded 1.5B took on two idle cores", "依据内置 1.5B 模型在两个空闲核心上所用的时间")
    )
    return said(f"Estimate: {_length(found.seconds)}, {basis}.", f"预计：{_length(found.seconds)}，{basis}。")


def _length(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    if not hours:
        return said(f"{minutes} min", f"{minutes} 分钟")
    return said(f"{hours} h {minutes:02} min", f"{hours} 小时 {minutes:02} 分")


def _run_all(
    campaign: Campaign,
    left: list[Run],
    trial: Callable[[Run], Row],
    parallel: int,
    path: Path,
    minutes: int | None,
    console: Console,
) -> None:
    """Make the runs and keep each; a run that its server did not answer is left for the next time.

    Raises:
        ModelUnreachable: the server did not answer several runs in a row.
    """
    from memory_secretary.graph.evaluation.campaign import make_runs
    from memory_secretary.graph.evaluation.rows import append_row

    about = {"version": version("memory-secretary"), "machine": _machine()}
    deadline, unanswered = Deadline(campaign, minutes, path), 0
    with _progress(len(left), console) as show:
        for row in make_runs(left, trial, parallel=parallel, may_begin=deadline):
            dead = row["stop_reason"].startswith(f"{ModelUnreachable.__name__}: ")
            unanswered = unanswered + 1 if dead else 0
            if unanswered == _IN_A_ROW:
                raise ModelUnreachable(row["stop_reason"].partition(": ")[2])
            if not dead:
                append_row(path, {**row, **about, "at": f"{system_clock():%Y-%m-%dT%H:%M:%SZ}"})
            show(row, _seconds_left(campaign, path))
    if deadline.passed:
        _print_way_on(console)


def _seconds_left(campaign: Campaign, path: Path) -> float | None:
    from memory_secretary.graph.evaluation.rows import read_rows

    rows = read_rows(path)
    return _expected(campaign, campaign.left(rows), rows).seconds


def _expected(campaign: Campaign, runs: list[Run], rows: list[Row]) -> Estimate:
    """How long these runs will take, by the rows that belong to the same comparison."""
    from memory_secretary.graph.evaluation.estimate import estimate

    sizes = [(run.arm, run.task.steps) for run in runs]
    return estimate(sizes, campaign.made(rows), embedded=campaign.executor.startswith("embedded"))


class Deadline:
    """Whether a run may still begin: it would end within the minutes that were given, if any were."""

    def __init__(
        self, campaign: Campaign, minutes: int | None, path: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.passed = False
        self._campaign, self._path, self._clock = campaign, path, clock
        self._end = None if minutes is None else clock() + 60 * minutes

    def __call__(self, run: Run) -> bool:
        """Ask for one run; once one would end too late, no other may begin."""
        if self._end is not None and not self.passed:
            self.passed = self._clock() + self._seconds(run) > self._end
        return not self.passed

    def _seconds(self, run: Run) -> float:
        from memory_secretary.graph.evaluation.rows import read_rows

        return _expected(self._campaign, [run], read_rows(self._path)).seconds or 0.0


@contextmanager
def _progress(total: int, console: Console) -> Iterator[Callable[[Row, float | None], None]]:
    """A bar on a terminal, with the time that is left; and one line for each run that has ended."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(said("runs", "运行"), total=total)

        def show(row: Row, left: float | None) -> None:
            print_broken(console, _row_line(row), GOOD if row["right"] else WARNING)
            more = "" if not left else said(f", about {_length(left)} left", f"，还需约 {_length(left)}")
            bar.update(task, advance=1, description=said("runs", "运行") + more)

        yield show


def _row_line(row: Row) -> str:
    why = said("; ", "；").join(row["missing"]) or term(spoken(), "stop", row["stop_reason"])
    outcome = said("right", "正确") if row["right"] else said(f"wrong ({why[:100]})", f"错误（{why[:100]}）")
    steps = said(f"{row['steps']} steps, {row['seconds']:.0f} s", f"{row['steps']} 步，{row['seconds']:.0f} 秒")
    return f"{row['task']} · {row['arm']} · {outcome} · {steps}"


def _print_way_on(console: Console) -> None:
    print_broken(
        console, said("Nothing is lost; the same command goes on.", "没有任何丢失；再运行同一条命令即可继续。")
    )


def _once(action: Callable[[], None]) -> Callable[[], None]:
    left = [action]
    return lambda: left.pop()() if left else None


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPU"
