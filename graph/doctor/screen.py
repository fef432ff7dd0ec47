"""The doctor's findings on a terminal, one line each with the cure below it, or as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memory_secretary.graph.doctor.finding import (
    EXIT_STATUS,
    Finding,
    Severity,
    first_cure,
    first_finding,
    slow_finding,
    worst,
)
from memory_secretary.graph.doctor.words import word
from memory_secretary.graph.live import printable
from memory_secretary.graph.palette import BAD, GOOD, NAME, WARNING
from memory_secretary.graph.words import Lang, colon

_MARKS = {Severity.OK: "✓", Severity.NOTE: "·", Severity.WARNING: "!", Severity.FAULT: "✗"}
_STYLES = {Severity.OK: GOOD, Severity.NOTE: NAME, Severity.WARNING: WARNING, Severity.FAULT: BAD}


def print_finding(finding: Finding, lang: Lang, console: Console) -> None:
    """A mark that is readable without colours, what was looked at, what is so, and the cure on a line of its own."""
    table = Table.grid(padding=(0, 1))
    table.add_column(width=1)
    table.add_column(width=9)
    table.add_column(overflow="fold")
    style = _STYLES[finding.severity]
    role = f"{word(lang, finding.role)}{colon(lang)}" if finding.role else ""
    name = Text(word(lang, finding.name), NAME)
    table.add_row(Text(_MARKS[finding.severity], f"bold {style}"), name, Text(role + printable(finding.sentence)))
    if finding.cure:
        table.add_row("", "", Text(f"→ {printable(finding.cure)}", style))
    console.print(table)


def print_end(findings: Sequence[Finding], lang: Lang, console: Console) -> None:
    """Which finding to begin with, or that nothing has to be done; last of all that it is slow, where it is."""
    first, slow = first_finding(findings), slow_finding(findings)
    said = [word(lang, "first", name=_name(first, lang)) if first else word(lang, "fine")]
    if slow:
        step = int(slow.facts["step"])
        said = [] if first is slow else said
        said.append(word(lang, "slow", step=step, minutes=round(step / 6, 1), name=_name(slow, lang)))
    console.print(Text("\n" + "\n".join(said), f"bold {_STYLES[worst(findings)]}"))


def _name(finding: Finding, lang: Lang) -> str:
    role = f"{word(lang, finding.role)}{colon(lang)}" if finding.role else ""
    return f"{role}{word(lang, finding.name)}"


def as_data(findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings as JSON data: ``severity`` (the worst), ``exit_status``, ``first`` and ``findings``."""
    found = worst(findings)
    return {
        "severity": found,
        "exit_status": EXIT_STATUS[found],
        "first": first_cure(findings),
        "findings": [asdict(finding) for finding in findings],
    }
