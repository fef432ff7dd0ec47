from __future__ import annotations

import pytest
from task_samples import LIST_FOLDER, ORDER, done, event, item, shape, task, value

from memory_secretary.memory.task_state import TaskState, open_items
from memory_secretary.nodes.candidates import ToolShape
from memory_secretary.nodes.duties import about, with_closing_duties, with_effects

GOALS = {
    "en": "Pay every order that is late, each with its own amount, and tell the customer.",
    "zh": "凡是拖延了的订单，请按各自的金额付款，并通知对方。",
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

    def __init__(self, *, copied=""):
        self.copied = copied
        self.notes, self.asked = [], []

    def copy(self, goal, call, name, record, lines):
        self.asked.append(name)
        return self.copied if any(self.copied in line for line in lines) else ""

    def note(self, problem):
        self.notes.append(problem)


def orders(lang, *states, **changes):
    """A task whose orders were read, and what they say: each its state, an amount and a name."""
    amount, party = {"en": ("The amount due is €{}.", "ORD-{} is for Anna Berg{}."),
                     "zh": ("应付金额是¥{}。", "ORD-{}的对方是张小红{}。")}[lang]  # fmt: skip
    texts = {
        f"evt_{n}": "\n".join(
            [f"# {n}", f"ORD-{n}: {state}", amount.format(100 + n), party.format(n, ""), "It rained."]
        )
        for n, state in enumerate(states, 1)
    }
    items = [done(n, action="get_order", arguments={"order_id": f"ORD-{n}"}) for n in range(1, len(states) + 1)]

    def read(ref):
        number = ref.removeprefix("evt_")
        return event("get_order", {"order_id": f"ORD-{number}"}, texts[ref], event_id=ref)

    return task(*items, **{"goal": GOALS[lang], **changes}), read


def duties(tool, clerk, lang, *states, **changes):
    state, read = orders(lang, *states, **changes)
    return open_items(with_closing_duties(state, [ORDER, LIST_FOLDER, tool], clerk, read))


LATE = {"en": "late since May.", "zh": "五月起拖延。"}
FINE = {"en": "in time.", "zh": "按时。"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_record_that_meets_the_condition_becomes_a_call_of_its_own_words(lang):
    clerk = Clerk()
    [duty] = duties(PAY, clerk, lang, FINE[lang], LATE[lang])
    assert (duty["action"], duty["arguments"]) == ("pay_order", {"order_id": "ORD-2", "amount": 102})
    assert (duty["subject"], duty["source"]) == ("ORD-2", "evt_2")
    assert clerk.notes == [note for note in clerk.notes if "ORD-1" in note and "ORD-2" not in note]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_prose_is_left_open_and_the_one_person_of_a_record_is_addressed(lang):
    state = {"en": "late since May, Anna Berg waits.", "zh": "五月起拖延，张小红在等。"}[lang]
    [duty] = duties(TELL, Clerk(), lang, state)
    assert duty["arguments"] == {"person": NAMES[lang]}


def test_whom_code_does_not_find_is_copied():
    clerk = Clerk(copied="Peter Berg")
    [duty] = duties(TELL, clerk, "en", "late, says Peter Berg.")
    assert (duty["arguments"], clerk.asked) == ({"person": "Peter Berg"}, ["person"])


@pytest.mark.parametrize(
    ("lang", "state"),
    [("en", "late, but paid in June."), ("en", "paid."), ("zh", "拖延，已付清。"), ("zh", "六月已经付了。")],
)
def test_what_was_done_already_is_not_done_again(lang, state):
    clerk = Clerk()
    assert duties(PAY, clerk, lang, state) == []
    assert clerk.asked == clerk.notes == []


def test_what_words_do_not_decide_is_told_and_not_done():
    clerk = Clerk()
    assert [duty["subject"] for duty in duties(PAY, clerk, "en", "nobody knows.", LATE["en"])] == ["ORD-2"]
    assert len(clerk.notes) == 1 and "ORD-1" in clerk.notes[0] and "ORD-2" not in clerk.notes[0]


@pytest.mark.parametrize(
    "goal",
    [
        "Add up the amounts.",
        "Pay the order with the highest amount.",
        "请把应付金额加起来。",
        "只付金额最高的那张订单。",
        "Add up the amounts. And nothing may be paid.",
    ],
)
def test_a_tool_that_is_not_wanted_for_each_record_costs_no_question(goal):
    clerk = Clerk()
    assert duties(PAY, clerk, "en", LATE["en"], goal=goal) == []
    assert clerk.asked == []


def test_a_value_that_stands_nowhere_is_told_and_nothing_is_guessed():
    clerk = Clerk(copied="Nobody")
    assert duties(TELL, clerk, "en", "late, says Peter Berg.") == []
    assert len(clerk.notes) == 1 and "person" in clerk.notes[0]


def test_tools_are_judged_once_and_forbidden_ones_never():
    goal = "Tell everybody whose order is late."
    state = with_effects(task(goal=goal, constraints=["Never use pay_order."]), [ORDER, PAY, TELL])
    assert state["effects"] == {"tell": "each"}
    assert with_effects(state, [ORDER, PAY, TELL]) == state


@pytest.mark.parametrize(
    "goal", ["Pay order ORD-7.", "Pay ORD-7 if it is late.", "Pay all the orders.", "请付ORD-7。", "请把全部订单付掉。"]
)
def test_an_act_without_a_condition_for_several_records_stays_with_the_executor(goal):
    assert with_effects(task(goal=goal), [ORDER, PAY])["effects"] == {"pay_order": "once"}


def test_a_listing_and_a_search_make_nothing_necessary():
    clerk = Clerk()
    state = task(done(1, action="list_folder", arguments={"folder": "a"}), goal=GOALS["en"])
    listing = event("list_folder", {"folder": "a"}, "ORD-1 late\nORD-2 late\nORD-3 late")
    assert with_closing_duties(state, [ORDER, LIST_FOLDER, PAY], clerk, lambda _: listing)["effects"] == {}
    assert clerk.asked == []


def test_records_that_are_read_later_are_judged_then_and_no_record_twice():
    tools, clerk = [ORDER, PAY], Clerk()
    first, read = orders("en", LATE["en"])
    paid = with_closing_duties(first, tools, clerk, read)
    assert with_closing_duties(paid, tools, clerk, read) == paid
    _, read = orders("en", LATE["en"], LATE["en"])
    more = [*paid["items"], done(2, id="i9", action="get_order", arguments={"order_id": "ORD-2"})]
    after = with_closing_duties(TaskState(**{**paid, "items": more}), tools, clerk, read)
    assert [item["subject"] for item in open_items(after)] == ["ORD-1", "ORD-2"]


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
    assert open_items(with_closing_duties(used, [ORDER, TELL], Keepers(), record)) == []


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
