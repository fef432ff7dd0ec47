"""What can be handed in: several messages, conversations from elsewhere, none with words; and who waits for whom."""

from __future__ import annotations

import re

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from policy import PolicyModel, step

from memory_secretary.memory.errors import InvalidRecord, ScopeError, SettingsError
from memory_secretary.memory.records import Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.nodes.wording import EN, ZH

THREAD = {"configurable": {"thread_id": "t1"}}
SCOPE = Scope(user="ana", thread="t1")


def greets(answer="Hello."):
    return PolicyModel(rule=lambda prompt: step("final_answer", answer=answer))


def brief(model):
    """What the executor was shown last."""
    return model.prompts[-1][-1].text


def ask_user(question: str) -> str:
    """Ask the user."""
    return f"The user said: {interrupt(question)}"


@pytest.fixture
def asking():
    """A model that asks the user first."""
    first = step("ask_user", question="Which colour?")
    return PolicyModel(rule=lambda prompt: step("final_answer", answer="Done.") if "→" in prompt else first)


# --- several messages -----------------------------------------------------------------------------------------------


def test_every_message_of_an_input_reaches_the_executor(new_graph):
    model = greets()
    said = ["My account is 4711.", "请用法语写。", "What is my account?"]
    out = new_graph(model).invoke({"messages": [("user", text) for text in said]}, THREAD)
    assert out["task_state"]["goal"] == "\n\n".join(said)
    assert all(text in brief(model) for text in said)


def test_a_system_message_must_hold_in_later_turns_too(new_graph):
    model = greets()
    graph = new_graph(model, checkpointer=InMemorySaver())
    graph.invoke({"messages": [SystemMessage("The code word is KIWI."), HumanMessage("hello there")]}, THREAD)
    assert "- The code word is KIWI." in brief(model)
    graph.invoke({"messages": [HumanMessage("And now, what is it?")]}, THREAD)
    assert "- The code word is KIWI." in brief(model)


@pytest.mark.parametrize(
    ("fact", "question"), [("My account is 4711.", "So, which one?"), ("我的账号是4711。", "那么是哪一个？")]
)
def test_what_was_said_before_the_request_is_shown(new_graph, fact, question):
    model = greets()
    out = new_graph(model).invoke({"messages": [("user", fact), ("ai", "ok"), ("user", question)]}, THREAD)
    assert out["task_state"]["goal"] == question
    assert "4711" in brief(model)


def test_an_input_that_ends_with_an_answer_is_taken_up_when_its_question_was_not(new_graph, memory):
    out = new_graph(greets("Paris.")).invoke(
        {"messages": [("user", "Capital of France?"), ("ai", "Let me see.")]}, THREAD
    )
    assert [message.text for message in out["messages"]] == ["Capital of France?", "Let me see.", "Paris."]
    assert [event.observation for event in memory.events(SCOPE)][:2] == ["Capital of France?", "Let me see."]


@pytest.mark.parametrize("content", ["", " \n", [{"type": "image_url", "image_url": {"url": "data:,x"}}]])
def test_a_message_without_words_starts_no_model_and_the_thread_goes_on(new_graph, memory, content):
    model = greets()
    graph = new_graph(model, checkpointer=InMemorySaver())
    with pytest.raises(InvalidRecord, match="say what is to be done"):
        graph.invoke({"messages": [HumanMessage(content)]}, THREAD)
    assert (model.prompts, memory.events(SCOPE)) == ([], [])
    out = graph.invoke({"messages": [HumanMessage("Say hello to everyone.")]}, THREAD)
    assert out["task_state"]["goal"].endswith("Say hello to everyone.")
    assert out["status"] == "done"


# --- inside another graph -------------------------------------------------------------------------------------------


def parent(*graphs):
    built = StateGraph(MessagesState)
    names = [f"part{n}" for n in range(len(graphs))]
    for name, graph in zip(names, graphs, strict=True):
        built.add_node(name, graph)
    for before, after in zip([START, *names], [*names, END], strict=True):
        built.add_edge(before, after)
    return built.compile()


def test_two_in_a_row_both_answer_and_the_second_knows_the_first_ones_answer(new_graph, memory):
    first, second = greets("Draft: hello."), greets("Final: hello.")
    out = parent(new_graph(first), new_graph(second)).invoke({"messages": [("user", "Write a greeting.")]}, THREAD)
    assert [message.text for message in out["messages"]] == ["Write a greeting.", "Draft: hello.", "Final: hello."]
    assert "Draft: hello." in brief(second)
    answers = [event.observation for event in memory.events(SCOPE) if event.action == "answer"]
    assert answers == ["Draft: hello.", "Final: hello."]


