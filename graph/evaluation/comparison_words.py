"""The words of a comparison's report, in the language that is spoken here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import floor, log10

from memory_secretary.graph.evaluation.comparison import Arm, Comparison, Difference, Share
from memory_secretary.memory.bilingual import said


def arm_words(name: str) -> str:
    """What an arm does."""
    return {
        "none": said("no memory: a sliding window", "无记忆：滑动窗口"),
        "full": said("the whole history, while it fits", "完整历史，直到放不下"),
        "summary": said("a rolling summary of what no longer fits", "把放不下的部分滚动摘要"),
        "secretary": said("the secretary, another model than the executor", "秘书，与执行者不是同一个模型"),
        "secretary-own": said("the secretary, the executor's model in both roles", "秘书，执行者的模型担任两个角色"),
    }[name]


def kind_words(kind: str) -> str:
    """A kind of error."""
    return {
        "goal_lost": said("goal lost", "目标遗忘"),
        "step_repeated": said("step repeated", "步骤重复"),
        "contradiction": said("contradiction", "状态矛盾"),
        "missing_information": said("missing information", "信息缺失"),
        "invention": said("invention", "编造"),
    }[kind]


def token_words(name: str) -> str:
    """Whose tokens, and in which direction."""
    return {
        "executor_prompt": said("executor, prompts", "执行者，提示词"),
        "executor_reply": said("executor, replies", "执行者，回复"),
        "secretary_prompt": said("secretary, prompts", "秘书，提示词"),
        "secretary_reply": said("secretary, replies", "秘书，回复"),
    }[name]


def title() -> str:
    """The report's."""
    return said("Does memory help?", "记忆有用吗？")


def percent(value: float) -> str:
    """A share of 1."""
    return f"{100 * value:.0f} %"


def share_text(share: Share) -> str:
    """``4/6 · 67 % (30–90 %)``: short enough for a narrow window."""
    percents = f"{percent(share.right / share.runs)} ({100 * share.low:.0f}–{percent(share.high)})"
    return f"{share.right}/{share.runs} · {percents}"


def cost_text(arm: Arm, currency: str) -> str:
    """What a run costs to three digits, with the currency; never in powers of ten."""
    if arm.cost is None:
        return "–"
    places = 2 if arm.cost <= 0 else max(2, 2 - floor(log10(arm.cost)))
    return f"{arm.cost:,.{places}f} {currency}".rstrip()


