"""``memory consolidate``, ``memory inspect`` and ``maintain``: the memory's daily care by hand or by the clock."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from memory_secretary.graph.cli_desk import Desk, Yes, command, opened
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import (
    LOCAL_USER,
    AsJson,
    Embedder,
    MemoryFolder,
    User,
    as_command,
    memory_folder,
)
from memory_secretary.graph.cli_records import Printer, entry
from memory_secretary.graph.live import make_console, print_notices
from memory_secretary.graph.words import say
from memory_secretary.memory import bilingual
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import InvalidRecord, SettingsError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.nodes.consolidate import Consolidated
    from memory_secretary.nodes.inspection import Finding
    from memory_secretary.nodes.inspector import Applied, Survey

Page = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as a page to the new file FILE.")]
Every = Annotated[
    str | None, typer.Option(metavar="TIME", help="Again and again after so long, e.g. 24h, 30m or 7d (default: once).")
]
Unasked = Annotated[bool, typer.Option("--yes", "-y", help="Make the proposed changes, too; without it they are told.")]

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LEAST = timedelta(minutes=1)


@command("consolidate")
def consolidate(desk: Desk) -> None:
    """Settle short-term cards in the long tier: what is stable or was repeated; duplicates become one card."""
    _print(desk, {}, asdict(_consolidated(desk)))


def _consolidated(desk: Desk) -> Consolidated:
    from memory_secretary.nodes.consolidate import consolidate

    with desk.out.busy(said("consolidating …", "正在整合……")):
        done = consolidate(lambda scope: desk.store.view(Role.CONSOLIDATOR, scope), desk.scope)
    told = say(bilingual.spoken(), "consolidated", **asdict(done) | {"refused": len(done.refused)})
    desk.out.verdict([told, *done.refused])
    return done


@command("inspect")
def inspect(desk: Desk, html: Page = None, yes: Yes = False) -> None:
    """Look for memories that are dead, out of date, contradictory, alike, orphaned, never used or harmful.

    What would be changed is told, and is done when you agree; `restore` takes each change back.
    """
    found = _survey(desk)
    if html is not None:
        _write_page(html, found)
    _tell(desk.out, found)
    if html is not None:
        desk.out.verdict([say(bilingual.spoken(), "page_written", path=html)])
    _print(desk, found, asdict(_changed(desk, found, yes=yes, asks=True)))


def _print(desk: Desk, *parts: Mapping[str, Any]) -> None:
    """All of it as one document, for a program; a person was told before."""
    if desk.out.as_json:
        desk.out.figures({name: value for part in parts for name, value in part.items()})


def _survey(desk: Desk) -> Survey:
    from memory_secretary.nodes.inspector import survey

    with desk.out.busy(said("inspecting …", "正在检查……")):
        return survey(desk.store.view(Role.INSPECTOR, desk.scope))


def _write_page(path: Path, found: Survey) -> None:
    from memory_secretary.graph.inspection_page import html_page

    with path.open("x", encoding="utf-8") as file:
        file.write(html_page(found))


def _tell(out: Printer, found: Survey) -> None:
    from memory_secretary.graph.inspection_page import by_kind, summary

    if out.as_json:
        return
    for name, findings in by_kind(found):
        out.verdict([f"\n{name} ({len(findings)})"])
        for finding in findings:
            _finding_entry(finding, out.console)
    out.verdict([*([""] if found["findings"] else []), summary(found)])


def _finding_entry(finding: Finding, console: Console) -> None:
    from memory_secretary.nodes.inspection_words import change_of, reason_of

    change = change_of(finding)
    entry((finding["memory_id"], reason_of(finding), *finding["others"], f"→ {change}" if change else ""),
          finding["content"], console)  # fmt: skip


def _changed(desk: Desk, found: Survey, *, yes: bool, asks: bool) -> Applied:
    """Make the proposed changes when somebody agrees; where nobody answers, nothing is changed and that is said."""
    from memory_secretary.nodes.inspector import Applied, apply_changes, changes

    proposed = changes(found["findings"])
    if not proposed or (desk.out.as_json and not yes):
        return Applied()
    if not yes and not (asks and _agreed(desk, proposed)):
        how = as_command("memory", "inspect", "--yes", memory=desk.folder, user=desk.scope.user or LOCAL_USER)
        desk.out.verdict([say(bilingual.spoken(), "not_changed", command=how)])
        return Applied()
    done = apply_changes(desk.store.view(Role.INSPECTOR, desk.scope), proposed)
    counts = {"changed": len(done.changed), "skipped": len(done.skipped)}
    desk.out.verdict([say(bilingual.spoken(), "inspection_done", **counts)])
    return done


def _agreed(desk: Desk, proposed: Sequence[Finding]) -> bool:
    with suppress(InvalidRecord):  # nobody is there to answer
        desk.demand_consent(say(bilingual.spoken(), "inspection_outlook", n=len(proposed)), yes=False)
        return True
    return False


def maintain(
    every: Every = None,
    yes: Unasked = False,
    memory: MemoryFolder = None,
    user: User = LOCAL_USER,
    embedder: Embedder = "embedded",
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Consolidate and inspect the memory, once or again and again; the folder is free for others in between."""
    spoken(lang)
    pause, out, folder = (
        None if every is None else duration(every),
        Printer(make_console(), as_json),
        memory_folder(memory),
    )
    while True:
        with opened(folder, embedder) as store:
            desk = Desk(store, folder, Scope(user=user), out)
            done, found = _consolidated(desk), _survey(desk)
            _tell(out, found)
            _print(desk, {"consolidated": asdict(done)}, found, asdict(_changed(desk, found, yes=yes, asks=False)))
            print_notices(store.notices, spoken(lang))
        if pause is None:
            return
        time.sleep(pause.total_seconds())


def duration(text: str) -> timedelta:
    """A stretch of time as it is typed: ``90s``, ``30m``, ``24h``, ``7d``, ``2w``.

    Raises:
        SettingsError: it cannot be read, or is shorter than a minute.
    """
    match = re.fullmatch(r"\s*(\d{1,6})\s*([smhdw])\s*", text.lower())
    length = timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else None
    if length is None or length < _LEAST:
        msg = f"--every {text!r} is no time of a minute or more: give a number and a unit, e.g. 24h, 30m or 7d"
        raise SettingsError(msg, zh=f"--every {text!r} 不是一分钟以上的时长：请给出数字和单位，例如 24h、30m 或 7d")
    return length
