"""The reports of ``eval``: three files, and the tables and the verdict on the screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import make_console
from memory_secretary.graph.moments import minute
from memory_secretary.graph.palette import NAME
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.clock import system_clock
from memory_secretary.memory.errors import SettingsError

if TYPE_CHECKING:
    from memory_secretary.graph.evaluation.campaign import Campaign, Row
    from memory_secretary.graph.evaluation.comparison import Comparison, Prices
    from memory_secretary.graph.evaluation.comparison_tables import Table as Figures


def tell(campaign: Campaign, path: Path, prices: Prices, *, as_json: bool) -> None:
    """Write the three reports and say the verdict."""
    from memory_secretary.graph.evaluation.comparison import compared
    from memory_secretary.graph.evaluation.comparison_page import html_page
    from memory_secretary.graph.evaluation.comparison_tables import markdown
    from memory_secretary.graph.evaluation.rows import read_rows

    made = campaign.made(read_rows(path))
    if not made:
        msg = (
            f"no run of this comparison is kept in {path.parent}: leave out --report, or name the folder it was made in"
        )
        raise SettingsError(msg, zh=f"{path.parent} 里没有这个比较的运行：请去掉 --report，或指定当时的文件夹")
    found = compared(made, _about(campaign, made, prices), prices)
    data = json.dumps(found.as_dict(), ensure_ascii=False, indent=1)
    pages = {"report.md": markdown(found), "report.json": data, "report.html": html_page(found)}
    for name, text in pages.items():
        path.with_name(name).write_text(text, "utf-8")
    if as_json:
        make_console().out(data, highlight=False)
    else:
        _print_report(found, path.with_name("report.html"))


def _about(campaign: Campaign, made: list[Row], prices: Prices) -> dict[str, Any]:
    return {
        "suite": campaign.suite.name,
        "state": campaign.suite.state,
        "tasks": len(campaign.suite.tasks),
        "executor": campaign.executor,
        "secretary": campaign.secretary or campaign.executor,
        "window": campaign.settings.executor_window,
        "secretary_window": campaign.settings.secretary_window,
        "made": len(made),
        "runs": len(campaign.runs()),
        "machine": ", ".join(dict.fromkeys(row["machine"] for row in made)),
        "version": ", ".join(dict.fromkeys(row["version"] for row in made)),
        "currency": prices.currency,
        "at": minute(system_clock()),
    }


def _print_report(found: Comparison, page: Path) -> None:
    from memory_secretary.graph.evaluation.comparison_tables import tables
    from memory_secretary.graph.evaluation.comparison_words import verdict

    console = make_console()
    for table in tables(found):
        _print_table(table, console)
    print_broken(console, Text(f"\n{verdict(found)}", "bold"))
    print_broken(console, said(f"Report: {page} (and .md, .json)", f"报告：{page}（另有 .md、.json）"))


def _print_table(table: Figures, console: Console) -> None:
    """A table under its heading, whose cells fold where the window is narrow."""
    from memory_secretary.graph.evaluation.comparison_words import head

    console.print(Text(f"\n{head(table.name)}", NAME))
    shown = Table(*(Column(name, overflow="fold") for name in table.head), box=box.SIMPLE_HEAD, show_edge=False)
    for row in table.rows:
        shown.add_row(*map(Text, row))
    console.print(shown)
