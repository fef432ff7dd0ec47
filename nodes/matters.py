"""What a user's statement settles of which only one can hold at a time: home, bank, how long answers may be.

By code, under one name in both languages, so that a later statement of the same matter is seen to be one.
"""

from __future__ import annotations

import re

_MATTERS: tuple[tuple[str, str], ...] = (
    (
        "answer length",
        r"\b(?:answers?|repl(?:y|ies)|responses?)\b.{0,40}?\b(?:words?|sentences?|lines?|short(?:er)?|"
        r"brief(?:ly)?|concise(?:ly)?|"
        r"long(?:er)?|detail(?:ed|s)?|in full|thorough(?:ly)?|bullet points?)\b|"
        r"\b(?:short(?:er)?|brief|concise|long(?:er)?|detailed|thorough) (?:answers?|repl(?:y|ies)|responses?)\b|"
        r"(?:回答|回复|答复|答案|说).{0,12}?(?:字以内|简短|简洁|简明|详细|长一?点|短一?点|一句话|要点|完整)|"
        r"(?:简短|简洁|简明|详细|完整)[一点些]{0,2}的?(?:回答|回复|答复)",
    ),
    (
        "answer language",
        r"(?<!\bi )(?<!\bwe )\b(?:answer|reply|write|speak|talk)\b.{0,20}?\bin (?-i:[A-Z])[a-z]+\b|"
        r"用.{0,4}[中英法德日韩俄]文?语?(?:回答|回复|写|说)|"
        r"(?:回答|回复).{0,6}用[中英法德日韩俄][文语]",
    ),
    (
        "currency",
        r"\b(?:amounts?|sums?|prices?|figures?|money|costs?)\b.{0,30}?\b(?:euros?|dollars?|pounds?|yuan|eur|usd|"
        r"gbp|cny|rmb)\b|"
        r"(?:金额|价格|费用|数额).{0,10}?(?:人民币|美元|欧元|英镑|日元)",
    ),
    ("form of address", r"\b(?:call|address) me\b|\bmy name is\b|(?:叫我|称呼我|我叫|我的名字)"),
    (
        "home",
        r"\b(?:i|we)(?:['’](?:ve|m))?(?: am| have| now| just| currently| recently)* (?:liv(?:e|ing)|"
        r"moved (?:(?:in)?to|house|home|flat)|reside)\b|"
        r"\b(?:my|our) (?:new |home )?address\b|我们?(?:现在|目前|刚|上周|上个月|最近|已经)*(?:住在?|搬到|搬去|"
        r"搬进|搬家)|我们?的?(?:新)?(?:住址|地址)",
    ),
    (
        "job",
        r"\bi(?:['’]m| am)?(?: now| currently)? (?:work(?:ing)? (?:as|at|for)|employed)\b|\bmy (?:new )?(?:job|"
        r"employer|profession)\b|"
        r"我(?:现在|目前|刚)*(?:在.{1,12}(?:工作|上班|任职)|的(?:工作|职业)|是一?名?(?:护士|医生|老师|教师|"
        r"工程师|会计|律师|司机|程序员|设计师))",
    ),
    (
        "bank",
        r"\b(?:i|we)(?:['’]ve)? (?:now )?bank(?:ing)? with\b|\b(?:my|our) bank\b|\b(?:switched|moved|"
        r"changed) to [\w ]{0,20}?\bbank\b|"
        r"我们?(?:在.{1,8}银行|.{0,6}(?:换|转|改)到?.{1,8}银行|的(?:开户行|银行|账户))",
    ),
    ("phone", r"\b(?:my|our) (?:new )?(?:phone|mobile|cell)(?: number)?\b|我的?(?:新)?(?:电话|手机)号?"),
    ("e-mail", r"\b(?:my|our) (?:new )?e-?mail(?: address)?\b|我的?(?:新)?(?:邮箱|电子邮件)"),
    (
        "diet",
        r"\bi(?:['’]m| am|['’]ve| have)?(?: now| a| become| gone|no longer)* (?:vegan|vegetarian|"
        r"eat(?:ing)? (?:meat|fish|no meat))\b|"
        r"我(?:现在|已经|不再|不|开始)*(?:吃素|吃肉|素食)",
    ),
)
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _MATTERS)


def matter_of(statement: str) -> str:
    """The name of the matter that a user's statement settles, in English; empty for any other statement."""
    return next((name for name, pattern in _PATTERNS if pattern.search(statement)), "")
