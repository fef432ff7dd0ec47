"""The command line, ``memory-secretary``."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memory_secretary.graph.cli_chat import chat
from memory_secretary.graph.cli_doctor import doctor
from memory_secretary.graph.cli_interrupt import INTERRUPTED
from memory_secretary.graph.cli_language import users_language
from memory_secretary.graph.cli_memory import memory_commands
from memory_secretary.graph.cli_models import models
from memory_secretary.graph.cli_run import REFUSED, run
from memory_secretary.graph.live import make_console
from memory_secretary.memory.bilingual import said, speaking, spoken
from memory_secretary.memory.errors import MemorySecretaryError


class _OneSentence(TyperGroup):
    """Ends with one sentence where the package refused something, and quietly on Ctrl-C."""

    def invoke(self, ctx: Any) -> Any:
        with speaking(users_language()):
            return self._invoke(ctx)

    def _invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except MemorySecretaryError as error:
            raise _refused(error.sentence(spoken())) from error
        except OSError as error:
            if error.filename is None:  # no file or folder that the user could name otherwise
                raise
            cure = said("name another file or folder", "请换一个文件或文件夹")
            raise _refused(f"{error.filename}: {error.strerror}; {cure}") from error
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error


def _refused(sentence: str) -> typer.Exit:
    make_console(stderr=True).print(sentence, style="red", soft_wrap=True)
    return typer.Exit(REFUSED)


app = typer.Typer(cls=_OneSentence, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"memory-secretary {version('memory-secretary')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """A secretary with a long memory that makes small local models finish long tasks."""


app.command("run")(run)
app.command("chat")(chat)
app.command("doctor")(doctor)
app.command("models")(models)
app.add_typer(memory_commands, name="memory")


def main() -> None:
    """Entry point of the console script."""
    app()
