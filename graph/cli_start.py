"""How a run begins: from the options that were typed to the record of a new run, or of one that goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_secretary.graph import cli_runs
from memory_secretary.graph.cli_ids import the_one
from memory_secretary.graph.cli_language import spoken
from memory_secretary.graph.cli_options import LOCAL_USER, as_command, whose_threads
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.thread_lock import ThreadAtWork, demand_free, is_at_work
from memory_secretary.graph.words import Lang
from memory_secretary.memory.clock import random_id, system_clock
from memory_secretary.memory.errors import NotFound, SettingsError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.graph.settings import Settings
    from memory_secretary.memory import TieredMemory
    from memory_secretary.memory.records import StoredTask

THREADS = 1000
"""Threads among which a beginning is looked for, the newest."""
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
    trace: Path | None = None
    as_json: bool = False

    @property
    def is_example(self) -> bool:
        """Whether the example task is meant."""
        return self.example or self.seed is not None


def check(options: RunOptions) -> None:
    """Refuse what nothing could work with, before anything is opened, saved, fetched or started.

    Raises:
        MemorySecretaryError: an option or one of the ``MEMORY_SECRETARY_*`` variables; the sentence names it.
    """
    from memory_secretary.memory.embedders import resolve_embedder
    from memory_secretary.nodes.models.resolve import check_model

    Scope(user=options.user, thread=options.thread)
    settings_with(window=options.window, max_steps=options.max_steps, lang=options.lang)
    resolve_embedder(options.embedder)
    for model in (options.executor, options.secretary):
        if model is not None:
            check_model(model)
    if options.workspace and not options.is_example:
        _check_workspace(options.workspace)
    if options.trace:
        from memory_secretary.graph.tracing.file import TraceFile

        TraceFile(options.trace)  # refuses what cannot be written


def check_task(options: RunOptions) -> None:
    """Refuse a run that is told nothing to do, or two things at once.

    Raises:
        SettingsError: the options contradict each other.
    """
    if options.resume and options.is_example:
        msg = "--resume continues a run that was started; leave out --example and --seed"
        raise SettingsError(msg, zh="--resume 用于继续已经开始的运行；请去掉 --example 和 --seed")
    has_task = bool((options.task or "").strip())
    if has_task and options.is_example:
        msg = "a task and the example cannot both be run: give either the task in quotes or --example (--seed)"
        raise SettingsError(msg, zh="不能同时执行任务和示例：请只给带引号的任务，或只用 --example（--seed）")
    if options.resume or has_task or options.is_example:
        return
    how = 'e.g.: memory-secretary run "sum up the invoices in notes/"'
    how_zh = '例如：memory-secretary run "汇总 notes/ 里的发票"'
    if options.task is not None:
        msg, zh = "the task is empty: write in quotes what is to be done", "任务是空的：请在引号里写出要做的事"
    else:
        msg, zh = "give either a task in quotes or --example", "请给出带引号的任务，或用 --example"
    raise SettingsError(f"{msg}, {how}", zh=f"{zh}，{how_zh}")


def check_memory(options: RunOptions, folder: Path) -> None:
    """Refuse to go on where nothing was kept, or can be kept, before a folder is made for it.

    Raises:
        NotFound: there is no memory to continue from.
        StorageError: the folder cannot be written, its disk is full, or this Python's SQLite is too old.
    """
    from memory_secretary.memory import health, storage_errors
    from memory_secretary.memory.ledger import LEDGER_FILE

    storage_errors.demand_sqlite()
    if (folder / LEDGER_FILE).is_file():
        return
    health.probe_folder(folder)
    if options.resume:
        msg = f"there is no memory in {folder}, so nothing to go on with: give the --memory that the run started with"
        raise NotFound(msg, zh=f"{folder} 里没有记忆库，无从继续：请给出开始时所用的 --memory")


def settings_with(*, window: int | None, max_steps: int | None, lang: Lang | None) -> Settings:
    """The environment's settings with what was said on top; None leaves one as it is.

    Raises:
        SettingsError: a value is out of range, or a variable cannot be read.
    """
    from memory_secretary.graph.settings import from_environment

    given: dict[str, tuple[str, Any]] = {
        "executor_window": ("--window", window), "max_steps": ("--max-steps", max_steps), "lang": ("--lang", lang),
    }  # fmt: skip
    settings = from_environment()
    for name, (option, value) in given.items():
        if value is not None:
            with _naming(option):
                settings = replace(settings, **{name: value})
    return settings


@contextmanager
def _naming(option: str) -> Iterator[None]:
    """Let a refusal begin with the option that was typed."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(f"{option}: {error.sentence('en')}", zh=f"{option}：{error.sentence('zh')}") from error


