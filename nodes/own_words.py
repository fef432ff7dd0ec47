"""The sentences of a user's turn that may become cards: what the user states in their own words, and of whom.

Questions, suppositions, orders for now, greetings and what somebody else wrote are sorted out by code, before a model
is asked: a small model takes all of them for facts about the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from memory_secretary.memory.records import Action, Event
from memory_secretary.nodes.constraints import asks_to_remember
from memory_secretary.nodes.orders import is_for_now, is_order
from memory_secretary.nodes.smalltalk import is_small_talk
from memory_secretary.nodes.spoken_of import FIRST_PERSON, subject_of

_NOTHING = frozenset({"too_short", "small_talk", "question", "remark"})
"""Nothing of these is kept even where the user asks to keep their turn."""
_TASK = frozenset({"question", "order"})
"""A turn with one of these is at work on a task."""
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
_ORDER_AFTER = re.compile(r"[,，;；]\s*(?=(?:please\b|请|麻烦|帮我|替我))", re.IGNORECASE)
"""Between what is told and what is to be done with it (*我的发票在这里，请把金额加起来*)."""
_GREETED = _any(
    r"(?:(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening))(?: (?:there|all|again|everyone))?|"
    r"(?:你好|您好|大家好|嗨|哈喽|哈啰|(?:早上|上午|中午|下午|晚上)好)[啊呀]?)\s*(?=i\b|my\b|we\b|our\b|please\b|我|请)",
    r"[^\W\d_][^,.!:;，。！：；~～—–\n]{0,40}?(?:[,.!:;，。！：；~～—–]+|\s-)\s*",
)
"""What may be a greeting before the statement begins."""
_APOLOGY = re.compile(r"\s*sorry\b", re.IGNORECASE)
"""The beginning of a correction, which it stays a part of."""
_OPENS = re.compile(
    r"[:：]\s*$|\b(?:these|following|\w+ things?|points?)\b|remember (?:this|that)\W*$|以下|下面|这些|几[件点条个]",
    re.IGNORECASE,
)
"""What is to be remembered comes in the sentences behind it."""
_CLAUSES = re.compile(
    r"\s*;\s+|,?\s+(?:and|but)\s+(?=(?:i|we)(?:['’]\w+)?\s+\w|(?:my|our)\s+(?:\w+\s+){1,3}?(?:is|are|was|has|"
    r"have|can)\b)"
    r"|[，；](?=(?:而且|并且|但是?|另外|还有|也)?(?:我|我们|咱们?)[^，。；]{2})",
    re.IGNORECASE,
)
"""Between two statements of one sentence that each have a subject of their own."""
_INTRODUCES = re.compile(r"(?:I['’]m|I am) [A-Z]\w+$|我[是叫][^，；]{2,}$")
"""A name is said in two words."""
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
POINTS_BACK = re.compile(
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
    said = list(_joined(event.observation, _sentences(event.observation)))
    at_work = any(unfit(sentence) in _TASK for sentence in said)
    fit = (sentence for sentence in said if not unfit(sentence) and not (at_work and is_for_now(sentence)))
    return [Line(event, clause, subject_of(clause)) for sentence in fit for clause in _clauses(sentence)]


def wished_lines(event: Event) -> list[Line]:
    """The statements of a turn that the user asked to keep: what they report or suppose is kept as they said it."""
    if not is_source(event):
        return []
    said = [text for text in _joined(event.observation, _sentences(event.observation)) if unfit(text) not in _NOTHING]
    said = [text for text in said if unfit(text) != "order"] if _names_what_to_keep(said) else said
    parts = [clause for text in said for clause in (_clauses(text) if not unfit(text) else [text])]
    text = event.observation.strip()
    whole = [text] if text and len(text) <= _WHOLE and unfit(text) not in _NOTHING else []
    return [Line(event, text, subject_of(text)) for text in parts or whole]


def _names_what_to_keep(sentences: Iterable[str]) -> bool:
    """Whether the wish to remember says itself what is to be kept, so that an order beside it is none of it."""
    wishes = [sentence for sentence in sentences if asks_to_remember(sentence)]
    return bool(wishes) and not any(map(_OPENS.search, wishes))


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
    return "order" if is_order(text) else ""


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a turn begin and end, without text that was handed in."""
    text = text[:_MOST]
    if text.lstrip()[:1] in ("{", "[", "<"):
        return
    own = _FENCE.sub(lambda match: " " * len(match.group()), text)
    pasted = _PASTED.search(own)
    if pasted and not asks_to_remember(own[: pasted.end()]):  # what stands behind 记住以下几点： is the user's own list
        own = own[: pasted.start()]
    start = 0
    for cut in (*_END.finditer(own), None):
        end = len(own) if cut is None else cut.start()
        yield from _told_apart(own, start, end)
        start = len(own) if cut is None else cut.end()


def _told_apart(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence without its greeting, and apart from it what it asks or orders at its end."""
    start = _greeted(text, start, end)
    cut = _cut(text, start, end)
    if cut:
        yield start, cut.start()
        start = cut.end()
    if text[start:end].strip():
        yield start, end


def _greeted(text: str, start: int, end: int) -> int:
    """Where a statement begins behind a greeting (*Hi, I'm Ana*); the start where there is none, or little else."""
    remark = unfit(text[start:end]) == "remark"
    while (found := _GREETED.match(text, start, end)) and found.end() < end:
        greets = is_small_talk(found.group()) and not _APOLOGY.match(found.group())
        if not greets or (remark and not subject_of(text[found.end() : end])):
            break
        start = found.end()
    return start


def _cut(text: str, start: int, end: int) -> re.Match[str] | None:
    """The sign between what a sentence tells and what it asks or orders."""
    asks = _ASK_AFTER.search(text, start, end)
    if asks and FIRST_PERSON.search(text, start, asks.start()):
        return asks
    orders = _ORDER_AFTER.finditer(text, start, end)
    return next((cut for cut in orders if is_order(text[cut.end() : end])), None)


def _joined(text: str, places: Iterator[tuple[int, int]]) -> Iterator[str]:
    """The sentences word for word; one that only points back (*He can't eat nuts.*) stays with the one before it."""
    held: tuple[int, int] | None = None
    for start, end in places:
        sentence = text[start:end].strip()
        back = held and POINTS_BACK.search(sentence) and not unfit(text[slice(*held)]) and not unfit(sentence)
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
    long = len(part.split()) > _WORDS or len(part.encode()) > _SIGNS
    return FIRST_PERSON.search(part) is not None and (long or _INTRODUCES.match(part) is not None)
