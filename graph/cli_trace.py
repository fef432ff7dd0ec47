"""The command ``trace``: what a run did, step by step, as its trace file tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from memory_secretary.graph.cli_hits import recalled_entry
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import AsJson
from memory_secretary.graph.cli_records import text_entry
from memory_secretary.graph.cli_screen import print_json
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import detail, figures_line, hang, head_of, make_console, one_line, remarks
from memory_secretary.graph.moments import minute
from memory_secretary.graph.palette import BAD, GOOD, NAME, QUIET, WARNING
from memory_secretary.graph.tracing.reading import Trace, TracedRun, read_trace
from memory_secretary.graph.tracing.record import Record
from memory_secretary.graph.words import Lang, colon, say, section, term
from memory_secretary.memory.errors import NotFound

_TELLS = {"retrieve": "recalled", "summarize": "brief", "plan": "window", "act": "ok", "precipitate": "status"}
"""The detail without which a node told nothing, since it failed or is one of the user's own."""
_STATUS = {"done", "stopped", "needs_input"}


def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", dir_okay=False, help="What --trace wrote.")],
    step: Annotated[int | None, typer.Option(metavar="N", min=0, help="Only this step, with everything.")] = None,
    lang: Language = None,
    as_json: AsJson = False,
) -> None:
    """Show what a run did step by step: times, tokens, what was recalled, what was left out and why."""
    said, console = spoken(lang), make_console()
    found = read_trace(file)
    if step is not None:
        found = only_step(found, step)
    if as_json:
        print_json(asdict(found), console)
        return
    for run in found.runs:
        print_run(run, said, console, whole=step is not None)
    if found.torn:
        print_broken(console, say(said, "trace_torn", n=found.torn), WARNING)


def only_step(found: Trace, step: int) -> Trace:
    """The trace with the nodes of one step alone.

    Raises:
        NotFound: no run has such a step.
    """
    runs = [
        TracedRun(run.thread, run.head, nodes, run.foot)
        for run in found.runs
        if (nodes := [node for node in run.nodes if node["step"] == step])
    ]
    if not runs:
        last = max((node["step"] or 0 for run in found.runs for node in run.nodes), default=0)
        msg = f"there is no step {step} in this trace: its steps are 0 to {last}"
        raise NotFound(msg, zh=f"这个追踪里没有第 {step} 步：它的步骤是 0 到 {last}")
    return Trace(runs, found.torn)


def print_run(run: TracedRun, lang: Lang, console: Console, *, whole: bool) -> None:
    """One run: its head, a paragraph for each node (with everything it told, if ``whole``), its end."""
    _print_head(run, lang, console)
    for node in run.nodes:
        _print_node(node, lang, console)
        if whole:
            _print_whole(node, lang, console)
    _print_foot(run, lang, console)
    console.print()


def _print_head(run: TracedRun, lang: Lang, console: Console) -> None:
    head = run.head or {}
    at = minute(datetime.fromisoformat(head["at"])) if "at" in head else ""
    name = say(lang, "trace_run", run=head.get("run", ""), thread=run.thread)
    print_broken(console, " · ".join(filter(None, [name, at, head.get("owner", "")])), NAME)
    rows = {"task": head.get("request") or say(lang, "trace_begun")}
    if head.get("settings"):
        rows["trace_settings"] = ", ".join(f"{key}={value}" for key, value in head["settings"].items())
    for key, value in rows.items():
        print_broken(console, Text().append(f"{say(lang, key)}{colon(lang)}", NAME).append(one_line(value)))


def _print_foot(run: TracedRun, lang: Lang, console: Console) -> None:
    if run.foot is None:
        print_broken(console, say(lang, "trace_open"), WARNING)
        return
    status = run.foot["status"]
    words = say(lang, status if status in _STATUS else "trace_broken_off")
    reason = run.foot.get("stop_reason") or run.foot.get("error") or ""
    line = f"{words}{colon(lang)}{term(lang, 'stop', one_line(reason))}" if reason else words
    print_broken(console, line, GOOD if status == "done" else WARNING)
    if run.foot.get("answer"):
        print_broken(console, f"{say(lang, 'answer')}{colon(lang)}{run.foot['answer']}")
    if run.foot.get("figures"):
        print_broken(console, figures_line(run.foot["figures"], lang), QUIET)


def _print_node(node: Record, lang: Lang, console: Console) -> None:
    """A node as the live view of a run shows it; below it what was left out of the brief, not used, or went wrong."""
    step = "–" if node["step"] is None else node["step"]
    head = head_of(node["node"], step, node["seconds"], lang)
    told = _TELLS.get(node["node"]) in node
    hang(console, head, detail(node, lang) if told else Text())
    for line in remarks(node, lang):
        hang(console, " " * cell_len(head), Text(line, QUIET))
    for line in _left_out(node, lang):
        hang(console, " " * cell_len(head), Text(line, QUIET))
    for each in node.get("removed", ()):
        line = say(lang, "trace_removed", **{name: one_line(str(value)) for name, value in each.items()})
        hang(console, " " * cell_len(head), Text(line, WARNING))
    if node.get("error"):
        line = f"{say(lang, 'trace_error')}{colon(lang)}{one_line(node['error'])}"
        hang(console, " " * cell_len(head), Text(line, BAD))
    if node.get("waiting"):
        hang(console, " " * cell_len(head), Text(say(lang, "trace_waits"), WARNING))


def _left_out(node: Record, lang: Lang) -> Iterator[str]:
    """What was left out of the brief, by section and reason, on one line."""
    parts = [
        say(lang, "trace_lines", section=section(lang, each["section"]), n=each["lines"], why=_why(each, lang))
        for each in node.get("left_out_why", ())
    ]
    if parts:
        yield f"{say(lang, 'trace_left_out')}{colon(lang)}{' · '.join(parts)}"


def _because(entry: Mapping[str, Any], lang: Lang) -> str:
    why = _why(entry, lang)
    return f"（{why}）" if lang == "zh" else f" ({why})"


def _why(entry: Mapping[str, Any], lang: Lang) -> str:
    return say(lang, f"trace_why_{entry['why']}")


def _print_whole(node: Record, lang: Lang, console: Console) -> None:
    """Everything else that a node told."""
    for search in node.get("searches", ()):
        about = {"seconds": search["seconds"], "n": search.get("found", 0), "query": one_line(search["query"])}
        print_broken(console, f"    {say(lang, 'trace_search', **about)}", QUIET)
    for memory in node.get("memories", ()):
        recalled_entry(memory, console)
    if node.get("brief_text"):
        print_broken(console, f"{say(lang, 'trace_brief', n=node['budget'])}{colon(lang)}", NAME)
        text_entry(node["brief_text"], console)
    for each in node.get("left_out_why", ()):
        print_broken(console, f"{say(lang, 'trace_left_out')}{_because(each, lang)}{colon(lang)}", NAME)
        text_entry("\n".join(each["first"]) + ("\n…" if each["lines"] > len(each["first"]) else ""), console)
    for call in node.get("calls", ()):
        print_broken(console, f"    {_call(call, lang)}", QUIET)


def _call(call: Mapping[str, Any], lang: Lang) -> str:
    about = {"name": call["name"], "model": call.get("model", ""), "seconds": call["seconds"]}
    if "prompt_tokens" not in call:
        return say(lang, "trace_call_untold", **about)
    prompt, reply, cached = call["prompt_tokens"], call.get("reply_tokens", 0), call.get("cached_tokens", 0)
    return say(lang, "trace_call", **about, prompt=prompt, cached=cached, reply=reply)