def planned(options: RunOptions) -> RunRecord:
    """What the options alone say of the models: enough to see whether they are there, before a memory is made."""
    window = options.window or (EXAMPLE_WINDOW if options.is_example else None)
    record = RunRecord(thread="", user=options.user, goal=options.task or "", workspace="")
    return _named(record, replace(options, workspace=None, window=window))


def started(options: RunOptions, folder: Path) -> RunRecord:
    """The record of a new run; for the example, its files are copied into a folder of their own.

    Raises:
        SettingsError: the workspace cannot be used.
        ThreadAtWork: another process works on the thread that is named, and so on those files.
    """
    if options.thread:
        demand_free(folder, options.user, options.thread)
    record = RunRecord(
        thread=options.thread or new_thread(), user=options.user, goal=options.task or "", workspace=str(Path.cwd())
    )
    record = _changed(record, options)
    return _with_example(record, options, folder) if options.is_example else record


def talked(options: RunOptions, folder: Path) -> RunRecord:
    """The record of a conversation: nothing is asked yet, and only a workspace that was named is seen.

    With ``--example`` that is a copy of the example's files, made anew unless it is there already.

    Raises:
        SettingsError: the workspace is no folder.
    """
    record = RunRecord(thread=options.thread or new_thread(), user=options.user, goal="", workspace="")
    record = _changed(record, options)
    if not options.is_example:
        return record
    from memory_secretary.tools.example_workspace import copy_example

    files = _example_folder(record, options, folder)
    return replace(record, workspace=str(files if files.is_dir() else copy_example(files)))


def new_thread() -> str:
    """An id for a new thread that sorts by time and can be typed."""
    return f"{system_clock():%Y%m%d-%H%M%S}-{random_id()[:4]}"


def _with_example(record: RunRecord, options: RunOptions, folder: Path) -> RunRecord:
    from memory_secretary.graph.evaluation.example_task import variant
    from memory_secretary.tools.example_workspace import copy_example

    task = variant(options.seed or 1, spoken(options.lang))
    return replace(
        record,
        goal=task.goal,
        workspace=str(copy_example(_example_folder(record, options, folder))),
        window=options.window or EXAMPLE_WINDOW,
        lang=task.lang,
        seed=task.seed,
    )


def _example_folder(record: RunRecord, options: RunOptions, folder: Path) -> Path:
    """Where the example's files are copied to: the workspace that was named, or one of the thread's own."""
    own = cli_runs.run_folder(folder, record.user, record.thread) / "workspace"
    return options.workspace.absolute() if options.workspace else own


def user_of_thread(options: RunOptions, memory: TieredMemory) -> str:
    """Whose thread is to go on: the one that is named, or any that has not ended."""
    named = options.thread or options.task or ""

    def has(user: str) -> bool:
        view = memory.view(Role.SECRETARY, Scope(user=user))
        known = view.threads(THREADS) if named else memory.open_tasks(Scope(user=user))
        return any((stored.scope.thread or "").startswith(named) for stored in known)

    return whose_threads(options.user, has)


