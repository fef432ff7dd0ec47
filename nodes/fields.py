"""Which values a task asks of each record: phrases that the goal and a record share, chosen with the model's help.

A small model names the field too widely ("late deliveries at the Harwick depot in each month") or beside it
("monthly reports"). What the goal and a sentence with a number have in common, word for word, is the field's name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import TIME
from memory_secretary.nodes.measures import unit_after
from memory_secretary.nodes.noting import AGGREGATE_ZH, nearest_number
from memory_secretary.nodes.passages import passages

_MOST_WORDS, _MOST_SIGNS = 4, 16
"""Of a phrase in English and in Chinese."""
_ASIDE = re.compile(r"[(（][^)）]{0,200}+[)）]|(?<![\w.-])[\w.-]*+/[^\s，。；：、,;:)）]*")
"""What stands in brackets is a unit or a remark, and a path says where, not what."""
_PLAIN = 2.5
"""The best phrase is plainly the field when it is so many times better supported than the next about other things."""
_SECOND = 0.25
"""A field that is not the best supported one must be so at least to this share."""
AGGREGATE = frozenset(
    tokens(
        "each every all per total sum overall whole over highest lowest largest smallest most least fewest maximum "
        "minimum average mean difference between number many much month year week day monthly yearly weekly daily "
        "annual record report figure value above below exceed limit add up tell give check read go through take note "
        "need want answer one two which not some any other only count come came went ask make made put hand get got "
        "actual real actually really nothing something anything everything nobody anybody everybody"
    )
)
"""Words that say what becomes of the values or where they stand, not which values they are."""
OF_TELLING = frozenset(
    tokens(
        "say says said show again somewhere elsewhere anywhere everywhere together apart already still yet once twice "
        "else follow start begin end find trace send write leave keep first second third last next"
    )
)
"""Words that say when, where or in which order something is told; beside a condition they may be what it is about."""
_OF_FORM = re.compile(
    r"(?:^|(?<=[.!?]\s))(?:the |your |my )?(?:answer|reply|response)s?\b[^.!?]*"
    r"|(?:^|(?<=[。！？]))(?:只|请)?(?:回答|答复|答案)[^。！？]*",
    re.IGNORECASE,
)
"""A sentence about the answer's form."""
_RECORDS = re.compile(r"\s(?:records?|files?|reports?|logs?|sheets?|returns?|entries|entry|documents?|slips?)\b")
_NAME_BEFORE = re.compile(r"[a-z,;:]['’]?\s[A-Z][\w'’-]+\s$")
"""A capital that does not begin a sentence."""
_BEFORE_FIELD = re.compile(
    r"(?:\b(?:totals?|sums?|numbers?|figures?|counts?|amounts?|values?|averages?|limits?) (?:of|for)|"
    r"\bhow (?:many|much)|\b(?:most|fewest|highest|lowest|least|largest|smallest)|"
    r"\badd(?:ing)? up|\bcompare|\b(?:say|says|know) about)"
    r"(?: (?:the|all|our|my|its|their|actual|real))*\s$|(?:合计|总计|累计|多少[个份次人名台本盏]?)$",
    re.IGNORECASE,
)
_AFTER_FIELD = re.compile(
    r"的?(?:合计|总计|总数|总和|总共|累计|共计|最[高低多少大小]|平均|加总|加起来|一共|"
    r"(?:到底|究竟|实际|各)?是?多少)"
)
"""What stands before and behind the name of what is counted, in English and in Chinese."""
_UNITS = frozenset(tokens("day week month year hour minute"))
"""Such a word may end a field's name (*patient days*) though it is none alone."""
_OF_ASKED = 4.0
"""How much more a phrase counts that stands where goals name a quantity (*the total of call-outs for the workshop*)."""
_OF_OWNER = 0.3
"""The same for what another phrase belongs to: in 文溪图书馆的报失册数 it is the place, which has many measures."""
_OF_ANSWER = 0.1
"""The same for what only says how the answer is to be (*no currency sign in it*)."""
_OF_TOOLS = 0.2
"""Share of its support that a phrase keeps which the tools speak of too: it names their records (*class logs*)."""
_OF_UNITS = 0.05
"""The same for a mere unit: many figures of a record are in *litres*."""


