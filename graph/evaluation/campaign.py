"""A comparison of arms on a suite: which runs it has, which of them are made already, and the making of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, NamedTuple

from memory_secretary.graph.evaluation.arms import OURS, ROLLING, SLIDING, WHOLE
from memory_secretary.graph.evaluation.suite import Suite
from memory_secretary.graph.evaluation.task import Task
from memory_secretary.graph.evaluation.trial import run_trial
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.errors import SettingsError
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.resolve import resolve_model

NONE, FULL, SUMMARY, SECRETARY, OWN = "none", "full", "summary", "secretary", "secretary-own"
ARMS = {NONE: SLIDING, FULL: WHOLE, SUMMARY: ROLLING, SECRETARY: OURS, OWN: OURS}
"""The arms as they are named here, and what carries each out."""
PLAIN = (NONE, FULL, SUMMARY)
_KEY = ("suite", "state", "task", "arm", "executor", "secretary", "window", "secretary_window")

Row = dict[str, Any]


class Run(NamedTuple):
    """One task in one arm."""

    arm: str
    task: Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What is compared.

    Attributes:
        suite: the tasks.
        arms: of :data:`ARMS`.
        executor: the acting model's name, as ``build_graph`` takes it.
        secretary: the secretary's, in the arm of that name; None where there is none of its own.
        settings: windows and user.
        embedder: of the memories; None searches by words alone.
    """

    suite: Suite
    arms: tuple[str, ...]
    executor: str
    secretary: str | None
    settings: Settings
    embedder: str | None = "embedded"

    def runs(self) -> list[Run]:
        """Every run in the order in which it is made: task by task in all arms, so that they are compared early."""
        return [Run(arm, task) for task in self.suite.tasks for arm in self.arms]

    def head(self, run: Run) -> Row:
        """What tells a run from any other, and what its row begins with."""
        noting = self.secretary if run.arm == SECRETARY else self.executor
        values = (self.suite.name, self.suite.state, run.task.name, run.arm, self.executor, noting)
        windows = (self.settings.executor_window, self.settings.secretary_window)
        return dict(zip(_KEY, (*values, *windows), strict=True))

    def made(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that belong to it, in its order; of two for one run the later one."""
        known = {_key(row): row for row in rows}
        return [known[key] for key in map(_key, map(self.head, self.runs())) if key in known]

    def left(self, rows: Sequence[Row]) -> list[Run]:
        """The runs that have no row yet."""
        known = {_key(row) for row in rows}
        return [run for run in self.runs() if _key(self.head(run)) not in known]


def checked_arms(names: str | None, secretary: str | None) -> tuple[str, ...]:
    """The arms that were named, separated by commas, or all that these models allow.

    Raises:
        SettingsError: one is none, or needs a secretary's model.
    """
    if names is None:
        return tuple(arm for arm in ARMS if arm != SECRETARY or secretary)
    chosen = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    unknown = next((name for name in chosen if name not in ARMS), None)
    if unknown is not None or not chosen:
        msg = f"--arms {names!r}: name some of {', '.join(ARMS)}, separated by commas"
        raise SettingsError(msg, zh=f"--arms {names!r}：请从 {'、'.join(ARMS)} 里选，用逗号隔开")
    if SECRETARY in chosen and not secretary:
        msg = f"the arm {SECRETARY} needs --secretary MODEL; one model in both roles is the arm {OWN}"
        raise SettingsError(msg, zh=f"{SECRETARY} 需要 --secretary 指定模型；一个模型担任两个角色请用 {OWN}")
    return chosen


@contextmanager
def models(campaign: Campaign) -> Iterator[Callable[[Run], Row]]:
    """What makes one run, with the campaign's models ready as long as this block lasts.

    Raises:
        MemorySecretaryError: a model cannot be had.
    """
    settings = campaign.settings
    window = max(settings.executor_window, settings.secretary_window)
    opened: list[ModelHandle] = [resolve_model(campaign.executor, window=window)]
    try:
        if campaign.secretary and SECRETARY in campaign.arms:
            opened.append(resolve_model(campaign.secretary, window=settings.secretary_window))

        def trial(run: Run) -> Row:
            noting = opened[1] if run.arm == SECRETARY else None
            found = run_trial(run.task, ARMS[run.arm], opened[0], settings, noting=noting, embedder=campaign.embedder)
            return {**found, **campaign.head(run)}

        yield trial
    finally:
        for handle in opened:
            handle.close()


def make_runs(
    runs: Sequence[Run], trial: Callable[[Run], Row], *, parallel: int, may_begin: Callable[[Run], bool]
) -> Iterator[Row]:
    """Make the runs and give the row of each as it ends, in any order where several are made at a time.

    Args:
        runs: what is to be made.
        trial: makes one.
        parallel: how many are made at a time.
        may_begin: is asked before each; once it says no, no other begins.
    """
    if parallel == 1:
        for run in runs:
            if not may_begin(run):
                return
            yield trial(run)
        return
    with ThreadPoolExecutor(parallel) as pool:
        futures = [pool.submit(copy_context().run, _begun, run, trial, may_begin) for run in runs]
        try:
            yield from _ended(futures)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _begun(run: Run, trial: Callable[[Run], Row], may_begin: Callable[[Run], bool]) -> Row | None:
    return trial(run) if may_begin(run) else None


def _ended(futures: Sequence[Future[Row | None]]) -> Iterator[Row]:
    for future in as_completed(futures):
        row = future.result()
        if row is not None:
            yield row


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _KEY)
