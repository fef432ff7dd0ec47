"""Whether a sentence that is to be kept is a wish of the user's, about answers or of what they like, or a fact."""

from __future__ import annotations

import re

from memory_secretary.memory.records import MemoryType
from memory_secretary.nodes.answer_form import limits_in

_BEGIN = r"(?:^|[.!?;:,]\s*|\bthat\s+)(?:please\s+|and\s+)?"
"""Where a clause begins; what stands there without a subject is said to the one who reads it."""
_MANNER = r"(?:brief|concise|short|formal|informal|polite|precise|direct|friendly)"
_ENGLISH = (
    r"\b(?:i|we)(?:['’](?:d|ll)|\s+would)?\s+(?:(?:really|much|also|always|still|usually|generally|strongly|do)\s+)*"
    r"(?:prefer|like|love|enjoy|dislike|hate|rather|want (?:you|answers?|repl(?:y|ies))|"
    r"(?:do\s+not|don['’]?t|can(?:no|['’])t)\s+(?:like|want|stand|care for))\b(?!\s+(?:to know|of)\b)",
    r"\bi(?:['’]m|\s+am)\s+(?:not\s+)?(?:an?\s+(?:\w+\s+)?fan\s+of|fond\s+of|keen\s+on)\b",
    r"\b(?:my|our)\s+(?:\w+\s+)?(?:preferences?|preferred|favou?rites?)\b",
    r"^(?:(?:the\s+)?user\s+)?(?:prefers?|likes?|loves?|dislikes?|hates?)\s",
    _BEGIN + r"(?:always|never(?!\s+before)|do\s+not|don['’]?t(?!\s+know)|use(?!\s+of))\b,?\s+\w",
    r"\bfrom\s+now\s+on\b",
    _BEGIN + r"(?:answer|reply|respond)(?:\s+(?:me|to me|in|with|without|as|only|always|every|all|\w+ly)\b|\W*$)",
    _BEGIN + rf"(?:call|address|speak to|talk to|write to)\s+me\b|{_BEGIN}(?:be|stay)\s+(?:\w+\s+)?{_MANNER}\b",
    _BEGIN + rf"keep\s+(?:\w+\s+){{0,2}}(?:answers?|repl(?:y|ies)|{_MANNER})\b|^no\s.*\bplease\b",
    r"^(?:all\s+|your\s+|the\s+)?(?:answers|replies|responses)\s+(?:in|under|should|must|always|never|with|without|as)\b",
)
_BEGIN_ZH = r"(?:^|[，。；：:;,！!]\s*)(?:请|记得|记住|务必|麻烦)?[你您]?"
_ALWAYS_ZH = r"(?:都|一律|总是|一直|始终|统一|尽量|永远|只|别|不要|不用|务必|先)"
_CHINESE = (
    r"(?:我们?|咱们?|用户|本人)(?:[更最很比也都]|比较|特别|非常|一直|一般|通常|还是|其实|更加)*"
    r"(?:喜欢|偏好|偏爱|偏向|爱[吃喝看听用]|讨厌|不喜欢|不爱|不想(?!起)|宁愿|宁可|倾向|习惯[用吃喝看于]|希望[你您回答]|"
    r"想要?[你您])|我们?(?:更|比较)愿意",
    _BEGIN_ZH + r"(?:喜欢|偏好|偏爱|讨厌)",
    _BEGIN_ZH + rf"(?:以后|今后|从现在起|从今以后|往后|每次)[，,]?[请你您]?"
    rf"(?:{_ALWAYS_ZH}|用|要|请|回答|回复|叫|称|给|写|说(?!$))",
    _BEGIN_ZH + r"(?:以后|今后|从现在起|从今以后|往后|每次)[，,]?[^，。；]{1,8}?"
    r"(?:都|一律|统一|总是)(?:要|得|请)?(?:用|按|以|写成|给)",
    _BEGIN_ZH + rf"{_ALWAYS_ZH}(?:用[^，。；]{{1,8}})?(?:回答|回复|答复|用|使用)(?!完)",
    _BEGIN_ZH + r"(?:不要|别)在(?:回答|回复)",
    _BEGIN_ZH + r"(?:用[^，。；]{1,10}(?:回答|回复|答复|写|说|表示|显示|列出|总结)|(?:叫|称呼?)我(?!们))",
    r"用[^，。；]{1,8}(?:表示|显示)$",
    r"(?:尽量|不要|别|语气|口气|保持|务必|说话|写得|回答)[^，。；]{0,4}(?:简短|简洁|简明|简单|啰嗦|冗长|正式|礼貌|客气|随意|口语)",
    rf"^(?:所有|每次|你的|您的)?的?(?:回答|回复|答复|答案)(?:时(?!间)|的时候)?[，,]?(?:{_ALWAYS_ZH}|要|应|请|用|控制|须|最多|别)",
    r"我的?(?:偏好|口味|喜好)",
)
_WISH = re.compile("|".join((*_ENGLISH, *_CHINESE)), re.IGNORECASE)


def kind_of(text: str) -> MemoryType:
    """What kind of card the user's own sentence becomes where they name none: a preference, or else a fact.

    A preference is what they like, how they want to be answered, and what they want to be so from now on.
    """
    return MemoryType.PREFERENCE if is_wish(text) or limits_in([text]) else MemoryType.FACT


def is_wish(text: str) -> bool:
    """Whether a sentence says, by more than the length of an answer, what the user likes or wants to be so."""
    return _WISH.search(text.strip()) is not None
