"""The command line's own words in English and Chinese."""

from __future__ import annotations

from typing import Literal

from memory_secretary.graph import diagnosis_words, memory_words, trace_words
from memory_secretary.memory.program import as_typed

Lang = Literal["en", "zh"]

_EN = {
    "user": "user",
    "thread": "thread",
    "executor": "executor",
    "secretary": "secretary",
    "workspace": "workspace (tools read and write here, and nowhere else)",
    "no_workspace": "none; with --workspace . it reads and writes the files of this folder",
    "memory": "memory",
    "task": "task",
    "recalled": "recalled {n}",
    "brief": "brief {n} tokens",
    "calls": "secretary calls {n}",
    "prompt": "prompt {n} of {window} tokens",
    "carried": "goes on with the group",
    "cached": " (cached {n})",
    "section_goal": "goal",
    "section_amended": "additions",
    "section_constraints": "constraints",
    "section_done": "done",
    "section_progress": "progress",
    "section_figures": "figures",
    "section_newest": "newest",
    "section_recalled": "recalled",
    "section_open": "open",
    "section_kept": "kept",
    "section_reminders": "reminders",
    "section_goal_again": "goal again",
    "section_instruction": "instruction",
    "ok": "ok",
    "held_back": "not run",
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
    "seconds": "time {total} s: {each}",
    "resume": "Nothing is lost; continue with:",
    "chat_bye": "This was thread {thread}; go on with it later with:",
    "patience": "The embedded model computes without a graphics card: a decision takes seconds, minutes where other "
    "programs use the processor, too.",
    "patience_example": "The example, of about 13 steps, took {n} s on two idle cores.",
    "patience_pace": "After the first decision you are told the pace here.",
    "pace": "about {seconds} s for each decision of the model here",
    # the moving line
    "opening": "opening the memory",
    "asking": "asking the server of {model}",
    "starting": "starting the model",
    "beginning": "reading the task and searching the memory",
    "working": "step {n}: {node} · {doing}",
    "last_call": "before it, {verdict}: {call}",
    "node_retrieve": "retrieve",
    "node_summarize": "summarize",
    "node_plan": "plan",
    "node_act": "act",
    "node_precipitate": "precipitate",
    "at_retrieve": "looking for what matters now",
    "at_summarize": "bringing the brief up to date",
    "at_plan": "the model reads and decides",
    "at_act": "carrying it out",
    # chat
    "chat_hello": "Write what you want to know or have done; /help names the commands, Ctrl-C stops an answer.",
    "chat_begins": "Nothing was said in thread {thread} yet: it begins here; /threads lists those there are.",
    "chat_open": "The last task of this thread has not ended; press Enter to go on with it:",
    "chat_stopped": "Stopped; nothing is lost. Enter or /resume goes on, a new message begins something else, "
    "Ctrl-C again or Ctrl-D leaves.",
    "chat_leave": "Ctrl-C again or Ctrl-D leaves.",
    "chat_settling": "the interrupted step is still ending; Ctrl-C goes back to the prompt",
    "chat_nothing_open": "There is nothing to go on with: the last task of this thread has ended.",
    "chat_unknown": "There is no command {name}; /help names them, /quit leaves the chat.",
    "chat_meant": "There is no command {name}; did you mean {meant}? /help names them all.",
    "chat_no_id": "Nothing is kept under {ref}: take an id that /memory, /history or /why shows.",
    "chat_argument": "{name} needs what it is about: {usage}",
    "chat_no_cards": "No cards are kept of you yet.",
    "chat_no_recall": "Nothing was recalled for the last step.",
    "chat_no_brief": "There is no brief yet: nothing was asked in this thread.",
    "chat_no_history": "Nothing was said in this thread yet.",
    "chat_now": "now",
    "chat_forgotten": "(forgotten)",
    "chat_thread": "You are in thread {thread}.",
    "chat_you": "you",
    "chat_no_step": "Nothing was recalled yet: nothing was asked in this thread.",
    "chat_no_threads": "You have no threads yet: nothing was asked.",
    "chat_argument_remember": ", where TEXT is one piece of knowledge in your words",
    "chat_argument_forget": ", where REF is the id that /memory, /history or /why shows; its beginning is enough",
    "chat_argument_switch": ", where THREAD is the name that /threads shows; its beginning is enough",
    "help_memory": "what is kept of you: cards, and what you asked to remember or told that is no card yet",
    "help_why": "what was recalled for the last step, or would be for QUERY, and why",
    "help_brief": "the last brief that the executor was given",
    "help_remember": "keep TEXT as a card",
    "help_forget": (
        "after asking, take a card with the turns it came from, or what you said, out of every search and brief "
        "(`memory-secretary memory restore` brings it back until a vacuum)"
    ),
    "help_history": "what was said in this thread",
    "help_threads": "your threads, newest first",
    "help_new": "begin a new thread",
    "help_switch": "go to another thread; the beginning of its name is enough",
    "help_resume": "go on with a task that was stopped",
    "help_help": "these commands",
    "help_quit": "close the session and leave",
}

