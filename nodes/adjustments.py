"""What the user's own words change in a calculation: records that do not count, a number to add, a limit to hold to.

Only sentences of the user are read (goal, amendments, constraints, and what they asked to keep in earlier sessions),
never a tool's text or a model's. What code cannot decide goes to the secretary as a choice between readings that code
has found in the sentence; without an answer nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, Protocol

from memory_secretary.memory.records import Event
from memory_secretary.memory.task_state import Adjustment, KeyValue, Relation, TaskState, whole_goal
from memory_secretary.nodes.candidates import pattern_of
from memory_secretary.nodes.figures import number_of, short_name
from memory_secretary.nodes.grounding import stands_in
from memory_secretary.nodes.limits import HOLDS, Bound, speaks_of_limit
from memory_secretary.nodes.numbers import normal_number
from memory_secretary.nodes.sayings import (
    bare_limit,
    calls_unreal,
    covers,
    is_meant,
    keeps_in,
    leaves_out,
    limits_of,
    name_of_limit,
    named_in,
    numbers_of,
    of_another,
    replaces,
    sign_of,
    statements,
    touches,
)
from memory_secretary.nodes.secretary import Secretary

_MARK = "adjusted"
"""Stands among the considered shapes, with what was known when the user's words were looked through."""
_TITLE = 200
"""Characters of a record in which its title stands."""


class _ReadsEvents(Protocol):
    def event(self, event_id: str) -> Event: ...
    def read(self, event_id: str, start: int = 0, length: int = 2000) -> str: ...


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sentence that code cannot read for certain: what it may mean, by a line that a model can choose."""

    said: str
    readings: Mapping[str, Adjustment]


@dataclass(slots=True)
class Found:
    """What the user's words change: for certain, and perhaps."""

    sure: list[Adjustment] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)

    def add(self, said: str, readings: Mapping[str, Adjustment], *, sure: bool) -> None:
        """Take the only reading when it is sure, else leave the choice open."""
        if sure and len(readings) == 1:
            self.sure += readings.values()
        else:
            self.doubts.append(Doubt(said, readings))


def adjusted(task: TaskState, view: _ReadsEvents, secretary: Secretary) -> TaskState:
    """The task with what the user's words change in its figures.

    Found once, and again when the user has added something or more records were noted; the secretary is asked at most
    once for the same words of the user.

    Args:
        task: one of which nothing is open.
        view: reads the listings and the titles of the task's records.
        secretary: asked for what code cannot decide.
    """
    said = f"{_MARK} {len(task['amendments'])} "
    mark = f"{said}{len({value['subject'] for value in task['values']})}"
    if not task["values"] or mark in task["considered"]:
        return task
    labels = labels_of(task, view)
    found = find_adjustments(task, labels, _title(task["values"][0], view))
    asked = any(other.startswith(said) for other in task["considered"])
    decided = _decided_before(task, found.doubts) if asked else _decided(task, found.doubts, secretary)
    considered = [*task["considered"], mark]
    changes = [*found.sure, *decided, *limits_in_records(task, labels)]
    return TaskState(**{**task, "adjustments": changes, "considered": considered})


def limits_in_records(task: TaskState, labels: Mapping[str, str]) -> list[Adjustment]:
    """The values of the one record whose label calls it a limit, where the goal speaks of one: they are no figures.

    No sentence of the user goes with them, and the figures do not name that record: a small model would list it, too.

    Args:
        task: with its values noted.
        labels: what a listing says of each record, by its name.
    """
    called = [subject for subject, label in labels.items() if speaks_of_limit(label)]
    alike = [subject for subject in labels if called and pattern_of(subject) == pattern_of(called[0])]
    if len(called) != 1 or len(alike) == 1 or not speaks_of_limit(whole_goal(task)):
        return []  # one that is alone of its kind is compared with anyway
    latest = {value["name"]: number_of(value) for value in task["values"] if value["subject"] == called[0]}
    return [
        _adjustment("limit", "", subjects=called, about=name, number=number)
        for name, number in latest.items()
        if number is not None
    ]


def named_limits(task: TaskState, record: str) -> list[str]:
    """The sentences told of a limit that the goal refers to; the field that they speak of is the task's.

    Args:
        task: goal, amendments and what was told before.
        record: the beginning of one of the task's records; words that stand there are no names of limits.
    """
    goal = whole_goal(task)
    told = [sentence for words in task["told"] for sentence in statements(words["text"])]
    limits = (sentence for sentence in told if limits_of(sentence) or bare_limit(sentence, goal))
    return [sentence for sentence in limits if is_meant(sentence, goal, record)]


def labels_of(task: TaskState, view: _ReadsEvents) -> dict[str, str]:
    """The line of a listing that names a record with a value, or else the record's own first line, by its name."""
    sources = {item["evidence"]: item["source"] for item in task["items"]}
    listings = {ref: view.event(ref).observation.splitlines() for ref in set(sources.values()) if ref}
    labels = {}
    for value in task["values"]:
        listed = (line for line in listings.get(sources.get(value["ref"], ""), ()) if stands_in(value["subject"], line))
        labels[value["subject"]] = next(listed, "") or _title(value, view)
    return labels


def _title(value: KeyValue, view: _ReadsEvents) -> str:
    return view.read(value["ref"], 0, _TITLE).lstrip().split("\n")[0]


# --- by the secretary -----------------------------------------------------------------------------------------------


def _decided(task: TaskState, doubts: Sequence[Doubt], secretary: Secretary) -> list[Adjustment]:
    """What the secretary says that the doubtful sentences mean."""
    if not doubts:
        return []
    choices = secretary.changes(whole_goal(task), [(doubt.said, list(doubt.readings)) for doubt in doubts])
    pairs = zip(doubts, choices, strict=True)
    return [list(doubt.readings.values())[choice] for doubt, choice in pairs if choice is not None]


