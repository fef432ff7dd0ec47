"""What users tell and ask of themselves, apart from what is to be looked up or done."""

from __future__ import annotations

import pytest

from memory_secretary.graph.evaluation.example_task import variant
from memory_secretary.memory.records import TO_BE_REMEMBERED
from memory_secretary.nodes.of_oneself import asks_of_oneself, states_a_wish, tells_of_oneself
from memory_secretary.nodes.retrieve import answered_by_own_words
from memory_secretary.nodes.state import RecalledMemory

TOLD = [
    "I prefer short answers, one sentence at most.",
    "I'm vegetarian.",
    "My name is Ana and I live in Graz.",
    "Hello! I am a nurse. I work nights.",
    "My colleague Ben is on holiday until Friday.",
    "Our office has a new address: Ring 5.",
    "I like my answers short.",
    "I hate long lists.",
    "My landlord never answers the phone, so I write letters. I live in Graz.",
    "My sister teaches maths.",
    "I have two kids.",
    "我喜欢简短的回答，最多一句话。",
    "我叫李雷，住在成都。",
    "我对花生过敏。",
    "你好！我是护士。",
    "我的生日是五月三日。",
    "我不喜欢长清单。",
]
NOT_TOLD = [
    "Which invoices in notes/ are not paid yet?",
    "I need the total of the invoices.",
    "I want you to pay each open bill.",
    "I would like you to sort the notes.",
    "I am looking for the depot with the highest diesel.",
    "I'm a bit lost: find the contract.",
    "I prefer short answers. Which depot drew the most diesel?",
    "My question is which depot drew most.",
    "I have to pay whatever is due.",
    "I run a clinic. Tell each patient who is late.",
    "I live in Graz; list the shops there.",
    "My order ORD-17 is late.",
    "My boss wants a list of the unpaid invoices.",
    "Our customer needs the total of May.",
    "My notes are in notes/may.md.",
    "Hello!",
    "",
    "我想知道哪张发票没付。",
    "我要一份清单。",
    "请帮我把发票加起来。",
    "我的订单 ORD-17 是坏的。",
    "我住在成都，帮我找一家店。",
    "我需要每个仓库的柴油合计。",
    "我的任务是把每张账单付清。",
    "哪个仓库的柴油最多？",
]


@pytest.mark.parametrize("message", TOLD)
def test_what_is_told_of_oneself_asks_for_nothing(message):
    assert tells_of_oneself(message)


@pytest.mark.parametrize("message", NOT_TOLD)
def test_what_is_to_be_looked_up_or_done_is_no_mere_telling(message):
    assert not tells_of_oneself(message)


@pytest.mark.parametrize("seed", range(1, 13))
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_task_is_neither_told_nor_asked_of_oneself(seed, lang):
    goal = variant(seed, lang).goal
    assert not (tells_of_oneself(goal) or asks_of_oneself(goal) or states_a_wish(goal))


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("I prefer short answers.", True),
        ("Remember: the key is under the mat.", True),
        ("I live in Graz.", False),
        ("My landlord never answers the phone.", False),
        ("我喜欢简短的回答。", True),
        ("我住在成都。", False),
        ("I prefer short answers. Which depot drew most?", False),
    ],
)
def test_a_stated_preference_is_kept_like_what_is_to_be_remembered(message, wish):
    assert states_a_wish(message) is wish


ASKED = [
    "What is my name?",
    "Where do I live?",
    "Where do I live, and what is my name?",
    "How do I like my answers?",
    "Do you remember where I work?",
    "What am I allergic to?",
    "What is my favourite colour?",
    "我叫什么名字？",
    "我住在哪里？",
    "我喜欢什么样的回答？",
    "还记得我对什么过敏吗？",
]


@pytest.mark.parametrize("question", ASKED)
def test_questions_of_oneself(question):
    assert asks_of_oneself(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which depot drew the most diesel?",
        "Tell me the total for the year.",
        "Which of my invoices are unpaid?",
        "When can I give notice, and who is my landlord?",
        "When can I give notice?",
        "我什么时候可以退租，房东是谁？",
        "How much do I owe Harper?",
        "我一共花了多少钱？",
        "Where do I live? List the shops there.",
        "When does my lease end, and who is the landlord?",
        "Who wrote my notes/may.md?",
        "我们一共付了多少？",
        "哪个仓库的柴油最多？",
        "我住在哪里？把附近的店列出来。",
    ],
)
def test_other_questions(question):
    assert not asks_of_oneself(question)


def memory(text, evidence, label="user request", source="event"):
    line = f'- [2026-03-01] (event, user, evt_1) "{text}"'
    return RecalledMemory(ref="evt_1", source=source, label=label, line=line, score=1.0, parts={"evidence": evidence})


@pytest.mark.parametrize(
    ("recalled", "answered"),
    [
        ([memory("I live in Graz.", 1.0)], True),
        ([memory("I work in Graz.", 0.1)], False),
        ([memory("I live in Graz.", 0.0, label=TO_BE_REMEMBERED)], True),
        ([memory("I live in Graz.", 1.0, label="tool read_file")], False),
        ([memory("Where do I live?", 1.0)], False),
        ([memory("The user lives in Graz.", 0.8, label="user", source="card")], True),
        ([], False),
    ],
)
def test_only_the_users_own_statement_answers_such_a_question(recalled, answered):
    assert answered_by_own_words("Where do I live?", recalled) is answered
    assert not answered_by_own_words("Which depot drew the most diesel?", recalled)
