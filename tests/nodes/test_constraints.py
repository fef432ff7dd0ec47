import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.constraints import asks_to_remember, constraints_in


@pytest.mark.parametrize(
    ("text", "constraints"),
    [
        ("Read all the reports of Harwick for 2025. Never change a file. Answer in one sentence!",
         ["Never change a file.", "Answer in one sentence!"]),
        ("请读取柳桥所有的月报并找出降雨量最高的月份。不要修改任何文件。只用一句话回答我的问题。",
         ["不要修改任何文件。", "只用一句话回答我的问题。"]),
        ("Which month was the wettest?", []),
        ("哪个月降雨最多？", []),
        ("Nevertheless the mustard commonly helps.", []),
        ("Use at most three tools.", ["Use at most three tools."]),
        ("最多用三个工具", ["最多用三个工具"]),
        ("请查看柳桥的全部月报。不要改文件。", ["不要改文件。"]),
    ],
)  # fmt: skip
def test_what_the_user_demands_or_forbids_is_quoted(text, constraints):
    assert constraints_in(text) == constraints


@given(
    st.lists(
        st.sampled_from(
            ["You must stay here until noon, please.", "不要在中午以前离开这里，谢谢你们。", "It rains a lot."]
        )
    )
)
@settings(max_examples=40, deadline=None)
def test_constraints_stand_word_for_word_in_the_message_and_are_few(sentences):
    text = " ".join(sentences)
    found = constraints_in(text)
    assert len(found) <= 6 and all(piece in text for piece in found)


@pytest.mark.parametrize(
    "text",
    ["Please remember that I like tea.", "From now on answer briefly.", "Keep in mind: no calls.", "请记得我喜欢茶。",
     "记住，以后都用中文。", "从现在起简短回答", "Remember: no calls.", "Bear in mind that Tom left.",
     "Hello. Remember, I like tea.",
     "For later: I like tea.", "先记一下：我喜欢茶。", "先记一下，以后要用：我喜欢茶。",
     "麻烦记着：我喜欢茶。", "备忘：我喜欢茶。",
     "Please always answer in at most ten words.", "Hi! Never reply in French.",
     "以后回答请不超过二十个字。", "请每次都用中文回答。", "你好！今后请叫我老王。"],
)  # fmt: skip
def test_a_wish_to_be_remembered_is_heard(text):
    assert asks_to_remember(text)


@pytest.mark.parametrize(
    "text",
    [
        "Do you remember what I said?",
        "I remembered the milk.",
        "你记得我说过什么吗？",
        "",
        "I said what I wanted to remember, and left.",
        "请先记下每个月的数。",
        "See you later: good bye.",
        "She will always answer the phone.",
        "他以后会回答的。",
        "为什么总是没有人回答？",
    ],
)
def test_a_question_about_memory_is_no_such_wish(text):
    assert not asks_to_remember(text)
