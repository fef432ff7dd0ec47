from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from task_samples import done, value

from memory_secretary.graph import Settings
from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.nodes.run import Recorder, Run
from memory_secretary.nodes.taking_up import take_up
from memory_secretary.nodes.turns import KEPT_CHARACTERS, turn_of

SCOPE = Scope(user="ana", thread="t1")


class Thread:
    """A thread whose turns are taken up one after the other."""

    def __init__(self, view):
        self.view = view
        self.task = None
        self.head = ""
        self.turns = 0

    def say(self, *messages, again=False):
        self.turns += not again
        named = [m.model_copy(update={"id": m.id or f"{self.turns}.{n}"}) for n, m in enumerate(messages)]
        run = Run(options=Settings(), scope=SCOPE, task_id=f"task {self.turns}", config={}, write=lambda chunk: None)
        log = Recorder(self.view, run, head=self.head, step=0)
        known = self.view.events(head=self.head) if self.head else []
        taken = take_up(
            turn_of({"messages": named}), self.task, log, known=known, key=run.task_id, new_id=lambda: str(self.turns)
        )
        self.task, self.head = taken.task, log.head
        return taken

    @property
    def record(self):
        return [(event.actor, event.action, event.observation) for event in self.view.events()]


@pytest.fixture
def thread():
    with TieredMemory.open(":memory:", embedder=None) as memory:
        yield Thread(memory.view(Role.SECRETARY, SCOPE))


@pytest.mark.parametrize(
    "words",
    [("My account is 4711.", "Write in French.", "What is it?"), ("我的账号是4711。", "用法语写。", "它是什么？")],
)
def test_several_messages_are_one_request_word_for_word(thread, words):
    taken = thread.say(*map(HumanMessage, words))
    assert taken.task["goal"] == "\n\n".join(words)
    assert thread.record == [("user", "request", text) for text in words]
    assert thread.view.event(taken.task["goal_ref"]).observation == words[-1]
    assert taken.changed == []


def test_a_conversation_from_elsewhere_is_recorded_and_its_last_question_is_the_request(thread):
    taken = thread.say(
        HumanMessage("My account is 4711."), AIMessage("Noted."), ToolMessage("9 °C", tool_call_id="1", name="weather"),
        HumanMessage("What is it?"), AIMessage("One moment."),
    )  # fmt: skip
    assert taken.task["goal"] == "What is it?"
    assert [event.observation for event in taken.earlier] == ["My account is 4711.", "Noted.", "9 °C", "One moment."]
    assert thread.record == [
        ("user", "request", "My account is 4711."),
        ("executor", "answer", "Noted."),
        ("tool", "weather", "9 °C"),
        ("user", "request", "What is it?"),
        ("executor", "answer", "One moment."),
    ]


def test_a_conversation_that_is_handed_in_each_time_is_recorded_once(thread):
    history = [HumanMessage("one"), AIMessage("1")]
    thread.say(*history, HumanMessage("two"))
    thread.task = None
    taken = thread.say(*history, HumanMessage("two"), AIMessage("2"), HumanMessage("three"))
    assert [text for _, _, text in thread.record] == ["one", "1", "two", "2", "three"]
    assert [event.observation for event in taken.earlier] == ["one", "1", "two", "2"]


def test_a_turn_that_is_taken_up_again_after_a_crash_is_recorded_once(thread):
    turn = (HumanMessage("one"), AIMessage("1"), HumanMessage("two"), HumanMessage("three"))
    first = thread.say(*turn)
    thread.head = ""
    again = thread.say(*turn, again=True)
    assert [text for _, _, text in thread.record] == ["one", "1", "two", "three"]
    assert again.task["goal_ref"] == first.task["goal_ref"]
    assert again.task["amendments"] == []


def test_system_messages_must_hold_in_each_task_and_stand_there_once(thread):
    rules = SystemMessage("Always answer in French.\n\nThe code word is KIWI.")
    thread.say(rules, HumanMessage("hello"))
    expected = ["Always answer in French.", "The code word is KIWI."]
    assert thread.task["constraints"] == expected
    assert thread.record[0] == ("user", "instruction", rules.content)
    thread.say(rules, HumanMessage("and more"))
    assert thread.task["constraints"] == expected
    assert thread.task["amendments"] == ["and more"]
    assert [action for _, action, _ in thread.record] == ["instruction", "request", "request"]


