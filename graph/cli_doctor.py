"""The command ``doctor``: whether everything that a run needs is there and works, and what to do where it does not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import AsJson, memory_folder
from memory_secretary.graph.live import make_console
from memory_secretary.graph.moving_line import busy

Model = Annotated[
    str, typer.Option("--executor", metavar="MODEL", envvar="MEMORY_SECRETARY_EXECUTOR", help="The executor's model.")
]
OtherModel = Annotated[
    str | None,
    typer.Option(
        "--secretary", metavar="MODEL", envvar="MEMORY_SECRETARY_SECRETARY", help="The secretary's, if another."
    ),
]
AnyEmbedder = Annotated[
    str, typer.Option("--embedder", metavar="NAME", envvar="MEMORY_SECRETARY_EMBEDDER", help="The memory's embedder.")
]
AnyPath = Annotated[  # a file in the folder's place is a finding here, not a refusal
    Path | None, typer.Option("--memory", metavar="DIR", envvar="MEMORY_SECRETARY_MEMORY", help="The memory's folder.")
]


def doctor(
    executor: Model = "embedded",
    secretary: OtherModel = None,
    embedder: AnyEmbedder = "embedded",
    memory: AnyPath = None,
    quick: Annotated[bool, typer.Option("--quick", help="Ask no model anything: nothing is loaded.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Also fill the window with one long prompt.")] = False,
    lang: Language = None,
    as_json: AsJson = False,
) -> None:
    """Look at models, memory, settings and versions; exit status 0 when all is well, 1 with warnings, 2 with faults.

    Nothing is fetched and nothing written, but for a probe file that is removed and an embedded server's log.
    """
    from memory_secretary.graph.doctor.words import word

    shown, console = spoken(lang), make_console()
    findings = []
    with busy(console, word(shown, "busy", name=word(shown, "versions")), shown=not as_json) as line:
        from memory_secretary.graph.doctor.examine import Patient, examine
        from memory_secretary.graph.doctor.finding import EXIT_STATUS, worst
        from memory_secretary.graph.doctor.models import Effort
        from memory_secretary.graph.doctor.screen import as_data, print_end, print_finding

        folder = memory_folder(memory)
        patient = Patient(executor=executor, secretary=secretary, embedder=embedder, folder=folder, environ=os.environ)
        tell = (lambda _: None) if as_json else line.show
        for finding in examine(patient, Effort(ask=not quick, long=full), shown, tell):
            findings.append(finding)
            if not as_json:
                print_finding(finding, shown, console)
    if as_json:
        console.out(json.dumps(as_data(findings), ensure_ascii=False, indent=1), highlight=False)
    else:
        print_end(findings, shown, console)
    raise typer.Exit(EXIT_STATUS[worst(findings)])
