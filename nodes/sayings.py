"""What one sentence of a user says about a calculation: that something does not count, is added, or is a limit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import months_in
from memory_secretary.memory.task_state import Relation
from memory_secretary.nodes.fields import AGGREGATE
from memory_secretary.nodes.figures import short_name
from memory_secretary.nodes.grounding import stands_in
from memory_secretary.nodes.limits import Bound, bounds_in
from memory_secretary.nodes.noting import values_in
from memory_secretary.nodes.numbers import Number
from memory_secretary.nodes.passages import passages


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_NOT = r"(?:\b(?:not|never|cannot|no longer|nor|neither)|n['’]t)\b"
_COUNTS = (
    r"(?:count(?:s|ed|ing)?(?! as)|includ\w+|add(?:s|ed|ing)?|consider\w*|belong\w*|part of|enters?|"
    r"go(?:es)? in(?:to)?)"
)
_NOT_ZH = r"(?:不|别|勿|莫|未|没|无需)[要用再能应该得会可以必予]{0,3}(?:[把将][^，。；]{1,24}?)?"
_COUNTS_ZH = r"(?:计|算|统计|加(?!总)|包括|包含|纳入|列入|作数|参与|参加|考虑|管)"
_NOWHERE = (
    r"\b(?:not|never)(?: yet)? (?:counted|included|listed|contained|shown|entered|recorded) (?:in|on|by) "
    r"(?:any|the|our|these) (?!totals?|sums?)\w+"
    r"|(?:没有|没|未|不)(?:计入|列入|包含在|包括在|统计进|写进|记进|算进|录入|写在|记在)"
    r"(?:任何|各|这些|哪)?[^，。；合总]{0,6}(?:表|报|记录|档|台账|单|册|簿)"
)
"""Says of a number that no record holds it; that is no exception."""
_NO_MATTER = (
    r"[^，。；！?？]*(?:怎么|如何|什么)[说讲叫算看][^，。；！]{0,4}不管"
    r"|不管(?=[^，。；！]{0,6}(?:谁|哪|什么|怎|如何|多少|是否|是不是|有没有|几))"
)
"""Waves something aside that is no record: *别人怎么说不管*, *不管哪个月*."""
_OUT = _any(
    rf"{_NOT}(?: \w+){{0,3}}? {_COUNTS}\b",
    r"\b(?:leav(?:es?|ing)|left|keeps?|kept|stays?|takes?)\b(?: [\w/.-]+){0,5}? (?:out|aside)\b",
    r"\b(?:exclud|omit|disregard|ignor)\w*|\bskip(?:s|ped|ping)?\b",
    rf"{_NOT}(?: [\w/.-]+){{0,5}}? into account\b|\bno place in\b",
    r"\b(?:except(?:ing| for)?|without|apart from|other than|but not|save for|minus)\b",
    rf"{_NOT_ZH}{_COUNTS_ZH}",
    r"排除|剔除|剔掉|除外|去掉|刨除|刨去|撇开|略过|跳过|忽略|不含|除了|除(?=[^，。；]{1,24}(?:之外|以外|外))",
)
_KEPT = _any(
    rf"{_NOT}(?: \w+){{0,2}}? (?:leave|exclud\w+|omit\w*|skip\w*|ignor\w+|disregard\w*|forget\w*|miss)\b",
    r"\b(?:counts? again|still counts?|do(?:es)? count|is to be counted|counts? after all|all the same)\b",
    r"(?:不|别|勿|莫)(?:要|能|得|可|应|该)*(?:漏|忘|排除|剔除|去掉|略过|跳过|忽略|遗漏|落下)",
    r"照样算|仍然?算|也算|还是算|照算|重新计入|又算",
)
_DOUBTED = _any(
    r"\b(?:trial|test(?:ing|s)?|sample|demo|draft|dummy|mock|example|exercise|invalid|void|duplicate|fake)\b",
    r"\b(?:drop|remove|strike|delete)\b|扣除|扣掉|删掉|拿掉|去除",
    r"试填|试验|测试|样本|样例|演示|草稿|作废|无效|重复|示例|试用|练习|假的",
)
_PLUS = _any(
    r"\badd(?:s|ing)?\b(?! up)|\b(?:be|is|are|gets?|always|also|and|still) added\b|\bplus\b|\bon top\b|\bin addition\b",
    r"\b(?:belongs?|goes?|comes?|counts?|counted in|put|includ(?:ed|e))\b(?: \w+){0,3}? (?:into|in|to|onto|with|too)\b",
    r"\bcount(?:ed|s)? as well\b|\binclude\b|\b(?:counts?|part) (?:towards?|of)\b",
    r"\b(?:don['’]t|do not|never) forget\b",
    r"\b(?:rais|increas)\w+\b.{1,60}\bby\b",
    r"加上|再加|另加|加进|加入|加到|外加|算上|算进|算入|计入|计进|并入|补上|补进|一并算|一起算|一并加|要加|都加|也要算|多算|补加|加(?=[\d一二三四五六七八九十])|(?:不要|别)忘",
)
_MINUS = _any(r"\b(?:deduct|subtract)\w*|\btake(?:s|n)? (?:\w+ ){0,8}?off\b", r"减去|减掉|扣除|扣掉|扣减")
_ALREADY = _any(r"\balready\b|\b(?:was|were|has been|have been) added\b", r"已经|已含|已计|已算|包含了|已并入")
_SUM = _any(
    r"\b(?:totals?|sums?|add(?:ing)? up|altogether|in all|overall|whenever|every time|each time)\b",
    _NOWHERE,
    r"\b(?:in|on) no \w+|\bno (?:\w+ ){1,3}(?:show|list|contain|have|has|mention)\w*|\bnot in (?:any|the)\b",
    r"合计|总计|总数|总和|总共|一共|加起来|汇总|总量|总额|每次|凡是|里(?:都)?没有|里不写|没写|不在[^，。]{0,8}里",
)
_STANDARD = _any(
    r"\b(?:our|my|usual|own|house) (?:\w+ )?(?:rule|standard|limit|threshold|definition|measure|mark)s?\b",
    r"\bthe (?:limit|threshold)\b|\b(?:as|what) (?:i|we) (?:said|told|agreed)\b",
    r"(?:我们|我|咱们)(?:自己)?的?(?:标准|规矩|说法|定义|上限|下限|界线|门槛|规定)|说过的|约定",
)
_NEWER = _any(r"\bnow\b|\binstead\b|\bno longer\b", r"现在|如今|改为|改成|不再")
_LIMIT = _any(
    r"\b(?:limit|threshold|ceiling|cap|standard|benchmark|maximum|minimum|cut-?off)\b",
    r"上限|下限|标准|界线|门槛|红线|控制线|限额|警戒线",
)
_LOWER = _any(r"\b(?:below|under|less|fewer|lower|short of|miss)\b", r"低于|不到|不足|少于|未达|没达|以下")
_POINTS_BACK = _any(
    r"^(?:that|this|those|these|both|such|all of (?:it|them))\b|\b(?:it|them|they)\b",
    r"^(?:他|她|这|那|该|此|两者)|它|后者|前者",
)
_QUOTED = re.compile(r"[“\"「『‘']([^”\"」』’'“]{1,20})[”\"」』’']")
_CALLED = re.compile(
    r"(?:算(?:作|是|做|得上)?|叫(?:做|作)?|称为|称作|视为|视作|属于|归为|列为|定为)"
    r"[“\"「『]?([\u3400-\u9fff]{1,6}?)[”\"」』]?(?=[的了，,。；;！!]|$)|\bas (?:an? |the )?([a-z][\w-]*)"
)
_MEASURE_OF = _any(
    r"\b(?:totals?|sums?|number|count) of (?:the |all )?(?P<english>[a-z][a-z' -]*)",
    r"(?P<chinese>[\u3400-\u9fff]{2,12})的(?:合计|总计|总数|总和)",
)
_DETERMINERS = re.compile(r"^(?:任何|所有|一切|每次|每个|凡是|以后|各|全部|这|那|该|我|问|要|在)+")
_COUNTING_WORD = re.compile(
    r"(?:人次|车次|人数|次数|件数|份数|册数|盏数|桶数|台数|天数|日数|吨数|张数|户数|小时数|数量|数目|总额|总数|总量|数|额|量)$"
)
"""The end of a Chinese field that only says how it is counted."""
_CODE = re.compile(r"(?=[\w./-]*\d)[A-Za-z]\w*[-_./][\w./-]*\d[\w./-]*|[A-Za-z]+\d[\w-]*", re.ASCII)
"""A record's name; its digits are no number."""
_PLAIN = frozenset(
    tokens(
        "please remember note later keep mind whenever ask asked count counting list rule our us own tell call called "
        "more less fewer than over under least most when one only actual figures numbers named says say said always "
        "never every any must has have goes go going concerns now will want wants need know"
    )
)
"""Words that say nothing of what a sentence is about."""
_PLAIN_ZH = re.compile(
    r"记住|先记|一下|以后|要用|我们|这里|我的|哪些|哪份|告诉|全部|清单|说法|标准|现在|什么|合计|总计|一共|多少|[请我在的了是都要里只不就有把被]"
)