def about_rows(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """What was run with what."""
    about = comparison.about
    names = {
        "suite": said("suite", "任务集"),
        "tasks": said("tasks", "任务数"),
        "executor": said("executor", "执行者"),
        "secretary": said("secretary", "秘书"),
        "window": said("executor's window (tokens)", "执行者的窗口（词元）"),
        "secretary_window": said("secretary's window (tokens)", "秘书的窗口（词元）"),
        "made": said("runs made", "已完成的运行"),
        "machine": said("machine", "机器"),
        "version": said("version", "版本"),
        "at": said("written", "生成时间"),
    }
    shown = {**about, "made": said(f"{about['made']} of {about['runs']}", f"{about['runs']} 个中 {about['made']} 个")}
    yield from ((word, str(shown[name])) for name, word in names.items() if shown.get(name) not in (None, ""))


def verdict(comparison: Comparison) -> str:
    """The plain verdict on the pair: does memory help, by how much, how sure."""
    if not comparison.differences:
        return said(
            "Nothing can be said yet: no task was run both with memory and without.",
            "还不能下结论：没有任务既在有记忆、又在无记忆时运行过。",
        )
    first = comparison.differences[0]
    return f"{_judgement(first)} {difference_text(first)}{_needed(first)}"


def difference_text(difference: Difference) -> str:
    """One difference in a sentence, with its interval and its test."""
    gain, low, high = (f"{100 * value:+.0f}" for value in (difference.gain, difference.low, difference.high))
    ours, plain, wins, losses = difference.ours, difference.plain, difference.wins, difference.losses
    p = "p < 0.001" if difference.p < 0.001 else f"p = {difference.p:.3f}"
    return said(
        f"{ours} against {plain} on {difference.tasks} tasks: {gain} points (95 %, paired bootstrap: {low} to {high}); "
        f"only {ours} right on {wins}, only {plain} right on {losses} (exact sign test, {p}).",
        f"{ours} 对 {plain}，{difference.tasks} 个任务：{gain} 个百分点（95 %，配对自助法：{low} 至 {high}）；"
        f"只有 {ours} 做对的 {wins} 个，只有 {plain} 做对的 {losses} 个（精确符号检验，{p}）。",
    )


def _judgement(difference: Difference) -> str:
    return {
        "helps": said("Memory helps this pair.", "记忆对这一组合有帮助。"),
        "hurts": said("Memory hurts this pair.", "记忆对这一组合有害。"),
        "unknown": said("Whether memory helps this pair cannot be told yet.", "还不能判断记忆对这一组合是否有帮助。"),
    }[difference.judgement]


def _needed(difference: Difference) -> str:
    if difference.judgement != "unknown":
        return ""
    if difference.more is None:
        return said(
            " The two were right about equally often: more such tasks would hardly tell them apart.",
            "两者做对的差不多一样多，再多这样的任务也难分高下。",
        )
    return said(
        f" If it stays like that, about {difference.more} more such tasks are needed.",
        f"若保持这样，大约还需要 {difference.more} 个这样的任务。",
    )


def notes(comparison: Comparison) -> Iterator[str]:
    """What has to be known to read the figures."""
    if "≤3" in comparison.lengths:
        yield said(
            "Length is the number of tool calls that are needed. Up to 3 of them little is to be expected of memory: "
            "the whole task fits the window.",
            "长度指所需的工具调用次数。3 次以内不应期待记忆有多大帮助：整个任务都在窗口之内。",
        )
    yield said(
        "Success is given with its 95 % interval (Wilson). An error kind counts the runs in which it was seen; a right "
        "run can only have repeated a step.",
        "成功率附 95 % 区间（Wilson）。错误类型按出现过的运行计数；做对的运行只可能有步骤重复。",
    )
    yield said(
        "Tokens, steps, time and cost are means of one run. The rolling summary's tokens of the secretary are those of "
        "its summaries, which the executor's model writes. Cost takes no discount for cached prompts.",
        "词元、步数、时间和费用都是每次运行的平均值。滚动摘要一栏里秘书的词元是写摘要所用，由执行者的模型写。费用不计缓存折扣。",
    )


HEADS: Mapping[str, tuple[str, str]] = {
    "verdict": ("Verdict", "结论"),
    "differences": ("Differences", "差别"),
    "success": ("Success", "成功率"),
    "by_length": ("Success by length", "按长度的成功率"),
    "errors": ("Kinds of error", "错误类型"),
    "effects": ("Side effects", "副作用"),
    "effort": ("Steps, time and cost of one run", "每次运行的步数、时间和费用"),
    "tokens": ("Tokens of one run", "每次运行的词元"),
    "nodes": ("Time by node of one run", "每次运行各节点的时间"),
    "about": ("What was run", "运行条件"),
    "arm": ("arm", "方式"),
    "what": ("what it does", "做法"),
    "right": ("right", "正确"),
    "done_twice": ("done twice", "做了两次"),
    "wrong_effects": ("wrong", "做错"),
    "steps": ("steps", "步数"),
    "tool_calls": ("tool calls", "工具调用"),
    "seconds": ("seconds", "秒"),
    "cost": ("cost", "费用"),
    "runs": ("runs", "次运行"),
    "tokens_unit": ("tokens", "词元"),
}


def head(name: str) -> str:
    """A heading."""
    return said(*HEADS[name])
