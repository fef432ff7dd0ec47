"""Figures that are put right: by a record that corrects another one, or by the user in a later turn. By code alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.task_state import Item, KeyValue, TaskState, whole_goal
from memory_secretary.nodes.brief import value_line
from memory_secretary.nodes.call_arguments import subject_of
from memory_secretary.nodes.marked_numbers import marked_numbers, meant
from memory_secretary.nodes.naming import Mention, Names, labels
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.passages import Passage, passages

_CUE = re.compile(
    r"\b(?:correct(?:s|ed|ing|ions?)?|errat(?:um|a)|corrigend(?:um|a)|mistak\w*|mistyp\w*|misprint\w*|misread|misstat\w*|"
    r"typos?|slips?|errors?|erroneous\w*|wrong(?:ly)?|incorrect\w*|inaccura\w*|amend(?:s|ed|ments?)?|replac(?:es|ed)|"
    r"supersed\w*|put right|revis(?:ed|ions?)|"
    r"(?:must|should|ought to) (?:now |rather )?(?:read|say|have (?:read|been|said)))\b|"
    r"更正|订正|勘误|修正|纠正|改正|笔误|有误|为准|作废|[写录记填报登抄印打算数弄搞](?:错|成了)|误[写录记填报登抄]|"
    r"应(?:该|当)?[是为改写作]|(?:核对|核实|复核|核查|清点)(?:过|之?后)",
    re.IGNORECASE,
)
"""Words by which a sentence says that it puts something right."""
_USER_CUE = re.compile(
    r"\b(?:really|actually|in (?:fact|truth)|(?:should|must|ought to) be|turns? out|make (?:it|that)|change|set|update|"
    r"sorry|not|instead of|rather than)\b|其实|实际上|事实上|应该|不对|不是|改[成为]|说错|抱歉|不好意思|弄错",
    re.IGNORECASE,
)
"""What else a user says when a figure is to be another one."""
_ELSEWHERE = re.compile(
    r"\b(?:plan(?:ned)?|budget(?:ed)?|forecast|target|limit|last year|year ago)\b|"
    r"计划|预算|预测|目标|上限|限额|去年|同期",
    re.IGNORECASE,
)
"""Figures of a field that are not the record's own."""
_SUPPOSED = re.compile(
    r"\b(?:what if|suppos(?:e|ing)|assum(?:e|ing)|if\b.*\b(?:were|was|had been))\b|如果|假如|假设|要是|倘若",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\A\W*(?:is|are|was|were|isn't|wasn't|should|could|does|did|do|why|how)\b.*\?|吗\s*[?？]?\W*\Z|[是对]不[是对]|是否",
    re.IGNORECASE | re.DOTALL,
)
_COVERED = 0.6
"""Share of a field's words that a sentence must have to speak of the field."""
_FOLLOWING = 2
"""Sentences after the one that names a record in which the right figure may stand."""
_NAME = "\ufffc"
"""Stands for a record's name, whose own digits are no figures."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A value that is put right.

    Attributes:
        subject: the record that it belongs to.
        name: the field.
        value: what is right.
        wrong: what is said to have stood there; or empty.
    """

    subject: str
    name: str
    value: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class _Words:
    """Words about one record, its name masked; ``more`` are sentences that follow and name no record."""

    subject: str
    text: str
    more: str = ""

    @property
    def all(self) -> str:
        return f"{self.text} {self.more}"


# --- what a text puts right -----------------------------------------------------------------------------------------


def corrections_in(record: str, subject: str, task: TaskState) -> list[Correction]:
    """What one record says that other records of the task should have said.

    A sentence counts when it names one of them, says that something is put right, speaks of a field of the task, and
    names one number as the right one. Where it also names the wrong one, that has to be what was noted.

    Args:
        record: the text that was read.
        subject: whose text it is; what it says of itself is no correction of another record.
        task: its items and values say which records there are.
    """
    if not _has_cue(record):
        return []
    others = (words for words in _about(record, names_of(task)) if words.subject != subject)
    found = (_in_record(words, task) for words in others if _CUE.search(words.all))
    return [change for change in found if change and _was_noted(change, task)]


@lru_cache(maxsize=1)
def _has_cue(record: str) -> bool:
    """Whether a record puts anything right; it is asked twice of each."""
    return _CUE.search(unicodedata.normalize("NFKC", record)) is not None


def _in_record(words: _Words, task: TaskState) -> Correction | None:
    field = _field_named(words.text, task)
    if not field or _of_another_kind(words.text, task):
        return None
    return _change(words, task, field, marked=not _CUE.search(words.text))


def told_corrections(message: str, task: TaskState) -> list[Correction]:
    """What a user says that records of the task should have said; nothing of what is only asked or supposed.

    The record is named, or the wrong number is, and was noted of one record alone. Where several records are named,
    each needs its own number.
    """
    pieces = (piece.text for piece in passages(message))
    told = "\n".join(piece for piece in pieces if not (_ASKED.search(piece) or _SUPPOSED.search(piece)))
    if not (_CUE.search(told) or _USER_CUE.search(told)):
        return []
    about = list(_about(told, names_of(task))) or _by_wrong_number(told, task)
    found = [change for words in about if (change := _change(words, task, _field_meant(words, task)))]
    return found if {change.subject for change in found} == {words.subject for words in about} else []


