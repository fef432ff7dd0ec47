"""The command ``chat``: turn by turn, on as many threads as wanted, each answer shown while it is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from memory_secretary.graph import cli_run
from memory_secretary.graph.cli_chat_commands import greet, is_command, obey
from memory_secretary.graph.cli_chat_session import Session
from memory_secretary.graph.cli_fetch import make_ready
from memory_secretary.graph.cli_interrupt import GRACE, INTERRUPTED, prompt_ctrl_c
from memory_secretary.graph.cli_keyboard import typed
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import (
    LOCAL_USER,
    AsJson,
    Embedder,
    Executor,
    MaxSteps,
    MemoryFolder,
    Secretary,
    TraceTo,
    User,
    Window,
    memory_folder,
    whose,
)
from memory_secretary.graph.cli_run import NOT_RIGHT, RIGHT
from memory_secretary.graph.cli_screen import print_head, print_way_on
from memory_secretary.graph.cli_start import RunOptions, check, check_memory, known_task, known_thread, planned, talked
from memory_secretary.graph.live import make_console, print_refusal
from memory_secretary.graph.moments import speakers_zone
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.words import say
from memory_secretary.memory.errors import MemorySecretaryError

_PROMPT = "> "


def chat(
    lang: Language = None,
    executor: Executor = None,
    secretary: Secretary = None,
    window: Window = None,
    workspace: Annotated[
        Path | None,
        typer.Option(metavar="DIR", file_okay=False, help="Files that it may read and write (default: none)."),
    ] = None,
    example: Annotated[bool, typer.Option("--example", help="Talk about a copy of the example's files.")] = False,
    memory: MemoryFolder = None,
    user: User = LOCAL_USER,
    thread: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Conversation to go on with, its beginning is enough (default: new)."),
    ] = None,
    max_steps: MaxSteps = None,
    embedder: Embedder = "embedded",
    trace: TraceTo = None,
    steps: Annotated[bool, typer.Option("--steps", help="Show every step, as run does.")] = False,
    as_json: AsJson = False,
) -> None:
    """Talk; what was said is kept and recalled when it matters.

    Piped lines are one turn each; exit status 0 when all were read, 1 when a turn was not done, 130 on Ctrl-C.
    """
    options = RunOptions(
        lang=lang, executor=executor, secretary=secretary, window=window, workspace=workspace,
        example=example, memory=memory, user=whose(user, example=example), thread=thread, max_steps=max_steps,
        embedder=embedder, trace=trace, as_json=as_json,
    )  # fmt: skip
    spoken(lang)
    raise typer.Exit(talk(options, make_console(), steps=steps))


def talk(options: RunOptions, console: Console, *, steps: bool = False) -> int:
    """Hold the conversation; gives the exit status.

    Raises:
        MemorySecretaryError: for anything that keeps the conversation from starting.
    """
    interactive = sys.stdin.isatty()
    shown = interactive and not options.as_json
    with ExitStack() as opened:
        with busy(console, say(spoken(options.lang), "opening"), shown=shown):
            from memory_secretary.memory import TieredMemory

            check(options)
            folder = memory_folder(options.memory)
            check_memory(options, folder)
        sessions: list[Session] = []
        way_on = partial(_say_way_on, sessions, options)
        with nullcontext() if interactive else prompt_ctrl_c(way_on):
            make_ready(planned(options))
        with busy(console, say(spoken(options.lang), "opening"), shown=shown):
            memory = opened.enter_context(TieredMemory.open(folder, embedder=options.embedder, zone=speakers_zone()))
            if options.thread:
                options = replace(options, thread=known_thread(options.thread, options.user, folder, memory))
            record = talked(options, folder)
            memory.warm_up()
        with nullcontext() if interactive else prompt_ctrl_c(way_on):
            if not options.as_json:
                print_head(record, folder, console if interactive else make_console(stderr=True))
            with cli_run.started_graph(record, memory, folder, console, shown=shown, trace=options.trace) as graph:
                session = Session(
                    graph, memory, folder, record, console, spoken(options.lang), steps=steps, as_json=options.as_json
                )
                sessions.append(session)
                return _held(session, way_on, interactive=interactive, named=bool(options.thread))


def _held(session: Session, way_on: Callable[[], None], *, interactive: bool, named: bool) -> int:
    """Hold the conversation to its end, and close what was begun in it; gives the exit status.

    Whether the thread was ``named`` decides if it is told that it is a new one.
    """
    if interactive and not session.as_json:
        session.say("chat_hello")
        if named and known_task(session.memory, session.record.user, session.record.thread) is None:
            session.say("chat_begins", thread=session.record.thread)
        greet(session)
    try:
        session.read = partial(_typed, session.console) if interactive else _piped
        status = converse(session, interactive=interactive)
        if (status == INTERRUPTED and not interactive) or (interactive and session.begun):
            way_on()
    finally:
        ended = session.close(GRACE)
    if not ended:  # everything is on disk, and the memory must not be closed under a step at work
        sys.stdout.flush()
        os._exit(status)
    return status


def _say_way_on(sessions: list[Session], options: RunOptions) -> None:
    """Say, once, how to go on with the thread that the conversation is in, with the same models and files."""
    if not sessions:
        return
    kept = {
        "--executor": options.executor, "--secretary": options.secretary, "--window": options.window,
        "--workspace": options.workspace,
    }  # fmt: skip
    words = [word for name, value in kept.items() if value is not None for word in (name, str(value))]
    words += ["--example"] if options.is_example else []
    key = "chat_bye" if sys.stdin.isatty() else "resume"
    print_way_on(sessions.pop().record, options, "chat", *words, "--thread", key=key)


def converse(session: Session, *, interactive: bool) -> int:
    """Take turns until the input ends; gives the exit status.

    Args:
        session: what is worked with.
        interactive: somebody is there who sees which turn failed; else that is told by the exit status.
    """
    interrupts = 0
    while True:
        try:
            line = session.read(_PROMPT)
            interrupts = 0
            _take(session, line)
        except EOFError:
            return NOT_RIGHT if session.failed and not interactive else RIGHT
        except KeyboardInterrupt:
            interrupts += 1
            session.stop()
            if interactive:
                session.console.print()  # what comes next must not stand behind the prompt
            if interrupts > 1 or not interactive:
                return INTERRUPTED
            session.say("chat_stopped" if session.unfinished else "chat_leave")
        except MemorySecretaryError as error:
            print_refusal(error.sentence(session.lang))


def _typed(console: Console, prompt: str) -> str:
    """The next line that is typed; at the end of the input the prompt's line is ended, too."""
    try:
        return typed(prompt)
    except EOFError:
        console.print()
        raise


def _take(session: Session, line: str) -> None:
    """Take one line as a turn or a command."""
    text = line.strip()
    if is_command(text):
        obey(session, text)
    elif text or session.unfinished:
        session.ask(text)


def _piped(_prompt: str) -> str:
    """The next line of a pipe, repeated beside the answers, so that a reader sees what each was given to."""
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    if line.strip():
        sys.stderr.write(f"{_PROMPT}{line.rstrip()}\n")
    return line