def resumed(options: RunOptions, folder: Path, memory: TieredMemory) -> RunRecord:
    """The record of the run to continue, with whatever was given anew (another executor, another window …).

    Raises:
        NotFound: there is no such run, or none that is unfinished.
    """
    thread = _meant_thread(options, folder, memory)
    record, task = cli_runs.find(folder, options.user, thread), known_task(memory, options.user, thread)
    if task is not None and task.state["finished"]:
        new = partial(as_command, "run", memory=options.memory, user=options.user)
        msg = f"the task of thread {thread!r} is done; a new one starts with: {new('TASK', '--thread', thread)}"
        zh = f"线程 {thread!r} 的任务已经完成；开始新任务请用：{new('任务', '--thread', thread)}"
        raise NotFound(msg, zh=zh)
    if record is None and task is None:
        msg = (
            f"user {options.user!r} has no thread {thread!r} in {folder}; give the --memory and --user it started with"
        )
        zh = f"用户 {options.user!r} 在 {folder} 里没有线程 {thread!r}；请给出开始时所用的 --memory 和 --user"
        raise NotFound(msg, zh=zh)
    record = record or RunRecord(thread=thread, user=options.user, goal="", workspace=str(Path.cwd()))
    return _changed(record, options)


def _meant_thread(options: RunOptions, folder: Path, memory: TieredMemory) -> str:
    """The thread that was named, by its beginning where only one begins so, or else the newest that has not ended."""
    named = options.thread or options.task
    if not named:
        return _newest_open_thread(folder, memory, options.user)
    return known_thread(named, options.user, folder, memory)


def known_thread(named: str, user: str, folder: Path, memory: TieredMemory) -> str:
    """The user's thread whose name this is, or begins; what was typed where there is none.

    Raises:
        NotFound: several begin so; the sentence names them.
    """
    if cli_runs.find(folder, user, named) is not None:
        return named
    threads = memory.view(Role.SECRETARY, Scope(user=user)).threads(THREADS)
    return the_one(named, [stored.scope.thread or "" for stored in threads])


def _newest_open_thread(folder: Path, memory: TieredMemory, user: str) -> str:
    """The newest thread with an open task that no other process works on.

    Raises:
        NotFound: the user has none.
        ThreadAtWork: all of them are being worked on.
    """
    threads = [stored.scope.thread for stored in memory.open_tasks(Scope(user=user)) if stored.scope.thread is not None]
    for thread in threads:
        if not is_at_work(folder, user, thread):
            return thread
    if threads:
        msg = f"every unfinished task of user {user!r} is being worked on by another process: wait, or stop it there"
        zh = f"用户 {user!r} 未完成的任务都正由别的进程处理：请等它们结束，或在那里停下"
        raise ThreadAtWork(msg, zh=zh)
    msg = f'user {user!r} has no unfinished task in this memory; start one with: memory-secretary run "your task"'
    zh = f'用户 {user!r} 在这个记忆库里没有未完成的任务；请用 `memory-secretary run "您的任务"` 开始一个'
    raise NotFound(msg, zh=zh)


def _changed(record: RunRecord, options: RunOptions) -> RunRecord:
    """The record with everything that the options name; a new example's workspace need not exist yet."""
    changed = _named(record, options)
    if not options.is_example:
        _check_workspace(Path(changed.workspace))
    return changed


def _named(record: RunRecord, options: RunOptions) -> RunRecord:
    given: dict[str, Any] = {
        "executor": options.executor,
        "secretary": options.secretary,
        "window": options.window,
        "max_steps": options.max_steps,
        "lang": options.lang,
        "workspace": str(options.workspace.absolute()) if options.workspace else None,
    }
    return replace(record, **{name: value for name, value in given.items() if value is not None})


def _check_workspace(workspace: Path) -> None:
    if not workspace.is_dir():
        msg = f"the workspace {workspace} is no folder; name an existing one with --workspace"
        zh = f"工作区 {workspace} 不是文件夹；请用 --workspace 指定一个已有的文件夹"
        raise SettingsError(msg, zh=zh)


def known_task(memory: TieredMemory, user: str, thread: str) -> StoredTask | None:
    """The thread's task as the ledger has it; a run that died while its model was loading has none."""
    return memory.view(Role.SECRETARY, Scope(user=user, thread=thread)).load_task_state()
