"""Which of the user's remembered words come to bear on a task."""

from __future__ import annotations

import pytest
from task_samples import task

from memory_secretary.memory.records import MemoryType
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.told import told_before

HERE, THERE = Scope(user="ana", thread="now"), Scope(user="ana", thread="then")
GOAL = "Send my deputy the total of loans."


@pytest.fixture
def memory():
    with TieredMemory.open(":memory:", embedder=None) as opened:
        yield opened


def wish(memory, text, scope=THERE, actor="user"):
    view = memory.view(Role.SECRETARY, scope)
    return view.record(actor, "request", observation=text, queue_for="remember").event_id


def told(memory, goal=GOAL, scope=HERE, head=""):
    return told_before(memory.view(Role.SECRETARY, scope), task(goal=goal), head, "UTC")


@pytest.mark.parametrize(
    ("text", "goal", "kept"),
    [
        (
            "Remember: my deputy is Anna Berg, no longer Tom. It rains.",
            GOAL,
            "Remember: my deputy is Anna Berg, no longer Tom.",
        ),
        ("请记住：我的副手是沈志刚。今天下雨了。", "把借书合计发给我的副手。", "请记住：我的副手是沈志刚。"),
    ],
)
def test_a_person_that_the_task_speaks_of_is_shown_by_whole_sentences(memory, text, goal, kept):
    ref = wish(memory, text)
    [note] = told(memory, goal)
    assert note["ref"] == ref and note["text"].startswith(kept.split(".")[0])
    assert text in note["line"] and "to be remembered" in note["line"]


@pytest.mark.parametrize("text", ["Remember: B-12 never counts.", "请记住，B-12不计入合计。"])
def test_what_may_change_a_figure_is_kept_without_being_shown(memory, text):
    wish(memory, text)
    [note] = told(memory)
    assert (note["text"], note["line"]) == (text, "")


@pytest.mark.parametrize("text", ["Remember: I like green tea.", "请记住：我喜欢绿茶。"])
def test_other_wishes_stay_out(memory, text):
    wish(memory, text)
    assert told(memory) == []


def test_nobody_elses_words_and_no_models_or_tools_are_taken(memory):
    said = "Remember: my deputy is Anna Berg."
    wish(memory, said, Scope(user="bob", thread="then"))
    wish(memory, said, actor="executor")
    wish(memory, said, actor="tool")
    assert told(memory) == []


def test_the_users_own_card_is_taken_and_a_forgotten_one_is_not(memory):
    card = memory.remember(THERE, "My deputy is Anna Berg.", type=MemoryType.FACT)
    assert [note["ref"] for note in told(memory)] == [card.memory_id]
    memory.forget(THERE, card.memory_id)
    assert told(memory) == []


def test_in_its_own_thread_only_the_tasks_branch_counts(memory):
    ref = wish(memory, "Remember: my deputy is Anna Berg.", HERE)
    view = memory.view(Role.SECRETARY, HERE)
    other = view.record("user", "request", observation="hello").event_id
    after = view.record("user", "request", observation="hello again", parent=ref).event_id
    assert [note["ref"] for note in told(memory, head=after)] == [ref]
    assert told(memory, head=other) == []


def test_the_request_itself_is_not_told_twice_and_the_newest_are_kept(memory):
    for n in range(12):
        wish(memory, f"Remember: B-{n} never counts.")
    wish(memory, "Remember: my deputy is Anna.")
    notes = told(memory, goal="Remember: my deputy is Anna.")
    assert [note["text"] for note in notes] == [f"Remember: B-{n} never counts." for n in range(4, 12)]
