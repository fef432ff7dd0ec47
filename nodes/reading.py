"""How the secretary reads an observation: digest it, close its item, note its values, list what it makes possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memory_secretary.memory.periods import months_in
from memory_secretary.memory.records import Event, Phase
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.memory.tokens import TokenCounter, clip
from memory_secretary.nodes.act_words import asks_for
from memory_secretary.nodes.adjustments import named_limits
from memory_secretary.nodes.brief import Newest
from memory_secretary.nodes.call_arguments import subject_of as named_by
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.candidates import Group, ToolShape, find_groups, pattern_of
from memory_secretary.nodes.corrections import corrected, corrections_in, own_passages, result_lines, still_corrected
from memory_secretary.nodes.digest import choose, rank
from memory_secretary.nodes.discovery import closed, is_listing, is_read, is_record, noted, subject_of, with_items
from memory_secretary.nodes.duties import with_closing_duties
from memory_secretary.nodes.fields import (
    asks_by_name,
    asks_by_state,
    asks_for_values,
    asks_one_thing,
    choose_fields,
    plain_field,
    shared_phrases,
)
from memory_secretary.nodes.figures import OF
from memory_secretary.nodes.following import as_listed, followed, moved
from memory_secretary.nodes.forbidden import kept_closed
from memory_secretary.nodes.mentions import has_names
from memory_secretary.nodes.nearness import ROWS
from memory_secretary.nodes.noting import candidates, joined, spelled
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.passages import Passage, passages
from memory_secretary.nodes.rows import Row, as_values, asked_rows
from memory_secretary.nodes.secretary import MAX_FIELDS, Secretary
from memory_secretary.nodes.states import with_states
from memory_secretary.nodes.wording import Wording

_LEAST_DIGEST = 64
"""Tokens of a digest, however small the budget."""
_RESULT_TOKENS = 60
"""Tokens of a closed item's result when no value was noted from it."""
_TITLE, _HEAD = 80, 6
"""Characters at a record's beginning that say which month it is about."""
_NOTE_LINES = 6
"""Lines of a record in which a value is looked for."""
_FIELDS = "fields"
"""Stands among the considered shapes once the task's fields were asked for."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads observations for one node.

    Attributes:
        shapes: the user's tools, whose calls may become items.
        count: counts tokens as the executor's model reads them.
        secretary: asked for what code cannot decide.
        options: which mechanisms are on.
        words: the user's language.
        budget: tokens of the whole brief; a digest gets a third of it.
        proposed: what was noted in tasks of this kind and the goal speaks of; no model is asked for fields then.
    """

    shapes: Sequence[ToolShape]
    count: TokenCounter
    secretary: Secretary
    options: Options
    words: Wording
    budget: int
    proposed: Sequence[str] = ()

    def read(self, event: Event, task: TaskState) -> tuple[TaskState, Newest]:
        """The task after an observation, and the observation's digest."""
        newest = Newest(
            call=call_text(event.action, event.arguments or {}), lines=self._digest(event, task), ref=event.event_id
        )
        task, values = self._note(event, task)
        result = "; ".join(values) or self._short(newest["lines"])
        if event.phase is Phase.UNKNOWN:
            result = self.words.unknown_outcome.format(call=newest["call"])
        task = closed(task, event, result, final=event.phase is Phase.UNKNOWN and self._changes(event.action))
        return self._found(event, task, newest["lines"]), newest

    def _found(self, event: Event, task: TaskState, lines: Sequence[str]) -> TaskState:
        """The task with what an observation makes possible or necessary."""
        if not self.options.discovery:
            return task
        if event.phase is Phase.FAILED:
            return moved(task, event, self.shapes)
        if event.phase is not Phase.RESULT:
            return task
        whole = is_listing(event.observation)
        if whole and asks_one_thing(whole_goal(task)):
            return task
        before = task
        text, known = event.observation if whole else "\n".join(lines), (event.arguments or {}).values()
        task = self.discover(task, text, event.event_id, listing=whole, taken=list(map(str, known)))
        if not is_record(event, self.shapes):
            return task
        if self.options.following and task["items"] == before["items"]:
            return followed(task, event, self.shapes, self.secretary)
        return task

    def conclude(self, task: TaskState, read: Callable[[str], Event]) -> TaskState:
        """The task with what is due once nothing is open any more."""
        if self.options.noting:
            task = with_states(task, self.shapes, read)
        if not self.options.duties:
            return task
        return with_closing_duties(task, self.shapes, self.secretary, read)

    def discover(
        self, task: TaskState, text: str, source: str, *, listing: bool = False, taken: Sequence[str] = ()
    ) -> TaskState:
        """List the calls that a text makes possible and the task needs; each shape of call is judged once.

        What the call itself was made with is ``taken``: a refusal quotes the folder that there is not.
        """
        if not self.options.discovery:
            return task
        groups = find_groups(text, self.shapes, taken)
        groups = [group for group in groups if _shape(group) not in task["considered"]]
        groups = [group for group in groups if listing or may_be_one_more(group, task)]
        if listing:
            task, groups = self._without_closed(task, groups, text)
        if not groups:
            return task
        considered = [*task["considered"], *map(_shape, groups)]
        chosen = self.secretary.select(whole_goal(task), groups)
        task = with_items(TaskState(**{**task, "considered": considered}), chosen, self.shapes, source)
        return as_listed(task, chosen) if listing else task

    def _without_closed(self, task: TaskState, groups: Sequence[Group], listing: str) -> tuple[TaskState, list[Group]]:
        """The groups without the records that the user wants left closed, and the task that knows of them."""
        closed_now = kept_closed(groups, listing, task["constraints"])
        left = [replace(group, values=tuple(v for v in group.values if v not in closed_now)) for group in groups]
        kept = TaskState(**{**task, "closed": {**task["closed"], **closed_now}})
        return kept, [group for group in left if group.values]

    def _digest(self, event: Event, task: TaskState) -> list[str]:
        budget = max(_LEAST_DIGEST, self.budget // 3)
        if not self.options.digests:
            return [clip(event.observation, budget, self.count, ref=event.event_id)]
        wanted = [task["goal"], *task["amendments"], subject_of(event), *task["fields"]]
        return [piece.text for piece in choose(event.observation, wanted, budget=budget, count=self.count)]

    def _short(self, lines: Sequence[str]) -> str:
        """A closed item's result on one line, when no value was noted."""
        return " ".join(clip(" ".join(" ".join(lines).split()), _RESULT_TOKENS, self.count).split())

    def _changes(self, action: str) -> bool:
        """Whether a call of this tool may have changed something."""
        return any(shape.name == action and not shape.read_only for shape in self.shapes)

    def _note(self, event: Event, task: TaskState) -> tuple[TaskState, list[str]]:
        """Copy the asked values out of a record, and what it says of other records' ones; the first decides which.

        Returns:
            The task, and the record's values that count, one line each.
        """
        subject = subject_of(event)
        if not self.options.noting or not is_read(event, self.shapes) or _of_another_month(subject, task):
            return task, []
        if rows := self._rows(event, task):
            return _with_rows(task, event, rows), [f"{row.label}: {row.value}" for row in rows]
        if is_listing(event.observation):
            return task, []
        if not task["values"]:
            task = self._with_fields(task, event, subject)
        pieces = own_passages(event.observation, subject, task)
        found = {name: value for name in task["fields"] if (value := self._value(event, pieces, subject, name, task))}
        after = still_corrected(noted(task, subject, found, event.event_id), task, subject)
        after = corrected(after, corrections_in(event.observation, subject, after), event.event_id)
        return after, result_lines(after, subject, reading=event.event_id)

    def _rows(self, event: Event, task: TaskState) -> list[Row]:
        """The rows that the goal is about, where this is the one record of its kind that is read."""
        if not self.options.rows or not _alone(event, task):
            return []
        goal = whole_goal(task)
        if ROWS in task["considered"] and not has_names(goal, event.observation):
            return []
        return asked_rows(event.observation, goal)

    def _with_fields(self, task: TaskState, event: Event, subject: str) -> TaskState:
        """The task with what is to be noted from each record: by code where the goal and this one plainly share it.

        Where the goal asks for no quantity, a model would name one all the same; where it asks for the records in some
        state, there is none to note. What the model names is held against every record until one has a value of it: the
        first may be of another kind.
        """
        goal = "\n".join([whole_goal(task), *named_limits(task, event.observation[:_TITLE])])
        decided, by_number = _FIELDS in task["considered"], asks_for_values(goal)
        none = not by_number and (decided or asks_by_name(goal) or self._acts(goal))
        if none or asks_by_state(goal):
            return task
        phrases = shared_phrases(goal, event.observation, f"{said_of_records(self.shapes)}\n{subject}")
        plain, fields = plain_field(phrases), task["fields"]
        if plain:
            fields = [plain]
        elif by_number:
            proposals = fields if decided else self.proposed or self.secretary.fields(goal)
            fields = choose_fields(proposals, phrases, MAX_FIELDS)
        considered = task["considered"] if decided else [*task["considered"], _FIELDS]
        return TaskState(**{**task, "fields": fields, "considered": considered})

    def _acts(self, goal: str) -> bool:
        """Whether something is to be done to the world."""
        return any(asks_for(goal, shape) for shape in self.shapes if not shape.read_only)

    def _value(self, event: Event, pieces: Sequence[Passage], subject: str, name: str, task: TaskState) -> str:
        """A field's value in a record, by code: a 1.5B that was to choose among the candidates took a worse one.

        Of thirteen values for which two candidates came close, the best one was right in all, the model's in five.
        """
        goal = whole_goal(task)
        ranked = rank(joined(pieces, name, goal), [goal, name])[:_NOTE_LINES]
        lines = [(score, piece.text) for score, piece in ranked if score > 0]
        earlier = [value["value"] for value in task["values"] if value["name"] == name and value["subject"] != subject]
        known = {number for value in earlier for number in spelled(value)}
        label = f"{subject}\n{_title(event.observation, subject)}"
        options = candidates(lines, name, goal, label=label, known=known)
        return options[0].value if options else ""


def _with_rows(task: TaskState, event: Event, rows: Sequence[Row]) -> TaskState:
    """The task with rows as values; those of the record that has all names of the goal take the place of any others."""
    all_named = has_names(whole_goal(task), event.observation)
    before = [value for value in task["values"] if not all_named or OF not in value["subject"]]
    considered = [*task["considered"], *([ROWS] if all_named and ROWS not in task["considered"] else [])]
    values = [*before, *as_values(rows, subject_of(event), event.event_id)]
    return TaskState(**{**task, "values": values, "considered": considered})


def _title(record: str, subject: str) -> str:
    """How a record begins, and the line of its beginning that names it: markup and mail headers come before titles."""
    named = (piece.text for piece in passages(record)[:_HEAD] if subject in piece.text)
    return f"{record[:_TITLE]}\n{next(named, '')[:_TITLE]}"


def _of_another_month(subject: str, task: TaskState) -> bool:
    """Whether a record is of a month that is not asked about, and so has no value that is."""
    asked, own = months_in(whole_goal(task)), months_in(subject)
    return bool(asked and own) and not asked & own


def _alone(event: Event, task: TaskState) -> bool:
    """Whether no other record like this one is read in the task: of several, each has one value of a field."""
    like = pattern_of(subject_of(event))
    others = (item for item in task["items"] if item["action"] == event.action and item["status"] != "failed")
    subjects = {named_by(item["arguments"]) for item in others} | {value["subject"] for value in task["values"]}
    return not any(subject != subject_of(event) and pattern_of(subject) == like for subject in subjects)


def may_be_one_more(group: Group, task: TaskState) -> bool:
    """Whether a record's own text may name more to open: once a tool's keys are known, other shapes are no keys of its.

    Paths lead anywhere; but a log's tags (``[B2]``) are no order numbers where those look like ``ORD-17``.
    """
    known = {str(v) for item in task["items"] if item["action"] == group.tool for v in item["arguments"].values()}
    keys = {pattern_of(value) for value in known if "/" not in value and "." not in value}
    return "/" in group.pattern or "." in group.pattern or not keys or group.pattern in keys


def said_of_records(shapes: Sequence[ToolShape]) -> str:
    """What the tools that read records say of themselves: it names the records, not what stands in them."""
    return "\n".join(f"{shape.name.replace('_', ' ')}\n{shape.description}" for shape in shapes if shape.read_only)


def _shape(group: Group) -> str:
    return f"{group.tool}({group.pattern})"
