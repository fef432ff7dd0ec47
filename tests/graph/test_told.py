"""What a user said in an earlier session shapes the figures and the messages of a later one."""

from __future__ import annotations

import re

import pytest
from langchain_core.tools import tool
from long_walk import LongWalk
from policy import PolicyModel, labels, select_all, step

from memory_secretary.memory.scope import Scope
from memory_secretary.nodes import plan
from memory_secretary.nodes.answer_form import to_you
from memory_secretary.tools.effects import Effect, mark

LOANS = {"B-10": 300, "B-11": 410, "B-12": 95, "B-13": 520}
SENT: list[tuple[str, str]] = []


@tool
def list_sheets() -> str:
    """List all the branch sheets."""
    return "\n".join(f"{name}  Branch sheet" for name in LOANS)


@tool
def read_sheet(sheet_no: str) -> str:
    """Read one branch sheet, given its number."""
    loans = LOANS[sheet_no]
    return f"Branch sheet {sheet_no}\nThere were {loans} loans. 借书{loans}册。\nThe lamp was repaired."


@tool
def send_message(person: str, text: str) -> str:
    """Send one person a message."""
    SENT.append((person, text))
    return f"Sent to {person}."


def works(send_to=""):
    """Lists, reads what is open, and then sends one message if it can read in the brief to whom, or answers."""

    def rule(prompt):
        if "What has to be looked for" in prompt:
            return {"look_for": ["something else"]}
        if "These calls are possible now" in prompt:
            return select_all(prompt, ["read_sheet"])
        if "These tools change something" in prompt:
            return {"1": "once"}
        if labels(prompt):
            return {"thought": "next", "choice": labels(prompt)[0]}
        if "- list_sheets(" not in prompt:
            return step("list_sheets") if re.search("in the list|清单", prompt) else answer()
        if send_to and send_to in prompt and not SENT:
            return step("send_message", person=send_to, text="B-13")
        return answer()

    def answer():
        return step("final_answer", answer="Noted: 1.")

    return PolicyModel(rule=rule)


@pytest.fixture
def session(new_graph):
    """Says things, each in a thread of its own, to one graph; gives the last run's end."""
    SENT.clear()

    def say(*turns, model=None, user="ana"):
        graph = new_graph(
            model or works(), [list_sheets, read_sheet, mark(send_message, Effect.SIDE_EFFECT)], max_steps=20
        )
        for n, text in enumerate(turns):
            out = graph.invoke(
                {"messages": [("user", text)]}, {"configurable": {"thread_id": f"{user}{n}"}}, context={"user_id": user}
            )
        return out

    return say


def figures(out):
    return next(part for part in out["brief"].split("\n\n") if "Computed by code" in part or "由代码" in part)


TOTAL = {
    "en": "What is the total of loans over all the sheets in the list?",
    "zh": "清单里全部分馆表的借书合计是多少？",
}
BUSY = {"en": "Which of the sheets in the list are busy by our rule?", "zh": "按我们的说法，清单里哪些分馆表算“忙”？"}


@pytest.mark.parametrize(
    ("note", "goal", "shown"),
    [
        ("Remember: B-12 is a test file, it never counts.", TOTAL["en"], ["total 1,230", "Not counted: B-12"]),
        ("Note for later: whenever I ask for a total of loans, add the 45 of the annex.", TOTAL["en"],
         ["total 1,370", "1,325 of the records + 45"]),
        ("Keep in mind: a sheet with more than 405 loans counts as busy.", BUSY["en"], ["405 = busy", "(B-11, B-13)"]),
        ("先记一下：B-12是测试件，从来不算数。", TOTAL["zh"], ["合计 1,230", "不计入：B-12"]),
        ("请记住：凡是问借书合计，都要加上流动书车的45。", TOTAL["zh"], ["合计 1,370", "1,325 + 45"]),
        ("先记一下，以后要用：借书超过405的分馆表算“忙”。", BUSY["zh"], ["405 = 忙", "（B-11, B-13）"]),
    ],
)  # fmt: skip
def test_figures_follow_what_was_said_in_another_session(session, note, goal, shown):
    out = session(note, goal)
    assert out["status"] == "done"
    assert all(part in figures(out) for part in shown), figures(out)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_another_users_words_and_unrelated_ones_change_no_figure(session, lang):
    session("Remember: B-12 is a test file, it never counts. 请记住，B-12不计入合计。", user="bob")
    plain = figures(session(TOTAL[lang]))
    notes = ["Remember: B-77 never counts.", "Remember: add 45 to the total of fines.", "请记住：罚款合计要加上45。"]
    assert figures(session(*notes, TOTAL[lang], user="eve")) == plain


@pytest.mark.parametrize(
    ("note", "goal", "person"),
    [
        ("Remember: my deputy is Anna Berg, no longer Tom Reed.",
         "Find the sheet with the most loans in the list and send my deputy a message with its number.",
         "Anna Berg"),
        ("先记一下：我的副手现在是沈志刚，不再是程小红。",
         "请在清单里的分馆表中找出借书最多的一份，把编号发消息告诉我的副手。", "沈志刚"),
    ],
)  # fmt: skip
def test_a_person_from_an_earlier_session_can_be_written_to(session, note, goal, person):
    out = session(note, "hello there", goal, model=works(send_to=person))
    assert [(person, "B-13")] == SENT
    assert person in out["brief"] and out["status"] == "done"


