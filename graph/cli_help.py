"""The pages of ``--help``: one style for what stands behind an option, and the translation of every text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import typer

from memory_secretary.graph.placeholders import placeholders

CHINESE = {
    # 命令
    "A secretary with a long memory that makes small local models finish long tasks.": (
        "有长期记忆的秘书，让本地小模型做完长任务。"
    ),
    "Run a task and show every step; exit status 0 when it is done (and, for the example, right).": (
        "执行一个任务并显示每一步；完成（示例任务还须答对）时退出状态为 0。"
    ),
    "Talk; what was said is kept and recalled when it matters."
    "\n\nPiped lines are one turn each; exit status 0 when all were read, 1 when a turn was not done, 130 on Ctrl-C.": (
        "对话；说过的话会保存下来，需要时召回。"
        "\n\n从管道输入时每行算一轮；全部读完时退出状态为 0，有一轮没有完成为 1，按 Ctrl-C 为 130。"
    ),
    "Show the last brief of a run or a chat: what the executor was given to read at its last step.": (
        "显示一次运行或对话的最近一份简报：执行者在最后一步读到的内容。"
    ),
    "Look at models, memory, settings and versions; exit status 0 when all is well, 1 with warnings, 2 with faults."
    "\n\nNothing is fetched and nothing written, but for a probe file that is removed and an embedded server's log.": (
        "检查模型、记忆、设置和版本；退出状态 0 一切正常，1 有警告，2 有故障。"
        "\n\n不下载也不写入任何内容，只有一个随即删除的试写文件和内置服务的日志除外。"
    ),
    "Show which models can be used here and what each role would use; fetch or verify embedded weights.": (
        "显示这里能用哪些模型、各角色会用哪个；下载或校验内置模型的权重。"
    ),
    "Look at the memory and change what is your own.": "查看记忆，并修改属于您自己的内容。",
    "The cards, newest first; then what was asked to be remembered, or told, and is no card yet (as JSON: pending).": (
        "列出卡片，最新的在前；然后是还不是卡片的话（JSON 见 `pending`）。"
    ),
    "What a recall for QUERY brings, with the parts of each score.": "针对“问题”会召回什么，附各项得分。",
    "Why a card or an event does or does not come when QUERY is recalled.": (
        "针对“问题”召回时，某张卡片或某个事件为什么会或不会被召回。"
    ),
    "One card with all its fields, or a stretch of an event's text.": "显示一张卡片的全部字段，或一个事件的一段原文。",
    "Keep TEXT as a card of your own; saying the same again gives the same card.": (
        "把“文字”记成您自己的一张卡片；再记同样的话仍是同一张。"
    ),
    "Give a card new words, as a new version; the old one stays in its history.": (
        "改写一张卡片，成为新版本；旧版本留在历史里。"
    ),
    "Every version of a card, oldest first, with who wrote it and why.": (
        "一张卡片的所有版本，最早的在前，并说明由谁、为何写入。"
    ),
    "Take a card with the turns it came from, or what you said, out of every search; `restore` brings it back.": (
        "把一张卡片及作为其出处的对话，或您说过的话，移出所有检索；可用 `restore` 恢复。"
    ),
    "Make a card current again, as it is or with an earlier version's words; or let searches have a turn again.": (
        "恢复一张卡片（原样或较早版本的文字），或一条对话。"
    ),
    "Settle short-term cards in the long tier: what is stable or was repeated; duplicates become one card.": (
        "把稳定或多次说到的短期卡片转入长期；重复的合并成一张。"
    ),
    "Look for memories that are dead, out of date, contradictory, alike, orphaned, never used or harmful."
    "\n\nWhat would be changed is told, and is done when you agree; `restore` takes each change back.": (
        "找出失活、过期、矛盾、相近、失去依据、从未用到或有害的记忆。"
        "\n\n先说明要改动什么，您同意后才改；每项改动都可用 `restore` 撤回。"
    ),
    "Write the report as a page to the new file FILE.": "把报告写成网页，存入这个新文件。",
    "Consolidate and inspect the memory, once or again and again; the folder is free for others in between.": (
        "整合并检查记忆，一次或定时反复；间隔期间文件夹可供他人使用。"
    ),
    "Again and again after so long, e.g. 24h, 30m or 7d (default: once).": (
        "每隔多久再做一次，如 24h、30m、7d（默认只做一次）。"
    ),
    "Make the proposed changes, too; without it they are told.": "同时作所建议的改动；不加则只说明。",
    "Run a suite of tasks with and without memory, and say whether memory helps."
    "\n\nEvery run is kept: the same command goes on where it was stopped."
    " With --trace, errors of an agent that you have.": (
        "在有记忆和无记忆时运行一组任务，说明记忆是否有帮助。"
        "\n\n每个运行都会保存：再运行同一条命令就从停下处继续。用 --trace 时，只看您已有智能体的错误。"
    ),
    "long, development, example, or your own: a Python file, or a folder with suite.py.": (
        "long、development、example，或您自己的：一个 Python 文件，或含 suite.py 的文件夹。"
    ),
    "Some of none,full,summary,secretary,secretary-own (default: all that can be).": (
        "none、full、summary、secretary、secretary-own 中的几个（默认：所有可行的）。"
    ),
    "Eight short tasks in the arms none and secretary-own, in half an hour.": (
        "八个短任务，方式为 none 和 secretary-own，半小时之内。"
    ),
    "Runs at a time, where the server takes them.": "同时做几个运行（须服务器能承受）。",
    "Where runs and reports are kept; it goes on from there.": "运行和报告保存在哪里；下次从那里继续。",
    "Begin no run that would end later than that.": "不开始预计在此之后才结束的运行（分钟）。",
    "Make no run; write the reports of those that were made.": "不做运行；只为已做过的写报告。",
    "Price of a million tokens of the executor: prompt,reply.": "执行者每百万词元的价格：提示词,回复。",
    "The same of the secretary.": "秘书的，同上。",
    "Of the prices.": "价格的货币。",
    "Make long-term cards of documents (txt, md, html, csv, json, docx, pdf), each with the sentence it rests on."
    "\n\nWhat is unchanged costs nothing, what was broken off goes on; exit status 1 when something failed.": (
        "把文档（txt、md、html、csv、json、docx、pdf）提炼成长期卡片。"
        "\n\n每张卡片都附所依据的原句。未变的文档不花费任何调用，中断过的会接着做；有失败时退出状态为 1。"
    ),
    "Files, folders with all below them, or patterns.": "文件、文件夹（含其下所有文件）或通配符。",
    "The model that reads the documents.": "用来读文档的教师模型。",
    "Tell what it would cost and end.": "只说明会花费多少，然后结束。",
    "Also what is distilled already, e.g. with a stronger teacher.": "已提炼过的也重做，例如换用更强的教师模型。",
    "At most so many calls of the teacher.": "最多调用教师模型多少次。",
    "What a million tokens cost, to tell the price beforehand.": "每百万词元的价格，用于事先说明费用。",
    "Let the teacher make cards of past conversations, too, as memory settle does.": (
        "也让教师模型把过去的对话整理成卡片，做法同 `memory settle`。"
    ),
    "Let the teacher write down how finished tasks of each kind were done.": (
        "让教师模型写下每一种已完成的任务是怎么做的。"
    ),
    "What waits to become cards, oldest first, and why what failed did fail.": (
        "等待整理成卡片的内容，最早的在前；失败的附原因。"
    ),
    "Make cards of what waits; exit status 1 when something stays pending, which is tried again the next time.": (
        "把等待中的内容整理成卡片；有内容仍在等待时退出状态为 1，下次会再试。"
    ),
    "The model that makes the cards.": "用来整理卡片的模型。",
    "At most so many calls of the model.": "最多调用模型多少次。",
    "Write all of the user's events and cards, every version, to the new file PATH as JSON lines.": (
        "把该用户的全部事件和卡片（所有版本）以 JSON 行写入“路径”所指的新文件。"
    ),
    "Take in what `export` wrote, or cards of your own, in the form of docs/import.md.": (
        "导入 `export` 写出的文件，或您自己写的卡片（格式见 docs/import.zh-CN.md）。"
    ),
    "Make both indexes again from the ledger, with the embedder given here.": (
        "用这里给出的嵌入模型，从账本重建两个索引。"
    ),
    "Look for damage (exit status 1) and for records that no index holds; the indexes are repaired.": (
        "检查有无损坏（有则退出状态为 1）和未进索引的记录；索引会被修复。"
    ),
    "Copy the memory, as it is at this moment, into the new folder PATH.": "把此刻的记忆库复制到“路径”所指的新文件夹。",
    "Erase what was forgotten, of all users of the folder, for good and give its space back.": (
        "彻底抹去该文件夹里所有用户已遗忘的内容，并把空间还给磁盘。"
    ),
    "Show what a run did step by step: times, tokens, what was recalled, what was left out and why.": (
        "逐步显示一次运行：用时、词元、召回和略去的内容及原因。"
    ),
    # 选项和参数
    "Run nothing: say of an agent's own messages (LangChain's, OpenAI's or a LangGraph state, as JSON) whether "
    "forgetting is its problem.": (
        "不运行任何任务：根据智能体自己的消息（LangChain、OpenAI 格式或 LangGraph 状态，JSON）判断问题是否出在遗忘。"
    ),
    "With --trace: the agent keeps the newest request in its prompt, however long the task becomes.": (
        "与 --trace 同用：无论任务多长，该智能体都把最新的请求留在提示词里。"
    ),
    "What --trace wrote.": "--trace 写出的文件。",
    "Only this step, with everything.": "只看这一步，显示全部内容。",
    "File to which is appended what every step did; `trace FILE` shows it.": (
        "把每一步做了什么追加到这个文件；用 `trace 文件` 查看。"
    ),
    "Show this message and exit.": "显示本说明并退出。",
    "Print the version and end.": "显示版本并退出。",
    "What to do; with --resume, the thread to continue (default: the newest).": (
        "要做的事；与 --resume 同用时，是要继续的线程（默认：最新的）。"
    ),
    "Solve the example task in a copy of its files.": "在示例文件的副本上完成示例任务。",
    "Talk about a copy of the example's files.": "针对示例文件的副本对话。",
    "Which variant of the example task.": "示例任务的第几个变体。",
    "Language of what is shown (default: that of your words or your system).": (
        "显示所用的语言（默认：您的文字或系统的语言）。"
    ),
    "embedded (default), ollama:NAME or openai:NAME.": "embedded（默认，内置模型）、ollama:名称 或 openai:名称。",
    "Default: the executor's model.": "默认：与执行者的模型相同。",
    "The executor's window.": "执行者的上下文窗口。",
    "What the tools see and may write (default: this folder).": "工具能读也能写的文件夹（默认：当前文件夹）。",
    "Folder of the memory (default: this user's data folder).": "记忆库的文件夹（默认：当前系统用户的数据文件夹）。",
    "Whose memory: nothing of others is seen.": "谁的记忆：看不到他人的任何内容。",
    "Whose; its beginning is enough (default: the newest).": "哪个线程，写出开头即可（默认：最新的）。",
    "Conversation to go on with (default: new).": "要继续的对话（默认：新对话）。",
    "Conversation to go on with, its beginning is enough (default: new).": (
        "要继续的对话，写出开头即可（默认：新对话）。"
    ),
    "Continue a run that has not ended.": "继续一次尚未结束的运行。",
    "Step limit.": "步数上限。",
    "embedded, ollama:NAME, openai:NAME, executor or none; always the same one for one memory folder.": (
        "embedded、ollama:名称、openai:名称、executor 或 none；同一个记忆文件夹要始终用同一个。"
    ),
    "Write JSON for programs.": "输出 JSON，供程序读取。",
    "Files that it may read and write (default: none).": "可以读写的文件（默认：无）。",
    "Show every step, as run does.": "像 `run` 那样显示每一步。",
    "The executor's model.": "执行者的模型。",
    "The secretary's, if another.": "秘书的模型（若与执行者不同）。",
    "The memory's embedder.": "记忆库的嵌入模型。",
    "The memory's folder.": "记忆库的文件夹。",
    "Ask no model anything: nothing is loaded.": "不向任何模型提问：不加载任何模型。",
    "Also fill the window with one long prompt.": "另外用一个长提示词填满窗口。",
    "List what there is, fetch an embedded model's weights, or verify those that are here.": (
        "list 列出现有模型，fetch 下载内置模型的权重，verify 校验已有的权重。"
    ),
    "An embedded model: qwen2.5-coder-1.5b or qwen2.5-coder-0.5b; 1.5b or 0.5b is enough.": (
        "内置模型：qwen2.5-coder-1.5b 或 qwen2.5-coder-0.5b，只写 1.5b 或 0.5b 即可。"
    ),
    "Only cards with this status: active, superseded, archived, quarantined or any.": (
        "只看这种状态的卡片：active（有效）、superseded（已被取代）、archived（已归档）、quarantined（已隔离）"
        "或 any（任何）。"
    ),
    "What is asked or looked for.": "要问或要找的内容。",
    "At most so many hits.": "最多显示多少条。",
    "The card or event in question (default: all that comes).": "所问的卡片或事件（默认：召回的全部内容）。",
    "A card's or an event's id; its beginning is enough.": "卡片或事件的编号；写出开头即可。",
    "First character of an event's text.": "从事件原文的第几个字符开始。",
    "Characters of an event's text.": "显示事件原文的多少个字符。",
    "One piece of knowledge, in one sentence.": "一条知识，用一句话写出。",
    "preference, fact, rule, constraint, episode or method (default: preference where TEXT says what you like or how "
    "you want to be answered, else fact).": (
        "preference（偏好）、fact（事实）、rule（规则）、constraint（约束）、episode（经历）或 method（方法）；"
        "默认：“文字”说的是您的喜好或希望怎样回答时为 preference，否则为 fact。"
    ),
    "A card's id, as list and search show it; its beginning is enough.": (
        "卡片的编号，见 `list` 和 `search`；写出开头即可。"
    ),
    "The id of a card or of what you said, as list and search show it; its beginning is enough.": (
        "卡片或您说过的话的编号，见 `list` 和 `search`；写出开头即可。"
    ),
    "The card's new words.": "卡片的新文字。",
    "Take the words of this version.": "改用这个版本的文字。",
    "A file or folder.": "文件或文件夹。",
    "Do it without asking.": "不询问，直接执行。",
    "Time zone of times that have none.": "没有时区的时间所用的时区。",
}  # fmt: skip
"""Every help text of the command line by its English."""

_FIXED = {
    "ARGUMENTS_PANEL_TITLE": "参数",
    "OPTIONS_PANEL_TITLE": "选项",
    "COMMANDS_PANEL_TITLE": "命令",
    "DEFAULT_STRING": "[默认：{}]",
    "ENVVAR_STRING": "[环境变量：{}]",
    "REQUIRED_LONG_STRING": "[必填]",
}
"""The words of the library's own that stand on a page of help."""