def test_the_messages_of_the_graph_around_stay_as_they_are(new_graph):
    said = HumanMessage(
        [{"type": "text", "text": "word " * 2000}, {"type": "image_url", "image_url": {"url": "data:,x"}}]
    )
    out = parent(new_graph(greets())).invoke({"messages": [said]}, THREAD)
    assert out["messages"][0].content == said.content
    alone = new_graph(greets()).invoke({"messages": [said]}, {"configurable": {"thread_id": "t2"}})
    assert len(alone["messages"][0].content) <= 4000


# --- waiting --------------------------------------------------------------------------------------------------------


async def test_a_run_that_waits_for_the_user_says_so_and_goes_on_with_the_answer(new_graph, asking):
    graph = new_graph(asking, [ask_user], checkpointer=InMemorySaver())
    out = graph.invoke({"messages": [("user", "Paint the shed.")]}, THREAD)
    assert (out["status"], out["__interrupt__"][0].value) == ("needs_input", "Which colour?")
    out = graph.invoke(Command(resume="blue"), THREAD)
    assert (out["status"], out["messages"][-1].text) == ("done", "Done.")
    other = {"configurable": {"thread_id": "t2"}}
    assert (await graph.ainvoke({"messages": [("user", "Paint it.")]}, other))["status"] == "needs_input"
    assert (await graph.ainvoke(Command(resume="red"), other))["status"] == "done"


def test_a_question_without_a_checkpointer_is_one_sentence_and_is_recorded(new_graph, memory, asking):
    graph = new_graph(asking, [ask_user])
    with pytest.raises(SettingsError, match=r"ask_user asks the user something.*give build_graph one") as caught:
        graph.invoke({"messages": [("user", "Paint the shed.")]}, THREAD)
    assert "checkpointer" in caught.value.sentence("zh")
    assert memory.events(SCOPE)[-1].phase is Phase.WAITING


def test_another_users_thread_is_refused_with_the_cure_and_shows_nothing(new_graph):
    model = greets()
    graph = new_graph(model, checkpointer=InMemorySaver())
    graph.invoke({"messages": [("user", "The box is SECRETBLUE.")]}, THREAD)
    asked = len(model.prompts)
    with pytest.raises(ScopeError, match="take another thread_id") as caught:
        graph.invoke({"messages": [("user", "hello")]}, THREAD, context={"user_id": "bob"})
    assert "请换一个 thread_id" in caught.value.sentence("zh")
    assert len(model.prompts) == asked


def test_a_checkpoint_of_an_older_version_goes_on(new_graph):
    graph = new_graph(PolicyModel(rule=lambda prompt: ""), checkpointer=InMemorySaver())
    graph.invoke({"messages": [("user", "Sum it up.")]}, THREAD)
    task = dict(graph.get_state(THREAD).values["task_state"])
    del task["values"], task["considered"]
    graph.update_state(THREAD, {"task_state": task, "figures": {"steps": 1}}, as_node="act")
    out = graph.invoke({"messages": [AIMessage("(a note)")]}, THREAD)
    assert out["status"] == "stopped"
    assert out["figures"]["repeats"] == 0


# --- looking back ---------------------------------------------------------------------------------------------------

ASKED = {"en": "What is the colour of the garden gate?", "zh": "花园大门是什么颜色？"}
ASIDE = {"en": "It rained on the tulips again. ", "zh": "郁金香又淋了雨。"}
TOLD = {"en": "The colour of the garden gate is moss green.", "zh": "花园大门的颜色是苔绿色。"}


def looks_back(query):
    """Calls ``recall`` as its first step, and answers when that was refused or done."""

    def rule(prompt):
        ended = re.search("→|could not be used|无法使用", prompt)
        return step("final_answer", answer="Green.") if ended else step("recall", query=query)

    return PolicyModel(rule=rule)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("told", [False, True])
def test_a_memory_is_not_searched_again_where_the_brief_shows_all_that_was_found(new_graph, lang, told):
    if told:
        new_graph(greets()).invoke({"messages": [("user", TOLD[lang])]}, {"configurable": {"thread_id": "t0"}})
    model = looks_back(ASKED[lang])
    out = new_graph(model).invoke({"messages": [("user", ASKED[lang])]}, THREAD)
    assert out["status"] == "done"
    assert (out["figures"]["tool_calls"], len(model.prompts)) == (0, 2)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_looking_back_finds_what_was_told_and_not_the_question_itself(new_graph, memory, lang):
    long = f"{TOLD[lang]} {ASIDE[lang] * 12}"
    new_graph(greets()).invoke({"messages": [("user", long)]}, {"configurable": {"thread_id": "t0"}})
    model = looks_back(ASKED[lang])
    out = new_graph(model).invoke({"messages": [("user", ASKED[lang])]}, THREAD)
    assert out["figures"]["tool_calls"] == 1
    [result] = [event.observation for event in memory.events(SCOPE) if event.phase is Phase.RESULT]
    assert TOLD[lang] in result and ASKED[lang] not in result


