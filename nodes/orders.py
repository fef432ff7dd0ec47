"""What a user wants done now, apart from what they want to be so from now on: only that is worth a card.

A demand without a word for later (*answer in one sentence*) beside a task is that task's; alone it is a wish.
"""

from __future__ import annotations

import re

from memory_secretary.memory.records import MemoryType
from memory_secretary.nodes.constraints import asks_to_remember
from memory_secretary.nodes.wishes import is_wish, kind_of


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_STANDING = _any(
    r"\b(?:always|never|from now on|in (?:the )?future|by default|every time|whenever|each time|remember|"
    r"keep in mind)\b",
    r"以后|今后|往后|每次|总是|一律|从现在起|永远|记住|记得|默认|凡是",
)
"""Makes an order one that holds for later, too."""
_LASTING = _any(
    r"\b(?:i|we)(?:['’]\w+)?\s+(?:\w+\s+)?(?:prefer|like|love|enjoy|dislike|hate|want|need|read|can)\b",
    r"\b(?:answers|replies|responses)\b|\b(?:per|each|every|any) (?:answer|reply|response)\b|\b(?:call|address) me\b",
    r"(?:^|[，。；,;])(?:因为)?我|称?[叫呼]我|回[答复](?:都|一直|始终|统一)|(?:所有|每[个条次])(?:的)?回[答复]",
)
"""Says of a demand that it is about the user, or about more than one answer."""
_DEMAND = _any(
    r"^(?:please |and |but |so )*(?:only|just|use|do not|don['’]t|no\b|without|at most|at least|in (?:at most|one))\b",
    r"^(?:请你?|但是?|也|务必|一定)*(?:不要|不用|不得|不能|不准|别|切勿|勿|只|仅|最多|至少|务必|必须|用)",
)
"""The beginning of a sentence without a subject, which tells how something is to be done."""
_POLITE = r"(?:请你?|麻烦你?|帮我|替我|你|现在|再|先|那就?|然后)"
_ORDER = _any(
    r"^(?:please |now |then |first |next |ok,? |so |also |and )*(?:find|list|show|write|draft|read|look|check|"
    r"tell|give|make|"
    r"create|calculate|compute|work out|sum|add|count|summari[sz]e|translate|send|mail|pay|order|book|open|"
    r"compare|explain|"
    r"search|get|help|fix|update|move|delete|remove|convert|plan|suggest|recommend|remind|set|schedule|go (?:on|"
    r"through)|"
    r"continue|try|run|print|save|put|start|stop|let['’]s|let me|say|describe|name|prepare|generate|rewrite|"
    r"shorten|correct|"
    r"proofread|answer the|use the|take|bring|call (?!me\b)|close|cancel|change the)\b",
    r"\b(?:i|we)(?:['’]d| would)? (?:want|need|like)(?: you)? to (?:know|see|find out|get|hear|be told|"
    r"have (?:a|the|all))\b",
    r"\b(?:i|we) (?:want|need) (?:a|an|the|some) (?:list|summary|table|report|overview|answer|draft|total|sum|"
    r"number|amount|figures?)\b",
    rf"^(?:{_POLITE}|给我)*(?:把|查|找|列|写|算|读|念|看|翻译|总结|概括|起草|"
    r"发|付|订|打开|比较|"
    r"解释|搜|推荐|删|修改|改一?下|告诉我|提醒我|说说|讲|介绍|生成|整理|安排|继续|做一?个|画|统计|对比|润色|"
    r"校对|回答这|来一?[个份])",
    rf"^{_POLITE}*(?:请你?|麻烦你?|帮我|替我){_POLITE}*(?:将|计算|求出|汇总|合计|核对|检查|确认|加起来|数一?数|新建|创建|保存|"
    r"换算|转换|根据|(?:从|在|到|对|用)[^，。；]{1,24}?[里中上下]?(?:找|选|挑|读|取|查|算|统计|写入|搜))",
    r"我(?:们)?(?:想|要|需要)(?:知道|看看?|查|了解|请你|让你|你帮|一[份个张])",
)
_CLAUSE_END = re.compile(r"[,，;；]")


def is_order(text: str) -> bool:
    """Whether something is to be done now, once.

    An order stays one where it adds how to answer (*read all reports, and answer in one sentence*).
    """
    wish = is_wish(_CLAUSE_END.split(text, maxsplit=1)[0]) or _LASTING.search(text)
    lasts = _STANDING.search(text) or asks_to_remember(text)
    return not lasts and not (wish and kind_of(text) is MemoryType.PREFERENCE) and _ORDER.search(text) is not None


def is_for_now(text: str) -> bool:
    """Whether a sentence that stands beside a task tells how that task is to be done, and nothing for later."""
    lasts = _STANDING.search(text) or _LASTING.search(text) or asks_to_remember(text)
    return not lasts and (kind_of(text) is MemoryType.PREFERENCE or _DEMAND.search(text) is not None)
