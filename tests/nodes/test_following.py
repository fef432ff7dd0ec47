from __future__ import annotations

import pytest
from task_samples import LIST_FOLDER, ORDER, READ_FILE, done, event, shape, task

from memory_secretary.memory.records import Phase
from memory_secretary.memory.task_state import open_items
from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.following import as_listed, followed, moved

TOOLS = [ORDER, READ_FILE, LIST_FOLDER]
GOALS = ("Follow order ORD-11 to its end.", "请把订单 ORD-11 一直追到底。")


class Clerk:
    """A secretary that always gives the same choice, and remembers what it was asked."""

    def __init__(self, choice):
        self.choice = choice
        self.asked = []

    def next(self, goal, record, lines, options):
        self.asked.append((record, list(lines), list(options)))
        return self.choice


def opened(*numbers, goal=GOALS[0], **changes):
    """A task in which these orders were read one after the other."""
    calls = [
        done(n, action="get_order", arguments={"order_id": f"ORD-{number}"}, source="evt_goal")
        for n, number in enumerate(numbers, 1)
    ]
    return task(*calls, goal=goal, considered=["get_order(ORD-#)"], **changes)


def read(number, text):
    return event("get_order", {"order_id": f"ORD-{number}"}, text)


@pytest.mark.parametrize("goal", GOALS)
def test_the_record_that_comes_next_is_an_open_call(goal):
    clerk = Clerk(1)
    record = read(11, "It rained.\nORD-44 was refused.\nThis went on as ORD-12.")
    after = followed(opened(11, goal=goal), record, TOOLS, clerk)
    assert clerk.asked == [("ORD-11", ["ORD-44 was refused.", "This went on as ORD-12."], ["ORD-44", "ORD-12"])]
    [item] = open_items(after)
    assert (item["action"], item["arguments"], item["source"]) == ("get_order", {"order_id": "ORD-12"}, "evt_new")


def test_where_none_is_wanted_nothing_is_opened():
    state = opened(11)
    assert followed(state, read(11, "See ORD-12."), TOOLS, Clerk(None)) == state


@pytest.mark.parametrize(
    "text", ["It ends here.", "It came from ORD-10.", "Invoice INV-3 was paid.", "See notes/a.md."], ids=str
)
def test_what_was_opened_already_or_is_of_another_kind_is_not_asked_about(text):
    clerk, state = Clerk(0), opened(10, 11)
    assert followed(state, read(11, text), TOOLS, clerk) == state
    assert clerk.asked == []


def test_records_of_a_listing_lead_nowhere():
    clerk, state = Clerk(0), as_listed(opened(11), [Group("get_order", "order_id", "ORD-#", ("ORD-11", "ORD-12"))])
    assert followed(state, read(11, "See ORD-12."), TOOLS, clerk) == state
    assert clerk.asked == []


def test_a_tool_without_a_key_leads_nowhere():
    state = opened(11)
    report = shape("report", "from", "to")
    assert followed(state, event("report", {"from": "ORD-1", "to": "ORD-2"}, "ORD-3"), [report], Clerk(0)) == state
    assert followed(state, event("unknown", {}, "ORD-3"), TOOLS, Clerk(0)) == state


@pytest.mark.parametrize("text", ["ORD-11 is now ORD-90: read ORD-90.", "ORD-11已改编号，现为ORD-90：请改读ORD-90。"])
def test_an_error_that_names_one_other_record_opens_it(text):
    after = moved(opened(11), event("get_order", {"order_id": "ORD-11"}, text, phase=Phase.FAILED), TOOLS)
    assert [item["arguments"] for item in open_items(after)] == [{"order_id": "ORD-90"}]


@pytest.mark.parametrize("text", ["ORD-11 is locked.", "Take ORD-90 or ORD-91.", "", "Error 404: no such order."])
def test_an_error_that_names_none_or_several_opens_nothing(text):
    state = opened(11)
    assert moved(state, event("get_order", {"order_id": "ORD-11"}, text, phase=Phase.FAILED), TOOLS) == state
