"""The sentences of a user's turn that may become cards: what the user states in their own words, and of whom.

Questions, suppositions, orders for now, greetings and what somebody else wrote are sorted out by code, before a model
is asked: a small model takes all of them for facts about the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from memory_secretary.memory.records import Action, Event, MemoryType
from memory_secretary.nodes.constraints import asks_to_remember
from memory_secretary.nodes.smalltalk import is_small_talk
from memory_secretary.nodes.spoken_of import FIRST_PERSON, subject_of
from memory_secretary.nodes.wishes import kind_of

_NOTHING = frozenset({"too_short", "small_talk", "question", "remark"})
"""Nothing of these is kept even where the user asks to keep their turn."""
_WHOLE = 2000
"""Characters of a turn that is kept whole where it cannot be taken apart (a list, a text that was handed in)."""
_LONGEST = 400
"""Characters of a sentence; a longer run without an end is text that was pasted and no statement."""
_MOST = 20_000
"""Characters of a turn that are looked through; a longer one is a text that was handed in."""
_LEAST = 4
"""Bytes; less says nothing."""
_WORDS, _SIGNS = 2, 12
"""Words, or bytes where it is written without blanks, that a clause must have more of to stand alone."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_END = re.compile(r"(?<=[.!?])[\"')\]”’]*\s+(?=[\"'(\[“‘]*[^\sa-z])|(?<=[。！？；!?])[”」』’\"]*(?=[^\s”」』’\"])|\n+")
_ASK_AFTER = re.compile(
    r"[,，;；]\s*(?=(?:so |and |but )?(?:can|could|would|will|what|which|how|where|when|who|is|are|do|does) "
    r"(?:you|i|we|it|there|the|that)\b|(?:please|what|which|how|where)\b|(?:请问|你?能|可不可以|可以|有没有|"
    r"帮我|麻烦|推荐|哪|怎么|什么|多少))",
    re.IGNORECASE,
)
"""Between what is told and what is asked in one sentence (*I'm vegan, can you suggest …?*)."""
_CLAUSES = re.compile(
    r"\s*;\s+|,?\s+(?:and|but)\s+(?=(?:i|we)(?:['’]\w+)?\s+\w|(?:my|our)\s+(?:\w+\s+){1,3}?(?:is|are|was|has|"
    r"have|can)\b)"
    r"|[，；](?=(?:而且|并且|但是?|另外|还有|也)?(?:我|我们|咱们?)[^，。；]{2})",
    re.IGNORECASE,
)
"""Between two statements of one sentence that each have a subject of their own."""
_QUESTION = _any(
    r"[?？]\W*$",
    r"(?:吗|呢|么)[\s。.!！]*$",
    r"^(?:what|who|whose|when|where|which|why|how)\b(?! (?:i|we) (?:like|want|prefer))",
    r"^(?:can|could|would|will|do|does|did|is|are|was|were|should|shall|may|have|has)\s+(?:you|i|we|it|there|he|"
    r"she|they|"
    r"this|that|the|my|our|someone|anyone)\b",
    r"^(?:请问|为什么|怎么|怎样|什么|谁|哪|多少|几点|是否)|是不是|能不能|可不可以|有没有(?!人)",
)
_HYPOTHETICAL = _any(
    r"\b(?:if|suppose|supposing|imagine|assuming|had)\b.{0,80}?(?:\bwould\b|\bcould\b|\bmight\b|['’]d\b|\bwere\b)",
    r"\b(?:would|could|might)\b.{0,60}\bif\b|\bi wish\b|\bsuppose\b|\bpretend\b|\bwhat if\b|\blet['’]s say\b",
    r"(?:假如|假设|假使|倘若|万一|假装|设想|打个比方|比方说)",
    r"(?:如果|要是)(?!.*(?:请|务必|一律|回答|回复|都要|告诉我|提醒))",
    r"要是.{1,20}就好了",
)
_DOCUMENT = (
    r"(?:leaflet|page|website|site|article|mail|e-?mail|book|sign|document|letter|report|text|manual|post|advert\w*|ad|"
    r"flyer|poster|note|message|review|brochure|quote|song|headline|newspaper)"
)
_DOCUMENT_ZH = (
    r"(?:传单|网页|网站|文章|邮件|书|告示|文件|信|报告|说明书?|手册|帖子|广告|海报|便条|消息|评论|歌|"
    r"报纸|新闻|公告|页面|通知)"
)
_QUOTE = r"[\"'“‘「『《]"
_SAYS = r"(?:says?|said|writes?|wrote|reads?|states?|stated|claims?|claimed|tells?|told|goes|announces?|replied)"
_REPORTED = _any(
    rf"\b{_DOCUMENT}s?\b[^.!?]{{0,30}}?\b{_SAYS}\b",
    rf"\b(?!i\b|we\b)[\w'’]+\s+{_SAYS}\b(?: \w+)?\s*[:,]?\s*{_QUOTE}",
    r"^(?:according to|quote)\b",
    rf"{_DOCUMENT_ZH}[里中上]?(?:面)?(?:还)?(?:写|说|称|讲|提到|规定|标)",
    rf"(?<!我)(?:说|写道?|称|讲|表示|写着|喊)[：:，,]?\s*{_QUOTE}",
    r"^(?:据说|据|按照)[^，,]{1,12}[，,]",
    r"^(?:the\s+)?(?:system|assistant|user|human|ai|tool|bot)\s*[:：>]|^(?:系统|助手|用户|机器人|工具|提示)\s*[:：]",
    r"\b(?:you|the assistant) (?:just )?(?:said|wrote|told me|answered|mentioned|claimed)\b|你(?:刚才|刚刚|之前|"
    r"上次)?(?:说|写|回答|提到)",
    r"^\s*(?:>|\|)",
)
"""Says that somebody else's text follows: a document's, a quoted person's, the assistant's."""
_PASTED = _any(
    rf"\b(?:here(?:['’]s| is| are)|this is|following|below is|translate|summari[sz]e|proofread|"
    rf"correct)\b[^.!?\n]{{0,60}}"
    rf"(?:{_DOCUMENT}|paragraph|transcript|log|content)s?\b[^.!?\n]{{0,30}}[:：]",
    r"(?:以下|下面|如下|这是|翻译|总结|概括|润色|校对)[^。！？\n]{0,24}[:：]",
)
"""After this everything in the turn is text that was handed in."""
_FENCE = re.compile(r"```.*?(?:```|\Z)|(?<=[:：\s])\"\"\".*?(?:\"\"\"|\Z)", re.DOTALL)
_REMARK = _any(
    r"^(?:it|that|this|what a|how \w+|so \w+[.!]*$|wow|oh|thanks|thank you|well done|nice|great|good job|never mind)\b",
    r"\b(?:raining|rained|snowing|snowed|the weather|sunny|cloudy) ?(?:\w+ ){0,3}(?:today|again|all day|now)\b",
    r"^(?:真|太|好|这么|那么|挺|多)[^，。！？]{1,8}[！!。了啊呀]*$|^(?:这|那|它|谢谢|多谢|感谢)",
    r"(?:今天|刚才|现在|外面|又).{0,6}(?:下了?.{0,3}[雨雪]|天气|好热|好冷)",
)
"""Passing remarks, unless the user speaks of themselves in them."""
_STANDING = _any(
    r"\b(?:always|never|from now on|in (?:the )?future|by default|every time|whenever|each time|remember|"
    r"keep in mind)\b",
    r"以后|今后|往后|每次|总是|一律|从现在起|永远|记住|记得|默认|凡是",
)
"""Makes an order one that holds for later, too."""
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
    r"\b(?:i|we) (?:want|need) (?:a|an|the|some) (?:list|summary|table|report|overview|answer|draft)\b",
    r"^(?:请你?|麻烦你?|帮我|给我|替我|你|现在|再|先|那就?|然后)*(?:把|查|找|列|写|算|读|看|翻译|总结|概括|起草|"
    r"发|付|订|打开|比较|"
    r"解释|搜|推荐|删|修改|改一?下|告诉我|提醒我|说说|讲|介绍|生成|整理|安排|继续|做一?个|画|统计|对比|润色|"
    r"校对|回答这|来一?[个份])",
    r"我(?:们)?(?:想|要|需要)(?:知道|看看?|查|了解|请你|让你|你帮|一[份个张])",
)
_POINTS_BACK = re.compile(
    r"^(?:he|she|they|his|her|their|it|its|that['’]?s?|this|those|these)\b|^(?:他|她|它|这|那)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a user.

    Attributes:
        event: the turn it stands in.
        text: the statement, word for word as in the turn.
        subject: ``user``, another person's name or relation, or empty where code cannot tell.
    """

    event: Event
    text: str
    subject: str


def is_source(event: Event) -> bool:
    """Whether an event is a user's own turn: no system message, nothing that a model or a tool said."""
    return event.actor == "user" and (event.action == Action.REQUEST or event.action not in set(Action))


def lines_of(event: Event) -> list[Line]:
    """The statements of a turn that may become cards, in order; none for a turn that is no source."""
    if not is_source(event):
        return []
    found: list[Line] = []
    for sentence in _joined(event.observation, _sentences(event.observation)):
        if not unfit(sentence):
            found += [Line(event, clause, subject_of(clause)) for clause in _clauses(sentence)]
    return found


def wished_lines(event: Event) -> list[Line]:
    """The statements of a turn that the user asked to keep: what they report or suppose is kept as they said it."""
    if not is_source(event):
        return []
    said = [text for text in _joined(event.observation, _sentences(event.observation)) if unfit(text) not in _NOTHING]
    parts = [clause for text in said for clause in (_clauses(text) if not unfit(text) else [text])]
    text = event.observation.strip()
    whole = [text] if text and len(text) <= _WHOLE and unfit(text) not in _NOTHING else []
    return [Line(event, text, subject_of(text)) for text in parts or whole]


def unfit(sentence: str) -> str:
    """Why a sentence cannot become a card, as a word; empty when it can.

    The words are ``too_short``, ``too_long``, ``small_talk``, ``reported``, ``question``, ``hypothetical``, ``remark``
    and ``order``.
    """
    text = sentence.strip()
    if len(text.encode()) < _LEAST:
        return "too_short"
    if len(text) > _LONGEST:
        return "too_long"
    if is_small_talk(text):
        return "small_talk"
    if _REPORTED.search(text):
        return "reported"
    if _QUESTION.search(text):
        return "question"
    if _HYPOTHETICAL.search(text):
        return "hypothetical"
    if _REMARK.search(text) and not FIRST_PERSON.search(text):
        return "remark"
    return "order" if _is_order(text) else ""


def _is_order(text: str) -> bool:
    """Whether something is to be done now, once."""
    standing = _STANDING.search(text) or asks_to_remember(text) or kind_of(text) is MemoryType.PREFERENCE
    return not standing and _ORDER.search(text) is not None


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a turn begin and end, without text that was handed in."""
    text = text[:_MOST]
    if text.lstrip()[:1] in ("{", "[", "<"):
        return
    own = _FENCE.sub(lambda match: " " * len(match.group()), text)
    pasted = _PASTED.search(own)
    own = own[: pasted.start()] if pasted else own
    start = 0
    for cut in (*_END.finditer(own), None):
        end = len(own) if cut is None else cut.start()
        yield from _told_apart(own, start, end)
        start = len(own) if cut is None else cut.end()


def _told_apart(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence, and apart from it what it asks at its end."""
    cut = _ASK_AFTER.search(text, start, end)
    if cut and FIRST_PERSON.search(text, start, cut.start()):
        yield start, cut.start()
        start = cut.end()
    if text[start:end].strip():
        yield start, end


def _joined(text: str, places: Iterator[tuple[int, int]]) -> Iterator[str]:
    """The sentences word for word; one that only points back (*He can't eat nuts.*) stays with the one before it."""
    held: tuple[int, int] | None = None
    for start, end in places:
        sentence = text[start:end].strip()
        back = held and _POINTS_BACK.search(sentence) and not unfit(text[slice(*held)]) and not unfit(sentence)
        if held and back and end - held[0] <= _LONGEST:
            held = held[0], end
            continue
        if held:
            yield text[slice(*held)].strip()
        held = start, end
    if held:
        yield text[slice(*held)].strip()


def _clauses(sentence: str) -> list[str]:
    """One statement each, word for word, where every part of a sentence says of its own who does something."""
    cuts = [0, *(cut.start() for cut in _CLAUSES.finditer(sentence)), len(sentence)]
    parts: list[str] = []
    for start, end in pairwise(cuts):
        part = sentence[start:end]
        if parts and not _stands_alone(parts[-1]):
            parts[-1] += part
        else:
            parts.append(part)
    tidy = [re.sub(r"^[\s,;，；]*(?:(?:and|but)\s+)?", "", part).strip() for part in parts]
    return tidy if all(map(_stands_alone, parts)) and not any(map(unfit, tidy)) else [sentence]


def _stands_alone(part: str) -> bool:
    """Whether a part of a sentence has a subject and says something of it."""
    return FIRST_PERSON.search(part) is not None and (len(part.split()) > _WORDS or len(part.encode()) > _SIGNS)
