"""How a run begins: from the options that were typed to the record of a new run, or of one that goes on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_secretary.graph import cli_runs
from memory_secretary.graph.cli_options import LOCAL_USER
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.words import Lang
from memory_secretary.memory.clock import random_id, system_clock
from memory_secretary.memory.errors import NotFound, SettingsError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory
    from memory_secretary.memory.records import StoredTask

EXAMPLE_WINDOW = 2048
"""Tokens: what the example task is made for; its text is at least eight times longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of ``run`` as they were typed; None where one was left out."""

    task: str | None = None
    example: bool = False
    seed: int | None = None
    lang: Lang | None = None
    executor: str | None = None
    secretary: str | None = None
    window: int | None = None
    workspace: Path | None = None
    memory: Path | None = None
    user: str = LOCAL_USER
    thread: str | None = None
    resume: bool = False
    max_steps: int | None = None
    embedder: str = "embedded"
    as_json: bool = False


def started(options: RunOptions, folder: Path) -> RunRecord:
    """The record of a new run; for the example, its files are copied into a folder of their own.

    Raises:
        SettingsError: the options contradict each other, or the workspace cannot be used.
    """
    example = options.example or options.seed is not None
    if example == (options.task is not None):
        msg = 'give either a task in quotes or --example, e.g.: memory-secretary run "sum up the invoices in notes/"'
        raise SettingsError(msg)
    thread = options.thread or f"{system_clock():%Y%m%d-%H%M%S}-{random_id()[:4]}"
    record = RunRecord(thread=thread, user=options.user, goal=options.task or "", workspace=str(Path.cwd()))
    record = _changed(record, options, example=example)
    return _with_example(record, options, folder) if example else record


def _with_example(record: RunRecord, options: RunOptions, folder: Path) -> RunRecord:
    from memory_secretary.graph.evaluation.example_task import variant
    from memory_secretary.tools.example_workspace import copy_example
    from memory_secretary.tools.sandbox import WorkspaceError

    own = cli_runs.run_folder(folder, record.user, record.thread) / "workspace"
    workspace = options.workspace.absolute() if options.workspace else own
    task = variant(options.seed or 1, options.lang or "en")
    try:
        copy_example(workspace)
    except WorkspaceError as error:
        raise SettingsError(str(error)) from error
    return replace(
        record,
        goal=task.goal,
        workspace=str(workspace),
        window=options.window or EXAMPLE_WINDOW,
        lang=task.lang,
        seed=task.seed,
    )


def resumed(options: RunOptions, folder: Path, memory: TieredMemory) -> RunRecord:
    """The record of the run to continue, with whatever was given anew (another executor, another window …).

    Raises:
        NotFound: there is no such run, or none that is unfinished.
    """
    if options.example or options.seed is not None:
        msg = "--resume continues a run that was started; leave out --example and --seed"
        raise SettingsError(msg)
    thread = options.thread or options.task or _newest_open_thread(memory, options.user)
    record, task = cli_runs.find(folder, options.user, thread), known_task(memory, options.user, thread)
    if task is not None and task.state["finished"]:
        msg = f"the task of thread {thread!r} is done; a new one starts with: memory-secretary run --thread {thread} …"
        raise NotFound(msg)
    if record is None and task is None:
        msg = (
            f"user {options.user!r} has no thread {thread!r} in {folder}; give the --memory and --user it started with"
        )
        raise NotFound(msg)
    record = record or RunRecord(thread=thread, user=options.user, goal="", workspace=str(Path.cwd()))
    return _changed(record, options)


def _newest_open_thread(memory: TieredMemory, user: str) -> str:
    for stored in memory.open_tasks(Scope(user=user)):
        if stored.scope.thread is not None:
            return stored.scope.thread
    msg = f'user {user!r} has no unfinished task in this memory; start one with: memory-secretary run "your task"'
    raise NotFound(msg)


def _changed(record: RunRecord, options: RunOptions, *, example: bool = False) -> RunRecord:
    """The record with everything that the options name; a new example's workspace need not exist yet."""
    given: dict[str, Any] = {
        "executor": options.executor,
        "secretary": options.secretary,
        "window": options.window,
        "max_steps": options.max_steps,
        "lang": options.lang,
        "workspace": str(options.workspace.absolute()) if options.workspace else None,
    }
    changed = replace(record, **{name: value for name, value in given.items() if value is not None})
    if not example and not Path(changed.workspace).is_dir():
        msg = f"the workspace {changed.workspace} is no folder; name an existing one with --workspace"
        raise SettingsError(msg)
    return changed


def known_task(memory: TieredMemory, user: str, thread: str) -> StoredTask | None:
    """The thread's task as the ledger has it; a run that died while its model was loading has none."""
    return memory.view(Role.SECRETARY, Scope(user=user, thread=thread)).load_task_state()