def in_one_style(command: Any) -> None:
    """Let a page show what is to be written behind an option: nothing, one of ``a|b``, or a word in capitals.

    Args:
        command: it and those below it are changed; a command is made anew for each call of the app.
    """
    for parameter in (*command.params, command.get_help_option(typer.Context(command))):
        parameter.display_type_rich = partial(_value, parameter)
        parameter._get_number_range_help_str = _nothing
    for below in getattr(command, "commands", {}).values():
        in_one_style(below)


def _value(parameter: Any, **_context: Any) -> str | None:
    if getattr(parameter, "is_flag", False):
        return None
    kind = parameter.type_descriptor
    if parameter.param_type_name == "argument":
        return "|".join(map(str, kind.choices)) if kind.choices else None
    if parameter.metavar or not kind.choices:
        return parameter.metavar or ("N" if kind.annotation is int else parameter.name.upper())
    return "|".join(map(str, kind.choices))


def _placeholder(parameter: Any) -> str | None:
    """The word that stands for what the user will write; None where one of some words is to be written, or nothing."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    return _value(parameter) if parameter.metavar or not parameter.type_descriptor.choices else None


def _nothing() -> str:
    return ""


def in_chinese(command: Any) -> None:
    """Make a command, and those below it, show its help in Chinese; as :func:`in_one_style` does."""
    command.help = CHINESE.get(command.help, command.help)
    for parameter in (*command.params, command.get_help_option(typer.Context(command))):
        parameter.help = CHINESE.get(parameter.help, parameter.help)
        if placeholder := _placeholder(parameter):
            parameter.metavar = placeholders(placeholder, "zh")
    command.format_help = partial(_with_fixed_words, command.format_help)
    command.get_usage = partial(_usage, command.get_usage)
    for below in getattr(command, "commands", {}).values():
        in_chinese(below)


def _with_fixed_words(show: Callable[..., None], *given: Any) -> None:
    with _fixed_words():
        show(*given)


@contextmanager
def _fixed_words() -> Iterator[None]:
    """Within this block the library's own words are Chinese, and a text without blanks is folded, not cut."""
    from typer import rich_utils

    own = vars(rich_utils)
    changed = {name: new for name, new in {**_FIXED, "Columns": _folded}.items() if name in own}
    english = {name: own[name] for name in changed}
    own.update(changed)
    try:
        yield
    finally:
        own.update(english)


def _folded(texts: list[Any]) -> Any:
    """In place of the library's columns of a parameter's help: its parts one after the other, folded as Chinese is."""
    from memory_secretary.graph.folded_text import FoldedText

    return FoldedText(texts)


def _usage(english: Callable[..., str], *given: Any) -> str:
    return placeholders(english(*given).replace("Usage: ", "用法：", 1), "zh")
