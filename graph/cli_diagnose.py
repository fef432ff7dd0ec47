"""The diagnosis of an existing agent's trace on the screen: what ``eval --trace`` shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from memory_secretary.graph.cli_screen import print_json
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import hang, make_console, one_line
from memory_secretary.graph.palette import BAD, GOOD, NAME, QUIET, WARNING
from memory_secretary.graph.words import Lang, colon, say

if TYPE_CHECKING:
    from memory_secretary.graph.evaluation.diagnosis.verdict import Diagnosis, Finding

WINDOW = 4096
"""Tokens; the window that is assumed where none is named."""
_STYLES = {"none": GOOD, "forgetting": BAD, "partly": WARNING, "not_forgetting": GOOD}
_INDENT = "    "


def diagnose_file(
    path: str | Path,
    window: int = WINDOW,
    *,
    keeps_request: bool = False,
    lang: Lang = "en",
    as_json: bool = False,
    console: Console | None = None,
) -> Diagnosis:
    """Diagnose the trace in a file and print what came of it.

    Args:
        path: the agent's messages; see :mod:`~memory_secretary.graph.evaluation.diagnosis.messages` for the forms.
        window: tokens that its model reads and writes in one call.
        keeps_request: whether the agent keeps the user's newest message in its prompt.
        lang: language of the screen.
        as_json: print one JSON object in place of the screen.
        console: where to print.

    Raises:
        OSError: the file cannot be read.
        InvalidRecord: it holds no messages of an assistant.
    """
    from memory_secretary.graph.evaluation.diagnosis.messages import read_messages
    from memory_secretary.graph.evaluation.diagnosis.verdict import diagnose

    found = diagnose(read_messages(path), window, keeps_request=keeps_request)
    out = console or make_console()
    if as_json:
        print_json({**asdict(found), "explained": found.explained, "verdict": found.verdict}, out)
    else:
        print_diagnosis(found, lang, out)
    return found


def print_diagnosis(found: Diagnosis, lang: Lang, console: Console) -> None:
    """What was looked at, each error with its cause, how many there are of each kind, and the verdict."""
    sizes = {name: getattr(found, name) for name in ("messages", "steps", "tokens", "window")}
    print_broken(console, say(lang, "diagnosis_of", **sizes), NAME)
    full = say(lang, "diagnosis_full", n=found.full_at) if found.full_at else say(lang, "diagnosis_fits")
    print_broken(console, full, QUIET)
    for finding in found.findings:
        _print_finding(finding, lang, console)
    console.print()
    for line in _counts(found, lang):
        print_broken(console, line)
    verdict = say(lang, f"diagnosis_verdict_{found.verdict}", n=len(found.findings), explained=found.explained)
    print_broken(console, verdict, _STYLES[found.verdict])


def _print_finding(finding: Finding, lang: Lang, console: Console) -> None:
    head = f"{say(lang, 'diagnosis_decision', n=finding.step)} · {say(lang, f'diagnosis_{finding.kind}')}{colon(lang)}"
    console.print()
    hang(console, head, Text(one_line(finding.quote)))
    if finding.needed_step is None:
        hang(console, _INDENT, Text(say(lang, "diagnosis_nowhere"), QUIET))
        return
    came = "diagnosis_needed" if finding.needed_step else "diagnosis_needed_first"
    name = f"{_INDENT}{say(lang, came, n=finding.needed_step)}{colon(lang)}"
    hang(console, name, Text(one_line(finding.needed), QUIET))
    cause = Text(say(lang, "diagnosis_outside"), BAD) if finding.outside else Text(say(lang, "diagnosis_inside"), GOOD)
    hang(console, _INDENT, cause)


def _counts(found: Diagnosis, lang: Lang) -> Iterator[str]:
    """One line for each kind of which there are errors."""
    for kind in dict.fromkeys(finding.kind for finding in found.findings):
        of_kind = [finding for finding in found.findings if finding.kind == kind]
        explained = sum(finding.outside for finding in of_kind)
        yield say(lang, "diagnosis_counts", kind=say(lang, f"diagnosis_{kind}"), n=len(of_kind), explained=explained)
