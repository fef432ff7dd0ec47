"""The words of a diagnosis in English and Chinese."""

from __future__ import annotations

EN = {
    "diagnosis_of": "{messages} messages, {steps} decisions, {tokens} tokens; window of {window} tokens",
    "diagnosis_full": "From decision {n} on, the beginning was outside the window.",
    "diagnosis_fits": "All of it fits the window, so nothing can have been forgotten.",
    "diagnosis_goal_lost": "goal lost",
    "diagnosis_step_repeated": "step repeated",
    "diagnosis_contradiction": "contradiction",
    "diagnosis_missing_information": "missing information",
    "diagnosis_invention": "invention",
    "diagnosis_decision": "decision {n}",
    "diagnosis_needed": "needed, from decision {n}",
    "diagnosis_needed_first": "needed, from the beginning",
    "diagnosis_outside": "outside the window: forgotten",
    "diagnosis_inside": "in the window: not forgotten",
    "diagnosis_nowhere": "stands nowhere in this trace: not forgotten",
    "diagnosis_counts": "{kind}: {n}, of these forgotten {explained}",
    "diagnosis_verdict_none": "No error of these kinds is seen. Where the answers are wrong all the same, look "
    "elsewhere: forgetting is not seen to be your problem.",
    "diagnosis_verdict_forgetting": "Forgetting explains {explained} of {n} errors: a memory is what helps.",
    "diagnosis_verdict_partly": "Forgetting explains {explained} of {n} errors; the others have another cause, which a "
    "memory does not cure.",
    "diagnosis_verdict_not_forgetting": "Forgetting is not your problem: none of the {n} errors is due to it.",
}

ZH = {
    "diagnosis_of": "{messages} 条消息，{steps} 次决定，{tokens} 词元；窗口 {window} 词元",
    "diagnosis_full": "从第 {n} 次决定起，开头的内容已在窗口之外。",
    "diagnosis_fits": "全部内容都在窗口之内，不可能是遗忘。",
    "diagnosis_goal_lost": "目标遗忘",
    "diagnosis_step_repeated": "步骤重复",
    "diagnosis_contradiction": "状态矛盾",
    "diagnosis_missing_information": "信息缺失",
    "diagnosis_invention": "编造",
    "diagnosis_decision": "第 {n} 次决定",
    "diagnosis_needed": "所需内容，出自第 {n} 次决定",
    "diagnosis_needed_first": "所需内容，出自开头",
    "diagnosis_outside": "已在窗口之外：属于遗忘",
    "diagnosis_inside": "就在窗口之内：不是遗忘",
    "diagnosis_nowhere": "记录里没有这样的内容：不是遗忘",
    "diagnosis_counts": "{kind}：{n} 个，其中遗忘 {explained} 个",
    "diagnosis_verdict_none": "没有发现这几类错误。如果回答仍然不对，请从别处找原因：看不出是遗忘的问题。",
    "diagnosis_verdict_forgetting": "{n} 个错误中有 {explained} 个由遗忘造成：需要的正是记忆。",
    "diagnosis_verdict_partly": "{n} 个错误中有 {explained} 个由遗忘造成；其余另有原因，加上记忆也治不好。",
    "diagnosis_verdict_not_forgetting": "问题不在遗忘：{n} 个错误没有一个由它造成。",
}
