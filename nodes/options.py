"""What steers the nodes in one run: windows, limits, and a switch for every mechanism, each with its description."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal, TypeVar

Setting = TypeVar("Setting")


def setting(default: Setting, description: str, zh: str, *, ge: int | None = None, le: int | None = None) -> Setting:
    """A field of settings.

    Args:
        default: its value where nobody says another.
        description: one phrase in English for Studio's form and the docs.
        zh: the same in Chinese.
        ge: the least whole number that is allowed.
        le: the greatest one.
    """
    limits = {name: limit for name, limit in (("ge", ge), ("le", le)) if limit is not None}
    made: Setting = field(default=default, metadata={"description": description, "zh": zh, **limits})
    return made


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything a node may be told; each field carries its description. Sizes are tokens of the model that reads."""

    executor_window: int = setting(
        4096, "the executor's context window in tokens, prompt and reply together",
        "执行者的上下文窗口（词元），提示词与回复合计", ge=1024, le=2_000_000,
    )  # fmt: skip
    secretary_window: int = setting(
        8192, "the secretary's context window in tokens, prompt and reply together",
        "秘书的上下文窗口（词元），提示词与回复合计", ge=1024, le=10_000_000,
    )  # fmt: skip
    max_steps: int = setting(
        40, "steps of one run; a step is one decision of the executor",
        "一次运行的步数上限；执行者每做一次决定算一步", ge=1, le=100_000,
    )  # fmt: skip
    lang: Literal["auto", "en", "zh"] = setting(
        "auto", "language of headings and reminders: en, zh, or auto, which follows the user's words",
        "标题与提醒的语言：en、zh，或 auto（跟随用户所用的语言）",
    )  # fmt: skip
    zone: str = setting("UTC", "IANA time zone of the user, for dates that are shown", "用户的 IANA 时区，用于显示日期")
    recall_k: int = setting(5, "memories recalled for a step", "每一步召回的记忆条数", ge=0, le=100)
    secretary_calls: int = setting(
        200, "upper limit of secretary calls in one run", "一次运行中秘书调用次数的上限", ge=0, le=1_000_000
    )
    secretary_tokens: int = setting(
        500_000, "upper limit of the secretary's tokens in one run, prompts and replies together",
        "一次运行中秘书词元数的上限，提示词与回复合计", ge=0, le=1_000_000_000,
    )  # fmt: skip
    precipitation: Literal["manual", "inline", "background"] = setting(
        "manual", "when queued turns become cards: manual (with `memory settle`), inline (right after an answer) or "
        "background (after it, in a thread of its own)",
        "排队的对话何时整理成卡片：manual（用 `memory settle`）、inline（回答之后立即）或 background（回答之后在后台）",
    )  # fmt: skip
    precipitation_turns: int = setting(
        8, "turns without a preference, correction or feeling that are queued together",
        "没有偏好、更正或强烈情绪的对话攒够几轮就一起排队", ge=1, le=10_000,
    )  # fmt: skip
    precipitation_calls: int = setting(
        20, "upper limit of secretary calls for making cards after one answer",
        "一次回答之后整理卡片的秘书调用次数上限", ge=0, le=1_000_000,
    )  # fmt: skip
    brief: bool = setting(
        True, "hand the executor a brief; off, it gets the newest records as they are, clipped",
        "给执行者一份简报；关闭时只给截短的最新记录",
    )  # fmt: skip
    recall: bool = setting(True, "search memory for each step", "每一步都检索记忆")
    digests: bool = setting(
        True, "choose the lines of long results that matter; off, they are clipped",
        "从长结果中挑出要紧的行；关闭时直接截短",
    )  # fmt: skip
    discovery: bool = setting(
        True, "let the secretary turn what is found into items to do", "让秘书把发现的内容变成待办项"
    )
    following: bool = setting(
        True, "go on to the record that one leads to, where the user wants a matter followed",
        "用户要求追查到底时，接着打开一份记录所指向的下一份",
    )  # fmt: skip
    duties: bool = setting(
        True, "turn what the records make necessary into calls made of their own words",
        "由秘书把一份记录所要求做的事变成调用，参数取自原文",
    )  # fmt: skip
    noting: bool = setting(
        True, "let the secretary copy the asked values out of each record", "让秘书从每份记录中抄下所问的数值"
    )
    rows: bool = setting(
        True,
        "note the rows of one table or list that the goal names, or all that it counts",
        "记下目标点名的表格行或清单行，或要统计的全部行",
    )
    menu: bool = setting(True, "offer the open items as exact calls to choose from", "把未完成项作为现成的调用供选择")
    carry: bool = setting(
        True, "go on with the siblings of a record that the executor has chosen to read, without asking for each",
        "执行者选读一份记录后，自动继续读同组的其他记录，不再逐份询问",
    )  # fmt: skip
    gate: bool = setting(True, "withhold the final answer while items are open", "还有未完成项时不允许给出最终回答")
    shortening: bool = setting(
        True, "have an answer shortened that is longer than the user wants it", "回答超过用户要求的长度时让模型缩短"
    )
    reminders: bool = setting(
        True, "name repeated steps and give their result again in place of running them",
        "指出重复的步骤，直接给出先前的结果而不再执行",
    )  # fmt: skip
    pairing: bool = setting(
        True, "run a call only when its arguments stand together in one record",
        "只有当参数同出于一份记录时才执行调用",
    )  # fmt: skip
    asking: bool = setting(
        False, "let the executor ask the secretary about what is recorded, with the tool ask(question)",
        "允许执行者用 ask(question) 工具向秘书询问已记录的内容",
    )  # fmt: skip
    methods: bool = setting(
        False, "show how tasks of the same kind were done, as learned with `distill --methods`",
        "告诉执行者同类任务是怎么做的（先用 `distill --methods` 学到）",
    )  # fmt: skip
    grounding: bool = setting(True, "keep only values that stand in their source", "只保留原文中确有的数值")


MECHANISMS = tuple(entry.name for entry in fields(Options) if entry.type == "bool")
"""The switches, in the order in which reports list them."""
