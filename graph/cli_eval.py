"""The command ``eval``: a suite of tasks with and without memory, and what comes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_secretary.graph.cli_diagnose import WINDOW, diagnose_file
from memory_secretary.graph.cli_eval_report import tell
from memory_secretary.graph.cli_eval_runs import ROWS, Typed, make
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import AsJson, Embedder, Executor, Secretary, Window
from memory_secretary.memory.errors import SettingsError

if TYPE_CHECKING:
    from memory_secretary.graph.evaluation.campaign import Campaign
    from memory_secretary.graph.evaluation.comparison import Prices

QUICK_MINUTES = 28
"""After so long no run of a quick comparison begins any more, so that it ends within half an hour."""
QUICK_ARMS = "none,secretary-own"
SECRETARY_WINDOW = 4096
"""Tokens of the secretary's window for a suite that names the executor's."""

SuiteName = Annotated[
    str,
    typer.Option(
        metavar="SUITE", help="long, development, example, or your own: a Python file, or a folder with suite.py."
    ),
]
Arms = Annotated[
    str | None,
    typer.Option(metavar="ARMS", help="Some of none,full,summary,secretary,secretary-own (default: all that can be)."),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Eight short tasks in the arms none and secretary-own, in half an hour.")
]
Parallel = Annotated[int, typer.Option(metavar="N", min=1, help="Runs at a time, where the server takes them.")]
Out = Annotated[
    Path, typer.Option(metavar="DIR", file_okay=False, help="Where runs and reports are kept; it goes on from there.")
]
Minutes = Annotated[int | None, typer.Option(metavar="N", min=1, help="Begin no run that would end later than that.")]
OnlyReport = Annotated[bool, typer.Option("--report", help="Make no run; write the reports of those that were made.")]
ExecutorPrice = Annotated[
    str | None, typer.Option(metavar="IN,OUT", help="Price of a million tokens of the executor: prompt,reply.")
]
SecretaryPrice = Annotated[str | None, typer.Option(metavar="IN,OUT", help="The same of the secretary.")]
Currency = Annotated[str, typer.Option(metavar="WORD", help="Of the prices.")]


Trace = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        dir_okay=False,
        help="Run nothing: say of an agent's own messages (LangChain's, OpenAI's or a LangGraph state, as JSON) "
        "whether forgetting is its problem.",
    ),
]
KeepsRequest = Annotated[
    bool,
    typer.Option(
        "--keeps-request",
        help="With --trace: the agent keeps the newest request in its prompt, however long the task becomes.",
    ),
]


def evaluate(
    suite: SuiteName = "long",
    arms: Arms = None,
    quick: Quick = False,
    executor: Executor = None,
    secretary: Secretary = None,
    window: Window = None,
    parallel: Parallel = 1,
    out: Out = Path("eval"),
    minutes: Minutes = None,
    report: OnlyReport = False,
    price_executor: ExecutorPrice = None,
    price_secretary: SecretaryPrice = None,
    currency: Currency = "USD",
    trace: Trace = None,
    keeps_request: KeepsRequest = False,
    embedder: Embedder = "embedded",
    as_json: AsJson = False,
    lang: Language = None,
) -> None:
    """Run a suite of tasks with and without memory, and say whether memory helps.

    Every run is kept: the same command goes on where it was stopped. With --trace, errors of an agent that you have.
    """
    language = spoken(lang)
    if trace is not None:
        diagnose_file(trace, window or WINDOW, keeps_request=keeps_request, lang=language, as_json=as_json)
        return
    typed = Typed(executor or "embedded", secretary, window, embedder, parallel)
    prices = _prices(price_executor, price_secretary, currency)
    campaign = _campaign(suite, arms, quick, typed)
    if not report:
        make(campaign, typed, out / ROWS, minutes or (QUICK_MINUTES if quick else None))
    tell(campaign, out / ROWS, prices, as_json=as_json)


def _campaign(suite: str, arms: str | None, quick: bool, typed: Typed) -> Campaign:
    """What the options ask for; anything that cannot be is refused here, before a model is asked.

    Raises:
        SettingsError: an option or the suite cannot be used.
    """
    from memory_secretary.graph.cli_start import settings_with
    from memory_secretary.graph.evaluation.campaign import Campaign, checked_arms
    from memory_secretary.graph.evaluation.suite import load_suite
    from memory_secretary.graph.evaluation.suite import quick as shortest
    from memory_secretary.memory.embedders import resolve_embedder
    from memory_secretary.nodes.models.resolve import check_model

    for model in filter(None, (typed.executor, typed.secretary)):
        check_model(model)
    resolve_embedder(typed.embedder)
    embedded = "embedded" in (typed.executor.partition(":")[0], (typed.secretary or "").partition(":")[0])
    if typed.parallel > 1 and embedded:
        msg = "the embedded model makes one run at a time: leave out --parallel, or name a server's model"
        raise SettingsError(msg, zh="内置模型一次只能做一个运行：请去掉 --parallel，或指定服务器上的模型")
    chosen = checked_arms(arms or (QUICK_ARMS if quick else None), typed.secretary)
    tasks = load_suite(suite)
    settings = settings_with(window=typed.window or tasks.window, max_steps=None, lang=None)
    if tasks.window:
        settings = replace(settings, secretary_window=max(SECRETARY_WINDOW, settings.executor_window))
    return Campaign(
        suite=shortest(tasks) if quick else tasks,
        arms=chosen,
        executor=typed.executor,
        secretary=typed.secretary,
        settings=replace(settings, user_id="eval"),
        embedder=None if typed.embedder == "none" else typed.embedder,
    )


def _prices(executor: str | None, secretary: str | None, currency: str) -> Prices:
    from memory_secretary.graph.evaluation.comparison import Prices

    return Prices(
        executor=_price("--price-executor", executor),
        secretary=_price("--price-secretary", secretary),
        currency=currency,
    )


def _price(option: str, typed: str | None) -> tuple[float, float] | None:
    """Prompt's and reply's price, as they were typed.

    Raises:
        SettingsError: they are not two numbers.
    """
    if typed is None:
        return None
    try:
        prompt, reply = (float(part) for part in typed.split(","))
    except ValueError:
        prompt = reply = -1.0
    if not (0 <= prompt < float("inf") and 0 <= reply < float("inf")):
        msg = f"{option} {typed!r}: give two prices of a million tokens, prompt and reply, e.g. 0.15,0.6"
        raise SettingsError(msg, zh=f"{option} {typed!r}：请给出每百万词元的两个价格，提示词和回复，例如 0.15,0.6")
    return prompt, reply
