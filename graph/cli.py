"""The command line, ``memory-secretary``."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from memory_secretary.graph.cli_interrupt import INTERRUPTED
from memory_secretary.graph.cli_memory import memory_commands
from memory_secretary.graph.cli_run import REFUSED, run
from memory_secretary.graph.live import make_console
from memory_secretary.memory.errors import MemorySecretaryError


class _OneSentence(TyperGroup):
    """Ends with one sentence where the package refused something, and quietly on Ctrl-C."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except MemorySecretaryError as error:
            raise _refused(str(error)) from error
        except OSError as error:
            if error.filename is None:  # no file or folder that the user could name otherwise
                raise
            raise _refused(f"{error.filename}: {error.strerror}; name another file or folder") from error
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error


def _refused(sentence: str) -> typer.Exit:
    make_console(stderr=True).print(sentence, style="red", soft_wrap=True)
    return typer.Exit(REFUSED)


app = typer.Typer(
    cls=_OneSentence,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A secretary with a long memory that makes small local models finish long tasks.",
)
app.command("run")(run)
app.add_typer(memory_commands, name="memory")


def main() -> None:
    """Entry point of the console script."""
    app()
