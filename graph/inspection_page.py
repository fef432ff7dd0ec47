"""The report of an inspection for a person: in a sentence, by kinds, and as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.nodes.inspection import KINDS, Finding, is_change
from memory_secretary.nodes.inspection_words import change_of, kind_name, reason_of
from memory_secretary.nodes.inspector import Survey

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; } caption, th { text-align: left; }
caption { font-weight: bold; font-size: 1.1rem; padding: 1.5rem 0 .5rem; }
th, td { border-bottom: 1px solid #8888; padding: .4rem .6rem .4rem 0; vertical-align: top; }
code { font-size: .8rem; overflow-wrap: anywhere; } td:first-child { width: 45%; } .quiet { color: #777; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } }
"""


def summary(survey: Survey) -> str:
    """One sentence: how many cards were looked at, and what was found."""
    found = survey["findings"]
    proposed = sum(map(is_change, found))
    left = (
        said(f" {survey['left']} more findings come next time.", f"另有 {survey['left']} 项留待下次。")
        if survey["left"]
        else ""
    )
    return said(
        f"Active cards looked at: {survey['seen']}. Findings: {len(found)}; proposed changes: {proposed}.{left}",
        f"已检查有效卡片 {survey['seen']} 张；发现 {len(found)} 项，其中建议改动 {proposed} 项。{left}",
    )


def by_kind(survey: Survey) -> Iterator[tuple[str, list[Finding]]]:
    """The findings under the names of their kinds, in the order in which they are told."""
    for kind in KINDS:
        found = [finding for finding in survey["findings"] if finding["kind"] == kind]
        if found:
            yield kind_name(kind), found


def html_page(survey: Survey) -> str:
    """The whole report as one HTML page in the language spoken here; every text of the memory in it is escaped."""
    title = said("Inspection of the memory", "记忆检查报告")
    tables = "\n".join(_table(name, found) for name, found in by_kind(survey))
    back = said(
        "Nothing was changed by this page. What is changed later, memory restore takes back.",
        "本页没有改动任何内容。之后所作的改动可用 `memory-secretary memory restore` 撤回。",
    )
    return f"""<!doctype html>
<html lang="{"zh-CN" if spoken() == "zh" else "en"}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>{_STYLE}</style></head>
<body>
<h1>{title}</h1>
<p>{escape(survey["at"][:16].replace("T", " "))} UTC · {escape(summary(survey))}</p>
{tables}
<p class="quiet">{escape(back)}</p>
</body>
</html>
"""


def _table(name: str, found: list[Finding]) -> str:
    heads = (said("memory", "记忆"), said("why", "原因"), said("proposed", "建议"))
    rows = "\n".join(_row(finding) for finding in found)
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    top = f"<caption>{escape(name)} ({len(found)})</caption><thead><tr>{head}</tr></thead>"
    return f"<table>{top}\n<tbody>{rows}</tbody></table>"


def _row(finding: Finding) -> str:
    others = " ".join(finding["others"])
    refs = f"<br><code>{escape(finding['memory_id'])}</code>"
    beside = f"<br><code>{escape(others)}</code>" if others else ""
    cells = (escape(finding["content"]) + refs, escape(reason_of(finding)) + beside, escape(change_of(finding)) or "–")
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