def statements(text: str) -> list[str]:
    """The sentences of a text; one that only points back (*It never counts.*) stays with the one before it."""
    found: list[str] = []
    for piece in passages(text):
        if found and _POINTS_BACK.search(piece.text) and not _CODE.search(piece.text):
            found[-1] += piece.text if found[-1][-1] in "。！？；" else f" {piece.text}"
        else:
            found.append(piece.text)
    return found


# --- what is said ---------------------------------------------------------------------------------------------------


def leaves_out(sentence: str) -> bool:
    """Whether something does not count (*stays out of every sum*, *不计入*)."""
    return _OUT.search(re.sub(f"{_NOWHERE}|{_NO_MATTER}", " ", sentence, flags=re.IGNORECASE)) is not None


def keeps_in(sentence: str) -> bool:
    """Whether something counts after all (*do not leave out*, *still counts*, *照样算*)."""
    return _KEPT.search(sentence) is not None


def calls_unreal(sentence: str) -> bool:
    """Whether a record is said to be a trial, a copy, void, which may or may not mean that it does not count."""
    return _DOUBTED.search(sentence) is not None


def sign_of(sentence: str) -> int:
    """1 where a number is to be added to a total, -1 where it is to be taken off, 0 where neither is said."""
    if _ALREADY.search(sentence) or not _SUM.search(sentence):
        return 0
    return -1 if _MINUS.search(sentence) else 1 if _PLUS.search(sentence) else 0


