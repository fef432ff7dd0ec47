"""What stands on a page of help in the place of what the user will write: ``QUERY``, in Chinese 问题."""

from __future__ import annotations

import re

from memory_secretary.graph.words import Lang

CHINESE = {
    "ACTION": "动作",
    "ARGS": "参数",
    "ARMS": "方式",
    "COMMAND": "命令",
    "DIR": "文件夹",
    "FILE": "文件",
    "ID": "编号",
    "IN,OUT": "读价,写价",
    "MODEL": "模型",
    "N": "数",
    "NAME": "名称",
    "OPTIONS": "选项",
    "PATH": "路径",
    "PATHS": "路径",
    "QUERY": "问题",
    "REF": "编号",
    "STATUS": "状态",
    "SUITE": "任务组",
    "TASK": "任务",
    "TEXT": "文字",
    "THREAD": "线程",
    "TIME": "时长",
    "TOKENS": "词元数",
    "TYPE": "类型",
    "WORD": "货币",
    "ZONE": "时区",
}
"""By the English word."""

_WORD = re.compile(r"\b(?:IN,OUT|[A-Z]+)\b")


def placeholders(text: str, lang: Lang) -> str:
    """The text with its placeholders in this language; other words in capitals stay."""
    return text if lang == "en" else _WORD.sub(lambda word: CHINESE.get(word[0], word[0]), text)
