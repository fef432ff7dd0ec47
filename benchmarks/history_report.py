"""The tables of benchmarks/history.py: pure functions of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean

from memory_secretary.graph.evaluation.history.score import LongTier
from memory_secretary.graph.evaluation.history.truth import History
from memory_secretary.graph.evaluation.history.walk import K, Row


def report(history: History, rows: Sequence[Row]) -> str:
    """What a walk has come to so far."""
    days = [row for row in rows if row["kind"] == "day"]
    sessions = [row for row in rows if row["kind"] == "session"]
    end = next((row for row in rows if row["kind"] == "end"), None)
    if not days:
        return f"\n### {history.name}\n\nNo day has been run yet."
    return "\n".join(
        [
            f"\n### {history.name}: {len(days)} of {history.days} days, {days[-1]['turns']} turns\n",
            "| measure | value |\n|---|---|",
            *long_lines(days), *answer_lines(sessions, days), *inspection_lines(days), *growth_lines(days),
            *settling_lines(sessions), *(end_lines(end) if end else []),
        ]
    )  # fmt: skip


def long_lines(days: Sequence[Row]) -> Iterator[str]:
    last = LongTier(**days[-1]["after"]["long"])
    nights = sum((LongTier(**day["after"]["long"]) for day in days), LongTier())
    cards = last.right + last.stale + last.trap + last.wrong
    yield _line(
        "long tier at the end: precision",
        f"{_share(last.right, cards)}; {last.stale} out of date, {last.trap} traps, {last.wrong} others, "
        f"{last.doubled} of the right ones twice; beside them {last.former} former values that are marked so",
    )
    yield _line("long tier at the end: recall of what is due", _share(last.found, last.due))
    yield _line("true facts that some right card holds, any tier", _share(last.held, last.true))
    every = nights.right + nights.stale + nights.trap + nights.wrong
    yield _line("the same over all nights: precision", _share(nights.right, every))
    yield _line("the same over all nights: recall of what is due", _share(nights.found, nights.due))


def answer_lines(sessions: Sequence[Row], days: Sequence[Row]) -> Iterator[str]:
    changes = [change for row in sessions for change in row["changes"]]
    for arm, name in (("both", "cards and events"), ("events", "events alone")):
        count = Counter(change[arm] for change in changes)
        yield _line(
            f"right after a change the current value comes first, {name}",
            f"{_share(count['right'], len(changes))} (the former one {count['former']}, neither {count['nothing']})",
        )
    asked, right = sum(day["after"]["changed"] for day in days), sum(day["after"]["current"] for day in days)
    yield _line("every night, of all that has changed so far, cards and events", _share(right, asked))


def inspection_lines(days: Sequence[Row]) -> Iterator[str]:
    for moment in ("before", "after"):
        found, asked = sum(day[moment]["found"] for day in days), sum(day[moment]["asked"] for day in days)
        last = days[-1][moment]
        yield _line(
            f"a turn that tells it is among the first five, {moment} the inspection",
            f"{_share(found, asked)} over all nights, {_share(last['found'], last['asked'])} in the last one",
        )
    found_kinds = sum((Counter(day["inspected"].get("found", {})) for day in days), Counter[str]())
    changed = sum(len(day["inspected"].get("changed", [])) for day in days)
    kinds = ", ".join(f"{count} {kind}" for kind, count in found_kinds.most_common())
    yield _line("inspections changed", f"{changed} cards (findings, night by night: {kinds or 'none'})")


def growth_lines(days: Sequence[Row]) -> Iterator[str]:
    last, middle = days[-1], days[len(days) // 2]
    cards = ", ".join(f"{count} {tier}" for tier, count in sorted(last["cards"].items()))
    yield _line("active cards at the end", f"{cards}; {last['all_cards']} with those that are over")
    turns = last["turns"] - middle["turns"]
    if turns:
        whole, late = last["all_cards"] / last["turns"], (last["all_cards"] - middle["all_cards"]) / turns
        yield _line("cards a turn, of every status", f"{whole:.2f}; in the second half {late:.2f}")
        size = (last["bytes"] - middle["bytes"]) / turns
        yield _line("kB a turn, ledger and index", f"{last['bytes'] / last['turns'] / 1000:.1f}; {size / 1000:.1f}")


def settling_lines(sessions: Sequence[Row]) -> Iterator[str]:
    settled = sum((Counter({name: row["settled"][name] for name in _FIGURES}) for row in sessions), Counter[str]())
    yield _line("settling", ", ".join(f"{settled[name]} {name}" for name in _FIGURES))
    yield _line("minutes of settling", f"{sum(row['seconds'] for row in sessions) / 60:.1f}")


_FIGURES = ("turns", "cards", "known", "refused", "pending", "calls", "tokens")


def end_lines(end: Row) -> Iterator[str]:
    for arm, name in (("events", "events alone"), ("both", "cards and events")):
        yield _line(f"recall at the end, {name}", ranks_told(end[arm]))
    traps = ", ".join(f"{kind} {fallen} of {there}" for kind, (fallen, there) in sorted(end["traps"].items()))
    yield _line("traps that became cards", traps)
    for text in end["not_right"]:
        yield f"\nNot right: {text}"
    for text in end["missed"]:
        yield f"\nIn no active card: {text}"


def ranks_told(ranks: Sequence[int]) -> str:
    """any@5, any@10 and MRR of the places of what was looked for; 0 where it did not come."""
    any_5, any_10 = (mean(0 < rank <= k for rank in ranks) for k in (5, K))
    mrr = mean(1 / rank if rank else 0.0 for rank in ranks)
    return f"any@5 {any_5:.3f}, any@{K} {any_10:.3f}, MRR {mrr:.3f} ({len(ranks)} questions)"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")


def _line(name: str, value: str) -> str:
    return f"| {name} | {value} |"