def _decided_before(task: TaskState, doubts: Sequence[Doubt]) -> list[Adjustment]:
    """What was decided of the same sentences earlier."""
    readings = [(d.said, what["kind"], what["number"]) for d in doubts for what in d.readings.values()]
    return [what for what in task["adjustments"] if (what["said"], what["kind"], what["number"]) in readings]


# --- by code --------------------------------------------------------------------------------------------------------


def find_adjustments(task: TaskState, labels: Mapping[str, str], record: str = "") -> Found:
    """What the user's words change for this task's values.

    Args:
        task: with its values noted.
        labels: what a listing says of each record, by its name; for *records marked internal*.
        record: the beginning of one of the records; words that stand there are no names of limits.
    """
    found = Found()
    for sentence in _sentences(task):
        _read(sentence, task, labels, record, found)
    found.sure = _settled(found.sure)
    return found


def _sentences(task: TaskState) -> list[str]:
    """The user's sentences, what was told in earlier sessions first, so that later words can take it back."""
    sources = [*(told["text"] for told in task["told"]), *task["constraints"], task["goal"], *task["amendments"]]
    return list(dict.fromkeys(sentence for text in sources for sentence in statements(text)))


def _read(sentence: str, task: TaskState, labels: Mapping[str, str], record: str, found: Found) -> None:
    subjects = list(dict.fromkeys(value["subject"] for value in task["values"]))
    fields = list(dict.fromkeys(value["name"] for value in task["values"]))
    speaks = leaves_out(sentence) or keeps_in(sentence) or calls_unreal(sentence)
    named = named_in(sentence, subjects, labels) if speaks else []
    if named:
        if not of_another(sentence, fields):
            _read_exception(sentence, named, found)
        return
    bounds = limits_of(sentence)
    named_limit = bare_limit(sentence, whole_goal(task)) if not bounds and not sign_of(sentence) else None
    bound = bounds[0] if len(bounds) == 1 else named_limit
    for name in fields:
        if bound and touches(name, sentence):
            _read_bound(sentence, bound, name, task, record, found)
        elif not bounds:
            _read_number(sentence, name, found)


def _read_exception(sentence: str, named: Sequence[str], found: Found) -> None:
    """Records that do not count, or that count again."""
    out, kept = leaves_out(sentence), keeps_in(sentence)
    if kept and not out:
        found.sure = _taken_back(found.sure, named)
        return
    change = _adjustment("without", sentence, subjects=named)
    found.add(sentence, {f"leave out {', '.join(map(short_name, named))}": change}, sure=out and not kept)


def _read_bound(sentence: str, bound: Bound, name: str, task: TaskState, record: str, found: Found) -> None:
    """A limit: of records that do not count, or to compare the records with."""
    goal, sure = whole_goal(task), covers(name, sentence)
    if leaves_out(sentence):
        beyond = _beyond(bound, name, task["values"])
        if sure and beyond and not keeps_in(sentence):
            found.sure.append(_adjustment("without", sentence, subjects=beyond, about=name))
    elif sentence in goal or is_meant(sentence, goal, f"{record}\n{name}"):
        called = name_of_limit(sentence, goal)
        change = _adjustment("limit", sentence, about=name, number=bound.value, relation=bound.relation, name=called)
        found.add(sentence, {f"a limit of {change['number']} for {name}": change}, sure=sure)


def _read_number(sentence: str, name: str, found: Found) -> None:
    """A number to add to the total, or to take off it."""
    sign, numbers = sign_of(sentence), numbers_of(sentence)
    if not sign or not numbers or leaves_out(sentence) or of_another(sentence, [name]):
        return
    verb = "add" if sign > 0 else "take off"
    readings = {
        f"{verb} {normal_number(number.value)}": _adjustment("plus", sentence, about=name, number=sign * number.value)
        for number in numbers
    }
    if replaces(sentence):
        found.sure = [change for change in found.sure if (change["kind"], change["field"]) != ("plus", name)]
    found.add(sentence, readings, sure=covers(name, sentence))


def _adjustment(
    kind: Literal["without", "plus", "limit"],
    said: str,
    *,
    subjects: Iterable[str] = (),
    about: str = "",
    number: Decimal | None = None,
    relation: Relation = "over",
    name: str = "",
) -> Adjustment:
    plain = "" if number is None else normal_number(number)
    return Adjustment(
        kind=kind, field=about, subjects=list(subjects), number=plain, relation=relation, name=name, said=said
    )


def _settled(found: Sequence[Adjustment]) -> list[Adjustment]:
    """Each change once; a later limit of the same name takes the place of the earlier one."""
    settled: dict[tuple[str, ...], Adjustment] = {}
    for change in found:
        what = (*change["subjects"], change["name"] or change["number"])
        settled[(change["kind"], change["field"], *what)] = change
    return list(settled.values())


def _taken_back(found: Sequence[Adjustment], named: Sequence[str]) -> list[Adjustment]:
    """The changes without those records among the ones that do not count."""
    after = [
        Adjustment(**{**change, "subjects": [subject for subject in change["subjects"] if subject not in named]})
        for change in found
    ]
    return [change for change in after if change["subjects"] or change["kind"] != "without"]


def _beyond(bound: Bound, name: str, values: Sequence[KeyValue]) -> list[str]:
    """The records whose latest value lies on that side of a limit."""
    latest = {value["subject"]: number_of(value) for value in values if value["name"] == name}
    holds = HOLDS[bound.relation]
    return [subject for subject, number in latest.items() if number is not None and holds(number, bound.value)]
