"""What every command ``memory …`` has: the open memory, the shared options, and a question before what is final."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_secretary.graph.cli_consent import YES_OPTIONS, agreed, unanswered
from memory_secretary.graph.cli_ids import whole_id
from memory_secretary.graph.cli_keyboard import typed
from memory_secretary.graph.cli_language import Language, pass_on, spoken
from memory_secretary.graph.cli_options import (
    LOCAL_USER,
    AsJson,
    Embedder,
    MemoryFolder,
    User,
    as_command,
    memory_folder,
)
from memory_secretary.graph.cli_records import Printer
from memory_secretary.graph.live import make_console, print_notices
from memory_secretary.graph.moments import speakers_zone
from memory_secretary.graph.words import Lang, say
from memory_secretary.memory import bilingual
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory

memory_commands = typer.Typer(no_args_is_help=True)

Yes = Annotated[bool, typer.Option(*YES_OPTIONS, help="Do it without asking.")]
UNCHANGED = 1
"""Exit status where a person was asked and said no."""


@memory_commands.callback()
def _options(ctx: typer.Context, lang: Language = None) -> None:
    """Look at the memory and change what is your own."""
    pass_on(ctx, lang)


@dataclass(frozen=True, slots=True)
class Desk:
    """What a command works with: the open memory and its folder, whose it is, and a printer."""

    store: TieredMemory
    folder: Path
    scope: Scope
    out: Printer

    def demand_consent(self, outlook: str, *, yes: bool) -> None:
        """Ask whether to go on with what ``outlook`` says, unless ``--yes`` said so before; a pipe may answer.

        Raises:
            InvalidRecord: nobody is there to answer; nothing was changed.
            typer.Exit: they do not want it; nothing was changed.
        """
        if yes:
            return
        if self.out.as_json:
            raise unanswered()
        self.out.verdict([outlook])
        if agreed(typed, bilingual.spoken()):
            return
        self.out.verdict([say(bilingual.spoken(), "unchanged")])
        raise typer.Exit(UNCHANGED)

    def whole(self, beginning: str) -> str:
        """The id that is meant.

        Raises:
            NotFound: several begin so.
        """
        return whole_id(self.store, self.scope, beginning)


@contextmanager
def opened(
    path: Path, embedder: str, *, reembed: bool = False, new: bool = False, reads: bool = False
) -> Iterator[TieredMemory]:
    """The memory in ``path``, which has to be one already unless ``new``, so that a mistyped name makes none.

    With ``reembed`` its index may have been made with another embedder, and is made again with this one. Where it is
    only read (``reads``), its folder need not be writable.

    Raises:
        NotFound: there is no memory in that folder.
    """
    from memory_secretary.memory import TieredMemory
    from memory_secretary.memory.database import may_write
    from memory_secretary.memory.ledger import LEDGER_FILE

    ledger = path / LEDGER_FILE
    if not new and not (ledger.is_file() if reads else path.is_dir()):
        make = partial(as_command, "memory", "remember", memory=path)
        msg = f"there is no memory in {path}; name its folder with --memory, or make one there with: {make('TEXT')}"
        zh = f"{path} 里没有记忆库；请用 --memory 指定它的文件夹，或用此命令在那里新建一个：{make('要记住的话')}"
        raise NotFound(msg, zh=zh)
    read_only = reads and not may_write(ledger)
    with TieredMemory.open(
        path, embedder=embedder, zone=speakers_zone(), reembed=reembed, read_only=read_only
    ) as memory:
        yield memory


def _shared(
    memory: MemoryFolder = None,
    user: User = LOCAL_USER,
    embedder: Embedder = "embedded",
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """The options that every command has; only this signature is used."""


def command(
    name: str, *, reembed: bool = False, new: bool = False, reads: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function of a desk and its own options a command that has the shared options too.

    With ``reembed`` the memory is opened to be indexed anew, which may take long; with ``new`` it may be made here;
    with ``reads`` nothing is changed, and a folder that may not be written will do.
    """

    def made(job: Callable[..., None]) -> Callable[..., None]:
        def call(memory: Path | None, user: str, embedder: str, as_json: bool, lang: Lang | None, **own: Any) -> None:
            spoken(lang)
            out, folder = Printer(make_console(), as_json), memory_folder(memory)
            with ExitStack() as open_things:
                with out.busy(said("reindexing …", "正在重建索引……")) if reembed else nullcontext():
                    store = open_things.enter_context(opened(folder, embedder, reembed=reembed, new=new, reads=reads))
                job(Desk(store, folder, Scope(user=user), out), **own)
                print_notices(store.notices, spoken(lang))

        _, *own = inspect.signature(job, eval_str=True).parameters.values()
        shared = inspect.signature(_shared, eval_str=True).parameters.values()
        signature = inspect.Signature([*own, *shared])
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *shared)}
        call.__doc__ = job.__doc__
        memory_commands.command(name)(call)
        return job

    return made