def replaces(sentence: str) -> bool:
    """Whether a sentence takes the place of what was said earlier of the same thing (*is now*, *改为*)."""
    return _NEWER.search(sentence) is not None


def bears_on_figures(sentence: str) -> bool:
    """Whether a sentence may change a calculation, whatever the task."""
    said = leaves_out(sentence) or keeps_in(sentence) or calls_unreal(sentence)
    return (
        said
        or bool(limits_of(sentence) or bare_limit(sentence, ""))
        or (sign_of(sentence) != 0 and bool(numbers_of(sentence)))
    )


def numbers_of(sentence: str) -> list[Number]:
    """The numbers of a sentence that something can be calculated with: no names, dates or lone number words."""
    return [number for number in values_in(_bare(sentence)) if number.text[0].isdigit() or len(number.text) > 1]


def limits_of(sentence: str) -> list[Bound]:
    """The limits that a sentence sets."""
    return bounds_in(_bare(sentence))


def bare_limit(sentence: str, goal: str) -> Bound | None:
    """The only number of a sentence that calls it a limit (*our limit for loans is 320*); the goal says which side."""
    numbers = numbers_of(sentence)
    if len(numbers) != 1 or not _LIMIT.search(sentence):
        return None
    relation: Relation = "under" if _LOWER.search(goal) else "over"
    return Bound(relation, numbers[0].value, numbers[0].start)


def _bare(sentence: str) -> str:
    """A sentence without the names of records, whose digits are no numbers."""
    return _CODE.sub(lambda match: "_" * len(match.group()), unicodedata.normalize("NFKC", sentence))


# --- what it is said of ---------------------------------------------------------------------------------------------


def covers(field: str, sentence: str) -> bool:
    """Whether a sentence speaks of a field: all of its telling words, or its Chinese core."""
    core = _core(field)
    words = _field_words(field)
    return core in sentence if core else bool(words) and words <= set(tokens(sentence))


