"""The commands ``memory …`` that look after the folder and take a memory elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_secretary.graph.cli_desk import Desk, Yes, command
from memory_secretary.graph.cli_records import check_sentences
from memory_secretary.graph.words import say
from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.errors import NotFound

if TYPE_CHECKING:
    from memory_secretary.memory.upkeep import CheckReport

_IN_WORDS = {"waiting", "without_vector", "unchecked"}
"""Figures of a check that its sentences tell."""
_REPAIRS = {"repaired", "orphans", "missing", "stray", "unreachable"}
"""Figures that say nothing while they are 0 and not everything was looked at."""
Target = Annotated[Path, typer.Argument(metavar="PATH", help="A file or folder.")]


@command("export", reads=True)
def export(desk: Desk, path: Target) -> None:
    """Write all of the user's events and cards, every version, to the new file PATH as JSON lines."""
    lines = desk.store.export(desk.scope, path)
    if not lines:
        path.unlink()
        nothing = {"user": desk.scope.user, "folder": desk.folder}
        raise NotFound(say("en", "nothing_kept", **nothing), zh=say("zh", "nothing_kept", **nothing))
    desk.out.outcome({"lines": lines}, say(spoken(), "exported", path=path, n=lines))


@command("import")
def import_(
    desk: Desk,
    path: Target,
    zone: Annotated[
        str, typer.Option(envvar="MEMORY_SECRETARY_ZONE", help="Time zone of times that have none.")
    ] = "UTC",
) -> None:
    """Take in what `export` wrote, or cards of your own, in the form of docs/import.md."""
    taken_in = desk.store.import_(desk.scope, path, zone=zone)
    desk.out.verdict([say(spoken(), "imported", path=path)])
    desk.out.figures(asdict(taken_in))


@command("reindex", reembed=True)
def reindex(desk: Desk) -> None:
    """Make both indexes again from the ledger, with the embedder given here."""
    report = desk.store.check()
    desk.out.figures({"records": report.events + report.cards, "without_vector": report.without_vector})
    desk.out.verdict([say(spoken(), "reindexed")])


@command("check", reads=True)
def check(desk: Desk) -> None:
    """Look for damage (exit status 1) and for records that no index holds; the indexes are repaired."""
    report = desk.store.check()
    desk.out.figures(asdict(report) if desk.out.as_json else _looked_at(report))
    desk.out.verdict(check_sentences(report))
    if not report.sound:
        raise typer.Exit(1)


def _looked_at(report: CheckReport) -> dict[str, Any]:
    """The figures for a person: those of what was checked, and by names that say whose records are counted."""
    left_out = _IN_WORDS | ({name for name in _REPAIRS if not getattr(report, name)} if report.unchecked else set())
    found = {name: value for name, value in asdict(report).items() if name not in left_out}
    return {f"all_{name}" if name in ("events", "cards") else name: value for name, value in found.items()}


@command("backup", reads=True)
def backup(desk: Desk, path: Target) -> None:
    """Copy the memory, as it is at this moment, into the new folder PATH."""
    copy = desk.store.backup(path)
    desk.out.outcome({"copy": str(copy)}, say(spoken(), "copied", path=copy))


@command("vacuum")
def vacuum(desk: Desk, yes: Yes = False) -> None:
    """Erase what was forgotten, of all users of the folder, for good and give its space back."""
    desk.demand_consent(
        say(spoken(), "vacuum_outlook", folder=desk.folder, **asdict(desk.store.would_vacuum())), yes=yes
    )
    done = desk.store.vacuum()
    size = {"before": done.before, "after": done.after, "freed": done.freed}
    data = asdict(done.erased) | {f"bytes {name}": n for name, n in size.items()}
    desk.out.outcome(data, say(spoken(), "vacuum_done", **asdict(done.erased), **size))
