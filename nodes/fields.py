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
from memory_secretary.nodes.noting import nearest_number
from memory_secretary.nodes.passages import passages

_MOST_WORDS, _MOST_SIGNS = 4, 16
"""Of a phrase in English and in Chinese."""
_ASIDE = re.compile(r"[(（][^)）]{0,200}+[)）]|(?<![\w.-])[\w.-]*+/[^\s，。；：、,;:)）]*")
"""What stands in brackets is a unit or a remark, and a path says where, not what."""
_PLAIN = 4
"""The best phrase is plainly the field when it is so many times better supported than the next about other things."""
_SECOND = 0.25
"""A second field must be supported at least to this share of the first."""
AGGREGATE = frozenset(
    tokens(
        "each every all per total sum overall whole over highest lowest largest smallest most least fewest maximum "
        "minimum average mean difference between number many much month year week day monthly yearly weekly daily "
        "annual record report figure value above below exceed limit add up tell give check read go through take note "
        "need want answer one which not"
    )
)
"""Words that say what becomes of the values or where they stand, not which values they are."""
_AGGREGATE_ZH = re.compile(
    r"一共|总共|合计|总计|最高|最低|最多|最少|最大|最小|平均|相差|多少|哪个|哪些|哪几|几个月|个月|全年|每个月|每月|各月|"
    r"月份|月报|加起来|告诉|超过|控制线|记录|一份|一个|逐份|看完|回答|请|的|是|在|要"
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that a goal and a record's figures share; ``support`` says how plainly a number belongs to them."""

    text: str
    support: float


def shared_phrases(goal: str, record: str) -> list[Phrase]:
    """The phrases of a goal that stand beside a number in a record, best supported first.

    Support is the phrase's length in words (two Chinese characters count as one) times its rarity among the record's
    sentences with numbers times its nearness to a number. Names, paths and words like *total* are no fields.
    """
    lines = [piece.text for piece in passages(record) if re.search(r"\d", piece.text)]
    stems = [f" {' '.join(_stems(line))} " for line in lines]
    found: dict[str, float] = {}
    for phrase in _phrases(_ASIDE.sub(" , ", goal)):
        chinese = phrase[0] >= "\u3400"
        key = phrase if chinese else f" {' '.join(_stems(phrase))} "
        hits = [line for line, stem in zip(lines, stems, strict=True) if (phrase in line if chinese else key in stem)]
        if hits:
            length = len(phrase) / 2 if chinese else len(phrase.split())
            near = max(nearest_number(line, phrase) for line in hits)
            found[phrase] = length * math.log(1 + len(lines) / len(hits)) * near
    ranked = sorted(found.items(), key=lambda pair: -pair[1])
    return [Phrase(text, support) for text, support in ranked if support > 0]


def plain_field(phrases: Sequence[Phrase]) -> str | None:
    """The field when one phrase is plainly better supported than any about other things, else None."""
    if not phrases:
        return None
    rival = next((other for other in phrases if not _parts(other.text) & _parts(phrases[0].text)), None)
    return phrases[0].text if rival is None or phrases[0].support >= _PLAIN * rival.support else None


def choose_fields(proposals: Sequence[str], phrases: Sequence[Phrase], most: int) -> list[str]:
    """The best supported phrases that the proposals speak of; without any such, the best supported one, or proposals.

    A phrase that shares words with one already chosen is another spelling of it.
    """
    wanted = [phrase for phrase in phrases if any(_speaks_of(proposal, phrase.text) for proposal in proposals)]
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
    for run in re.findall(r"[\u3400-\u9fff]+", goal):
        for part in _AGGREGATE_ZH.split(run):
            starts, most = range(len(part)), _MOST_SIGNS
            yield from (part[a:b] for a in starts for b in range(a + 2, min(len(part), a + most) + 1))


def _names_a_field(words: Sequence[str], *, first: bool) -> bool:
    ends = {token for word in (words[0], words[-1]) for token in tokens(word)}
    if ends & (STOPWORDS | AGGREGATE) or any(set(tokens(word)) & AGGREGATE for word in words):
        return False
    return not any(word[0].isupper() for word in (words[1:] if first else words)) and len("".join(words)) > 2
