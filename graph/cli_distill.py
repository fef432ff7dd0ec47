"""The command ``distill``: documents become long-term cards; what it costs is told first, what failed at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from memory_secretary.graph.cli_desk import Desk, Yes, opened
from memory_secretary.graph.cli_interrupt import prompt_ctrl_c
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_methods import methods_with
from memory_secretary.graph.cli_options import LOCAL_USER, AsJson, Embedder, MemoryFolder, User, memory_folder
from memory_secretary.graph.cli_records import Printer
from memory_secretary.graph.cli_settle import lent, settle_with
from memory_secretary.graph.cli_teacher import amount, moving_bar
from memory_secretary.graph.live import make_console, print_notices
from memory_secretary.graph.words import say
from memory_secretary.memory import bilingual
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope

if TYPE_CHECKING:
    from memory_secretary.graph.settings import Settings
    from memory_secretary.nodes.distill.document import Failure
    from memory_secretary.nodes.distill.estimate import Estimate
    from memory_secretary.nodes.distill.state import DistillInput, DistillState

LEFT = 1
"""Exit status where something failed or was not done."""
_SHOWN = 20
"""Failures on a screen; JSON has all."""

Paths = Annotated[list[str] | None, typer.Argument(help="Files, folders with all below them, or patterns.")]
Teacher = Annotated[
    str,
    typer.Option(metavar="MODEL", envvar="MEMORY_SECRETARY_TEACHER", help="The model that reads the documents."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what it would cost and end.")]
Again = Annotated[bool, typer.Option("--again", help="Also what is distilled already, e.g. with a stronger teacher.")]
Calls = Annotated[int | None, typer.Option("--calls", metavar="N", min=0, help="At most so many calls of the teacher.")]
Price = Annotated[
    float | None,
    typer.Option("--price", metavar="N", min=0, help="What a million tokens cost, to tell the price beforehand."),
]
Conversations = Annotated[
    bool,
    typer.Option(
        "--conversations", help="Let the teacher make cards of past conversations, too, as memory settle does."
    ),
]

Methods = Annotated[
    bool, typer.Option("--methods", help="Let the teacher write down how finished tasks of each kind were done.")
]


def distill(
    paths: Paths = None,
    teacher: Teacher = "embedded",
    dry_run: DryRun = False,
    again: Again = False,
    calls: Calls = None,
    price: Price = None,
    conversations: Conversations = False,
    methods: Methods = False,
    yes: Yes = False,
    memory: MemoryFolder = None,
    user: User = LOCAL_USER,
    embedder: Embedder = "embedded",
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Make long-term cards of documents (txt, md, html, csv, json, docx, pdf), each with the sentence it rests on.

    What is unchanged costs nothing, what was broken off goes on; exit status 1 when something failed.
    """
    from memory_secretary.nodes.distill.files import demand_places
    from memory_secretary.nodes.models.resolve import check_model

    spoken(lang)
    if not (paths or conversations or methods):
        msg = "nothing was named to distill: give files or folders, --conversations or --methods"
        raise SettingsError(msg, zh="没有指定要提炼的内容：请给出文件或文件夹，或用 --conversations、--methods")
    demand_places(paths or ())
    check_model(teacher)
    out, folder = Printer(make_console(), as_json), memory_folder(memory)
    with opened(folder, embedder, new=True) as store:
        desk = Desk(store, folder, Scope(user=user), out)
        left = (
            _documents(desk, paths, teacher, price, again=again, calls=calls, dry_run=dry_run, yes=yes)
            if paths
            else False
        )
        if conversations and not dry_run:
            left = settle_with(desk, teacher, calls or _ALL_CALLS) or left
        if methods:
            left = methods_with(desk, teacher, price, again=again, calls=calls, dry_run=dry_run, yes=yes) or left
        print_notices(store.notices, spoken(lang))
    if left:
        raise typer.Exit(LEFT)


_ALL_CALLS = 1_000_000