_QUANTITY = re.compile(
    r"\b(?:how (?:many|much|long|far|high|large|old)|totals?|sums?|add|figures?|"
    r"numbers?(?! (?:you\b|of (?:the|each|those|these|all|its)\b))|values?|amounts?|counts?|"
    r"come to|owed?|worth|averages?|mean|"
    r"differences?|limits?|thresholds?|percent(?:age)?|rates?|ratios?|prices?|costs?|quantit(?:y|ies)|"
    r"measures?|\w{2,}est|most|least|more|less|fewer|over|above|below|exceed\w*|per|each|in all|altogether)\b"
    r"|多少|几[个份次人名天]?|合计|总|一共|加起来|数[量值字]?|平均|均值|相差|最|上限|限额|超|高于|低于|不到|达到"
    r"|[金余]额|费用|价|比例|率|逐份|各",
    re.IGNORECASE,
)


_NAMING = re.compile(
    r"\b(?:(?:tele)?phone|mobile|cell|fax|account|house|room|flat|serial|order|invoice|contract|id|license|plate|tax) "
    r"numbers?\b|(?:手机|电话|座机|传真|账|帐|门牌|房间|车牌|身份证|合同|订单|发票|学|工|税|邮)号(?:码)?(?:是|为)?(?:多少|几号)?",
    re.IGNORECASE,
)
"""Numbers that only name something."""


def asks_for_values(goal: str) -> bool:
    """Whether a goal has a word for a quantity; the number of a telephone is none."""
    return _QUANTITY.search(_NAMING.sub(" ", goal)) is not None


_BY_NAME = re.compile(
    r"\b(?:who|whom|whose|when|where|why)\b(?!(?:ever)?\b[^.?!]*\b(?:each|every)\b)"
    r"|谁|什么时候|何时|几时|哪[里儿天]|什么地方|为什么|怎么办",
    re.IGNORECASE,
)


def asks_by_name(goal: str) -> bool:
    """Whether a goal asks for persons, places, moments or reasons and for no quantity: its answer is no number.

    A number that stands beside such a word (*Ring 5, the landlord*) is no value of it.
    """
    return (_BY_NAME.search(goal) or _NAMING.search(goal)) is not None and not asks_for_values(goal)


_STATE = (
    r"(?:(?:not|n't|never)(?: yet| been| be)* \w+(?:ed|en|id|ne|nt|ue)|un\w+ed|unpaid|undone|unsent|yet|still|overdue|"
    r"late|missing|already|open|closed|paid|done|sent|due|waiting|pending)"
)
_BY_STATE = re.compile(
    rf"\b(?:which|who|whose)\b[^.?!。？！]*\b{_STATE}\b|(?:^|[.;!?]\s)(?:please )?(?:list|name|show me) [^.?!]*"
    rf"\b(?:that|which|who)\b[^.?!]*\b{_STATE}\b|(?:哪|谁)[^。？！?!]*(?:没|未|还|尚|已|逾期|过期|拖延|缺|完成|结清)",
    re.IGNORECASE,
)
"""Asks for the records that are in some state."""
_BY_NUMBER = re.compile(
    r"\b(?:above|below|exceed\w*|over|under|more|less|fewer|reach\w*|limits?|targets?|thresholds?|least)\b|\w{2,}est\b"
    r"|超|高于|低于|多于|少于|达到|不到|不足|最|上限|下限|限额|控制线|目标",
    re.IGNORECASE,
)


_OWED = re.compile(
    r"\bhow much\b[^.?!]*\b(?:ow(?:e[sd]?|ing)|outstanding|unpaid|still due)\b|\bunpaid (?:total|sum)\b"
    r"|(?:欠|未付|没付|待付|未结)[^。？！?!]*多少|多少[^。？！?!]*(?:欠|未付|没付|待付|未结)",
    re.IGNORECASE,
)


def asks_what_is_owed(goal: str) -> bool:
    """Whether a goal asks how much is not paid yet."""
    return _OWED.search(goal) is not None


def asks_by_state(goal: str) -> bool:
    """Whether a goal asks for the records that are in a state (*which invoices are not paid yet?*), or what they owe.

    No number of a record says that, and figures over all of them answer another question.
    """
    return (_BY_STATE.search(goal) or _OWED.search(goal)) is not None and _BY_NUMBER.search(goal) is None


_SEVERAL = re.compile(
    r"\b(?:each|every|all|any|which|whose|whoever|everybody|everyone|those|list|one by one)\b"
    r"|凡是|每|各|都|所有|全部|哪些|哪几|逐",
    re.IGNORECASE,
)