def own_passages(record: str, subject: str, task: TaskState) -> list[Passage]:
    """The passages of a record without those that put another record right: their numbers are not its own."""
    pieces = passages(record)
    if not _has_cue(record):
        return pieces
    names = names_of(task)
    parts = [one for piece in pieces for one in (passages(piece.text) if names.alike(piece.text) else [piece])]
    foreign = _foreign([unicodedata.normalize("NFKC", part.text) for part in parts], names, subject, task["fields"])
    return [part for place, part in enumerate(parts) if place not in foreign]


def _foreign(texts: Sequence[str], names: Names, subject: str, fields: Sequence[str]) -> set[int]:
    """Which sentences put another record right: one that names it, and those after it that say what is right."""
    named = [names.alike(text) for text in texts]
    found: set[int] = set()
    for place, others in enumerate(named):
        if others and all(one.subject != subject for one in others):
            spoken = range(place, _end_of(named, place + 1))
            if any(_CUE.search(texts[one]) for one in spoken):
                found |= {place, *(one for one in spoken if _says_what_is_right(texts[one], fields))}
    return found


def _says_what_is_right(text: str, fields: Sequence[str]) -> bool:
    """Whether a sentence gives a right number without saying of what."""
    marked = any(number.mark == "right" for number in marked_numbers(text))
    return marked and not any(speaks_of_field(text, name) for name in fields)


# --- words about one record -----------------------------------------------------------------------------------------


def names_of(task: TaskState) -> Names:
    """The names of the records that the task knows, noted or to be read."""
    calls = [item for item in task["items"] if item["action"] and item["status"] != "dropped"]
    read = {subject_of(item["arguments"]): labels(item["action"] or "", item["arguments"]) for item in calls}
    noted = {value["subject"]: frozenset[str]() for value in task["values"]}
    return Names({subject: words for subject, words in {**noted, **read}.items() if subject})


def _about(text: str, names: Names) -> Iterator[_Words]:
    """The sentences that name records, with what follows them; one that names several is cut before each of them."""
    sentences = (one.text for piece in passages(text) for one in passages(piece.text))
    pieces = [unicodedata.normalize("NFKC", sentence) for sentence in sentences]
    named = [names.known(piece) or names.by_month(piece) for piece in pieces]
    for place, piece in enumerate(pieces):
        parts = list(_cut(piece, named[place])) if named[place] else []
        more = " ".join(pieces[place + 1 : _end_of(named, place + 1)])
        for number, (subject, part) in enumerate(parts, 1):
            yield _Words(subject, part, more if number == len(parts) else "")


def _end_of(named: Sequence[Sequence[Mention]], start: int) -> int:
    """Where the sentences end that follow one that names a record, and name none themselves."""
    stop = start
    while stop < min(len(named), start + _FOLLOWING) and not named[stop]:
        stop += 1
    return stop


def _cut(text: str, named: Sequence[Mention]) -> Iterator[tuple[str, str]]:
    """A sentence in parts, each with the record that it names; the first part has what stands before its name."""
    firsts = [one for n, one in enumerate(named) if n == 0 or one.subject != named[n - 1].subject]
    starts = [0, *(one.start for one in firsts[1:])]
    for one, start, end in zip(firsts, starts, [*starts[1:], len(text)], strict=True):
        yield one.subject, _masked(text, named, start, end)


def _masked(text: str, named: Sequence[Mention], start: int, end: int) -> str:
    parts, last = [], start
    for one in named:
        if start <= one.start < one.end <= end:
            parts += [text[last : one.start], _NAME]
            last = one.end
    return "".join([*parts, text[last:end]])


def _by_wrong_number(message: str, task: TaskState) -> list[_Words]:
    """Words that name no record but the number that one record alone is noted with."""
    text = unicodedata.normalize("NFKC", " ".join(message.split()))
    named = {number.value for number in marked_numbers(text)}
    owners = {value["subject"] for value in latest(task) if _number(value["value"]) in named}
    return [_Words(owners.pop(), text)] if len(owners) == 1 else []


# --- which value is meant -------------------------------------------------------------------------------------------


def _change(words: _Words, task: TaskState, field: str, *, marked: bool = False) -> Correction | None:
    """The one number that the words name as right, if it is another than what is noted.

    In the sentence itself it need not be called right, unless it has to be ``marked``.
    """
    if not field:
        return None
    noted = next((value["value"] for value in latest(task, words.subject) if value["name"] == field), "")
    known = _number(noted)
    found = meant(marked_numbers(words.text), known, marked=marked)
    if found is None and words.more:
        found = meant(marked_numbers(words.all), known, marked=True)
    if found is None:
        return None
    right, wrong = found
    return Correction(words.subject, field, right.text, wrong.text if wrong else noted)


