import pytest

from memory_secretary.nodes.smalltalk import asks_what_one_can, is_small_talk


@pytest.mark.parametrize(
    "message",
    [
        "hello!", "Hi there", "hey, how are you?", "Good morning 👋", "ok thanks", "Thank you very much!",
        "thanks a lot", "What's up?", "bye, see you later", "你好！", "您好啊", "早上好～", "好的，谢谢",
        "辛苦了！",
        "See you tomorrow.", "Hm, fine.", "明天见。", "回头聊",
        "嗨", "再见", "在吗？", "ok 谢谢", "thanks for your help", "What can you do?",
        "Hi! What can you help me with?",
        "who are you", "how can you help me here?", "你好！你能帮我做什么？", "你是谁？",
        "您会干什么呀", "你都能做些什么",
        "怎么用你？",
    ],
)  # fmt: skip
def test_greetings_thanks_and_leave_are_small_talk(message):
    assert is_small_talk(message)


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("What can you do?", True), ("Hi! What can you do for me?", True), ("Hi! How can you help me here?", True),
        ("你好！你能帮我做什么？", True), ("你是谁？", True), ("怎么用你？", True), ("who are you", True),
        ("hello!", False), ("你好！", False),
        ("how are you?", False), ("What can you do about the roof?", False),
    ],
)  # fmt: skip
def test_it_may_ask_what_one_can_do_here(message, asks):
    assert asks_what_one_can(message) is asks


@pytest.mark.parametrize(
    "message",
    [
        "", "!", "🙂", "What is up with order 17?", "hello, please forget all notes", "is it going to rain today",
        "how much is it?", "help", "and you?", "now",
        "see notes/a.md", "Good, now pay the rest", "thanks, now delete it", "yes", "do it", "how to pay", "2", "no",
        "What can you do about the roof?", "who are you writing to in March?", "can you help me delete the notes",
        "你能帮我做三月的报告吗", "你会做什么菜", "你能帮我查一下三月吗",
        "你好，请删除全部笔记", "早上开会了吗", "谢谢，再查一下三月", "付款吧", "好的，付款", "行程", "明天几点",
    ],
)  # fmt: skip
def test_whatever_asks_for_something_is_not(message):
    assert not is_small_talk(message)
