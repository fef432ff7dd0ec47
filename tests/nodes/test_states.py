"""Which records are in the state that a request asks about."""

from __future__ import annotations

import pytest
from task_samples import READ_FILE, event, item, task

from memory_secretary.memory.task_state import TaskState
from memory_secretary.nodes.brief import computed_lines
from memory_secretary.nodes.states import due_in, misnamed, states_of, unnamed, with_states
from memory_secretary.nodes.wording import EN, ZH

INVOICES = {
    "en": {
        "inv-101.md": "Invoice 101\nFrom: Miller\nAmount: 1280 euros\nStatus: paid on 12 March 2026",
        "inv-102.md": "Invoice 102\nFrom: Osei\nAmount: 460 euros\nStatus: not paid yet",
        "inv-103.md": "Invoice 103\nFrom: Reid\nAmount: 899 euros\nStatus: unpaid",
        "minutes.md": "The next meeting is in room 3, at ten.",
    },
    "zh": {
        "inv-101.md": "发票 101\n供应商：西墙修缮\n金额：1,280 元\n状态：3月12日已付款",
        "inv-102.md": "发票 102\n供应商：东门电工\n金额：460 元\n状态：尚未付款",
        "inv-103.md": "发票 103\n供应商：城南木工\n金额：899 元\n状态：没有付款",
        "minutes.md": "下次会议在三号会议室。",
    },
}


@pytest.mark.parametrize(
    ("lang", "goal"),
    [
        ("en", "Which invoices in notes/ are not paid yet?"),
        ("en", "Which invoices are still unpaid, and how much do they come to?"),
        ("zh", "哪些发票还没有付款？一共多少元？"),
        ("zh", "哪些发票尚未付款？"),
    ],
)
def test_records_are_told_apart_by_their_own_words(lang, goal):
    assert states_of(goal, INVOICES[lang]) == {
        "inv-101.md": False,
        "inv-102.md": True,
        "inv-103.md": True,
        "minutes.md": None,
    }


@pytest.mark.parametrize(("lang", "goal"), [("en", "Which invoices are already paid?"), ("zh", "哪些发票已经付款？")])
def test_the_opposite_question_has_the_opposite_answer(lang, goal):
    assert states_of(goal, INVOICES[lang]) == {
        "inv-101.md": True,
        "inv-102.md": False,
        "inv-103.md": False,
        "minutes.md": None,
    }


@pytest.mark.parametrize("goal", ["Which invoices are still disputed?", "Which invoices?", "What is it?"])
def test_what_no_record_says_of_itself_is_not_decided(goal):
    assert states_of(goal, INVOICES["en"]) == {}


@pytest.mark.parametrize(("lang", "words"), [("en", EN), ("zh", ZH)])
def test_the_brief_says_which_the_question_is_about(lang, words):
    goal = {"en": "Which invoices in notes/ are not paid yet?", "zh": "哪些发票还没有付款？"}[lang]
    read = {
        f"evt_{n}": event("read_file", {"path": name}, text) for n, (name, text) in enumerate(INVOICES[lang].items())
    }
    items = [
        item(n, action="read_file", arguments=each.arguments, status="done", evidence=ref)
        for n, (ref, each) in enumerate(read.items())
    ]
    state = with_states(task(*items, goal=goal), [READ_FILE], read.__getitem__)
    assert computed_lines(state, words) == (
        f"- {words.state_line.format(yes='inv-102, inv-103', no=1)}",
        f"- {words.state_untold.format(names='minutes')}",
    )
    assert with_states(state, [READ_FILE], read.__getitem__) == state
    added = with_states(task(*items, goal=f"{goal} How much in all? 一共多少？"), [READ_FILE], read.__getitem__)
    assert [value["value"].split()[0].removesuffix("元") for value in added["values"]] == ["460", "899"]
    unit = {"en": " euros", "zh": "元"}[lang]
    assert f"1,359{unit}" in computed_lines(added, words)[1]
    fewer = with_states(task(*items[:2], goal=added["goal"]), [READ_FILE], read.__getitem__)
    more = with_states(TaskState(**{**fewer, "items": items}), [READ_FILE], read.__getitem__)
    assert more["values"] == added["values"], "what was added up before is not counted once more"
    other = task(*items, goal="How much is it in all?")
    assert with_states(other, [READ_FILE], read.__getitem__) == other


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("Invoice 103 is not paid yet.", ["inv-102"]),
        ("102 and 103", []),
        ("发票 inv-102、INV-103", []),
        ("It comes to 1027 and 1103.", ["inv-102", "inv-103"]),
    ],
)
def test_an_answer_names_each_record_that_is_meant(answer, missing):
    states = {"notes/inv-101.md": False, "notes/inv-102.md": True, "notes/inv-103.md": True, "README.txt": None}
    assert unnamed(task() | {"states": states}, answer) == missing
    assert unnamed(task() | {"states": {"rent.md": True}}, "The Rent is due.") == []


