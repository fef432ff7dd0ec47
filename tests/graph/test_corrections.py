"""Whole runs in which a figure is put right: by a record, read before or after, or by the user once it is told."""

from __future__ import annotations

import re

import pytest
from policy import PolicyModel, step, worker

from memory_secretary.graph import open_checkpointer

THREAD = {"configurable": {"thread_id": "t1"}}
FIRST, MIDDLE, LAST = 101, 205, 340
LANGUAGES = {
    "en": {
        "goal": "Read all the sheets in the list and add up the late deliveries at the mill. What is the total?",
        "field": "late deliveries",
        "own": "The mill had {} late deliveries. We painted the gate on 3 May.",
        "erratum": "Correction to S-{}: late deliveries at the mill must read {}, not {}.",
        "turn": "Sorry, a correction: for S-{} it is really {}. So what is the total now?",
        "else": "What is the capital of France?",
        "total": r"total ([\d,]+)",
    },
    "zh": {
        "goal": "请看完清单里的全部单子，把北仓的坏灯盏数加起来，总数是多少？",
        "field": "坏灯盏数",
        "own": "北仓的坏灯盏数是{}。大门5月3日刷了漆。",
        "erratum": "对S-{}的更正：其中北仓的坏灯盏数应为{}，不是{}。",
        "turn": "抱歉，更正一下：S-{}其实是{}。那么一共是多少？",
        "else": "法国的首都是哪里？",
        "total": r"合计 ([\d,]+)",
    },
}
OWN = {FIRST: 532, MIDDLE: 48, LAST: 77}


@pytest.fixture(params=LANGUAGES)
def words(request):
    return LANGUAGES[request.param]


def sheets(words, extra=None):
    """Tools over three sheets, and the list of what was read."""
    reads = []

    def list_sheets() -> str:
        """List all sheets."""
        return "\n".join(f"S-{number}  sheet" for number in OWN)

    def read_sheet(sheet_id: str) -> str:
        """Read a sheet by its number."""
        reads.append(sheet_id)
        number = int(sheet_id.removeprefix("S-"))
        return "\n".join([f"Sheet {sheet_id}", words["own"].format(OWN[number]), (extra or {}).get(number, "")])

    return [list_sheets, read_sheet], reads


def adder(words):
    """Answers with the total that the brief shows."""

    def answer(brief):
        found = re.search(words["total"], brief)
        return found.group(1) if found else "no total"

    return PolicyModel(
        rule=worker(first=step("list_sheets"), wanted=("read_sheet",), field=words["field"], answer=answer)
    )


def ask(text):
    return {"messages": [("user", text)]}


@pytest.mark.parametrize(("about", "stands_in"), [(FIRST, LAST), (LAST, FIRST)], ids=["read before", "read after"])
def test_a_record_puts_another_one_right(new_graph, words, about, stands_in):
    right = OWN[about] - 9
    tools, reads = sheets(words, {stands_in: words["erratum"].format(about, right, OWN[about])})
    out = new_graph(adder(words), tools).invoke(ask(words["goal"]), THREAD)
    assert out["messages"][-1].text == str(sum(OWN.values()) - 9)
    assert len(reads) == len(OWN)
    assert {(v["subject"], v["value"].split()[0]) for v in out["task_state"]["values"]} >= {
        (f"S-{number}", str(said)) for number, said in OWN.items()
    }, "what each record says itself stays noted"


def test_the_user_puts_a_value_right_once_the_total_is_told(new_graph, words):
    tools, reads = sheets(words)
    model = adder(words)
    with open_checkpointer(":memory:") as saver:
        graph = new_graph(model, tools, checkpointer=saver)
        first = graph.invoke(ask(words["goal"]), THREAD)
        second = graph.invoke(ask(words["turn"].format(FIRST, 523)), THREAD)
    assert first["messages"][-1].text == str(sum(OWN.values()))
    assert second["messages"][-1].text == str(sum(OWN.values()) - 9)
    assert len(reads) == len(OWN), "nothing is read again"
    assert second["figures"]["tool_calls"] == 0
    assert words["goal"] in second["brief"], "what was asked first stays in sight"


def test_a_turn_about_something_else_is_told_no_figures(new_graph, words):
    tools, _ = sheets(words)
    other = PolicyModel(rule=lambda prompt: step("final_answer", answer="Paris"))
    with open_checkpointer(":memory:") as saver:
        new_graph(adder(words), tools, checkpointer=saver).invoke(ask(words["goal"]), THREAD)
        out = new_graph(other, tools, checkpointer=saver).invoke(ask(words["else"]), THREAD)
    assert out["messages"][-1].text == "Paris"
    assert (out["task_state"]["values"], out["task_state"]["items"]) == ([], [])
    assert not re.search(words["total"], out["brief"])