def touches(field: str, sentence: str) -> bool:
    """Whether a sentence may speak of a field: half of its words, or of its Chinese characters."""
    core, words = _core(field), _field_words(field)
    if core:
        return sum(sign in sentence for sign in core) * 2 >= len(core)
    return len(words & set(tokens(sentence))) * 2 >= len(words) > 0


def of_another(sentence: str, fields: Sequence[str]) -> bool:
    """Whether a sentence speaks of the total of something that is none of the fields."""
    measures = (m["english"] or _DETERMINERS.sub("", m["chinese"]) for m in _MEASURE_OF.finditer(sentence))
    return any(measure and not any(touches(field, measure) for field in fields) for measure in measures)


def named_in(sentence: str, subjects: Sequence[str], labels: Mapping[str, str]) -> list[str]:
    """The records that a sentence names: by their names, by what only some of their labels say, or by their month.

    Args:
        sentence: the user's.
        subjects: the records' names.
        labels: the line of a listing for each; may be empty.
    """
    by_name = [subject for subject in subjects if _is_name_in(subject, sentence)]
    if by_name:
        return by_name
    marks = {subject: _marks(subject, labels.get(subject, "")) for subject in subjects}
    common = set.intersection(*marks.values()) if len(marks) > 1 else set()
    by_mark = [s for s in subjects if any(stands_in(mark, sentence) for mark in marks[s] - common)]
    months = months_in(sentence)
    return by_mark or [subject for subject in subjects if months_in(short_name(subject)) & months]


def shared_words(sentence: str, goal: str, but: str = "") -> list[str]:
    """The telling words that a sentence and a goal share, as tokens; without those of the text ``but``."""
    known = set(_telling(goal)) - set(_telling(but))
    return [word for word in dict.fromkeys(_telling(sentence)) if word in known]


def name_of_limit(sentence: str, goal: str) -> str:
    """What a sentence calls the things beyond its limit (*counts as busy*), if the goal calls them so too; or empty."""
    names = [*_QUOTED.findall(sentence), *("".join(pair) for pair in _CALLED.findall(sentence))]
    return next((name for name in names if name in goal and not set(tokens(name)) <= _PLAIN | STOPWORDS), "")


def is_meant(sentence: str, goal: str, record: str) -> bool:
    """Whether a goal refers to what a sentence told of a limit: by its name, or as the user's own standard.

    Args:
        sentence: the user's, from elsewhere.
        goal: what the user wants now.
        record: the beginning of one of the records; words that stand there are no names of limits.
    """
    return bool(name_of_limit(sentence, goal) or _STANDARD.search(goal) or shared_words(sentence, goal, record))


def _core(field: str) -> str:
    """A Chinese field without the words that only say how it is counted; empty for an English one."""
    signs = "".join(re.findall(r"[\u3400-\u9fff]+", field))
    return _COUNTING_WORD.sub("", signs) or signs


def _field_words(field: str) -> set[str]:
    words = set(tokens(field)) - STOPWORDS
    return words - AGGREGATE or words


def _is_name_in(subject: str, sentence: str) -> bool:
    short = short_name(subject)
    if not short.isdecimal():
        return stands_in(short, sentence) or stands_in(subject, sentence)
    noun = r"(?:#|第|编号|\b(?!than|over|above|below|under)[A-Za-z]{2,}\.?)"
    return re.search(rf"{noun} ?{short}(?!\d|\.\d)", sentence) is not None


def _marks(subject: str, label: str) -> set[str]:
    """The parts of a label beside the record's name: a title, a word in brackets, a cell."""
    rest = unicodedata.normalize("NFKC", label).replace(short_name(subject), " ")
    parts = (part.strip() for part in re.split(r"\s{2,}|\s[-–—]+\s|[\[\](){}【】|,;:\t\n\"“”]+", rest))
    return {part.casefold() for part in parts if len(part) > 1 and not part.isdecimal()}


def _telling(text: str) -> list[str]:
    """Words that say what a text is about; of Chinese only pairs, since one character says too little."""
    plain = _PLAIN_ZH.sub(" ", unicodedata.normalize("NFKC", text))
    found = [token for token in tokens(plain) if len(token) > 1 and not token.isdecimal()]
    return [token for token in found if token not in STOPWORDS | AGGREGATE | _PLAIN]