_ZH = {
    "user": "用户",
    "thread": "线程",
    "executor": "执行者",
    "secretary": "秘书",
    "workspace": "工作区（工具只在这里读写文件）",
    "no_workspace": "无；加上 --workspace . 就能读写当前文件夹里的文件",
    "memory": "记忆库",
    "task": "任务",
    "recalled": "召回 {n} 条",
    "brief": "简报 {n} 词元",
    "calls": "秘书调用 {n} 次",
    "prompt": "提示词 {n}/{window} 词元",
    "carried": "继续处理同一组",
    "cached": "（缓存 {n}）",
    "section_goal": "目标",
    "section_amended": "补充",
    "section_constraints": "约束",
    "section_done": "已完成",
    "section_progress": "进度",
    "section_figures": "数值",
    "section_newest": "最新结果",
    "section_recalled": "记忆",
    "section_open": "未完成",
    "section_kept": "记着的",
    "section_reminders": "提醒",
    "section_goal_again": "重申目标",
    "section_instruction": "指示",
    "ok": "成功",
    "held_back": "没有执行",
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
    "seconds": "共用时 {total} s：{each}",
    "resume": "没有任何丢失；继续请运行：",
    "chat_bye": "这是线程 {thread}；以后继续请运行：",
    "patience": "内置模型不用显卡计算：每次决定要几秒钟；别的程序也占用处理器时，要几分钟。",
    "patience_example": "约 13 步的示例在两个空闲核心上用了 {n} 秒。",
    "patience_pace": "第一次决定之后会告诉您这里的速度。",
    "pace": "这里模型每做一次决定约需 {seconds} 秒",
    # 移动的一行
    "opening": "打开记忆库",
    "asking": "询问 {model} 的服务",
    "starting": "启动模型",
    "beginning": "阅读任务并搜索记忆",
    "working": "第 {n} 步：{node} · {doing}",
    "last_call": "上一次调用{verdict}：{call}",
    "node_retrieve": "检索",
    "node_summarize": "摘要",
    "node_plan": "规划",
    "node_act": "执行",
    "node_precipitate": "沉淀",
    "at_retrieve": "查找此刻要紧的内容",
    "at_summarize": "更新简报",
    "at_plan": "模型在阅读并决定",
    "at_act": "正在进行",
    # 对话
    "chat_hello": "请写下想知道或想做的事；/help 列出所有命令，Ctrl-C 停下正在写的回答。",
    "chat_begins": "线程 {thread} 里还没有说过话：从这里开始；/threads 列出已有的线程。",
    "chat_open": "这个线程的上一个任务还没有结束，按回车继续：",
    "chat_stopped": "已停止；没有任何丢失。按回车或 /resume 继续，输入新消息则另起一事，再按 Ctrl-C 或按 Ctrl-D 离开。",
    "chat_leave": "再按 Ctrl-C 或按 Ctrl-D 离开。",
    "chat_settling": "被中断的一步正在结束；按 Ctrl-C 回到提示符",
    "chat_nothing_open": "没有可以继续的任务：这个线程的上一个任务已经结束。",
    "chat_unknown": "没有命令 {name}；/help 列出所有命令，/quit 离开对话。",
    "chat_meant": "没有命令 {name}；您是想用 {meant} 吗？/help 列出所有命令。",
    "chat_no_id": "没有编号为 {ref} 的内容：请用 /memory、/history 或 /why 显示的编号。",
    "chat_argument": "{name} 需要说明对象：{usage}",
    "chat_no_cards": "还没有记下关于您的卡片。",
    "chat_no_recall": "上一步没有召回任何记忆。",
    "chat_no_brief": "还没有简报：这个线程里还没有提过问题。",
    "chat_no_history": "这个线程里还没有说过话。",
    "chat_now": "当前",
    "chat_forgotten": "（已遗忘）",
    "chat_thread": "您现在在线程 {thread}。",
    "chat_you": "您",
    "chat_no_step": "还没有召回任何记忆：这个线程里还没有提过问题。",
    "chat_no_threads": "还没有线程：还没有提过问题。",
    "chat_argument_remember": "，“文字”是用您的话写的一条知识",
    "chat_argument_forget": "，“编号”是 /memory、/history 或 /why 所显示的，写出开头即可",
    "chat_argument_switch": "，“线程”是 /threads 显示的名称，写出开头即可",
    "help_memory": "记下了哪些关于您的内容：卡片，以及您要求记住或说过、还不是卡片的话",
    "help_why": "上一步召回了什么（或针对“问题”会召回什么），以及原因",
    "help_brief": "最近一次给执行者的简报",
    "help_remember": "把“文字”记成一张卡片",
    "help_forget": (
        "先询问，再把一张卡片及作为其出处的对话，或您说过的话，移出所有检索和简报"
        "（彻底抹去之前，可用 `memory-secretary memory restore` 恢复）"
    ),
    "help_history": "这个线程里说过的话",
    "help_threads": "您的线程，最新的在前",
    "help_new": "开始一个新线程",
    "help_switch": "转到另一个线程；写出名称开头即可",
    "help_resume": "继续被停下的任务",
    "help_help": "列出这些命令",
    "help_quit": "结束会话并离开",
}

