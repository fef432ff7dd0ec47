"""What the user wishes is told from what is so."""

from __future__ import annotations

import pytest

from memory_secretary.memory.records import MemoryType
from memory_secretary.nodes.wishes import kind_of

WISHES = [
    "Answers in at most ten words", "I prefer trains to planes", "i'd rather have tea", "I don't like long answers",
    "Prefers concise answers", "The user likes green tea", "My favourite colour is teal", "Always use Celsius",
    "Remember: from now on use Celsius", "please answer in German", "Never send anything without asking me",
    "Reply formally", "Keep answers short", "Call me Ana", "We really dislike PDF",
    "I want you to quote the source", "Remember that I prefer metric units",
    "one sentence per answer, at most twelve words", "Don't use emojis", "回答不超过十个字", "我喜欢喝茶",
    "记住：以后都用摄氏度", "我更偏好表格", "请用中文回答", "以后请叫我小周", "不要用表情符号回答",
    "用户偏好简洁风格的回答，控制在200字以内", "我们都讨厌长邮件", "每次回答先给结论", "回复要正式",
    "从现在起，一律用公制单位", "我不想收到提醒", "我希望你先给出结论", "偏好早班火车", "记住，我最喜欢青色",
    "今后别用缩写", "Be brief", "Use short sentences when you answer", "No emojis, please",
    "My preferred language is French", "I'm a fan of jazz", "Please be concise", "Use bullet points",
    "Summaries no longer than three sentences", "I'd prefer it if you asked first", "Speak to me informally",
    "不要啰嗦", "尽量简短", "我爱吃辣", "以后用表格", "请一直用公制", "回答时先说结论", "称呼我为老王",
    "我更愿意坐火车", "语气正式一点", "价格用欧元表示", "用中文写总结",
    "Give me metric units from now on", "Likes dark mode", "I do not like spicy food",
    "My name is Ana, please call me Annie",
    "以后回答都用英文", "请叫我小李", "回答控制在三句话以内", "记住我偏好靠过道的座位",
    "不要在回答里用缩写", "请用表格显示结果",
]  # fmt: skip
FACTS = [
    "The gate code is 4711", "The pump must never run dry", "Ana lives in Graz", "Order 17 was paid on Friday",
    "The kiln looks like new", "What I would like to know is unknown", "The likely date is May",
    "The call is at nine", "The supplier answers within two days", "Our supplier always delivers on Monday",
    "Keys are kept in the cellar", "The report is at most ten pages long", "Ben likes short meetings",
    "The writer of the note is Pat", "周五把备份脚本交给小周", "订单周五前发货", "门禁密码是4711",
    "窑炉不得超过1200度", "小周喜欢青色", "供应商两天内回复", "以后的会议改在周三", "张伟叫我们周五去取货",
    "客户不要蓝色的", "附录的表三有十行", "水泵不要空转", "Don't know the code; it is in the drawer",
    "We want all invoices by Friday", "Write-off of 200 euros was approved", "Talk to Pat about the invoice",
    "Address: Quay 4, Graz", "Response time is 4 hours", "Replies go to info@example.org",
    "Please note: the code is 4711", "回复时间是4小时", "回复邮箱是info", "答案是42", "我们不要这批货了",
    "我不要求退款", "都用完了", "以后再说", "请把报告交给小周", "我想知道门禁密码",
    "Never before has the pump failed", "Use of gate 4 is forbidden after six",
    "In the future the depot moves to Pier 9",
    "Our answer to the tender was late", "回答问卷的人有30个", "以后的合同由老王签", "用户手册在第二个抽屉",
]  # fmt: skip


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_is_a_preference(text):
    assert kind_of(text) is MemoryType.PREFERENCE


@pytest.mark.parametrize("text", FACTS)
def test_what_is_so_is_a_fact(text):
    assert kind_of(text) is MemoryType.FACT