# --- what is to be remembered ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "noted"),
    [
        ("Please remember: my name is Lin.", True),
        ("请记住：我叫林。", True),
        ("Please remember: my password is tr0ub4dor-x9.", False),
        ("请记住：密码是 tr0ub4dor-x9。", False),
    ],
)
def test_a_wish_is_said_to_be_noted_by_code_where_all_of_it_is(new_graph, wish, noted):
    model = greets("I will.")
    out = new_graph(model).invoke({"messages": [("user", wish)]}, THREAD)
    assert (out["messages"][-1].text in (EN.noted, ZH.noted), not model.prompts) == (noted, noted)


# --- how long an answer may be --------------------------------------------------------------------------------------

SHORT = {"en": "I prefer answers in at most ten words. Remember this.", "zh": "我喜欢最多十个字的回答。请记住。"}
LONG = {
    "en": "Because the air scatters the blue part of the light much more than the red part of it.",
    "zh": "因为空气对蓝光的散射比对红光的散射强得多。",
}
BRIEF = {"en": "Air scatters blue light most.", "zh": "空气散射蓝光。"}
WHY = {"en": "Why is the sky blue?", "zh": "天为什么是蓝的？"}


def talks_too_long(lang):
    """Answers at length, and shortly only when asked for nothing else than to shorten that."""

    def rule(prompt):
        if LONG[lang] in prompt and WHY[lang] not in prompt:
            assert "10" in prompt
            return {"shorter": BRIEF[lang]}
        return step("final_answer", answer=LONG[lang])

    return PolicyModel(rule=rule)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_length_that_was_asked_for_in_an_earlier_session_is_kept(new_graph, lang):
    new_graph(greets()).invoke({"messages": [("user", SHORT[lang])]}, {"configurable": {"thread_id": "t0"}})
    out = new_graph(talks_too_long(lang)).invoke({"messages": [("user", WHY[lang])]}, THREAD)
    assert out["messages"][-1].text == BRIEF[lang]


def test_nothing_is_streamed_that_is_taken_back_for_its_length(new_graph):
    graph = new_graph(talks_too_long("en"))
    shown = graph.stream({"messages": [("user", f"{WHY['en']} {SHORT['en']}")]}, THREAD, stream_mode="messages")
    assert "".join(chunk.text for chunk, _ in shown if chunk.type == "AIMessageChunk") == BRIEF["en"]


def test_the_present_request_overrules_a_length_that_was_kept_and_a_model_that_cannot_is_still_heard(new_graph):
    new_graph(greets()).invoke({"messages": [("user", SHORT["en"])]}, {"configurable": {"thread_id": "t0"}})
    wordy = PolicyModel(rule=lambda prompt: step("final_answer", answer=LONG["en"]))
    graph = new_graph(wordy)
    graph.invoke({"messages": [("user", f"{WHY['en']} Answer in at most 50 words.")]}, THREAD)
    assert len(wordy.prompts) == 1
    out = graph.invoke({"messages": [("user", WHY["en"])]}, {"configurable": {"thread_id": "t2"}})
    assert (out["status"], out["messages"][-1].text) == ("done", LONG["en"])
    assert len(wordy.prompts) == 4


def test_with_shortening_off_an_answer_stays_as_long_as_it_is(new_graph):
    wordy = PolicyModel(rule=lambda prompt: step("final_answer", answer=LONG["en"]))
    out = new_graph(wordy, shortening=False).invoke({"messages": [("user", f"{WHY['en']} {SHORT['en']}")]}, THREAD)
    assert (len(wordy.prompts), out["messages"][-1].text) == (1, LONG["en"])


@pytest.mark.parametrize(
    ("first", "second"),
    [("How much diesel was drawn in March?", "And in April?"), ("三月用了多少柴油？", "那四月呢？")],
)
def test_the_answer_before_is_none_to_what_is_asked_anew(new_graph, first, second):
    replies = iter(["61", "61", "88"])
    model = PolicyModel(rule=lambda prompt: step("final_answer", answer=next(replies)))
    graph = new_graph(model, checkpointer=InMemorySaver(), grounding=False)
    graph.invoke({"messages": [("user", first)]}, THREAD)
    out = graph.invoke({"messages": [("user", second)]}, THREAD)
    assert out["messages"][-1].text == "88"
    assert any(words.answered_before in brief(model) for words in (EN, ZH))


def test_a_record_is_offered_only_where_a_reference_is_known(new_graph, memory):
    model = greets()
    new_graph(model).invoke({"messages": [("user", "Where is the boat shed key?")]}, THREAD)
    assert '"read_record"' not in brief(model)
    memory.record(
        SCOPE, actor="user", action="request", observation="The boat shed key hangs behind the oar rack. " * 30
    )
    new_graph(model).invoke(
        {"messages": [("user", "Where is the boat shed key?")]}, {"configurable": {"thread_id": "t2"}}
    )
    assert "evt_" in brief(model) and '"read_record"' in brief(model)
