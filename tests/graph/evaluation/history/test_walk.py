"""A walk with a perfect extractor: what is measured, that it can be broken off, and what nightly rules make of it."""

from __future__ import annotations

import json

import pytest

from memory_secretary.graph.evaluation.history import development
from memory_secretary.graph.evaluation.history.perfect import PerfectSettler
from memory_secretary.graph.evaluation.history.walk import USER, MovingClock, Walk
from memory_secretary.memory import Role, TieredMemory

DAYS = 8


class BrokenOffError(Exception):
    """The process has died."""


def walked(place, lang="en", days=DAYS, done=None, die_after=None, **other):
    """The rows of a walk; with ``die_after`` those of one that ends while it settles after so many rows."""
    told = development(lang, days)
    clock, rows = MovingClock(told.turns[0].at), dict(done or {})

    def settle(scope):
        if die_after is not None and len(rows) >= die_after:
            raise BrokenOffError
        return PerfectSettler(lambda one: memory.view(Role.PRECIPITATOR, one), walk.fact_of).settle(scope)

    def keep(row):
        json.dumps(row)
        rows[row["key"]] = row

    with TieredMemory.open(place, embedder=None, clock=clock) as memory:
        walk = Walk(told, memory, clock, settle, size=lambda: 1000, timer=lambda: 0.0, **other)
        try:
            walk.run(rows.copy(), keep)
        except BrokenOffError:
            assert die_after is not None
        return rows, memory.list(USER, status="any")


@pytest.fixture(scope="module", params=["en", "zh"])
def whole(request):
    return development(request.param, DAYS), *walked(":memory:", request.param)


def test_every_session_and_every_day_has_a_row(whole):
    told, rows, _ = whole
    assert [key for key in rows if key.startswith("day ")] == [f"day {day}" for day in range(DAYS)]
    assert {key for key in rows if key.startswith("d0")} == {turn.thread for turn in told.turns}
    assert rows["end"]["traps"].keys() == {"quoted", "hypothetical", "poison"}
    assert rows[f"day {DAYS - 1}"]["turns"] == 5 * DAYS
    changes = [change["matter"] for row in rows.values() if row["kind"] == "session" for change in row["changes"]]
    assert sorted(changes) == sorted(
        {(t.thread, t.matter): t.matter for t in told.turns if t.kind == "change"}.values()
    )


def test_perfect_cards_stay_right_through_the_nights(whole):
    _, rows, _ = whole
    for day in (row["after"]["long"] for row in rows.values() if row["kind"] == "day"):
        assert (day["stale"], day["trap"], day["wrong"]) == (0, 0, 0)
        assert day["found"] >= day["due"] - 1
    assert all(fallen == 0 for fallen, _ in rows["end"]["traps"].values())
    assert rows["end"]["missed"] == []
    last = rows[f"day {DAYS - 1}"]["after"]
    assert last["long"]["held"] == last["long"]["true"]
    assert last["found"] > last["asked"] / 4


def test_a_walk_that_is_broken_off_goes_on_and_comes_to_the_same(whole, tmp_path):
    told, rows, cards = whole
    first, _ = walked(tmp_path, told.lang, die_after=6)
    assert 0 < len(first) < len(rows)
    second, after = walked(tmp_path, told.lang, done=first)
    assert second.keys() == rows.keys()
    assert sorted(card.content for card in after) == sorted(card.content for card in cards)
    measured = [
        {key: day["after"]["long"] for key, day in one.items() if day["kind"] == "day"} for one in (rows, second)
    ]
    assert measured[0] == measured[1]
    third, again = walked(tmp_path, told.lang, done=second)
    assert (third, len(again)) == (second, len(after))


def test_without_inspection_nothing_is_inspected():
    rows, _ = walked(":memory:", days=4, inspecting=False)
    assert all(row["inspected"] == {} for row in rows.values() if row["kind"] == "day")
