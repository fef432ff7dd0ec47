"""What an inspection found, in sentences of the language spoken here."""

from __future__ import annotations

from collections.abc import Mapping

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.records import Status
from memory_secretary.nodes.inspection import Finding, FindingKind

_KINDS: Mapping[FindingKind, tuple[str, str]] = {
    "orphaned": ("without what they rest on", "失去依据"),
    "harmful": ("harmful", "有害"),
    "stale": ("out of date", "过期"),
    "contradictory": ("contradictory", "互相矛盾"),
    "dead": ("dead", "失活"),
    "never_used": ("never used", "从未用到"),
    "mergeable": ("saying the same", "内容相同"),
    "similar": ("much alike", "内容相近"),
}
_REASONS: Mapping[str, tuple[str, str]] = {
    "no_fact": ("what it was concluded from is no longer held", "由之推断的事实已不再有效"),
    "no_evidence": ("the turns that it stands in were forgotten", "作为其出处的对话已被遗忘"),
    "failed_with_it": (
        "{failed} of {recalled} runs with it failed (of all runs: {usual:.0%})",
        "带着它的 {recalled} 次运行中有 {failed} 次失败（全部运行的失败率 {usual:.0%}）",
    ),
    "ended": ("it ended on {until}", "已于 {until} 结束"),
    "faded": ("it happened {days} days ago or more and was not asked for since", "已过去 {days} 天以上，此后无人问起"),
    "outweighed": ("it lost its weight, and was not asked for in {days} days", "效力已降低，且 {days} 天无人问起"),
    "unused": ("not recalled once in {days} days and {runs} runs", "{days} 天、{runs} 次运行中一次也没有召回"),
    "other_value": ("another card says otherwise and outweighs it", "另一张卡片说法不同，且更有分量"),
    "outweighed_already": (
        "another card says otherwise; this one has less weight already",
        "另一张卡片说法不同；本卡的权重已降低",
    ),
    "says_the_same": (
        "the consolidator merges them once they were said twice or stood long enough",
        "说过两次或稳定足够久后，整合者会把它们合并",
    ),
    "much_alike": (
        "{share:.0%} of the words are the same: look whether one is enough",
        "{share:.0%} 的词相同：请看是否留一张就够",
    ),
}
_STATUSES: Mapping[str, tuple[str, str]] = {
    Status.SUPERSEDED: ("take it out of use, keep it as history", "停用，留作历史"),
    Status.ARCHIVED: ("archive it", "归档"),
    Status.QUARANTINED: ("quarantine it", "隔离"),
}


def kind_name(kind: FindingKind) -> str:
    """What a kind of finding is called."""
    return said(*_KINDS[kind])


def reason_of(finding: Finding) -> str:
    """Why it was found."""
    en, zh = _REASONS[finding["why"]]
    return said(en, zh).format(**finding["figures"])


def change_of(finding: Finding) -> str:
    """What would be done about it; empty where nothing would."""
    if finding["status"]:
        return said(*_STATUSES[finding["status"]])
    if finding["weight"] is not None:
        return said(f"lower its weight to {finding['weight']}", f"权重降为 {finding['weight']}")
    return ""