_QUESTION = re.compile(
    r"(?:and |so )?(?:who|whose|whom|what|when|where|which|why|how (?:many|much|long|old|far))\b[^.!?;\n]*\?"
    r"|(?!.*[请帮把给并])[^。！？?；\n]*(?:谁|什么|何时|哪|多少|几|怎么样)[^。！？?；\n]*[？?]",
    re.IGNORECASE,
)
"""One sentence that only wants to know something."""


def only_asks(goal: str) -> bool:
    """Whether a goal is one plain question: nothing is to be changed, and small models write a file all the same."""
    return _QUESTION.fullmatch(goal.strip()) is not None


_ASIDE_BYTES = 60
"""Of what may follow a question and only says how it is to be answered."""
_EVERY = re.compile(r"\b(?:each|every|all|one by one)\b|凡是|每|各|都|所有|全部|逐", re.IGNORECASE)


def asks_of_few_records(goal: str) -> bool:
    """Whether a goal is one plain question that its own words lead to the records of: it is not about all of a kind.

    A few words about the answer may follow it (*Give the names, too.* 写出每家的金额).
    """
    question, said = _first_sentence(goal)
    plain = only_asks(question) and len(said.encode()) <= _ASIDE_BYTES and not re.search(r"[?？/]", said)
    return plain and not asks_by_state(goal) and not _EVERY.search(question)


def _first_sentence(goal: str) -> tuple[str, str]:
    """A goal's first sentence and what follows it."""
    end = re.search(r"[?？](?:\s+|(?=[\u3400-\u9fff]))", goal.strip())
    return (goal.strip()[: end.end()].strip(), goal.strip()[end.end() :]) if end else (goal.strip(), "")


def asks_one_thing(goal: str) -> bool:
    """Whether a goal asks for one person, place or moment: of the files that there are, the executor picks the one."""
    return asks_by_name(goal) and not asks_by_state(goal) and not _SEVERAL.search(goal)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that a goal and a record's figures share; ``support`` says how plainly a number belongs to them."""

    text: str
    support: float


def shared_phrases(goal: str, record: str, tools: str = "") -> list[Phrase]:
    """The phrases of a goal that stand beside a number in a record, best supported first.

    Support is the phrase's length in words (two Chinese characters count as one) times its rarity among the record's
    sentences with numbers times its nearness to a number; a phrase that the tools speak of counts less. Names, paths
    and words like *total* are no fields.

    Args:
        goal: what the user wants.
        record: the text of the first record that was read.
        tools: what the tools that read records say of themselves.
    """
    of_tools = f" {' '.join(_stems(tools))} "
    lines = [piece.text for piece in passages(record) if re.search(r"\d", piece.text)]
    stems = [f" {' '.join(_stems(line))} " for line in lines]
    found: dict[str, float] = {}
    for phrase in _phrases(_ASIDE.sub(" , ", goal)):
        chinese = phrase[0] >= "\u3400"
        key = phrase if chinese else f" {' '.join(_stems(phrase))} "
        hits = [line for line, stem in zip(lines, stems, strict=True) if (phrase in line if chinese else key in stem)]
        if hits and not _keys_records(phrase, goal):
            length = len(phrase) / 2 if chinese else len(phrase.split())
            near = max(nearest_number(line, phrase) for line in hits)
            share = _OF_TOOLS if (phrase in tools if chinese else key in of_tools) else 1.0
            share *= _OF_UNITS if unit_after(phrase, 0) == phrase else 1.0
            found[phrase] = length * math.log(1 + len(lines) / len(hits)) * near * share
    for phrase in found:  # the whole name and no part of it: *lunches taken*, not *lunches*
        longer = max((other for other in found if phrase in other), key=len)
        found[longer] = max(found[longer], found[phrase])
    matter = _OF_FORM.sub(" ", goal)
    owners = {phrase for phrase in found if any(f"{phrase}的{other}" in goal for other in found)}
    owners |= {phrase for phrase in found if _follows_a_name(phrase, goal) or _names_records(phrase, goal)}
    for phrase in found:
        found[phrase] *= _OF_ASKED if _asked_for(phrase, goal) else 1.0
        found[phrase] *= _OF_ANSWER if phrase not in matter else 1.0
        found[phrase] *= _OF_OWNER if any(phrase in owner for owner in owners) else 1.0
    ranked = sorted(found.items(), key=lambda pair: (-pair[1], -len(pair[0])))
    return [Phrase(text, support) for text, support in ranked if support > 0]


