"""The commands ``memory …``: thin calls of :class:`memory_secretary.memory.TieredMemory`, acting as the user."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memory_secretary.graph.cli_ids import whole_id
from memory_secretary.graph.cli_language import Language, pass_on, spoken
from memory_secretary.graph.cli_options import LOCAL_USER, AsJson, Embedder, MemoryFolder, User, memory_folder
from memory_secretary.graph.cli_records import (
    Printer,
    card_entry,
    check_sentences,
    fields_entry,
    hit_entry,
    pending_entry,
    print_score_key,
    text_entry,
    version_entry,
    why_entry,
)
from memory_secretary.graph.live import make_console, print_notices
from memory_secretary.graph.words import Lang, say
from memory_secretary.memory import bilingual
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import Event, MemoryCard, MemoryType
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory

memory_commands = typer.Typer(no_args_is_help=True)

CardId = Annotated[
    str, typer.Argument(metavar="ID", help="A card's id, as list and search show it; its beginning is enough.")
]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="What is asked or looked for.")]
Status = Annotated[
    Literal["active", "superseded", "archived", "quarantined", "any"],
    typer.Option(
        metavar="STATUS", help="Only cards with this status: active, superseded, archived, quarantined or any."
    ),
]
Count = Annotated[int, typer.Option("-k", min=1, help="At most so many hits.")]
_KINDS = "What kind of knowledge: preference, fact, rule, constraint, episode or method."
Target = Annotated[Path, typer.Argument(metavar="PATH", help="A file or folder.")]


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

    def whole(self, beginning: str) -> str:
        """The id that is meant.

        Raises:
            NotFound: several begin so.
        """
        return whole_id(self.store, self.scope, beginning)


@contextmanager
def opened(path: Path, embedder: str, *, reembed: bool = False, new: bool = False) -> Iterator[TieredMemory]:
    """The memory in ``path``, which has to be one already unless ``new``, so that a mistyped name makes none.

    With ``reembed`` its index may have been made with another embedder, and is made again with this one.

    Raises:
        NotFound: there is no memory in that folder.
    """
    from memory_secretary.memory import TieredMemory

    if not new and not path.is_dir():
        cure = "name its folder with --memory, or make one with: memory-secretary run --example"
        msg = f"there is no memory in {path}; {cure}"
        zh = f"{path} 里没有记忆库；请用 --memory 指定它的文件夹，或用 `memory-secretary run --example` 新建一个"
        raise NotFound(msg, zh=zh)
    with TieredMemory.open(path, embedder=embedder, reembed=reembed) as memory:
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
    name: str, *, reembed: bool = False, new: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function of a desk and its own options a command that has the shared options too.

    With ``reembed`` the memory is opened to be indexed anew, which may take long; with ``new`` it may be made here.
    """

    def made(job: Callable[..., None]) -> Callable[..., None]:
        def call(memory: Path | None, user: str, embedder: str, as_json: bool, lang: Lang | None, **own: Any) -> None:
            spoken(lang)
            out, folder = Printer(make_console(), as_json), memory_folder(memory)
            with ExitStack() as open_things:
                with out.busy(said("reindexing …", "正在重建索引……")) if reembed else nullcontext():
                    store = open_things.enter_context(opened(folder, embedder, reembed=reembed, new=new))
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


@command("list")
def list_(desk: Desk, status: Status = "active") -> None:
    """The cards, newest first."""
    none = say(bilingual.spoken(), "nothing_kept", user=desk.scope.user, folder=desk.folder)
    desk.out.all(desk.store.list(desk.scope, status=status), card_entry, none=none)


@command("search")
def search(desk: Desk, query: Query, k: Count = 5, status: Status = "active") -> None:
    """What a recall for QUERY brings, with the parts of each score."""
    hits = desk.store.recall(desk.scope, query, k=k, status=status)
    desk.out.all(hits, hit_entry)
    if hits and not desk.out.as_json:
        print_score_key(desk.store.weights, desk.out.console)


@command("why")
def why(
    desk: Desk,
    query: Query,
    expect: Annotated[str, typer.Option(metavar="ID", help="The card or event in question.")],
    k: Count = 5,
) -> None:
    """Why a card or an event does or does not come when QUERY is recalled."""
    answer = desk.store.why(desk.scope, query, expect=desk.whole(expect), k=k)
    if answer.rule == "unknown":
        raise NotFound(answer.text, zh=answer.text)
    desk.out.one(answer, why_entry)


