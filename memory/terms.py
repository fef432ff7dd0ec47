"""What the codes of the memory's records are called in Chinese, where a line about a memory tells them."""

from __future__ import annotations

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.records import TO_BE_REMEMBERED

TERMS: dict[str, dict[str, str]] = {
    "type": {
        "preference": "偏好",
        "fact": "事实",
        "rule": "规则",
        "constraint": "约束",
        "episode": "经历",
        "method": "方法",
    },
    "source": {"card": "卡片", "event": "事件"},
    "status": {
        "active": "有效",
        "superseded": "已被取代",
        "archived": "已归档",
        "quarantined": "已隔离",
    },
    "who": {
        "user": "用户",
        "tool": "工具",
        "import": "导入",
        "executor": "执行者",
        "secretary": "秘书",
        "retriever": "检索者",
        "precipitator": "沉淀者",
        "consolidator": "整合者",
        "distiller": "蒸馏者",
        "inspector": "检查者",
        "team": "团队",
        "agent": "智能体",
        "thread": "线程",
    },
    "action": {
        "request": "请求",
        "instruction": "指示",
        "thought": "思路",
        "answer": "回答",
        "document": "文档",
    },
}
"""By what they are of; in English each code is its own name."""


def named(group: str, code: str) -> str:
    """What a code is called in the language spoken here; one that is not ours is its own name."""
    return said(code, TERMS[group].get(code, code))


def kind_named(kind: str) -> str:
    """A memory's kind: the type of a card, else ``card`` or ``event``."""
    return named("type" if kind in TERMS["type"] else "source", kind)


def label_named(label: str) -> str:
    """Who said or did a memory, and in which way: ``user request``, ``tool read_file``, ``import``."""
    if label == TO_BE_REMEMBERED:
        return said(label, "用户要求记住")
    who, _, action = label.partition(" ")
    return f"{named('who', who)} {named('action', action)}".strip()