_TABLES: dict[Lang, dict[str, str]] = {
    "en": _EN | memory_words.EN | trace_words.EN | diagnosis_words.EN,
    "zh": _ZH | memory_words.ZH | trace_words.ZH | diagnosis_words.ZH,
}


def say(lang: Lang, key: str, **values: object) -> str:
    """The phrase for ``key``; whole numbers get separators of thousands, and commands can be typed as they stand."""
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    return as_typed(_TABLES[lang][key].format(**shown))


def colon(lang: Lang) -> str:
    """What stands between a name and its value."""
    return "：" if lang == "zh" else ": "


def figure(lang: Lang, name: str) -> str:
    """A figure of the memory's upkeep by its name in a report; a name that is not ours is its own."""
    return _TABLES[lang].get(f"figure_{name}", name)


def term(lang: Lang, group: str, code: str) -> str:
    """What a code of the memory's records is called on a screen; one that is not ours is its own."""
    names = memory_words.TERMS[group] if lang == "zh" else memory_words.PLAIN.get(group, {})
    return names.get(code, code)


def node_name(lang: Lang, node: str) -> str:
    """What a node of the graph is called on a screen; a name that is not ours is its own."""
    return _TABLES[lang].get(f"node_{node}", node)


def section(lang: Lang, name: str) -> str:
    """A section of the brief by its name in the state; a name that is not ours is its own."""
    return _TABLES[lang].get(f"section_{name}", name)
