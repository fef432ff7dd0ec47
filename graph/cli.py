"""The command line, ``memory-secretary``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from memory_secretary.graph import (  # noqa: F401  # their commands stand on one page
    cli_maintain,
    cli_memory,
    cli_settle,
    cli_upkeep,
)
from memory_secretary.graph.cli_brief import brief
from memory_secretary.graph.cli_chat import chat
from memory_secretary.graph.cli_desk import memory_commands
from memory_secretary.graph.cli_distill import distill
from memory_secretary.graph.cli_doctor import doctor
from memory_secretary.graph.cli_eval import evaluate
from memory_secretary.graph.cli_help import in_chinese, in_one_style
from memory_secretary.graph.cli_interrupt import INTERRUPTED
from memory_secretary.graph.cli_language import Language, language_on, pass_on
from memory_secretary.graph.cli_maintain import maintain
from memory_secretary.graph.cli_models import models
from memory_secretary.graph.cli_run import REFUSED, run
from memory_secretary.graph.cli_trace import trace
from memory_secretary.graph.cli_usage import usage_sentence
from memory_secretary.graph.live import print_refusal
from memory_secretary.memory.bilingual import said, speaking, spoken
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.program import commanded, program
from memory_secretary.memory.system_words import system_reason


class _InTheUsersWords(TyperGroup):
    """Speaks the user's language, ends with one sentence where something was refused, and quietly on Ctrl-C."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        with speaking(language_on(sys.argv[1:] if args is None else args)), commanded():
            in_one_style(self)
            if spoken() == "zh":
                in_chinese(self)
            return super().main(args, *more, **options)

    def make_context(self, *given: Any, **options: Any) -> Any:
        with _one_sentence():
            return super().make_context(*given, **options)

    def invoke(self, ctx: Any) -> Any:
        with _one_sentence():
            return super().invoke(ctx)


@contextmanager
def _one_sentence() -> Iterator[None]:
    try:
        yield
    except MemorySecretaryError as error:
        raise _refused(error.sentence(spoken())) from error
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # no fault: the library shows the page of help
            raise
        raise _refused(usage_sentence(error)) from error
    except OSError as error:
        if error.filename is None:  # no file or folder that the user could name otherwise
            raise
        raise _refused(_of_file(error)) from error
    except KeyboardInterrupt as error:
        raise typer.Exit(INTERRUPTED) from error


def _of_file(error: OSError) -> str:
    reason, zh = system_reason(error)
    return said(
        f"{error.filename}: {reason}; name another file or folder",
        f"{error.filename}：{zh}；请换一个文件或文件夹",
    )


def _refused(sentence: str) -> typer.Exit:
    print_refusal(sentence)
    return typer.Exit(REFUSED)


app = typer.Typer(cls=_InTheUsersWords, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"memory-secretary {version('memory-secretary')}")
        raise typer.Exit


@app.callback()
def _options(
    ctx: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
    lang: Language = None,
) -> None:
    """A secretary with a long memory that makes small local models finish long tasks."""
    pass_on(ctx, lang)


app.command("run")(run)
app.command("chat")(chat)
app.command("brief")(brief)
app.command("doctor")(doctor)
app.command("models")(models)
app.command("maintain")(maintain)
app.command("eval")(evaluate)
app.command("trace")(trace)
app.command("distill")(distill)
app.add_typer(memory_commands, name="memory")


def main() -> None:
    """Entry point of the console script."""
    app(prog_name=program())