def _field_named(text: str, task: TaskState) -> str:
    """The one field of the task that a text speaks of; or empty."""
    spoken = [name for name in task["fields"] if speaks_of_field(text, name)]
    return spoken[0] if len(spoken) == 1 else ""


def speaks_of_field(text: str, name: str) -> bool:
    """Whether a text has most words of a field's name."""
    words = set(tokens(name)) - STOPWORDS
    return bool(words) and len(words & set(tokens(text))) >= _COVERED * len(words)


def _field_meant(words: _Words, task: TaskState) -> str:
    """The field that a user's correction is about: the one that is named, else the only one that the record has.

    A number that is called wrong has to be the record's then; else the words are about something else.
    """
    named, noted = _field_named(words.all, task), latest(task, words.subject)
    if named or len(noted) != 1:
        return named
    wrong = {number.value for number in marked_numbers(words.text) if number.mark == "wrong"}
    return noted[0]["name"] if not wrong or _number(noted[0]["value"]) in wrong else ""


def _of_another_kind(text: str, task: TaskState) -> bool:
    """Whether a sentence is about a plan or another year, and the task is not."""
    goal = whole_goal(task).casefold()
    return any(match.group().casefold() not in goal for match in _ELSEWHERE.finditer(text))


def _was_noted(change: Correction, task: TaskState) -> bool:
    """Whether what is called wrong is what was noted; nothing speaks against it while the record is unread."""
    noted = [_number(v["value"]) for v in task["values"] if (v["subject"], v["name"]) == (change.subject, change.name)]
    return not noted or not change.wrong or _number(change.wrong) in noted


# --- what becomes of it ---------------------------------------------------------------------------------------------


def latest(task: TaskState, subject: str | None = None) -> list[KeyValue]:
    """The values that count: the last one of each field and record; of one record if ``subject`` is given."""
    standing = {(value["name"], value["subject"]): value for value in task["values"]}
    return [value for value in standing.values() if subject in (None, value["subject"])]


def corrected(task: TaskState, changes: Sequence[Correction], ref: str) -> TaskState:
    """The state with corrections that stand in event ``ref``: noted, and told where their records are said to be done.

    Of a record that is not read yet, what is called wrong is noted first, so that it can be compared with the record.
    """
    if not changes:
        return task
    values = list(task["values"])
    for change in changes:
        unread = not any((v["name"], v["subject"]) == (change.name, change.subject) for v in values)
        told = [change.wrong, change.value] if unread and change.wrong else [change.value]
        values += [KeyValue(name=change.name, subject=change.subject, value=value, ref=ref) for value in told]
    after = TaskState(**{**task, "values": values})
    items = [_retold(item, after, {change.subject for change in changes}) for item in task["items"]]
    return TaskState(**{**after, "items": items})


def _retold(item: Item, task: TaskState, subjects: Collection[str]) -> Item:
    subject = subject_of(item["arguments"])
    if item["status"] != "done" or subject not in subjects:
        return item
    return Item(**{**item, "result": "; ".join(result_lines(task, subject))})


def still_corrected(task: TaskState, before: TaskState, subject: str) -> TaskState:
    """The state after a record's own values were noted, with the corrections that came ``before`` them noted again.

    A correction wins over the corrected record's own words, unless it calls another value wrong than they have.
    """
    own = {value["name"]: value for value in latest(task, subject)}
    again = [
        correction
        for correction in _corrections_of(before, subject)
        if own[correction["name"]] != correction and _is_about(correction, own[correction["name"]]["value"], before)
    ]
    return TaskState(**{**task, "values": [*task["values"], *again]})


def result_lines(task: TaskState, subject: str, reading: str = "") -> list[str]:
    """The values of a record that count, one line each; corrected ones are marked.

    Args:
        task: the state.
        subject: the record.
        reading: the event in which the record has just been read: only what it says, and corrections of that.
    """
    changed = _corrections_of(task, subject, reading)
    values = [value for value in latest(task, subject) if value in changed or not reading or value["ref"] == reading]
    return [_corrected_line(value) if value in changed else value_line(value) for value in values]


def _corrected_line(value: KeyValue) -> str:
    return said(f"{value_line(value)} (corrected)", f"{value_line(value)}（已更正）")


def _corrections_of(task: TaskState, subject: str, reading: str = "") -> list[KeyValue]:
    """The values of a record that count and stand in another event than a reading of it."""
    values = latest(task, subject)
    refs = {value["ref"] for value in values}
    own = (item for item in task["items"] if item["evidence"] in refs and subject_of(item["arguments"]) == subject)
    read = {reading, *(item["evidence"] for item in own)}
    return [value for value in values if value["ref"] not in read]


def _is_about(correction: KeyValue, own: str, before: TaskState) -> bool:
    key = (correction["name"], correction["subject"], correction["ref"])
    told = {_number(v["value"]) for v in before["values"] if (v["name"], v["subject"], v["ref"]) == key}
    claims = told - {_number(correction["value"])}
    return not claims or _number(own) in claims


def _number(text: str) -> Decimal | None:
    found = numbers_in(text)
    return found[0].value if found else None
