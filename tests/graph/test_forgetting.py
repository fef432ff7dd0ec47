"""What the user has forgotten is in no brief from then on: of a new turn, of the same thread, of a run at work."""

from __future__ import annotations

import pytest
from langchain_core.tools import tool
from policy import PolicyModel, step

from memory_secretary.graph import open_checkpointer
from memory_secretary.memory.records import MemoryType
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA = Scope(user="ana")
WISHES = {"en": "Please remember: I want answers in at most ten words.", "zh": "请记住：我要求回答不要超过十个字。"}
QUESTIONS = {"en": "What is the capital of Peru?", "zh": "秘鲁的首都是哪里？"}
WORDS = {"en": "ten words", "zh": "十个字"}


def answers(text):
    return PolicyModel(rule=lambda prompt: step("final_answer", answer=text))


@pytest.fixture
def asked(new_graph):
    """Says something in a thread and gives the end of the run; what was said before stays in the checkpoints."""
    with open_checkpointer(":memory:") as saver:

        def ask(text, thread="t1", model=None, tools=(), **more):
            graph = new_graph(model or answers("Lima."), tools, checkpointer=saver, **more)
            config = {"configurable": {"thread_id": thread}}
            return graph.invoke({"messages": [("user", text)] if text else []}, config)

        yield ask


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("thread", ["t1", "t2"])
def test_a_wish_that_was_forgotten_is_in_no_brief_of_any_thread(asked, memory, lang, thread):
    asked(WISHES[lang], model=answers(f"Noted: {WISHES[lang]}"))
    assert WORDS[lang] in asked(QUESTIONS[lang], thread)["brief"]
    [wish] = [entry for entry in memory.pending(ANA) if entry.reason == "remember"]
    memory.forget_turn(ANA, wish.event_ids[0])
    out = asked(QUESTIONS[lang] + "!", thread)
    assert WORDS[lang] not in out["brief"]
    assert [entry for entry in memory.pending(ANA) if WORDS[lang] in entry.text] == []
    memory.restore_turn(ANA, wish.event_ids[0])
    assert WORDS[lang] in asked(QUESTIONS[lang] + "?", thread)["brief"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_answer_to_a_forgotten_wish_is_not_gone_on_from(asked, memory, lang):
    asked(WISHES[lang], model=answers({"en": "I keep to ten words.", "zh": "我会用十个字。"}[lang]))
    memory.forget_turn(ANA, memory.pending(ANA)[0].event_ids[0])
    assert WORDS[lang] not in asked(QUESTIONS[lang])["brief"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kept", ["card", "wish"])
def test_what_another_process_forgets_leaves_the_briefs_of_a_run_at_work(asked, memory, tmp_path, lang, kept):
    """The wish is carried from step to step, and a card bears on the task as what was told before."""
    told = {"en": "Remember: the quokka eats only ten words.", "zh": "请记住：短尾袋鼠只吃十个字。"}[lang]
    if kept == "card":
        ref = memory.remember(ANA, told, type=MemoryType.FACT).memory_id
    else:
        asked(told, "t0", model=answers("Noted."))
        ref = memory.pending(ANA)[0].event_ids[0]

    @tool
    def look() -> str:
        """Look once."""
        with TieredMemory.open(tmp_path / "graph-memory", embedder=None) as other:
            (other.forget if kept == "card" else other.forget_turn)(ANA, ref)
        return "nothing to see"

    briefs = []

    def rule(prompt):
        briefs.append(prompt)
        return step("look") if len(briefs) == 1 else step("final_answer", answer="Done.")

    question = {"en": "What does the quokka eat? Look once.", "zh": "短尾袋鼠吃什么？先看一次。"}[lang]
    asked(question, model=PolicyModel(rule=rule), tools=[look])
    assert [WORDS[lang] in brief for brief in briefs] == [True, False]