def test_an_answer_names_no_record_that_is_not_meant():
    states = {"notes/inv-101.md": False, "notes/inv-102.md": True, "README.txt": None}
    assert misnamed(task() | {"states": states}, "102, INV-101 and README") == ["inv-101"]
    close = {"notes/inv-10.md": False, "notes/inv-102.md": True}
    assert misnamed(task() | {"states": close}, "Invoice inv-102, 10 euros, is not paid.") == []
    assert misnamed(task() | {"states": states}, "inv-102") == misnamed(task(), "inv-101") == []


@pytest.mark.parametrize(
    ("record", "left"),
    [
        ("Amount: 415.00 EUR\nStatus: partly paid, 200 EUR outstanding\n", ["200 EUR"]),
        ("Amount: 1,415.00 EUR\nOutstanding: 1,200.50 EUR.", ["1,200.50 EUR"]),
        ("金额：3,200 元\n状态：已付 1,000 元，尚欠 2,200 元", ["2,200 元"]),
        ("Amount: 300 EUR\nStatus: open", ["300 EUR"]),
        ("Amount: 300 EUR, paid 100 EUR", ["300 EUR", "100 EUR"]),
    ],
)
def test_of_several_amounts_what_is_left_counts(record, left):
    assert due_in(record) == left


@pytest.mark.parametrize(
    ("lang", "goal", "meant"),
    [
        ("en", "Which invoices are from Osei?", ["inv-102.md"]),
        ("en", "Which of the invoices from Osei are not paid yet?", ["inv-102.md"]),
        ("en", "Which of the invoices from Miller are not paid yet?", []),
        ("zh", "东门电工的发票有哪些？", ["inv-102.md"]),
        ("zh", "西墙修缮的发票哪些还没有付款？", []),
    ],
)
def test_a_name_in_the_question_tells_records_apart_too(lang, goal, meant):
    events = {name: event("read_file", {"path": name}, text) for name, text in INVOICES[lang].items()}
    items = [
        item(n, action="read_file", arguments={"path": name}) | {"status": "done", "evidence": name}
        for n, name in enumerate(INVOICES[lang], 1)
    ]
    after = with_states(task(*items, goal=goal, values=[]), [READ_FILE], events.__getitem__)
    assert [name for name, meets in after["states"].items() if meets] == meant


@pytest.mark.parametrize(
    ("goal", "record", "meets"),
    [
        ("Which bills are not paid yet?", "Bill 7\nAmount: 340.00 EUR\nNot paid yet. Due 2025-06-20.", True),
        ("Which bills are not paid yet?", "Bill 8\nAmount: 95.00 EUR\nWe thank you for your payment of 1 June.", False),
        ("Which bills are not paid yet?", "Bill 9\nAmount: 95.00 EUR\nStill to be paid by the end of May.", True),
        ("哪些发票还没付？", "发票 7\n付款期限：5月22日\n备注：至今还没有打款，月底一起结。", True),
        ("哪些发票还没付？", "发票 8\n付款期限：4月16日\n备注：4月9日已转账，对方确认到账。", False),
        ("哪些发票还没付？", "发票 9\n付款期限：4月16日\n金额：80元", None),
    ],
)
def test_any_line_of_a_short_record_may_say_its_state(goal, record, meets):
    other = {"x-1.txt": "x\n状态：已付款\nStatus: paid"}
    assert states_of(goal, {"x-7.txt": record, **other})["x-7.txt"] is meets