def _asked_for(phrase: str, goal: str) -> bool:
    """Whether a goal has a phrase where a quantity is named: *the total of call-outs*, 坏路灯盏数合计."""
    places = (match.span() for match in re.finditer(re.escape(phrase), goal))
    return any(_BEFORE_FIELD.search(goal[:start]) or _AFTER_FIELD.match(goal, end) for start, end in places)


def _follows_a_name(phrase: str, goal: str) -> bool:
    """Whether a phrase only stands behind a capital: *the Ferris workshop* and *Ashby council* are places."""
    before = [goal[: match.start()] for match in re.finditer(rf"\b{re.escape(phrase)}\b", goal)]
    return bool(before) and all(_NAME_BEFORE.search(text) for text in before)


def _names_records(phrase: str, goal: str) -> bool:
    """Whether a phrase only says what kind of records there are: *bay records*, *class logs*."""
    after = [goal[match.end() :] for match in re.finditer(rf"\b{re.escape(phrase)}\b", goal)]
    return bool(after) and all(_RECORDS.match(text) for text in after)


def _keys_records(phrase: str, goal: str) -> bool:
    """Whether a phrase stands behind what a record is called by, or is what is listed.

    *The number of the bill* and *all the bills in the list* are no count of bills.
    """
    named = re.escape(phrase)
    key = rf"\b(?:number|name|id|code) of (?:the|each|every|its|that) {named}\b"
    return re.search(rf"{key}|\b(?:all|each|every|any)(?: of)?(?: the)? {named} in the list\b", goal) is not None


def plain_field(phrases: Sequence[Phrase]) -> str | None:
    """The field when one phrase is plainly better supported than any about other things, else None."""
    if not phrases:
        return None
    rival = next((other for other in phrases if not _parts(other.text) & _parts(phrases[0].text)), None)
    return phrases[0].text if rival is None or phrases[0].support >= _PLAIN * rival.support else None


def choose_fields(proposals: Sequence[str], phrases: Sequence[Phrase], most: int) -> list[str]:
    """The best supported phrases that the proposals speak of; without any such, the best supported one, or proposals.

    A proposal that is hardly supported beside another phrase is no field: it names the place or the time.

    A phrase that shares words with one already chosen is another spelling of it.
    """
    least = _SECOND * phrases[0].support if phrases else 0.0
    spoken_of = [phrase for phrase in phrases if any(_speaks_of(proposal, phrase.text) for proposal in proposals)]
    wanted = [phrase for phrase in spoken_of if phrase.support >= least]
    chosen: list[Phrase] = []
    for phrase in wanted or phrases[:1]:
        fresh = not any(_parts(phrase.text) & _parts(other.text) for other in chosen)
        if fresh and (not chosen or phrase.support >= _SECOND * chosen[0].support):
            chosen.append(phrase)
    return [phrase.text for phrase in chosen[:most]] or list(proposals[:most])


def _speaks_of(proposal: str, phrase: str) -> bool:
    return set(tokens(phrase)) <= set(tokens(proposal))


def _parts(phrase: str) -> set[str]:
    return set(tokens(phrase)) - STOPWORDS


def _stems(text: str) -> list[str]:
    return [token for word in re.findall(r"[A-Za-z][A-Za-z'-]*", text) for token in tokens(word)]


def _phrases(goal: str) -> Iterator[str]:
    """Runs of up to four words without punctuation between, or of Chinese characters, that could name a field."""
    for run in re.split(r"[^A-Za-z' -]+", goal):
        words = run.split()
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + _MOST_WORDS) + 1):
                if _names_a_field(words[start:end], first=start == 0):
                    yield " ".join(words[start:end])
    for run in re.findall(r"[\u3400-\u9fff]+", TIME.sub(",", goal)):
        for part in AGGREGATE_ZH.split(run):
            starts, most = range(len(part)), _MOST_SIGNS
            yield from (part[a:b] for a in starts for b in range(a + 2, min(len(part), a + most) + 1))


def _names_a_field(words: Sequence[str], *, first: bool) -> bool:
    if any(_is_one_of(STOPWORDS, word) for word in (words[0], words[-1])):
        return False
    named = words[:-1] if len(words) > 1 and _is_one_of(_UNITS, words[-1]) else words
    if any(_is_one_of(AGGREGATE | OF_TELLING, word) for word in named):
        return False
    return not any(word[0].isupper() for word in (words[1:] if first else words)) and len("".join(words)) > 2


def _is_one_of(listed: frozenset[str], word: str) -> bool:
    """Whether a word, or each part of one with a hyphen, is listed."""
    return set(tokens(word)) <= listed
