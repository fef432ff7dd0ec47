"""``distill --methods``: how finished tasks were done becomes method cards; what it costs is told first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

from memory_secretary.graph.cli_desk import Desk
from memory_secretary.graph.cli_interrupt import prompt_ctrl_c
from memory_secretary.graph.cli_records import Printer
from memory_secretary.graph.cli_settle import lent
from memory_secretary.graph.cli_teacher import amount, moving_bar
from memory_secretary.graph.live import make_console
from memory_secretary.graph.words import say
from memory_secretary.memory import bilingual

if TYPE_CHECKING:
    from memory_secretary.graph.methods import MethodsInput, MethodsState
    from memory_secretary.graph.settings import Settings
    from memory_secretary.nodes.methods.learn import Outlook

_SHOWN = 20
"""Failures on a screen; JSON has all."""


def methods_with(
    desk: Desk, teacher: str, price: float | None, *, again: bool, calls: int | None, dry_run: bool, yes: bool
) -> bool:
    """Tell what it costs, learn, and tell what came of it; whether something failed or is left.

    Raises:
        InvalidRecord: nobody is there to agree.
    """
    from memory_secretary.graph.settings import from_environment
    from memory_secretary.nodes.methods.learn import Learner, outlook

    settings = from_environment()
    with desk.out.busy(say(bilingual.spoken(), "estimating")):
        learner = Learner(desk.store, desk.scope, settings.secretary_window)
        cost = outlook(learner.lessons(again=again), settings.secretary_window)
    told = _outlook(cost, price)
    if dry_run or not cost.kinds:
        desk.out.outcome(asdict(cost), "\n".join(told))
        return False
    desk.demand_consent("\n".join(told), yes=yes)
    if yes:
        desk.out.verdict(told)
    given: MethodsInput = {"again": again}
    if calls is not None:
        given["calls"] = calls
    state = _run(desk, teacher, settings, given, cost.kinds)
    _tell(desk.out, state)
    return bool(state["failures"]) or state["status"] != "done"


def _outlook(cost: Outlook, price: float | None) -> list[str]:
    """What it would cost, in sentences."""
    lang = bilingual.spoken()
    lines = [say(lang, "methods_tasks", tasks=cost.tasks, unchanged=cost.unchanged, kinds=cost.kinds)]
    if cost.kinds:
        tokens = {"prompt": f"{cost.prompt_tokens:,}", "reply": f"{cost.reply_tokens:,}"}
        lines.append(say(lang, "methods_calls", n=cost.kinds, **tokens))
        if price is not None:
            lines.append(say(lang, "distill_price", n=amount(cost.price(price))))
    return lines


def _run(desk: Desk, teacher: str, settings: Settings, given: MethodsInput, kinds: int) -> MethodsState:
    """Let the graph run with a bar; Ctrl-C ends it, and what was learned stays."""
    from memory_secretary.graph.cli_fetch import fetch_weights
    from memory_secretary.graph.methods import build_methods_graph

    console = make_console(stderr=True)
    fetch_weights({teacher}, console)
    mine = replace(settings, user_id=desk.scope.user, lang=bilingual.spoken())

    def last_words() -> None:
        console.print(say(bilingual.spoken(), "methods_interrupted"), soft_wrap=True)

    state: Any = {}
    with (
        prompt_ctrl_c(last_words),
        lent(teacher, settings.secretary_window) as model,
        moving_bar(console, kinds, "learning", "methods_progress", shown=not desk.out.as_json) as on,
    ):
        graph = build_methods_graph(model, desk.store, mine)
        try:
            for part in graph.stream(given, stream_mode=["custom", "values"], version="v2"):
                if part["type"] == "values":
                    state = part["data"]
                elif part["type"] == "custom":
                    on(part["data"]["learned"])
        except KeyboardInterrupt:
            last_words()
            raise
    return cast("MethodsState", state)


def _tell(out: Printer, state: MethodsState) -> None:
    """What came of it: figures, what failed, what was refused."""
    lang, figures = bilingual.spoken(), state["figures"]
    shown = {**figures, "seconds": f"{figures['seconds']:,.0f}", "tokens": f"{figures['tokens']:,}"}
    told = [say(lang, "methods_learned", **shown)]
    if state["reasons"]:
        told += [say(lang, "distill_refused"), *(f"- {reason}" for reason in state["reasons"][:_SHOWN])]
    if state["failures"]:
        told.append(say(lang, "distill_failed", n=len(state["failures"])))
        told += _listed([f"{one['kind']}: {one['reason']}" for one in state["failures"]])
    if state["status"] != "done":
        told.append(say(lang, "methods_stopped", why=state["stop_reason"]))
    if state["cards"]:
        told.append(say(lang, "methods_switch"))
    names = ("cards", "failures", "reasons", "status", "stop_reason")
    out.outcome({**figures, **{name: state[name] for name in names}}, "\n".join(told))  # type: ignore[literal-required]


def _listed(lines: Sequence[str]) -> list[str]:
    more = [say(bilingual.spoken(), "distill_more", n=len(lines) - _SHOWN)] if len(lines) > _SHOWN else []
    return [*(f"- {line}" for line in lines[:_SHOWN]), *more]
