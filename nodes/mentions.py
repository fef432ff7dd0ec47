"""Which records a request means by a name in them: *which invoices are Harper's?* 晨光文具的发票有哪些？."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from memory_secretary.memory.periods import TIME, months_in
from memory_secretary.nodes.candidates import pattern_of
from memory_secretary.nodes.fields import asks_for_values
from memory_secretary.nodes.noting import AGGREGATE_ZH

_WHICH = re.compile(r"\b(?:which|list|show me|what are)\b|哪些|哪几|列出|有哪", re.IGNORECASE)
_NAME = re.compile(
    r"[\"'“‘「]([^\"'”’」]{2,40})[\"'”’」]|(?<![.!?:]\s)(?<!^)\b([A-Z][\w’-]*[a-z]\w*(?: (?:& |and )?[A-Z][\w’-]+)*)"
)
"""What is quoted, and words with a capital that do not begin a sentence."""
_FILES = re.compile(r"\b(?:files?|documents?|mention\w*|name[ds]?)\b|文件|提到|提及", re.IGNORECASE)
"""Asks for whatever has a name in it."""
_OWNER = re.compile(r"['’]s$")
_STATE_ZH = re.compile("[没未已付款清逾期待]|完成")
"""Of what says in which state a record is, and is no name."""
_PLAIN_ZH = re.compile(
    "[的了在是和与及跟各用采卖做买花付收共有钱元斤吨度升箱个份位人次呢吗加每给把从到比多少贵便宜]|哪|什么|怎么"
)
"""What stands between names and the names of fields."""
_LEAST_ZH = 3
"""Characters of a Chinese name; two may stand anywhere."""


def meant_by_name(goal: str, records: Mapping[str, str]) -> dict[str, bool]:
    """Whether each record has all names that a goal gives; empty where it gives none that stands in one.

    What looks like a name in Chinese may be the kind of record, so one that stands in all of them tells nothing. Where
    several records of one kind have the names, one that is alone of its kind (a note) only mentions them.

    Args:
        goal: the user's words.
        records: the text of each record, by its name.
    """
    texts = {name: text.casefold() for name, text in records.items()}
    found = dict.fromkeys(map(str.casefold, _names_in(goal, "\n".join(records.values()))))
    has = {said: sum(said in text for text in texts.values()) for said in found}
    telling = [said for said, count in has.items() if 0 < count < len(texts) or (count and said.isascii())]
    meant = [name for name, text in texts.items() if telling and all(said in text for said in telling)]
    kinds = Counter(map(pattern_of, meant))
    several = max(kinds.values(), default=0) > 1 and not _FILES.search(goal)
    alone = {name for name in meant if kinds[pattern_of(name)] == 1} if several else set()
    return {name: name in meant and name not in alone for name in texts} if telling else {}


def has_names(goal: str, record: str) -> bool:
    """Whether a record has each name that a goal gives, or a part of it; what no record could have counts as one, too.

    Rows of a record without *Ines* (何敏) may be everybody's.
    """
    text = record.casefold()
    names = (_OWNER.sub("", match[1] or match[2]) for match in _NAME.finditer(goal))
    english = (name for name in names if not months_in(name))
    runs = re.findall(r"[\u3400-\u9fff]+", TIME.sub(" ", goal))
    chinese = (part for run in runs for part in _PLAIN_ZH.split(AGGREGATE_ZH.sub("的", run)) if len(part) > 1)
    return all(any(word in text for word in name.casefold().split()) for name in english) and all(
        any(part[at : at + 2] in text for at in range(len(part) - 1)) for part in chinese
    )


def asks_by_mention(goal: str) -> bool:
    """Whether a goal asks which records there are of some kind, and for no quantity of theirs."""
    return _WHICH.search(goal) is not None and not asks_for_values(goal)


def _names_in(goal: str, records: str) -> Iterator[str]:
    for match in _NAME.finditer(goal):
        yield _OWNER.sub("", match[1] or match[2])
    for run in re.findall(r"[\u3400-\u9fff]+", goal):
        for part in _STATE_ZH.split(AGGREGATE_ZH.sub("待", run)):
            yield from _longest_in(part, records)


def _longest_in(part: str, records: str) -> Iterator[str]:
    """The longest piece of a Chinese run that stands in the records, if it is long enough to be a name."""
    for size in range(len(part), _LEAST_ZH - 1, -1):
        found = next(
            (part[at : at + size] for at in range(len(part) - size + 1) if part[at : at + size] in records), ""
        )
        if found:
            yield found
            return
