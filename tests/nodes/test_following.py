from __future__ import annotations

import pytest
from task_samples import LIST_FOLDER, ORDER, READ_FILE, done, event, item, shape, task

from memory_secretary.memory.records import Phase
from memory_secretary.memory.task_state import TaskState, open_items
from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.following import as_listed, begun, followed, moved

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


ONWARD = "It rained.\nORD-44 was similar.\nThis went on as ORD-12."
DOUBTFUL = "It rained.\nORD-44 was similar.\nThere is also ORD-12."


def calls(state):
    return [item["arguments"] for item in open_items(state)]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("text", [ONWARD, "ORD-44类似。\n此事转为ORD-12办理。"])
def test_the_one_record_that_the_words_lead_to_is_an_open_call_and_no_model_is_asked(goal, text):
    clerk = Clerk(0)
    after = followed(opened(11, goal=goal), read(11, text), TOOLS, clerk)
    assert clerk.asked == []
    [item] = open_items(after)
    assert (item["action"], item["arguments"], item["source"]) == ("get_order", {"order_id": "ORD-12"}, "evt_new")


def test_between_several_the_model_chooses_and_its_words_decide_from_then_on():
    clerk = Clerk(1)
    after = followed(opened(11), read(11, DOUBTFUL), TOOLS, clerk)
    assert clerk.asked == [("ORD-11", ["ORD-44 was similar.", "There is also ORD-12."], ["ORD-44", "ORD-12"])]
    assert calls(after) == [{"order_id": "ORD-12"}]
    later = TaskState(**{**opened(11, 12), "considered": after["considered"]})
    assert calls(followed(later, read(12, "Like ORD-50.\nThere is also ORD-13."), TOOLS, clerk)) == [
        {"order_id": "ORD-13"}
    ]
    assert len(clerk.asked) == 1


def test_what_was_passed_over_once_is_never_next():
    clerk = Clerk(None)
    first = followed(opened(11), read(11, ONWARD), TOOLS, clerk)
    later = TaskState(**{**opened(11, 12), "considered": first["considered"]})
    assert open_items(followed(later, read(12, "ORD-44 had asked for it."), TOOLS, clerk)) == []
    assert clerk.asked == []


@pytest.mark.parametrize("goal", ["What does order ORD-11 say?", "请看订单ORD-11，告诉我金额。"])
def test_a_task_that_follows_nothing_opens_nothing(goal):
    clerk, state = Clerk(0), opened(11, goal=goal)
    assert followed(state, read(11, ONWARD), TOOLS, clerk) == state
    assert clerk.asked == []


def test_where_none_is_wanted_nothing_is_opened():
    state = opened(11)
    assert followed(state, read(11, "It looks like ORD-12."), TOOLS, Clerk(None)) == state


FILE = shape("get_file", "person", description="Read the file of one person.")


@pytest.mark.parametrize(
    ("names", "text", "after"),
    [
        (["Ruth Novak"], "Tom Reed was ill.\nFrom here it went to Iris Berg, in May.", ["Iris Berg"]),
        (["Ruth Novak", "Iris Berg"], "Tom Reed was ill. It ends here.", []),
        (["王文静"], "张小红请假。\n后续情况记在李志强名下。", ["李志强"]),
    ],
)
def test_people_are_followed_by_their_names_and_not_by_every_mention(names, text, after):
    clerk = Clerk(0)
    made = [done(n, action="get_file", arguments={"person": name}) for n, name in enumerate(names, 1)]
    state = task(*made, goal=GOALS[0], considered=["led by went to"] if len(names) > 1 else [])
    found = followed(state, event("get_file", {"person": names[-1]}, text), [FILE], clerk)
    assert [call["person"] for call in calls(found)] == after
    assert clerk.asked == []


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


@pytest.mark.parametrize(
    ("names", "opened_next"),
    [
        (["reports/north/07.md", "reports/south/07.md"], ["reports/north/07.md"]),
        (["reports/south/07.md", "notes/7.md"], ["reports/south/07.md"]),
        (["reports/south/07.md", "reports/east/07.md"], []),
    ],
)
def test_a_file_that_was_asked_for_without_its_folder_is_opened_in_the_one_that_was_spoken_of(names, opened_next):
    goal = "Compare reports/north/06.md and 07.md."
    state = task(item(1, action="read_file", arguments={"path": "07.md"}, status="failed"), goal=goal)
    said = f'There is no file "07.md". Close: {", ".join(names)}.'
    after = moved(state, event("read_file", {"path": "07.md"}, said, phase=Phase.FAILED), [READ_FILE])
    assert [one["arguments"]["path"] for one in open_items(after)] == opened_next


@pytest.mark.parametrize("text", ["ORD-11 is locked.", "Take ORD-90 or ORD-91.", "", "Error 404: no such order."])
def test_an_error_that_names_none_or_several_opens_nothing(text):
    state = opened(11)
    assert moved(state, event("get_order", {"order_id": "ORD-11"}, text, phase=Phase.FAILED), TOOLS) == state


@pytest.mark.parametrize("goal", GOALS)
def test_a_chain_begins_with_the_record_that_the_goal_names_where_one_tool_reads_such(goal):
    [first] = open_items(begun(task(goal=goal), [ORDER], "evt_goal"))
    assert (first["action"], first["arguments"]) == ("get_order", {"order_id": "ORD-11"})
    two_readers = task(goal=goal)
    assert begun(two_readers, TOOLS, "evt_goal") == two_readers
    under_way = opened(11, goal=goal)
    assert begun(under_way, [ORDER], "evt_goal") == under_way
    plain = task(goal="Add up order ORD-11.")
    assert begun(plain, [ORDER], "evt_goal") == plain