@command("show")
def show(
    desk: Desk,
    ref: Annotated[str, typer.Argument(metavar="ID", help="A card's or an event's id; its beginning is enough.")],
    start: Annotated[int, typer.Option(min=0, help="First character of an event's text.")] = 0,
    length: Annotated[int, typer.Option(min=1, help="Characters of an event's text.")] = 2000,
) -> None:
    """One card with all its fields, or a stretch of an event's text."""
    record = _record(desk, desk.whole(ref))
    if isinstance(record, MemoryCard):
        desk.out.one(record, fields_entry)
    else:
        desk.out.one(desk.store.read(desk.scope, record.event_id, start=start, length=length), text_entry)


def _record(desk: Desk, ref: str) -> MemoryCard | Event:
    """The card or event of that id.

    Raises:
        NotFound: there is none.
    """
    view = desk.store.view(Role.USER, desk.scope)
    return view.event(ref) if ref.startswith("evt_") else view.card(ref)


@command("remember", new=True)
def remember(
    desk: Desk,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One piece of knowledge, in one sentence.")],
    type_: Annotated[MemoryType, typer.Option("--type", metavar="TYPE", help=_KINDS)] = MemoryType.FACT,
) -> None:
    """Keep TEXT as a card of your own; saying the same again gives the same card."""
    desk.out.one(desk.store.remember(desk.scope, text, type=type_), card_entry)


@command("edit")
def edit(
    desk: Desk, memory_id: CardId, content: Annotated[str, typer.Argument(metavar="TEXT", help="The card's new words.")]
) -> None:
    """Give a card new words, as a new version; the old one stays in its history."""
    desk.out.one(desk.store.edit(desk.scope, desk.whole(memory_id), content=content), card_entry)


@command("history")
def history(desk: Desk, memory_id: CardId) -> None:
    """Every version of a card, oldest first, with who wrote it and why."""
    desk.out.all(desk.store.history(desk.scope, desk.whole(memory_id)), version_entry)


@command("forget")
def forget(desk: Desk, memory_id: CardId) -> None:
    """Take a card out of use and out of every index; `restore` brings it back."""
    done = desk.store.forget(desk.scope, desk.whole(memory_id))
    desk.out.one(done.card, card_entry)
    desk.out.verdict([done.sentence])


@command("restore")
def restore(
    desk: Desk,
    memory_id: CardId,
    version: Annotated[int | None, typer.Option(min=1, help="Take the words of this version.")] = None,
) -> None:
    """Make a card current again, as it is or with the words of an earlier version."""
    desk.out.one(desk.store.restore(desk.scope, desk.whole(memory_id), version), card_entry)


@command("pending")
def pending(desk: Desk) -> None:
    """What waits to become cards, oldest first, and why what failed did fail."""
    desk.out.all(desk.store.pending(desk.scope), pending_entry)


@command("export")
def export(desk: Desk, path: Target) -> None:
    """Write all of the user's events and cards, every version, to the new file PATH as JSON lines."""
    desk.out.figures({"lines": desk.store.export(desk.scope, path)})


@command("import")
def import_(
    desk: Desk, path: Target, zone: Annotated[str, typer.Option(help="Time zone of times that have none.")] = "UTC"
) -> None:
    """Take in what `export` wrote, or cards of your own, in the form of docs/import.md."""
    desk.out.figures(asdict(desk.store.import_(desk.scope, path, zone=zone)))


@command("reindex", reembed=True)
def reindex(desk: Desk) -> None:
    """Make both indexes again from the ledger, with the embedder given here."""
    report = desk.store.check()
    desk.out.figures({"records": report.events + report.cards, "without_vector": report.without_vector})


@command("check")
def check(desk: Desk) -> None:
    """Look for damage (exit status 1) and for records that no index holds; the indexes are repaired."""
    report = desk.store.check()
    desk.out.figures(asdict(report))
    desk.out.verdict(check_sentences(report))
    if not report.sound:
        raise typer.Exit(1)


@command("backup")
def backup(desk: Desk, path: Target) -> None:
    """Copy the memory, as it is at this moment, into the new folder PATH."""
    desk.out.figures({"copy": str(desk.store.backup(path))})


@command("vacuum")
def vacuum(desk: Desk) -> None:
    """Erase what was forgotten for good and give its space back."""
    desk.out.figures({"bytes freed": desk.store.vacuum()})
