"""Whether a record meets the condition under which a task wants something done: by the words that both use.

A 1.5B that is asked this of one record says yes to nearly everything, and compares several records' states hardly
better; so the goal's own words decide, with what they deny (*unpaid* and *no payment* are the same, and *paid* is their
opposite). What they do not decide stays undecided.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.nodes.act_words import act_spans
from memory_secretary.nodes.candidates import ToolShape, identifiers_in, pattern_of
from memory_secretary.nodes.fields import AGGREGATE
from memory_secretary.nodes.passages import passages

DONE = "(done)"
"""Stands for every word that says that the very act was done already: *paid* and 付清 where paying is wanted."""
NOT = "not "
"""Before what a text denies."""

# --- how goals set conditions ---
_CLAUSE = re.compile(
    r"[.!?;:](?:\s|$)|[。！？；：]|, (?=(?:and )?(?:to no|nothing|nobody|no |not |the rest|but |leave ))|，"
)
_LEAVES = re.compile(
    r"\b(?:leave|nothing|nobody|no ?one|none of|do not|don't|never|not at all|not to be|without|except|stays?|skip|"
    r"ignore|nor)\b|不要|别[动发付]|不[付发动订退批必用准]|都不|除外|跳过|先放着|不动|不变",
    re.IGNORECASE,
)
"""What makes a clause speak of the records that are to be left alone."""
_ANSWERS = re.compile(
    r"^\W*(?:then |and |please )*(?:tell me|answer|list|give me|report|how m|i want|what (?:do|did|is|was))|"
    r"^(?:最后|然后|再|请)*(?:告诉我|回答|只回答|列出|报告|合计|一共|我要)",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"\b(?:that|which|who|whose|whoever|whatever|what)\b(?! (?:it|they|i|we|you|he|she)\b)(?P<a>[^,]+)|"
    r"\b(?:each|every|all|any)(?P<b>(?: [\w'-]+){1,4}?) ones?\b|\b(?:some|several|those|they) (?:are|have)(?P<c>[^,]+)",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\b(?:gets?|should|must|(?:is|are) to|needs?|receives?|will)\b", re.IGNORECASE)
"""Where the words of the condition end and those of the act begin."""
_WHICH_ZH = re.compile(r".*[\u3400-\u9fff](?=的)|有些(.+)")
_DULL = frozenset("be still yet already since long now please get one once exactly own among".split())
_DULL_ZH = frozenset("请把凡是已经又还且都就每各给从里这些有了它按自己其个并的和或")

# --- how both deny ---
_NO = re.compile(r"\b(?:not|no|never|nothing|without|none|neither|nor|cannot|lacks?)\b|\w+n't\b", re.IGNORECASE)
_UN = re.compile(r"(?:un|non-?|in(?=complete|valid))(\w+(?:ed|id|ete|nt))")
_DENIALS = "尚未|还没有?|没有?|从未|未|不再?|无|待(?=[付缴审批办处核结确交补退])"
_NO_ZH = re.compile(rf"(?:{_DENIALS})(?=[\u3400-\u9fff])")
_NO_BEFORE = re.compile(rf"(?:{_DENIALS})$")
_WAS_DONE = re.compile(r"(?:ed|paid|told|sent|written|bought)$")
_DONE_BEFORE, _DONE_AFTER = re.compile(r"已[\u3400-\u9fff]{0,3}$"), re.compile(r".?[了清过讫完毕]")

# --- what records say of themselves ---
_HEADER = re.compile(r"[>\s]*(?:From|To|Date|Subject|title|发件人|收件人|主题|标题) ?[:：]", re.IGNORECASE)
_SELF = re.compile(
    r"\bthis (?:record|file|report|document|sheet|entry|case|order|invoice|note|form|ticket|item)\b|"
    r"\b(?:state|status|condition)\b ?[:：|]|状态|本(?:记录|文件|报告|单|表|件|案)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """The words of a goal for the records that it wants something done with, and for those to be left alone.

    ``wanted`` holds each description by itself, ``unwanted`` all words.
    """

    wanted: tuple[frozenset[str], ...]
    unwanted: frozenset[str]

    def met(self, statement: frozenset[str]) -> bool | None:
        """Whether a record meets it, by the words of what it says of itself; None where they do not tell.

        It must have most of a description's words, and none of those for the others.
        """
        words = {word for description in self.wanted for word in description}
        if DONE in statement or _tells(self.unwanted & statement) or {opposite(word) for word in words} & statement:
            return False
        hits = ((description & statement, description) for description in self.wanted)
        return True if any(hit - {NOT + DONE} and len(hit) * 2 > len(whole) for hit, whole in hits) else None


def condition_in(goal: str, tool: ToolShape, said: str = "") -> Condition:
    """The condition that a goal sets for a tool.

    Args:
        goal: the user's words.
        tool: what is wanted for the records that meet the condition.
        said: what the tools say of themselves: words for the records, not for their states.
    """
    wanted: list[frozenset[str]] = []
    unwanted: set[str] = set()
    for clause in _CLAUSE.split(goal):
        if not clause.strip() or _ANSWERS.search(clause):
            continue
        if _LEAVES.search(clause):
            unwanted |= marks(_LEAVES.sub(" ", clause), tool, said)
        else:
            wanted += [marks(part, tool, said) - {DONE} for part in _descriptions(clause)]
    words = {word for description in wanted for word in description}
    return Condition(tuple(filter(None, wanted)), frozenset(unwanted - words - {NOT + DONE}))


def statements(record: str, key: str) -> list[str]:
    """What a record says of itself: the passages that name it and no other, or speak of its state; no titles."""
    found = []
    named = re.compile(rf"(?<![A-Za-z0-9_-]){re.escape(key)}(?![A-Za-z0-9_-])")
    for piece in passages(record)[1:]:
        text = unicodedata.normalize("NFKC", piece.text)
        rest = named.sub(" ", text)
        others = {other for other in identifiers_in(rest) if pattern_of(other) == pattern_of(key)}
        if not others and not _HEADER.match(text) and (rest != text or _SELF.search(text)):
            found.append(piece.text)
    return found


def marks(text: str, tool: ToolShape, said: str = "") -> frozenset[str]:
    """The words of a text that tell something, each with its denial; the very act is :data:`DONE`.

    A Chinese character counts as a word.
    """
    dull = set(tokens(f"{said} {tool.description} {' '.join(tool.required)}".replace("_", " ")))
    found = (*_english(text, tool), *_chinese(text, tool, dull))
    return frozenset(word for word in found if word.removeprefix(NOT) not in dull)


def opposite(word: str) -> str:
    """A word with the other sign."""
    return word.removeprefix(NOT) if word.startswith(NOT) else NOT + word


def _tells(words: Collection[str]) -> bool:
    """Whether words are enough to go by: one, but two single characters of Chinese."""
    return any(len(word) > 1 for word in words) or len(words) > 1


def _descriptions(clause: str) -> Iterator[str]:
    for match in _WHICH.finditer(clause):
        yield _UNTIL.split(match["a"] or match["b"] or match["c"])[0]
    for match in _WHICH_ZH.finditer(clause):
        yield match.group(1) or match.group()


def _english(text: str, tool: ToolShape) -> Iterator[str]:
    for clause in re.split(r"[,.;:!?|]+", text):
        denied, before = False, ""
        for word in re.findall(r"[A-Za-z][A-Za-z'’-]*", clause):
            if _NO.fullmatch(word):
                denied = True
            elif mark := "" if before == "be" and act_spans(word, tool) else _mark(word, tool, denied=denied):
                yield opposite(mark) if denied else mark
                denied = False
            before = word.casefold()


def _mark(word: str, tool: ToolShape, *, denied: bool) -> str:
    """A word as a mark; empty for what tells nothing. Of the act only what was done counts, or was not."""
    lowered = word.casefold()
    if negative := _UN.fullmatch(lowered):
        return opposite(_mark(negative[1], tool, denied=True) or negative[1])
    if act_spans(lowered, tool):
        return DONE if denied or _WAS_DONE.search(lowered) else ""
    found = next(iter(tokens(lowered)), "")
    return "" if found in STOPWORDS or found in AGGREGATE or {lowered, found} & _DULL else found


def _chinese(text: str, tool: ToolShape, dull: Collection[str]) -> Iterator[str]:
    for run in re.findall(r"[\u3400-\u9fff]+", text):
        plain = _without(run, dull)
        covered = {at for match in _NO_ZH.finditer(plain) for at in range(*match.span())}
        for match in act_spans(plain, tool):
            covered |= {*range(*match.span())}
            if _NO_BEFORE.search(plain[: match.start()]):
                yield NOT + DONE
            elif _DONE_BEFORE.search(plain[: match.start()]) or _DONE_AFTER.match(plain, match.end() - 1):
                yield DONE
        denied = {match.end() for match in _NO_ZH.finditer(plain)}
        for at, sign in enumerate(plain):
            if at not in covered and sign not in _DULL_ZH and sign != " ":
                yield NOT + sign if at in denied else sign


def _without(run: str, dull: Collection[str]) -> str:
    """A run of Chinese with blanks for the words that tools use for their records."""
    for word in sorted(dull, key=len, reverse=True):
        run = run.replace(word, " ") if len(word) > 1 else run
    return run
