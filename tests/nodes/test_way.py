from __future__ import annotations

import pytest
from task_samples import done, task

from memory_secretary.nodes.way import way_lines, way_of
from memory_secretary.nodes.wording import wording

FOLLOW = "Follow order ORD-1 to its end. What seal was noted in the first?"


def chain(length, goal=FOLLOW, **changes):
    """Orders 1, 2 …, each found in the one before; the first of them in the goal."""
    calls = [
        done(n, action="get_order", arguments={"order_id": f"ORD-{n}"}, source=f"evt_{n - 1}" if n > 1 else "evt_goal")
        for n in range(1, length + 1)
    ]
    return task(*calls, goal=goal, **changes)


@pytest.mark.parametrize(("lang", "last"), [("en", "ended: ORD-3"), ("zh", "终点：ORD-3")])
def test_a_way_names_its_records_its_end_and_what_its_start_says(lang, last):
    way, first = way_lines(chain(3), wording(lang))
    assert "ORD-1 → ORD-2 → ORD-3" in way and way.endswith(last)
    assert "ORD-1" in first and "rainfall: 1 mm" in first


def test_what_the_last_one_says_is_shown_unless_the_first_ones_is_asked_for():
    _, first, last = way_lines(chain(3, goal="Follow order ORD-1 to its end. What was decided there?"), wording("en"))
    assert "first record (ORD-1) says: rainfall: 1 mm" in first and "last record (ORD-3) says: rainfall: 3 mm" in last


def test_a_long_way_is_shown_by_its_ends():
    way, _ = way_lines(chain(30), wording("en"))
    assert "ORD-1 → ORD-2 → … → ORD-29 → ORD-30 (30 records)" in way


def test_a_start_that_the_executor_chose_of_its_own_accord_counts():
    first = done(1, action="get_order", arguments={"order_id": "ORD-1"}, source="evt_1")
    second = done(2, action="get_order", arguments={"order_id": "ORD-2"}, source="evt_1")
    assert [item["id"] for item in way_of(task(first, second, goal=FOLLOW))] == ["i1", "i2"]


def test_records_of_a_listing_are_no_way():
    calls = [done(1), *(done(n, source="evt_1") for n in (2, 3))]
    assert way_of(task(*calls, goal="Add up the rainfall.")) == []
    assert way_of(chain(1)) == [] and way_of(chain(3, goal="Add up orders ORD-1 to ORD-3.")) == []
