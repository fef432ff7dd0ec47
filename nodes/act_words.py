"""Which tools that change something a user's words ask for: the same act is called pay, settle or clear.

A 1.5B that is asked about this says yes to everything, or no; so it is read by code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_secretary.memory.lexical import tokens
from memory_secretary.nodes.candidates import ToolShape

_NEGATION = re.compile(
    r"(?:\b(?:not|never|don't|doesn't|didn't|won't|without|nor|nothing|nobody|no one|instead of|rather than)\b|"
    r"不要|不得|不准|不许|不能|不用|不必|(?<![分特区类个级性])别)[^,.;:!?，。；：！？]{0,12}$|(?:不再?|没有?|未|勿)$",
    re.IGNORECASE,
)
"""What stands before a verb that is forbidden or denied, in the same clause."""
_SUPPOSED = re.compile(
    r"\bif (?:we|i|they|you|one|somebody|everything)\b|\bwould (?:we|i|it|they)\b|如果|假如|要是|假设", re.IGNORECASE
)
"""What makes a question a supposition: *what if we paid everything?*"""
_QUALITY = re.compile(
    r"(?:\b(?:amounts?|sums?|totals?|bills?|due|still|yet|already|has been|have been|was|were|is|are|be) "
    r"(?:to be |to )?|\bto be |应|待|已经?|还|欠|到|未|实)$",
    re.IGNORECASE,
)
"""What makes the verb a quality: *amounts to be paid*, *was paid*, 应付, 已付."""
_TO_BE_DONE = re.compile(r"\b(?:is|are) to be $", re.IGNORECASE)
_NOUN = re.compile(r"(?:款?(?:单|项|人|方|费|金额)|没付| or not\b)", re.IGNORECASE)
"""What follows when it is no verb at all (付款单) or any state will do (*settled or not*)."""
_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]?")


@dataclass(frozen=True, slots=True)
class _Act:
    """One act: the verbs of tools that do it, and how users ask for it."""

    verbs: frozenset[str]
    described: re.Pattern[str]
    asked: re.Pattern[str]


def _act(verbs: str, described: str, asked: str) -> _Act:
    return _Act(frozenset(verbs.split()), re.compile(described), re.compile(asked, re.IGNORECASE))


_ACTS = (
    _act(
        "pay settle transfer remit reimburse refund",
        r"支付|付款(?!单)|结清|转账|汇款|报销",
        r"\b(?:pay|pays|paying|paid|payments?|settle|settled|transfer|remit|reimburse|clear|"
        r"gets? (?:its|their|his|her) (?:money|amount|sum))\b|支付|结清|转账|汇款|打款|付",
    ),
    _act(
        "send message notify tell email mail write inform contact remind reply post text",
        r"发送?一?[条封个份]|通知|告知|写信|发短信|发邮件|留言",
        r"\b(?:messages?|notify|notified|notification|inform|informed|e?mails?|letters?|write (?:\w+ ){0,2}?to|"
        r"hears? from|contact|remind|tell (?!me\b|us\b)|told|let (?!me\b|us\b)(?:\w+ ){1,4}know)|"
        r"通知|告知|告诉(?!我)|转告|提醒|联系|写信|[发写][^，。；,.;]{0,4}(?:消息|短信|邮件|信|通知)|[条封](?:消息|信|邮件|通知)",
    ),
    _act(
        "archive shelve deposit",
        r"归档|存档|封存",
        r"\b(?:archived?|file (?:\w+ ){0,3}away|put (?:\w+ ){0,3}away|shelved?|deposit(?:ed)?)\b|归档|存档|封存",
    ),
    _act(
        "order reorder buy purchase book reserve",
        r"订购|下单|采购一|购买|预订|预约|补货",
        r"\b(?:order|ordered|reorder|buy|purchase|book|reserve)\b|订购|下单|采购(?!单)|购买|预订|预约|补货",
    ),
    _act(
        "cancel delete remove revoke",
        r"取消|删除|撤销|移除",
        r"\b(?:cancel|cancelled|delete|deleted|remove|removed|revoke)\b|取消|删除|删掉|撤销|移除",
    ),
)


def asks_for(goal: str, tool: ToolShape) -> bool:
    """Whether a user's words ask for what a tool does, outside of what they deny, suppose or merely describe.

    Args:
        goal: the user's words.
        tool: its name and what its author says of it tell what it does.
    """
    return any(_is_asked(goal, match) for match in act_spans(goal, tool))


def act_spans(text: str, tool: ToolShape) -> list[re.Match[str]]:
    """Where a text has a word for what a tool does (*paid*, 付清), in whatever sense."""
    acts = _acts_of(tool)
    if acts:
        return [match for act in acts for match in act.asked.finditer(text)]
    return [match for match in re.finditer(r"\w+", text) if _is_verb(match.group(), tool)]


def _acts_of(tool: ToolShape) -> list[_Act]:
    verb = _verb(tool)
    return [act for act in _ACTS if verb in act.verbs] or [
        act for act in _ACTS if act.described.search(tool.description)
    ]


def _verb(tool: ToolShape) -> str:
    return tool.name.split("_")[0].casefold()


def _is_verb(word: str, tool: ToolShape) -> bool:
    return bool(set(tokens(_verb(tool))) & set(tokens(word)))


def _is_asked(goal: str, match: re.Match[str]) -> bool:
    before, after = goal[: match.start()], goal[match.end() :]
    if _NEGATION.search(before) or _NOUN.match(after) or _is_supposed(goal, match.start()):
        return False
    return not _QUALITY.search(before) or _TO_BE_DONE.search(before) is not None


def _is_supposed(goal: str, place: int) -> bool:
    """Whether the sentence around a place asks what would be if."""
    sentence = next((m.group() for m in _SENTENCE.finditer(goal) if m.start() <= place < m.end()), "")
    return sentence.rstrip()[-1:] in "?？" and _SUPPOSED.search(sentence) is not None
