"""Options that several commands share, and what they fall back to."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from memory_secretary.memory.program import program

MemoryFolder = Annotated[
    Path | None,
    typer.Option(
        "--memory",
        metavar="DIR",
        envvar="MEMORY_SECRETARY_MEMORY",
        help="Folder of the memory (default: this user's data folder).",
        file_okay=False,
    ),
]
User = Annotated[
    str, typer.Option(envvar="MEMORY_SECRETARY_USER_ID", metavar="ID", help="Whose memory: nothing of others is seen.")
]
Embedder = Annotated[
    str,
    typer.Option(
        envvar="MEMORY_SECRETARY_EMBEDDER",
        metavar="NAME",
        help="embedded, ollama:NAME, openai:NAME, executor or none; always the same one for one memory folder.",
    ),
]
Executor = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL", envvar="MEMORY_SECRETARY_EXECUTOR", help="embedded (default), ollama:NAME or openai:NAME."
    ),
]
Secretary = Annotated[
    str | None,
    typer.Option(metavar="MODEL", envvar="MEMORY_SECRETARY_SECRETARY", help="Default: the executor's model."),
]
Window = Annotated[int | None, typer.Option(metavar="TOKENS", help="The executor's window.")]
Thread = Annotated[str | None, typer.Option(metavar="ID", help="Conversation to go on with (default: new).")]
MaxSteps = Annotated[int | None, typer.Option(metavar="N", min=1, help="Step limit.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]

TraceTo = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        envvar="MEMORY_SECRETARY_TRACE",
        help="File to which is appended what every step did; `trace FILE` shows it.",
        dir_okay=False,
    ),
]

LOCAL_USER = "local"
"""The user of the command line where none is named."""
EXAMPLE_USER = "example"
"""Whose the example's tasks are where none is named: nothing of them is to be recalled in one's own."""


def whose(user: str, *, example: bool) -> str:
    """The user that is meant: the example's own, where it is run and nobody is named."""
    return EXAMPLE_USER if example and user == LOCAL_USER else user


def whose_threads(user: str, has: Callable[[str], bool]) -> str:
    """The user that is meant by a thread: where nobody is named, the example's if only that one ``has`` it."""
    return whose(user, example=not has(user) and has(EXAMPLE_USER))


def memory_folder(given: Path | None) -> Path:
    """The memory's folder as an absolute path: the given one, or the one in this user's data folder."""
    if given is not None:
        return given.resolve()  # without the dots of `../memory`
    import platformdirs

    return platformdirs.user_data_path("memory-secretary") / "memory"


def as_command(*words: str, memory: Path | None = None, user: str = LOCAL_USER) -> str:
    """A command to be typed as it stands, for the same memory and user as the one that was typed.

    Args:
        words: after the program's own name.
        memory: the memory's folder, named unless it is this user's own or None.
        user: whose memory, named unless it is the command line's own user.
    """
    folder = ["--memory", str(memory)] if memory is not None and memory != memory_folder(None) else []
    return f"{program()} {shlex.join([*words, *folder, *(['--user', user] if user != LOCAL_USER else [])])}"
