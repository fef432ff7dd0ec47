"""Whether a message only greets, thanks, takes leave or asks who is there: no tool is offered then.

Small models call one anyway: a 1.5B that was asked in a new chat what it can do looked for six minutes for a file.
"""

from __future__ import annotations

import re

_PHRASES = re.compile(
    r"\b(?:how(?:'s| is) it going|how are (?:you|things)(?: doing)?(?: today| this morning| tonight)?|"
    r"how(?:'s| is) your day(?: going)?|how do you do|what'?s up|(?:see|talk to) you(?: soon| later| tomorrow| then)?|"
    r"good (?:morning|afternoon|evening|night|day)|nice to meet you|thanks? (?:a lot|so much|very much)|"
    r"i hope you(?:'re| are) well|no problem|take care|who are you|what are you|what(?:'s| is) your name|"
    r"(?:can|could|will) you help(?: me| us)?|(?:what|how) (?:else )?(?:can|could|do|would) you (?:do|help|offer|know)"
    r"(?: for)?(?: me| us)?(?: here)?(?: with)?|what are you (?:able to do|good (?:at|for)))\b"
)
_GREETS = frozenset(
    "hi hello hey hiya yo howdy greetings thanks thank ty cheers thx ok okay bye goodbye great nice cool awesome "
    "perfect welcome sorry lol haha fine alright hm hmm".split()
)
_BESIDE = frozenset("there all everyone dear friend you so very much to and again then now for your help the".split())
"""Words that stand beside a greeting."""
_CHINESE = re.compile(
    r"(?:你好|您好|大家好|嗨|哈喽|哈啰|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|再见|拜拜|回见|(?:明天|明儿|回头|改天|下次)(?:见|聊)|谢谢|多谢|感谢|"
    r"辛苦了?|麻烦了|不客气|没关系|好的|好吧|好|行|嗯+|哦+|哈+|知道了|明白了?|收到|在吗|在不在|"
    r"(?:最近|今天|今晚|这几天)?(?:过得|都)?(?:怎么样|好吗|还好吗|如何)|你怎么样|"
    r"[你您](?:是谁|叫什么(?:名字)?|是什么)|[你您](?:都|还)?(?:能|会|可以)(?:帮[我我们]{1,2})?(?:做|干|帮忙做?)?"
    r"(?:些|点)?(?:什么|啥)(?:事情?)?|"
    r"[你您](?:能|可以)(?:怎么|怎样)?帮(?:我|我们|到我|忙)|怎么用[你您]|有什么(?:可以|能)帮(?:我|忙)的?|"
    r"你|您|啊|呀|吧|呢|吗|了|啦|大家|各位|朋友|非常|十分|太|很)+"
)
_LONGEST = 12
"""Words; a longer message says more than a greeting."""


_ABILITIES = re.compile(
    r"\b(?:who|what) are you\b|\b(?:what|how) (?:else )?(?:can|could|do|would) you\b|\byou help\b|"
    r"[你您](?:是谁|是什么|都|还)?(?:能|会|可以).{0,4}(?:什么|啥|帮)|[你您]是(?:谁|什么)|怎么用[你您]|帮(?:我|忙)的?",
    re.IGNORECASE,
)


def asks_what_one_can(message: str) -> bool:
    """Whether small talk asks who is there or what one can do here."""
    return is_small_talk(message) and _ABILITIES.search(message) is not None


def is_small_talk(message: str) -> bool:
    """Whether a message has nothing in it but greetings, thanks, leave-taking, yes, and what one can do here.

    Args:
        message: the user's words.
    """
    text = message.casefold().replace("\u2019", "'")
    bare, phrases = _PHRASES.subn(" ", text)
    words = re.findall(r"[a-z']+", bare)
    rest = re.sub(r"[a-z']+|[\W_]+", "", bare)
    greets = bool(_GREETS.intersection(words)) or phrases > 0
    english = not words or (len(words) <= _LONGEST and greets and (_GREETS | _BESIDE).issuperset(words))
    chinese = not rest or _CHINESE.fullmatch(rest) is not None
    return english and chinese and (greets or bool(rest))
