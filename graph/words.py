"""The command line's own words in English and Chinese."""

from __future__ import annotations

from typing import Literal

Lang = Literal["en", "zh"]

_EN = {
    "user": "user",
    "thread": "thread",
    "executor": "executor",
    "secretary": "secretary",
    "workspace": "workspace",
    "memory": "memory",
    "task": "task",
    "recalled": "recalled {n}",
    "brief": "brief {n} tokens",
    "calls": "secretary calls {n}",
    "prompt": "prompt {n} of {window} tokens",
    "carried": "goes on with the group",
    "cached": "cached {n}",
    "ok": "ok",
    "failed": "failed",
    "note": "note",
    "thought": "thought",
    "reminder": "reminder",
    "answer": "Answer",
    "none": "(no answer)",
    "right": "The answer is right.",
    "wrong": "The answer is wrong: {reason}",
    "done": "done",
    "running": "not ended",
    "stopped": "stopped",
    "needs_input": "an answer of yours is awaited",
    "steps": "steps {n}",
    "tool_calls": "tool calls {n}",
    "prompt_tokens": "prompt tokens {n}",
    "read_tokens": "of these read {n}",
    "secretary_calls": "secretary calls {n}",
    "secretary_tokens": "secretary tokens {n}",
    "seconds": "seconds per node",
    "working": "step {n}: {node} …",
    "resume": "Nothing is lost; continue with: {command}",
}

_ZH = {
    "user": "用户",
    "thread": "线程",
    "executor": "执行者",
    "secretary": "秘书",
    "workspace": "工作区",
    "memory": "记忆库",
    "task": "任务",
    "recalled": "召回 {n} 条",
    "brief": "简报 {n} 词元",
    "calls": "秘书调用 {n} 次",
    "prompt": "提示词 {n}/{window} 词元",
    "carried": "继续处理同一组",
    "cached": "缓存 {n}",
    "ok": "成功",
    "failed": "失败",
    "note": "备注",
    "thought": "思路",
    "reminder": "提醒",
    "answer": "答案",
    "none": "（没有答案）",
    "right": "答案正确。",
    "wrong": "答案错误：{reason}",
    "done": "完成",
    "running": "尚未结束",
    "stopped": "已停止",
    "needs_input": "等待您的答复",
    "steps": "{n} 步",
    "tool_calls": "工具调用 {n} 次",
    "prompt_tokens": "提示词共 {n} 词元",
    "read_tokens": "实际读取 {n}",
    "secretary_calls": "秘书调用 {n} 次",
    "secretary_tokens": "秘书 {n} 词元",
    "seconds": "各节点秒数",
    "working": "第 {n} 步：{node} …",
    "resume": "没有任何丢失；继续请运行：{command}",
}

_TABLES: dict[Lang, dict[str, str]] = {"en": _EN, "zh": _ZH}


def say(lang: Lang, key: str, **values: object) -> str:
    """The phrase for ``key``; whole numbers among the values get separators of thousands."""
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return _TABLES[lang][key].format(**shown)