def _documents(
    desk: Desk, paths: Sequence[str], teacher: str, price: float | None, *,
    again: bool, calls: int | None, dry_run: bool, yes: bool,
) -> bool:  # fmt: skip
    """Distill; whether something failed or is left."""
    from memory_secretary.graph.settings import from_environment
    from memory_secretary.nodes.distill.estimate import estimate
    from memory_secretary.nodes.distill.register import Register

    settings = from_environment()
    register = Register(lambda scope: desk.store.view(Role.SECRETARY, scope), desk.scope)
    with desk.out.busy(say(bilingual.spoken(), "estimating")):
        cost = estimate(register, paths, settings.secretary_window, again=again)
    outlook = _outlook(cost, register.pace(teacher), price)
    if dry_run:
        _tell_outlook(desk.out, cost, outlook)
        return bool(cost.failures)
    if cost.passages:
        desk.demand_consent("\n".join(outlook), yes=yes)
        if yes:
            desk.out.verdict(outlook)
    given: DistillInput = {"paths": list(paths), "again": again}
    if calls is not None:
        given["calls"] = calls
    state = _run(desk, teacher, settings, given, cost.passages)
    if state["figures"]["passages"]:
        register.note_pace(teacher, state["figures"]["passages"], state["figures"]["seconds"])
    _tell(desk.out, state)
    return bool(state["failures"]) or state["status"] != "done"


def _outlook(cost: Estimate, pace: float | None, price: float | None) -> list[str]:
    """What it would cost, in sentences."""
    lang, minutes = bilingual.spoken(), cost.minutes(pace)
    counts = {"documents": cost.documents, "unchanged": cost.unchanged, "failures": len(cost.failures)}
    lines = [say(lang, "distill_documents", **counts)]
    if cost.passages:
        tokens = {"prompt": f"{cost.prompt_tokens:,}", "reply": f"{cost.reply_tokens:,}"}
        lines.append(say(lang, "distill_passages", n=cost.passages, **tokens))
        lines.append(
            say(lang, "distill_unknown") if minutes is None else say(lang, "distill_minutes", n=f"{minutes:,.1f}")
        )
        if price is not None:
            lines.append(say(lang, "distill_price", n=amount(cost.price(price))))
    return lines


def _tell_outlook(out: Printer, cost: Estimate, outlook: Sequence[str]) -> None:
    figures = {name: value for name, value in vars(cost).items() if name != "failures"}
    out.outcome({**figures, "failures": cost.failures}, "\n".join([*outlook, *_listed(cost.failures)]))


def _run(desk: Desk, teacher: str, settings: Settings, given: DistillInput, passages: int) -> DistillState:
    """Let the graph run with a bar; Ctrl-C ends it, and what was stored stays."""
    from dataclasses import replace

    from memory_secretary.graph.cli_fetch import fetch_weights
    from memory_secretary.graph.distill import build_distill_graph

    console = make_console(stderr=True)
    if passages:
        fetch_weights({teacher}, console)
    mine = replace(settings, user_id=desk.scope.user, lang=bilingual.spoken())
    shown = not desk.out.as_json

    def last_words() -> None:
        console.print(say(bilingual.spoken(), "distill_interrupted"), soft_wrap=True)

    state: Any = {}
    with (
        prompt_ctrl_c(last_words),
        lent(teacher, settings.secretary_window) as model,
        moving_bar(console, passages, "distilling", "distill_progress", shown=shown) as on,
    ):
        graph = build_distill_graph(model, desk.store, mine)
        try:
            for part in graph.stream(given, stream_mode=["custom", "values"], version="v2"):
                if part["type"] == "values":
                    state = part["data"]
                elif part["type"] == "custom":
                    on(part["data"]["distilled"]["path"].rsplit("/", 1)[-1])
        except KeyboardInterrupt:
            last_words()
            raise
    return cast("DistillState", state)


def _tell(out: Printer, state: DistillState) -> None:
    """What came of it: figures, what failed, what is gone, what was refused."""
    lang, figures = bilingual.spoken(), state["figures"]
    told = [
        say(
            lang,
            "distilled",
            **{**figures, "seconds": f"{figures['seconds']:,.0f}", "tokens": f"{figures['tokens']:,}"},
        )
    ]
    if state["reasons"]:
        told += [say(lang, "distill_refused"), *(f"- {reason}" for reason in state["reasons"][:_SHOWN])]
    told += _listed(state["failures"])
    if state["removed"]:
        told += [say(lang, "distill_removed"), *(f"- {path}" for path in state["removed"][:_SHOWN])]
    if state["status"] != "done":
        told.append(say(lang, "distill_stopped", why=state["stop_reason"]))
    names = ("failures", "reasons", "removed", "status", "stop_reason")
    out.outcome({**figures, **{name: state[name] for name in names}}, "\n".join(told))  # type: ignore[literal-required]


def _listed(failures: Sequence[Failure]) -> list[str]:
    lang = bilingual.spoken()
    if not failures:
        return []
    more = [say(lang, "distill_more", n=len(failures) - _SHOWN)] if len(failures) > _SHOWN else []
    lines = [f"- {one['path']}: {one['reason']}" for one in failures[:_SHOWN]]
    return [say(lang, "distill_failed", n=len(failures)), *lines, *more]
