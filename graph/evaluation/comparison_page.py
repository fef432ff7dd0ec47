"""The report of a comparison as one page of HTML that needs nothing else.

It is light or dark as the reader's system is, and can be read in a window of any width.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from html import escape

from memory_secretary.graph.evaluation.campaign import ARMS
from memory_secretary.graph.evaluation.comparison import Arm, Comparison, Share
from memory_secretary.graph.evaluation.comparison_tables import Table, nodes, tables
from memory_secretary.graph.evaluation.comparison_words import (
    about_rows,
    difference_text,
    head,
    kind_words,
    notes,
    percent,
    share_text,
    title,
    token_words,
    verdict,
)
from memory_secretary.graph.evaluation.error_kinds import KINDS
from memory_secretary.graph.evaluation.plots import Bar, Plot, svg
from memory_secretary.memory.bilingual import said, spoken

_STYLE = """
:root { --ground: #fff; --ink: #1b1f24; --quiet: #5c6570; --line: #d5dae0; --s0: #3b6fb6; --s1: #d9822b; --s2: #2f8f6b;
  --s3: #a24fa0; --s4: #c0433f; --s5: #7a7f2c; --s6: #3f9bb5; --s7: #8a6d5a; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181c; --ink: #e4e7eb; --quiet: #9aa4b0; --line: #3a424c;
  --s0: #6c9fe0; --s1: #e8a05a; --s2: #58b892; --s3: #c883c6; --s4: #e57a75; --s5: #b3b85a; --s6: #6cc3da;
  --s7: #b99c88; } }
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  background: var(--ground); color: var(--ink); }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; } h1, h2, p { overflow-wrap: anywhere; }
.verdict { font-size: 1.1rem; border-left: 4px solid var(--s0); padding: .2rem 0 .2rem .9rem; }
.table { overflow-x: auto; } table { border-collapse: collapse; min-width: 100%; font-size: .92rem; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .8rem .35rem 0; text-align: left; white-space: nowrap; }
.quiet { color: var(--quiet); font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
svg { display: block; overflow: visible; margin-top: .4rem; } svg text { fill: var(--ink); font-size: 13px; }
svg text.tick { fill: var(--quiet); font-size: 12px; } svg text.value { fill: var(--quiet); }
.grid { stroke: var(--line); } .whisker { stroke: var(--ink); stroke-width: 1.5; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .85rem; margin: .2rem 0 .8rem; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; vertical-align: -.05em; }
""" + "".join(f".s{n} {{ fill: var(--s{n}); background: var(--s{n}); }}\n" for n in range(8))

_PLOTTED = ("success", "by_length", "errors", "tokens", "nodes")


def html_page(comparison: Comparison) -> str:
    """The page, in the language that is spoken here; every text in it is escaped."""
    plots = dict(zip(_PLOTTED, _plots(comparison), strict=True))
    parts = [_section(table, plots.get(table.name)) for table in tables(comparison)]
    others = "".join(f"<li>{escape(difference_text(each))}</li>" for each in comparison.differences[1:])
    lists = f"<h2>{escape(head('differences'))}</h2>\n<ul>{others}</ul>" if others else ""
    about = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about_rows(comparison))
    remarks = "\n".join(f'<p class="quiet">{escape(note)}</p>' for note in notes(comparison))
    return f"""<!doctype html>
<html lang="{"zh-CN" if spoken() == "zh" else "en"}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title())}</title>
<style>{_STYLE}</style></head>
<body>
<h1>{escape(title())}</h1>
<p class="verdict">{escape(verdict(comparison))}</p>
{"".join(parts)}
{lists}
<h2>{escape(head("about"))}</h2>
<dl>{about}</dl>
{remarks}
</body>
</html>
"""


def _section(table: Table, plot: Plot | None) -> str:
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in table.rows)
    picture = svg(plot) if plot and plot.bars else ""
    cells = f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table>"
    return f'<h2>{escape(head(table.name))}</h2>\n{picture}\n<div class="table">{cells}</div>\n'


def _plots(comparison: Comparison) -> Iterator[Plot]:
    arms = comparison.arms
    share_unit = said("right runs, % (line: 95 % interval)", "做对的运行，%（线段：95 % 区间）")
    yield Plot(
        title=head("success"),
        unit=share_unit,
        bars=[_share_bar(arm.name, arm, arm.success) for arm in arms],
        top=100,
    )
    yield Plot(title=head("by_length"), unit=share_unit, bars=list(_length_bars(comparison)), top=100)
    yield Plot(
        title=head("errors"),
        unit=said("runs with such an error, % of the arm's runs", "出现该错误的运行占该方式全部运行的百分比"),
        bars=list(_error_bars(comparison)),
        top=100,
    )
    yield Plot(
        title=head("tokens"),
        unit=said("tokens of one run", "每次运行的词元数"),
        bars=[_stack(arm.name, astuple(arm.tokens), "") for arm in arms],
        legend=[token_words(name) for name in ("executor_prompt", "executor_reply", "secretary_prompt",
                                               "secretary_reply")],
    )  # fmt: skip
    names = nodes(comparison)
    yield Plot(
        title=head("nodes"),
        unit=said("seconds of one run", "每次运行的秒数"),
        bars=[_stack(arm.name, [arm.seconds_by_node.get(node, 0.0) for node in names], "s") for arm in arms],
        legend=names,
    )


def _colour(arm: Arm) -> int:
    return list(ARMS).index(arm.name)


def _share_bar(label: str, arm: Arm, share: Share, *, gap: bool = False) -> Bar:
    return Bar(
        label=label,
        value_text=share_text(share),
        parts=[100 * share.right / share.runs],
        interval=(100 * share.low, 100 * share.high),
        colour=_colour(arm),
        gap=gap,
    )


def _length_bars(comparison: Comparison) -> Iterator[Bar]:
    for place, length in enumerate(comparison.lengths):
        met = [arm for arm in comparison.arms if length in arm.by_length]
        for n, arm in enumerate(met):
            yield _share_bar(f"{length} · {arm.name}", arm, arm.by_length[length], gap=place > 0 and n == 0)


def _error_bars(comparison: Comparison) -> Iterator[Bar]:
    for place, kind in enumerate(KINDS):
        for n, arm in enumerate(comparison.arms):
            of_all = arm.errors[kind] / arm.success.runs
            yield Bar(
                label=f"{kind_words(kind)} · {arm.name}",
                value_text=f"{arm.errors[kind]}/{arm.success.runs} · {percent(of_all)}",
                parts=[100 * of_all],
                colour=_colour(arm),
                gap=place > 0 and n == 0,
            )


def _stack(label: str, parts: list[float] | tuple[float, ...], unit: str) -> Bar:
    return Bar(label=label, value_text=f"{sum(parts):,.0f} {unit}".rstrip(), parts=list(parts))
