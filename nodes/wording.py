"""The fixed words that the executor and the user read, in both languages."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Wording:
    """Headings and sentences of one language; ``{…}`` are filled in by the code that uses them."""

    goal: str
    message: str
    earlier: str
    amended: str
    constraints: str
    progress: str
    progress_line: str
    progress_failed: str
    state_line: str
    state_total: str
    state_untold: str
    done: str
    folded: str
    open: str
    more_open: str
    figures: str
    each_first: str
    figure_line: str
    figure_bare: str
    rivals: str
    only_value: str
    figure_total: str
    figure_high: str
    figure_low: str
    figure_spread: str
    figure_mean: str
    figure_sum: str
    figure_without: str
    unread: str
    limit_line: str
    own_limit_line: str
    over: str
    under: str
    upto: str
    at_least: str
    as_said: str
    as_goal: str
    kept: str
    recalled: str
    methods: str
    method_steps: str
    method_note: str
    method_look_up: str
    method_check: str
    newest: str
    newest_line: str
    reminders: str
    goal_again: str
    left_out: str
    next_open: str
    next_words: str
    next_free: str
    next_answer: str
    next_reply: str
    noted: str
    next_abilities: str
    last_step: str
    repeated: str
    cycle: str
    not_paired: str
    not_paired_nowhere: str
    not_asked: str
    forbidden: str
    acts_done: str
    acts_total: str
    acts_failed: str
    way: str
    way_end: str
    way_first: str
    way_last: str
    not_kept: str
    secret_gone: str
    invalid: str
    tool_off: str
    no_files: str
    unseen: str
    steps_left: str
    ungrounded: str
    no_value: str
    no_figure: str
    unnamed: str
    misnamed: str
    echoed: str
    answered_before: str
    no_answer: str
    shorten: str
    only_asked: str
    go_on: str
    secretary_down: str
    unknown_outcome: str
    step_limit: str
    no_progress: str
    no_usable_reply: str
    partial: str
    partial_none: str
    failed: str


EN = Wording(
    goal="Goal",
    message="The user says",
    earlier="What the user asked before (answered; what was found for it is noted below)",
    amended="The user added",
    constraints="Must hold",
    progress="Progress",
    progress_line="{done} of {all} items done, {open} open.",
    progress_failed=" Failed: {failed}.",
    state_line="The records that are what the question asks about: {yes} ({no} others are not)",
    state_total="Their amounts: {amounts}; total {total}",
    state_untold="These do not say: {names}",
    done="Done so far (do not do again)",
    folded="{n} earlier items are done as well; read_record gives them back.",
    open="Open",
    more_open="… and {n} more",
    figures="Computed by code from the noted values",
    each_first="The answer begins with these lines, one for each record:",
    figure_line="{name}, {count} records: {parts}.",
    figure_bare="{name}:",
    only_value="{name}: {value}, in the one record that has it ({record})",
    rivals="{name}, {values}. The goal names none of these records: give each value with its record.",
    figure_total="total {total}",
    figure_high="highest {high} ({high_of})",
    figure_low="lowest {low} ({low_of})",
    figure_spread="highest minus lowest {spread}",
    figure_mean="mean {mean}",
    figure_sum="{total} (= {sum} of the records {added})",
    figure_without="Not counted: {names} {said}.",
    unread="Could not be read, so not counted: {names}. Say so in the answer.",
    limit_line="Above {limit} ({subject}): {above} records ({names}); not above: {rest}.",
    own_limit_line="{side} {limit}{name} {said}: {count} records ({names}); the others: {rest}.",
    over="Above",
    under="Below",
    upto="At most",
    at_least="At least",
    as_said="(the user said: “{said}”)",
    as_goal="(by the goal)",
    kept="What the user asked to keep in mind",
    recalled="Possibly relevant memories, to be read with the current conversation",
    methods="How tasks like this one were done (a help; the user's words and the records come first)",
    method_steps="Steps: {steps}",
    method_note="Note from each record: {names}",
    method_look_up="Look up: {how}",
    method_check="Before the answer: {checks}",
    newest="Newest result",
    newest_line="Result of {call}",
    reminders="Reminders",
    goal_again="The goal again",
    left_out="({n} left out: {names})",
    next_open="Choose the open item to do next.",
    next_words="With {labels} also write {names}.",
    next_free="Decide the next step.",
    next_answer="Every item is done. Give the final answer to the goal from what is noted and computed above.",
    next_reply="Answer the user. Speak to them as 'you': where they say 'I', that is them.",
    noted="Noted. I will remember it.",
    next_abilities="The user asks what you can do. Tell them in one or two sentences what the tools above let you do.",
    last_step="No more tools. Give the final answer now from what is noted above; say plainly what is missing.",
    repeated="You did {call} already at step {step}; it was not run again. Its result: {result}",
    cycle="You are going back and forth between {a} and {b}. Do something else, or answer.",
    not_paired="{call} was not run: {missing} does not stand in the record it belongs to. The record says: {quote}",
    not_paired_nowhere="{call} was not run: {missing} stands in no record. Look it up first.",
    not_asked="{call} was not run: nothing in the request asks for it.",
    forbidden="{call} was not run: the user said: {constraint}",
    acts_done="{tool} was done {n} times, for: {records}",
    acts_total="{name} in all: {total}",
    acts_failed="refused for: {records}",
    way="The matter went this way: {way} ({n} records). The last record, where it ended: {last}",
    way_end="What the {end} record ({name}) says: {result}",
    way_first="first",
    way_last="last",
    not_kept="A secret in your message serves this run and is kept nowhere; where it stood, a mark is kept.",
    secret_gone="{call} was not run: «secret:…» only stands for a secret that was not kept. "
    "The user must give it again; say so in your answer.",
    invalid="The last reply could not be used ({problem}). Answer with one step in the given form.",
    tool_off="Do not use {tool} in this step; what it gave is noted above.",
    no_files="No tool here opens files or folders, so {names} cannot be seen: say so, unless a memory has the answer.",
    unseen="I cannot see {names}: no tool here opens files or folders. Give me the text itself, or tools that read "
    "files (a chat gets them with --workspace FOLDER).",
    steps_left="{n} steps are left.",
    ungrounded="Your answer names {missing}, which stands in no record. Use only what is noted.",
    no_figure="Your answer is not what was computed. Answer with it: {line}",
    no_value="Your answer names no value, though values are noted above. Answer the goal from them.",
    unnamed="Your answer leaves out {names}, which the question asks about as well. Name each of them.",
    misnamed="Your answer names {names}, which the question is not about. Leave them out.",
    answered_before="That was the answer to the question before. Something else is asked now: look it up.",
    echoed="Your answer only repeats what you were asked or told. Say what was found.",
    no_answer="I could not answer this from what was found.",
    shorten="Shorten this text to at most {most} {unit}. Keep what matters most, leave out the rest.\n\n{text}",
    only_asked="Question: {question}\n\nAnswer: {text}\n\n"
    "Give the same answer in at most {most} {unit}: only the thing that was asked for.",
    go_on="The user has your answer as far as: {said}\nGo on from there; do not repeat it.",
    secretary_down="The secretary could not be asked ({problem}); this brief was made by code alone.",
    unknown_outcome="The process stopped while {call} was running, so it may or may not have happened. "
    "Check before doing it again.",
    step_limit="the steps were used up",
    no_progress="no step brought it further",
    no_usable_reply="the model gave no usable reply",
    partial="I could not finish this ({reason}). Done: {done} of {all}. What is known:",
    partial_none="I could not finish this ({reason}), and nothing certain is known yet.",
    failed="failed: {error}",
)

ZH = Wording(
    goal="目标",
    message="用户说",
    earlier="用户之前的要求（已回答，查到的内容记在下面）",
    amended="用户补充",
    constraints="必须遵守",
    progress="进度",
    progress_line="共 {all} 项，已完成 {done} 项，未完成 {open} 项。",
    progress_failed="失败 {failed} 项。",
    state_line="符合所问的记录：{yes}（另有 {no} 份不符合）",
    state_total="它们的金额：{amounts}；合计 {total}",
    state_untold="没有说明的：{names}",
    done="已完成（不要重做）",
    folded="更早的 {n} 项也已完成，可用 read_record 取回。",
    open="未完成",
    more_open="……还有 {n} 项",
    figures="由代码根据已记下的数值算出",
    each_first="答案先写下面这几行，每条记录一行：",
    figure_line="{name}，{count} 份记录：{parts}。",
    figure_bare="{name}，比对：",
    only_value="{name}：{value}（只有一份记录里有：{record}）",
    rivals="{name}：{values}。目标没有指明是哪一份记录：请把每个数值连同它的记录都写出来。",
    figure_total="合计 {total}",
    figure_high="最高 {high}（{high_of}）",
    figure_low="最低 {low}（{low_of}）",
    figure_spread="最高减最低 {spread}",
    figure_mean="平均 {mean}",
    figure_sum="{total}（= 各份记录之和 {sum} {added}）",
    figure_without="不计入：{names}{said}。",
    unread="没能读到，所以没有计入：{names}。请在回答里说明。",
    limit_line="高于 {limit}（{subject}）的有 {above} 份（{names}）；未高于的有 {rest} 份。",
    own_limit_line="{side} {limit}{name}{said}的有 {count} 份（{names}）；其余 {rest} 份。",
    over="高于",
    under="低于",
    upto="不超过",
    at_least="不低于",
    as_said="（用户说过：“{said}”）",
    as_goal="（目标里说的）",
    kept="用户让记着的",
    recalled="以下是可能相关的历史记忆，请结合当前对话参考",
    methods="这类任务以前的做法（仅供参考；以用户的话和记录为准）",
    method_steps="步骤：{steps}",
    method_note="每份记录要记：{names}",
    method_look_up="查找：{how}",
    method_check="回答之前：{checks}",
    newest="最新结果",
    newest_line="{call} 的结果",
    reminders="提醒",
    goal_again="再次说明目标",
    left_out="（略去 {n} 条：{names}）",
    next_open="选择下一个要做的未完成项。思路用中文写。",
    next_words="选择 {labels} 时还要写出 {names}。",
    next_free="决定下一步。思路和回答都用中文。",
    next_answer="所有项都已完成。请根据上面记下和算出的内容用中文（目标另有要求时除外）给出对目标的最终回答。",
    next_reply="请用中文回复用户，并用“你”称呼用户：用户说的“我”是指用户自己。",
    noted="好的，记下了。",
    next_abilities="用户在问你能做什么。请根据上面的工具，用一两句中文说明你能为用户做什么。",
    last_step="不能再用工具。请根据上面记下的内容现在用中文（目标另有要求时除外）给出最终回答，并直说还缺什么。",
    repeated="第 {step} 步已经执行过 {call}，这次没有再执行。结果是：{result}",
    cycle="你在 {a} 和 {b} 之间来回重复。请换一个做法，或直接回答。",
    not_paired="没有执行 {call}：{missing} 不在它所属的记录里。记录写的是：{quote}",
    not_paired_nowhere="没有执行 {call}：任何记录里都没有 {missing}。请先查清楚。",
    not_asked="没有执行 {call}：请求里没有要求这样做。",
    forbidden="没有执行 {call}：用户说过：{constraint}",
    acts_done="{tool} 已执行 {n} 次，对象：{records}",
    acts_total="{name} 合计：{total}",
    acts_failed="被拒绝的：{records}",
    way="事情经过：{way}（共 {n} 份）。最后一份，即终点：{last}",
    way_end="{end}一份（{name}）写的：{result}",
    way_first="第",
    way_last="最后",
    not_kept="你消息里的密文只供这次运行使用，不会保存；保存的是代替它的标记。",
    secret_gone="没有执行 {call}：«secret:…» 只是代替了没有保存的密文。必须由用户重新提供；请在回答里说明。",
    invalid="上一个回复无法使用（{problem}）。请按规定格式只给出一步。",
    tool_off="这一步不要再用 {tool}，它给出的结果已记在上面。",
    no_files="这里没有能打开文件或文件夹的工具，所以看不到 {names}：除非记忆里有答案，否则如实说明。",
    unseen="我看不到 {names}：这里没有能打开文件或文件夹的工具。请直接给出文字内容，或提供能读文件的工具"
    "（对话可用 --workspace 文件夹）。",
    steps_left="还剩 {n} 步。",
    ungrounded="你的回答里有 {missing}，但任何记录里都没有。只能使用已记下的内容。",
    no_figure="你的回答与算出的结果不符。请照此回答：{line}",
    no_value="你的回答里没有任何数值，但上面已经记下了。请根据它们回答目标。",
    unnamed="你的回答漏掉了 {names}，这也是所问的。请逐一写出。",
    misnamed="你的回答写了 {names}，但问的不是它们。请去掉。",
    answered_before="那是上一个问题的答案。现在问的是别的：请先查找。",
    echoed="你的回答只是重复了问题或要求。请写出查到的内容。",
    no_answer="根据查到的内容，我无法回答这个问题。",
    shorten="把下面的话缩短到最多 {most} {unit}，只保留最要紧的。\n\n{text}",
    only_asked="问题：{question}\n\n回答：{text}\n\n请用最多 {most} {unit}给出同样的回答，只说所问的内容。",
    go_on="用户已收到的回答到此为止：{said}\n请接着往下写，不要重复。",
    secretary_down="无法询问秘书（{problem}），这份简报完全由代码生成。",
    unknown_outcome="执行 {call} 时进程中断，不知道它是否已经生效。重做之前请先核实。",
    step_limit="步数已用完",
    no_progress="再做下去没有进展",
    no_usable_reply="模型没有给出可用的回复",
    partial="我没能完成（{reason}）。已完成 {done}/{all} 项。目前所知：",
    partial_none="我没能完成（{reason}），目前还没有确定的结果。",
    failed="失败：{error}",
)

_BY_LANGUAGE = {"en": EN, "zh": ZH}
assert {f.name for f in fields(EN)} == {f.name for f in fields(ZH)}


def wording(lang: str) -> Wording:
    """The words of a language: ``en`` or ``zh``; any other falls back to English."""
    return _BY_LANGUAGE.get(lang, EN)
