"""Figures, differences and the verdict of a comparison, and its pages in both languages."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.graph.evaluation.comparison import Prices, compared, more_tasks, sign_test
from memory_secretary.graph.evaluation.comparison_page import html_page
from memory_secretary.graph.evaluation.comparison_tables import markdown, tables
from memory_secretary.graph.evaluation.comparison_words import cost_text, verdict
from memory_secretary.memory.bilingual import speaking

ABOUT = {"suite": "<b>mine</b>", "tasks": 2, "executor": "m|n", "window": 2048, "made": 4, "runs": 6, "currency": "EUR"}
HAN = re.compile(r"[一-鿿]")


def row(task, arm, right, needed=3, **changes):
    figures = {
        "steps": 4, "tool_calls": 3, "seconds": 10.0, "prompt_tokens": 1_000, "reply_tokens": 100,
        "secretary_tokens": 60, "secretary_reply_tokens": 10, "done_twice": 0, "wrong_effects": 0, "errors": [],
        "seconds_by_node": {"plan": 8.0},
    }  # fmt: skip
    return {"task": task, "arm": arm, "right": right, "needed": needed, **figures, **changes}


def pairs(wins, losses, ties):
    outcomes = [(True, False)] * wins + [(False, True)] * losses + [(True, True)] * ties
    return [
        row(f"t{n}", arm, right)
        for n, pair in enumerate(outcomes)
        for arm, right in zip(("secretary-own", "none"), pair, strict=True)
    ]


def test_the_arms_figures_are_means_and_counts():
    rows = [
        row("a", "none", True, errors=["step_repeated"], done_twice=2),
        row("b", "none", False, 12, errors=["step_repeated", "invention"], seconds=30.0, seconds_by_node={"plan": 2.0}),
    ]
    [arm] = compared(rows, ABOUT).arms
    assert (arm.success.right, arm.success.runs, arm.seconds, arm.done_twice) == (1, 2, 20.0, 2)
    assert {length: (share.right, share.runs) for length, share in arm.by_length.items()} == {
        "≤3": (1, 1), "11–30": (0, 1)
    }  # fmt: skip
    assert {kind: count for kind, count in arm.errors.items() if count} == {"step_repeated": 2, "invention": 1}
    assert arm.seconds_by_node == {"plan": 5.0}
    assert (arm.tokens.secretary_prompt, arm.tokens.secretary_reply) == (50, 10)


def test_a_secretary_of_its_own_has_its_own_price():
    rows = [row("a", arm, True) for arm in ("none", "secretary", "secretary-own")]
    prices = Prices(executor=(1.0, 2.0), secretary=(10.0, 20.0), currency="EUR")
    costs = {arm.name: arm.cost for arm in compared(rows, ABOUT, prices).arms}
    assert costs == pytest.approx({"none": 1_270e-6, "secretary": 1_900e-6, "secretary-own": 1_270e-6})
    costs = {arm.name: arm.cost for arm in compared(rows, ABOUT, Prices(executor=(1.0, 2.0))).arms}
    assert costs["secretary"] is None
    assert costs["none"] is not None


@pytest.mark.parametrize(
    ("price", "told"), [(0, "0.00 EUR"), (0.01, "0.0000116 EUR"), (1_000, "1.16 EUR"), (1e6, "1,160.00 EUR")]
)
def test_a_cost_is_told_without_powers_of_ten(price, told):
    [arm] = compared([row("a", "none", True)], ABOUT, Prices(executor=(price, price))).arms
    without = compared([row("a", "none", True)], ABOUT).arms[0]
    assert cost_text(arm, "EUR") == told
    assert cost_text(without, "EUR") == "–"


def test_the_sign_test_is_the_exact_one():
    assert sign_test(0, 0) == 1.0
    assert sign_test(6, 0) == pytest.approx(2 / 64)
    assert sign_test(1, 9) == sign_test(9, 1) == pytest.approx(2 * 11 / 1024)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_so_many_more_tasks_would_do_and_one_less_would_not(wins, losses, ties):
    tasks, most, least = wins + losses + ties, max(wins, losses), min(wins, losses)
    more = more_tasks(wins, losses, tasks)

    def p(total):
        return sign_test(most * total // tasks, -(-least * total // tasks))

    if more is None:
        assert wins == losses or (most - least) ** 2 < 0.01 * (most + least) * tasks
        return
    assert p(tasks + more) < 0.05
    assert more == 1 or p(tasks + more - 1) >= 0.05
    assert more == more_tasks(losses, wins, tasks)


@pytest.mark.parametrize(
    ("counts", "judgement", "words"),
    [
        ((8, 0, 2), "helps", "Memory helps this pair."),
        ((0, 8, 2), "hurts", "Memory hurts this pair."),
        ((3, 0, 0), "unknown", "about 3 more such tasks are needed"),
        ((2, 2, 4), "unknown", "about equally often"),
        ((5, 0, 0), "unknown", "cannot be told yet"),
    ],
)
def test_the_verdict_is_only_given_where_there_is_no_doubt(counts, judgement, words):
    found = compared(pairs(*counts), ABOUT)
    [first] = found.differences
    assert (first.judgement, first.tasks) == (judgement, sum(counts))
    assert words in verdict(found)
    with speaking("zh"):
        assert HAN.search(verdict(found))


def test_only_tasks_of_both_arms_are_compared():
    rows = [row("a", "secretary-own", True), row("b", "none", False)]
    assert compared(rows, ABOUT).differences == []
    assert "no task was run both with memory and without" in verdict(compared(rows, ABOUT))


def test_the_verdict_is_on_the_secretary_that_was_named_against_no_memory():
    rows = [row("a", arm, True) for arm in ("secretary-own", "full", "none", "secretary")]
    found = compared(rows, ABOUT).differences
    assert [(each.ours, each.plain) for each in found][:2] == [("secretary", "none"), ("secretary", "full")]
    assert len(found) == 4


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_stands_by_itself_and_escapes_what_it_shows(lang):
    with speaking(lang):
        rows = [*pairs(8, 0, 2), row("x", "full", True, seconds_by_node={"<b>my node</b>": 1.0})]
        page = html_page(compared(rows, ABOUT))
    assert not re.search(r"https?:|src=|<script|<link|@import", page)
    assert "&lt;b&gt;mine&lt;/b&gt;" in page
    assert "<b>" not in page
    assert page.count("<svg") == 5
    assert "prefers-color-scheme: dark" in page
    assert bool(HAN.search(re.sub(r"<style>.*</style>", "", page, flags=re.DOTALL))) == (lang == "zh")
    assert not re.search(r"nan|inf%|None", page)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_markdown_has_every_table_in_its_language(lang):
    with speaking(lang):
        found = compared(pairs(8, 0, 2), ABOUT)
        text, shown = markdown(found), list(tables(found))
    assert text.count("| ---") >= len(shown)
    assert all(len(line) == len(table.head) for table in shown for line in table.rows)
    assert bool(HAN.search(text)) == (lang == "zh")


def test_a_bar_within_a_cell_ends_no_cell():
    rows = [row("a", "none", True, seconds_by_node={"a|b": 1.0})]
    assert r"a\|b" in markdown(compared(rows, ABOUT))


def test_programs_get_all_of_it():
    data = json.loads(json.dumps(compared(pairs(8, 0, 2), ABOUT).as_dict()))
    assert data["differences"][0]["judgement"] == "helps"
    assert data["arms"][0]["success"]["runs"] == 10
