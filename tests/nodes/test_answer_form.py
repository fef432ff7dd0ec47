from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.answer_form import (
    Limit,
    answer_room,
    bare_amounts,
    echoes,
    in_one_line,
    limits_in,
    no_currency,
    said_again,
    said_once,
    to_you,
    too_long,
)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("I prefer answers in at most ten words. Remember this.", Limit(10, "words")),
        ("Keep your replies to no more than 25 words, please.", Limit(25, "words")),
        ("Explain it in one sentence.", Limit(1, "sentences")),
        ("The answer must be a single line, no currency signs.", Limit(1, "lines")),
        ("Answer in one line and without currency signs.", Limit(1, "lines")),
        ("Summarize it, 50 words or fewer.", Limit(50, "words")),
        ("Write up to 280 characters.", Limit(280, "characters")),
        ("我喜欢最多十个字的回答。请记住。", Limit(10, "words")),
        ("回答不超过二十五个字。", Limit(25, "words")),
        ("请用一句话总结。", Limit(1, "sentences")),
        ("答复必须是一行，里面不能有货币符号。", Limit(1, "lines")),
        ("写个简介，100字以内。", Limit(100, "words")),
        ("以后回答控制在3句话以内。", Limit(3, "sentences")),
    ],
)
def test_a_limit_is_read_from_the_users_words(text: str, limit: Limit) -> None:
    assert limits_in([text]) == [limit]


@pytest.mark.parametrize(
    "text",
    [
        "Which books have at most ten words in their title?",
        "Give every record, one line each, then the total.",
        "Write each figure on a line of its own.",
        "At most two messages may be sent.",
        "Write a note of at most 50 words into notes.txt and list all figures here.",
        "Tell Anna in one sentence, by message, that the kiln is free.",
        "给他发一条不超过二十个字的消息，再把所有数字写出来。",
        "Say how many words the report has.",
        "Answer in at most twenty-five words.",  # a number that is not understood sets no limit
        "每行“编号：数字”，末尾给出总数。回答一行一个。",
        "最多只能发两条消息，多一条也不行。",
        "这份记录有十个字段，写下来。",
        "",
    ],
)
def test_other_sentences_set_none(text: str) -> None:
    assert limits_in([text]) == []


@pytest.mark.parametrize(
    ("answer", "limit", "broken"),
    [
        ("Blue light scatters more than red light does.", Limit(10, "words"), False),
        ("Blue light is scattered much more than the red light is.", Limit(10, "words"), True),
        ("因为蓝光散射更强。", Limit(10, "words"), False),
        ("因为大气中的分子对蓝光散射更强。", Limit(10, "words"), True),
        ("The total is 1,284.50 EUR.", Limit(5, "words"), False),
        ("One. Two.", Limit(1, "sentences"), True),
        ("It is 3.5 days.", Limit(1, "sentences"), False),
        ("总数是12。没有别的了！", Limit(1, "sentences"), True),
        ("a\n\nb", Limit(1, "lines"), True),
        ("a\n", Limit(1, "lines"), False),
        (" abc ", Limit(3, "characters"), False),
    ],
)
def test_an_answer_is_counted_by_code(answer: str, limit: Limit, broken: bool) -> None:
    assert (too_long(answer, [limit]) is not None) is broken


@given(st.text(), st.text())
def test_an_answer_never_gets_shorter_by_going_on(one: str, more: str) -> None:
    for unit in ("words", "lines"):
        limit = Limit(1, unit)
        assert limit.count(f"{one}\n{more}") >= max(limit.count(one), limit.count(more))


def test_lines_are_joined_by_code_where_one_is_wanted() -> None:
    assert in_one_line("a: 1\n\n b: 2\n", [Limit(1, "lines")]) == "a: 1 b: 2"
    assert in_one_line("a\nb", [Limit(2, "lines"), Limit(1, "sentences")]) == "a\nb"


@pytest.mark.parametrize(
    ("limits", "room"),
    [
        ([Limit(10, "words")], 300),
        ([Limit(50, "characters"), Limit(30, "words")], 200),
        ([Limit(1, "sentences")], None),
        ([], None),
    ],
)
def test_an_answer_is_written_in_room_enough_for_its_limit(limits, room):
    assert answer_room(limits) == room


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Answer in one line and without currency signs.", True),
        ("The answer must be a single line, no currency sign in it.", True),
        ("回答只用一行，不要带货币符号。", True),
        ("答复必须是一行，里面不能有货币符号。", True),
        ("Which currency sign does the invoice use?", False),
        ("金额的货币符号是什么？", False),
    ],
)
def test_a_wish_for_no_currency_signs_is_heard(text, wanted):
    assert no_currency([text]) is wanted


def test_amounts_lose_their_signs_and_nothing_else():
    assert bare_amounts("共 4,989元，其中 ¥1,200 和 €30；第2元素不变") == "共 4,989，其中 1,200 和 30；第2元素不变"
    assert bare_amounts("It is 5 km.") == "It is 5 km."


TOLD = [
    "Every item is done. Give the final answer to the goal from what is noted and computed above.",
    "上一个回复无法使用（{problem}）。请按规定格式只给出一步。",
    "所有项都已完成。请根据上面记下和算出的内容给出对目标的最终回答。",
]


@pytest.mark.parametrize(
    ("answer", "goal", "echo"),
    [
        ("账单/ 里哪些账单还没有付？", "账单/里哪些账单还没有付？", True),
        ("所有项都已完成。请根据上面记下和算出的内容给出对目标的最终回答。", "哪些？", True),
        ("上一个回复无法使用（漏掉了 A）。请按规定格式只给出一步。", "哪些？", True),
        ("Give the final answer to the goal from what is noted and computed above: 5", "How many?", True),
        ("Every item is done.", "Is every item done?", False),
        ("钢琴课和电费还没有付。", "账单/里哪些账单还没有付？", False),
        ("", "", False),
    ],
)
def test_a_prompt_said_again_is_no_answer(answer, goal, echo):
    assert echoes(answer, goal, TOLD) is echo


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("I live in Graz.", "You live in Graz."),
        ("I'm tall, as my son is. I was told.", "You are tall, as your son is. You were told."),
        ("My name is Ana.", "Your name is Ana."),
        ("You live in Graz.", "You live in Graz."),
        ("我对花生过敏。", "你对花生过敏。"),
        ("我们的邮箱没有变。", "我们的邮箱没有变。"),
    ],
)  # fmt: skip
def test_what_users_said_of_themselves_is_said_to_them(answer, told):
    assert to_you(answer) == told


LOST = "What was found so far is not complete and lacks the key."
LOST_ZH = "目前查到的内容还不完整，无法给出最后的答案。"


@pytest.mark.parametrize(
    ("answer", "once"),
    [
        (f"{LOST} {LOST} {LOST} What", LOST),
        ("Yes. Yes. Yes.", "Yes. Yes. Yes."),
        ("It is 457 kg.", "It is 457 kg."),
        (LOST_ZH * 2, LOST_ZH),
        ("- a.md: 12\n- b.md: 12\n", "- a.md: 12\n- b.md: 12\n"),
    ],
)  # fmt: skip
def test_an_answer_goes_round_in_no_circles(answer, once):
    assert said_once(answer) == once
    assert said_again(answer) is (once != answer)