def test_a_wish_to_remember_is_queued_from_whichever_message_has_it(thread):
    thread.say(
        HumanMessage("Remember that I eat no nuts."), HumanMessage("记住：我对猕猴桃过敏。"), HumanMessage("Hello.")
    )
    assert [entry.text for entry in thread.view.pending()] == ["Remember that I eat no nuts.", "记住：我对猕猴桃过敏。"]


def test_a_long_message_is_whole_in_the_ledger_and_short_in_the_state(thread):
    text = "line of a long message\n" * 9000
    taken = thread.say(HumanMessage(text))
    [short] = taken.changed
    assert len(taken.task["goal"]) <= KEPT_CHARACTERS
    assert short.content == taken.task["goal"]
    assert short.id == "1.0"
    assert thread.view.event(taken.task["goal_ref"]).observation == text
    thread.say(*(HumanMessage(text) for _ in range(5)))
    assert len(thread.task["amendments"][0]) <= KEPT_CHARACTERS + 8


def test_the_states_copy_of_a_message_has_no_secret_and_no_image_while_the_task_still_has_the_secret(thread):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    taken = thread.say(HumanMessage([{"type": "text", "text": "密码是 tr0ub4dor-x9，请登录"}, image]))
    [short] = taken.changed
    assert short.content.startswith("密码是 «secret:password»，请登录\n[image_url, ")
    assert "AAAA" not in short.content
    assert "tr0ub4dor-x9" in taken.task["goal"]
    assert "tr0ub4dor-x9" not in str(thread.record)


def answered(thread, *said):
    """The thread's task, finished, with a value noted of each of two records."""
    values = [value(f"WS-10{n}", number, "late deliveries", f"evt_{n}") for n, number in enumerate(said, 1)]
    items = [done(n, action="read_sheet", arguments={"sheet_id": f"WS-10{n}"}) for n in (1, 2)]
    thread.task = {**thread.task, "fields": ["late deliveries"], "items": items, "values": values, "finished": True}


def test_a_turn_that_corrects_the_last_task_builds_on_it(thread):
    thread.say(HumanMessage("Add up late deliveries. Never round."))
    answered(thread, "532", "48")
    task = thread.say(HumanMessage("Sorry, WS-101 is really 523. What is the total now?")).task
    assert (task["task_id"], task["goal"]) == ("task_2", "Sorry, WS-101 is really 523. What is the total now?")
    assert task["earlier_goal"] == "Add up late deliveries. Never round."
    assert task["constraints"] == ["Add up late deliveries. Never round."]
    assert [(v["subject"], v["value"]) for v in task["values"]] == [
        ("WS-101", "532"),
        ("WS-102", "48"),
        ("WS-101", "523"),
    ]
    assert thread.view.event(task["values"][-1]["ref"]).observation == task["goal"]
    assert task["items"][0]["result"] == "late deliveries: 523 (corrected)"


def test_a_turn_about_something_else_begins_anew(thread):
    thread.say(HumanMessage("Add up late deliveries."))
    answered(thread, "532", "48")
    task = thread.say(HumanMessage("Now tell me a joke.")).task
    assert (task["earlier_goal"], task["items"], task["values"]) == ("", [], [])


def test_a_correction_within_a_task_is_noted_once(thread):
    thread.say(HumanMessage("Add up late deliveries."))
    answered(thread, "532", "48")
    thread.task = {**thread.task, "finished": False}
    words = HumanMessage("WS-101 should be 523.")
    assert [v["value"] for v in thread.say(words).task["values"]] == ["532", "48", "523"]
    assert [v["value"] for v in thread.say(words).task["values"]] == ["532", "48", "523"]
    assert thread.task["amendments"] == ["WS-101 should be 523."]


@pytest.mark.parametrize(("words", "more"), [("Sum up the reports.", "In French."), ("汇总这些报告。", "用法语写。")])
def test_a_turn_whose_first_pass_was_broken_off_is_recorded_once_and_what_followed_amends_it(thread, words, more):
    request = HumanMessage(words, id="m1")
    thread.say(request)
    assert thread.say(request).task["goal"] == words
    taken = thread.say(request, HumanMessage(more, id="m2"))
    assert (taken.task["goal"], taken.task["amendments"]) == (words, [more])
    assert thread.record == [("user", "request", words), ("user", "request", more)]


def test_the_same_words_after_an_answer_are_said_again(thread):
    thread.say(HumanMessage("And now?"))
    thread.task = {**thread.task, "finished": True}
    thread.say(AIMessage("Nothing."), HumanMessage("And now?"))
    assert [text for _, _, text in thread.record] == ["And now?", "Nothing.", "And now?"]
