from __future__ import annotations

import pytest
from task_samples import LIST_FOLDER, ORDER, done, event, item, shape, task, value

from memory_secretary.memory.task_state import open_items
from memory_secretary.nodes.candidates import ToolShape
from memory_secretary.nodes.duties import about, with_closing_duties, with_duties, with_effects

GOALS = {
    "en": "Pay every order that is late, each with its own amount, and tell the customer.",
    "zh": "凡是拖延了的订单，请按各自的金额付款，并通知对方。",
}
RECORDS = {
    "en": "Order ORD-7 is late.\nThe amount due is €120.\nThis order is for Anna Berg.\nIt rained.",
    "zh": "订单ORD-7已经拖延。\n应付金额是¥120。\n本单的对方是张小红。\n下雨了。",
}
NAMES = {"en": "Anna Berg", "zh": "张小红"}
PAY = ToolShape(
    "pay_order",
    {
        "type": "object",
        "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["order_id", "amount"],
    },
    False,
    "Pay an order, given its id and the amount. 按编号和金额付款。",
)
TELL = shape("tell", "person", "text", read_only=False, description="Send a person a message.")


class Clerk:
    """A secretary that gives prepared answers."""

    def __init__(self, *, wanted=True, copied=""):
        self.yes, self.copied = wanted, copied
        self.notes, self.asked = [], []

    def wanted(self, goal, call, record, lines):
        self.asked.append(call)
        return self.yes

    def copy(self, goal, call, name, record, lines):
        self.asked.append(name)
        return self.copied if any(self.copied in line for line in lines) else ""

    def note(self, problem):
        self.notes.append(problem)


def read(lang="en", text=None, **changes):
    return event("get_order", {"order_id": "ORD-7"}, RECORDS[lang] if text is None else text, **changes)


def duties(tool, clerk, lang="en", text=None, **changes):
    state = with_duties(task(goal=GOALS[lang], **changes), read(lang, text), [ORDER, LIST_FOLDER, tool], clerk)
    return open_items(state)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_record_that_meets_the_condition_becomes_a_call_of_its_own_words(lang):
    [duty] = duties(PAY, Clerk(), lang)
    assert (duty["action"], duty["arguments"]) == ("pay_order", {"order_id": "ORD-7", "amount": 120})
    assert (duty["subject"], duty["source"]) == ("ORD-7", "evt_new")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_code_cannot_find_is_copied_and_prose_is_left_open(lang):
    [duty] = duties(TELL, Clerk(copied=NAMES[lang]), lang)
    assert duty["arguments"] == {"person": NAMES[lang]}


def test_a_record_that_does_not_meet_it_becomes_nothing():
    assert duties(PAY, Clerk(wanted=False)) == []


@pytest.mark.parametrize(
    "goal",
    [
        "Add up the amounts.",
        "Pay the order with the highest amount.",
        "请把应付金额加起来。",
        "只付金额最高的那张订单。",
    ],
)
def test_a_tool_that_is_not_wanted_for_each_record_costs_no_question(goal):
    clerk = Clerk()
    assert open_items(with_duties(task(goal=goal), read(), [ORDER, PAY], clerk)) == []
    assert clerk.asked == []


def test_a_value_that_stands_nowhere_is_told_and_nothing_is_guessed():
    clerk = Clerk(copied="Nobody")
    assert duties(TELL, clerk) == []
    assert len(clerk.notes) == 1 and "person" in clerk.notes[0]


def test_tools_are_judged_once_and_forbidden_ones_never():
    goal = "Tell everybody whose order is late."
    state = with_effects(task(goal=goal, constraints=["Never use pay_order."]), [ORDER, PAY, TELL])
    assert state["effects"] == {"tell": "each"}
    assert with_effects(state, [ORDER, PAY, TELL]) == state


def test_a_listing_and_a_search_make_nothing_necessary():
    clerk = Clerk()
    listing = event("list_folder", {"folder": "a"}, "ORD-1 late\nORD-2 late\nORD-3 late")
    state = task()
    assert with_duties(state, listing, [ORDER, LIST_FOLDER, PAY], clerk) == state
    assert clerk.asked == []


def test_the_same_duty_is_not_listed_twice():
    clerk, tools = Clerk(), [ORDER, PAY]
    state = with_duties(task(goal=GOALS["en"]), read(), tools, clerk)
    assert len(with_duties(state, read(event_id="evt_again"), tools, clerk)["items"]) == 1


# --- once all is known ---------------------------------------------------------------------------------------------

SPREAD = "Send one message each to the keepers of the records with the highest and the lowest rainfall."


def finished(goal=SPREAD, **changes):
    items = [done(n, action="get_order", arguments={"order_id": f"ORD-{n}"}) for n in (1, 2, 3)]
    values = [value(f"ORD-{n}", f"{10 * n} mm") for n in (1, 2, 3)]
    return task(*items, goal=goal, values=values, effects={"tell": "once"}, **changes)


def record(ref):
    number = ref.removeprefix("evt_")
    return event("get_order", {"order_id": f"ORD-{number}"}, f"Keeper of this record: Keeper {number}.", event_id=ref)


class Keepers(Clerk):
    def copy(self, goal, call, name, record, lines):
        return f"Keeper {record.removeprefix('ORD-')}"


@pytest.mark.parametrize(
    ("goal", "subjects"),
    [
        (SPREAD, ["ORD-3", "ORD-1"]),
        ("Tell the keeper of the record with the most rainfall.", ["ORD-3"]),
        ("请通知降雨量最少的那份记录的保管人。", ["ORD-1"]),
        ("Tell somebody about it.", []),
    ],
)
def test_the_records_at_the_ends_that_the_goal_names_become_duties(goal, subjects):
    state = with_closing_duties(finished(goal), [ORDER, TELL], Keepers(), record)
    found = [(duty["subject"], duty["arguments"]["person"]) for duty in open_items(state)]
    assert found == [(subject, f"Keeper {subject[-1]}") for subject in subjects]


def test_closing_duties_are_looked_for_once_and_not_after_the_tool_was_used():
    first = with_closing_duties(finished(), [ORDER, TELL], Keepers(), record)
    assert with_closing_duties(first, [ORDER, TELL], Keepers(), record) == first
    used = finished(items=[*finished()["items"], done(9, action="tell", arguments={"person": "A", "text": "b"})])
    assert with_closing_duties(used, [ORDER, TELL], Keepers(), record) == used


# --- the executor's words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "text"),
    [("Your order is late.", "ORD-7: Your order is late."), ("ORD-7 is late.", "ORD-7 is late.")],
)
def test_a_message_names_the_record_it_is_about(written, text):
    duty = item(1, action="tell", arguments={"person": "Anna"}, subject="ORD-7")
    assert about(duty, {"text": written}) == {"person": "Anna", "text": text}


def test_a_call_that_names_its_record_anyway_stays_as_it_is():
    duty = item(1, action="close", arguments={"order_id": "ORD-7"}, subject="ORD-7")
    assert about(duty, {"note": "done"}) == {"order_id": "ORD-7", "note": "done"}
    assert about(duty, {}) == {"order_id": "ORD-7"}