def test_more_words_of_the_user_are_looked_through_again(new_graph):
    graph = new_graph(works(), [list_sheets, read_sheet], max_steps=4)
    thread = {"configurable": {"thread_id": "t1"}}
    graph.invoke({"messages": [("user", TOTAL["en"])]}, thread)
    out = graph.invoke({"messages": [("user", "Never count B-12.")]}, thread)
    for _ in range(3):
        out = out if out["status"] == "done" else graph.invoke({"messages": []}, thread)
    assert "total 1,230" in figures(out)


@pytest.mark.parametrize(
    ("wish", "goal"),
    [
        (
            "I prefer answers in at most ten words. Remember this.",
            "Get each of the records and sum up the amounts due.",
        ),
        ("请记住：回答不要超过十个字。", "逐个读取每条记录，把应付金额加起来。"),
    ],
)
def test_what_was_asked_to_be_kept_in_mind_stands_in_every_prompt_of_a_later_session(new_graph, memory, wish, goal):
    noted = PolicyModel(rule=lambda prompt: step("final_answer", answer="I will."))
    out = new_graph(noted).invoke({"messages": [("user", wish)]}, {"configurable": {"thread_id": "first"}})
    assert (noted.prompts, out["status"]) == ([], "done"), "what is only to be remembered takes no model"
    world = LongWalk(6)
    model = world.worker()
    graph = new_graph(model, world.tools(), carry=False)
    graph.invoke({"messages": [("user", goal)]}, {"configurable": {"thread_id": "second"}, "recursion_limit": 100})
    steps = [prompt for prompt in model.prompts if "\n## " in prompt[-1].text]
    assert len(steps) >= 3
    assert all(wish in prompt[-1].text for prompt in steps)


# --- what users tell and ask of themselves ---------------------------------------------------------------------------


@pytest.fixture
def curious(monkeypatch):
    """A model that looks files up wherever it may, and answers where it may do nothing else."""
    menus = []

    def seen(menu, room=None):
        menus.append(menu)
        return menu_schema(menu, room)

    menu_schema = plan.step_schema
    monkeypatch.setattr(plan, "step_schema", seen)

    def rule(prompt):
        looks_up = "list_sheets" in [tool.name for tool in menus[-1].tools]
        return (
            step("list_sheets")
            if looks_up and "- list_sheets(" not in prompt
            else step("final_answer", answer="I see.")
        )

    return PolicyModel(rule=rule)


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("I prefer short answers, one sentence at most.", True),
        ("My name is Ana and I live in Graz.", False),
        ("我喜欢简短的回答，最多一句话。", True),
        ("我叫李雷，住在成都。", False),
    ],
)
def test_what_users_tell_of_themselves_needs_no_tool_and_a_preference_holds_at_once(
    session, memory, curious, told, kept
):
    end = session(told, model=curious)
    assert [item["action"] for item in end["task_state"]["items"]] == []
    assert [wish.reason for wish in memory.pending(Scope(user="ana"))] == (["remember"] if kept else [])
    later = session("How many loans were there in sheet B-10?", model=curious)
    assert (told in later["brief"]) is kept


@pytest.mark.parametrize(
    ("told", "question"), [("I live in Graz.", "Where do I live?"), ("我住在成都。", "我住在哪里？")]
)
def test_a_question_of_oneself_is_answered_by_ones_own_words_before_any_file(session, curious, told, question):
    session(told, model=curious)
    assert session(question, model=curious)["task_state"]["items"] == []
    assert session(question, model=curious, user="ben")["task_state"]["items"] != []


@pytest.mark.parametrize("told", ["My name is Ana and I live in Graz.", "我叫沈小满，在明月茶行管账，对花生过敏。"])
def test_what_is_told_may_be_said_back(session, told):
    said_back = PolicyModel(rule=lambda prompt: step("final_answer", answer=told))
    assert session(told, model=said_back)["messages"][-1].text == to_you(told)


@pytest.mark.parametrize(
    ("said", "parrot", "answer"),
    [
        (
            "My name is Marta and I live in Tartu.",
            "My name is Marta and I live in Tartu.",
            "Your name is Marta and you live in Tartu.",
        ),
        ("我叫林舟，住在成都。", "我叫林舟，住在成都。", "你叫林舟，住在成都。"),
    ],
)
def test_what_users_tell_of_themselves_is_said_back_to_them(new_graph, said, parrot, answer):
    model = PolicyModel(rule=lambda prompt: step("final_answer", answer=parrot))
    out = new_graph(model).invoke({"messages": [("user", said)]}, {"configurable": {"thread_id": "t1"}})
    assert out["messages"][-1].text == answer


def test_a_wish_of_the_users_is_no_answer(new_graph):
    wish = "Please answer in at most ten words from now on."
    graph = new_graph(PolicyModel(rule=lambda prompt: step("final_answer", answer="Fine.")))
    graph.invoke({"messages": [("user", wish)]}, {"configurable": {"thread_id": "t1"}})
    replies = iter([wish, "The mill road."])
    model = PolicyModel(rule=lambda prompt: step("final_answer", answer=next(replies)))
    out = new_graph(model).invoke(
        {"messages": [("user", "Which road did the floods close?")]}, {"configurable": {"thread_id": "t2"}}
    )
    assert out["messages"][-1].text == "The mill road."
