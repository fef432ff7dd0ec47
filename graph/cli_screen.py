"""What the commands that run a task print around its steps: its head, its end, and the way on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from memory_secretary.graph.cli_language import spoken
from memory_secretary.graph.cli_options import as_command
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.cli_start import RunOptions
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import figures_line, make_console
from memory_secretary.graph.palette import BAD, GOOD, NAME, QUIET, WARNING
from memory_secretary.graph.words import Lang, colon, say, term
from memory_secretary.memory.bilingual import said

if TYPE_CHECKING:
    from memory_secretary.graph.evaluation.example_task import Verdict

EXAMPLE_SECONDS = 89
"""What the example took on two idle cores (benchmarks/RESULTS.md, the first command on a fresh machine)."""


def print_head(record: RunRecord, folder: Path, console: Console) -> None:
    """What is run with what, one line each."""
    lang = lang_of(record)
    rows = {
        "task": record.goal,
        "executor": record.executor,
        "secretary": record.secretary or record.executor,
        "workspace": record.workspace or say(lang, "no_workspace"),
        "memory": str(folder),
        "user": record.user,
        "thread": record.thread,
    }
    for key, value in rows.items():
        if value:
            print_broken(console, Text().append(f"{say(lang, key)}{colon(lang)}", NAME).append(value))
    if any(model.startswith("embedded") for model in (record.executor, record.secretary or "")):
        told = ["patience", "patience_example" if record.seed else "", "patience_pace" if record.goal else ""]
        line = said(" ", "").join(say(lang, key, n=EXAMPLE_SECONDS) for key in told if key)
        print_broken(console, line, QUIET)
    console.print()


def print_result(state: dict[str, Any], record: RunRecord, verdict: Verdict | None, console: Console) -> None:
    """The last line of ``--json``: status, figures, answer."""
    result = {name: state[name] for name in ("status", "stop_reason", "figures")}
    result |= {"answer": answer_of(state), "thread": record.thread}
    result |= {"right": verdict.right, "missing": verdict.missing} if verdict else {}
    print_json({"result": result}, console)


def print_end(state: dict[str, Any], record: RunRecord, verdict: Verdict | None, console: Console) -> None:
    """Answer, status where the task is not done, verdict where one is known, and figures."""
    lang = lang_of(record)
    head = Text().append(f"\n{say(lang, 'answer')}{colon(lang)}", "bold")
    print_broken(console, head.append(answer_of(state) or say(lang, "none")))
    if state["status"] != "done":
        reason = term(lang, "stop", state["stop_reason"])
        print_broken(console, f"{say(lang, state['status'])}{colon(lang)}{reason}", WARNING)
    if verdict and verdict.right:
        print_broken(console, say(lang, "right"), GOOD)
    elif verdict:
        print_broken(console, say(lang, "wrong", reason=("；" if lang == "zh" else "; ").join(verdict.missing)), BAD)
    print_broken(console, figures_line(state["figures"], lang), QUIET)


def answer_of(state: dict[str, Any]) -> str:
    """The last message's text when it is the assistant's, else nothing."""
    messages = state["messages"]
    return str(messages[-1].text) if messages and messages[-1].type == "ai" else ""


def print_way_on(record: RunRecord, options: RunOptions, *first: str, key: str = "resume") -> None:
    """Say on the error stream how to go on with a thread; the command stands alone on its line, to be copied.

    Args:
        record: the thread's.
        options: what was typed.
        first: the words before the thread's name.
        key: what is said before the command.
    """
    command = as_command(*first, record.thread, memory=options.memory, user=record.user)
    make_console(stderr=True).print(f"{say(lang_of(record), key, thread=record.thread)}\n{command}", soft_wrap=True)


def lang_of(record: RunRecord) -> Lang:
    """The language of a run's screen."""
    return spoken(record.lang, record.goal)


def print_json(data: Any, console: Console) -> None:
    """One line of JSON, as it is."""
    console.out(json.dumps(data, ensure_ascii=False, default=str), highlight=False)
