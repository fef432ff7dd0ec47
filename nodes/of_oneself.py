"""Messages in which users speak of themselves: what they tell needs no tool, and what they ask their own words answer.

Small models look either up in the files all the same: a 1.5B that was told "I prefer short answers" searched for
fourteen steps.
"""

from __future__ import annotations

import re

from memory_secretary.memory.records import MemoryType
from memory_secretary.nodes.answer_form import limits_in
from memory_secretary.nodes.candidates import identifiers_in, values_for
from memory_secretary.nodes.constraints import asks_to_remember
from memory_secretary.nodes.own_words import unfit
from memory_secretary.nodes.passages import passages
from memory_secretary.nodes.smalltalk import is_small_talk
from memory_secretary.nodes.wishes import kind_of

_PASSING = frozenset({"small_talk", "too_short", "remark"})
"""Sentences that may stand beside what is told."""
_OF_ONE = re.compile(
    r"\b(?:i am|i['’]m) (?:an? (?!little |bit )|allergic|from|based in|in my \w+ies\b|\d|married|single|retired|vegan|"
    r"vegetarian|colou?r.?blind|left.handed|new (?:here|to))"
    r"|\bi (?:\w+ly )?(?:live|work|study|teach|drive|speak|own|play|moved|grew up|was born|come from)\b"
    r"|\bi have (?:an? |two |three |no )?(?:\w+ )?"
    r"(?:child(?:ren)?|kids?|sons?|daughters?|cats?|dogs?|allerg\w+|degree)\b"
    r"|\b(?:my|our) (?!(?:question|task|request|goal|problem|aim|job for you)\b)(?:\w+ ){1,3}?"
    r"(?:is|are|was|has|have|never|always|often|usually|sometimes|still|[a-z]{2,}(?<!s)s)\b"
    r"|我(?:叫|姓|是(?!说|想|要|问|在)|住|今年\d|来自|对.{1,8}过敏|不吃|不喝|在.{1,12}(?:工作|上班|上学|读书|住))"
    r"|我(?:们)?(?:的)?(?:名字|生日|电话|邮箱|地址|妻子|丈夫|老婆|老公|儿子|女儿|孩子|爸爸?|妈妈?|同事|老板|公司|单位|猫|狗|血型)"
    r".{0,8}?(?:是|叫|在|住|有|为)",
    re.IGNORECASE,
)
"""What people tell of themselves and of theirs."""
_WANTS = re.compile(
    r"\b(?:i|we)(?:['’]d| would)? (?:want|need|like|wish|hope)\b(?! (?:your |my |the |all )?(?:answers|repl(?:y|ies)|"
    r"responses))"
    r"|\b(?:wants|needs|asks|wishes|expects|would like)\b|\blook(?:ing)? for\b|\bwonder|\bcurious\b"
    r"|我们?(?:想|要|需要|希望|打算)(?!.{0,6}(?:回答|回复|答复))|"
    r"请(?!.{0,6}(?:回答|回复|称呼|叫我))|帮|麻烦",
    re.IGNORECASE,
)
"""What is wanted is to be done, however it is said."""
_OF_ANSWERS = re.compile(r"\b(?:answer|repl(?:y|ie)|response)s?\b|回答|回复|答复|答案", re.IGNORECASE)
_MINE = (
    r"my (?:\w+ )?(?:name|birthday|age|address|phone|number|job|work|employer|boss|wife|husband|partner|sons?|"
    r"daughters?|kids|children|dog|cat|favou?rites?|preferences?|diet|allerg\w+|home ?town|city|country|language)"
)
_MONEY = re.compile(
    r"\b(?:ow(?:e|ed|ing)|pay|paid|spen[dt]|buy|bought|order(?:ed)?|earn(?:ed)?|sell|sold|sen[dt]|receive[ds]?|get|got)\b"
    r"|[付欠花买卖寄收订]|支出|收入",
    re.IGNORECASE,
)
"""What people do that stands in their records rather than in what they said."""
_ASKS = re.compile(
    r"^(?:\W|so |and |then |please |tell me,? |do you (?:know|remember|recall),? )*"
    r"(?:(?:what|which|who|whom|where|when|how)\b[^.!?,]*(?:\b(?:do|did|am|was|have|had) i\b"
    rf"|(?<!can )(?<!may )(?<!must )(?<!should )\bi (?!can|may|must|should)|\b{_MINE})|"
    rf"(?:do|did|am|was|have) i\b|(?:is|are|was) {_MINE})[^.!?,]*\?*\s*$"
    r"|^(?!.*(?:可以|能|该|应))[^。！!，]*我(?!们)[^。！!，]*(?:什么|哪|谁|多少|几|怎么|怎样|吗|呢|是不是|有没有|还记得)[^。！!，]*$"
    r"|^(?!.*(?:可以|能|该|应))还记得我(?!们)[^。！!，]*$",
    re.IGNORECASE,
)


_AND_ASKS = re.compile(r",? and (?=(?:what|who|where|when|how|which)\b)", re.IGNORECASE)
"""Between two questions in one sentence."""


def tells_of_oneself(message: str) -> bool:
    """Whether a message only tells who the user is, how they live or what they like, and asks for nothing to be done.

    Args:
        message: the user's words.
    """
    pieces = [piece.text for piece in passages(message)]
    told = [piece for piece in pieces if unfit(piece) not in _PASSING]
    return bool(told) and all(map(_is_told, told)) and not _names_records(message)


def states_a_wish(message: str) -> bool:
    """Whether the user asks for something to be kept, or tells nothing but how they like to be answered."""
    pieces = [piece.text for piece in passages(message)]
    likes = any(_OF_ANSWERS.search(piece) and kind_of(piece) is MemoryType.PREFERENCE for piece in pieces)
    return asks_to_remember(message) or (likes and tells_of_oneself(message))


def asks_of_oneself(message: str) -> bool:
    """Whether a message is one question of the user about themselves: *where do I live?* or 我叫什么名字？."""
    one = len([piece for piece in passages(message) if not is_small_talk(piece.text)]) == 1
    asks = all(_ASKS.search(part) for part in _AND_ASKS.split(message)) and not _MONEY.search(message)
    return one and asks and not _names_records(message)


def _is_told(sentence: str) -> bool:
    clauses = re.split(r"[;,:；，：]\s*", sentence)
    if unfit(sentence) or _WANTS.search(sentence) or "order" in map(unfit, clauses):
        return False
    return kind_of(sentence) is MemoryType.PREFERENCE or bool(limits_in([sentence]) or _OF_ONE.search(sentence))


def _names_records(message: str) -> bool:
    return bool(identifiers_in(message) or values_for("path", message))
