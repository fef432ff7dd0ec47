"""How the secretary reads an observation: digest it, close its item, note its values, list what it makes possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_secretary.memory.records import Event, Phase
from memory_secretary.memory.task_state import KeyValue, TaskState, whole_goal
from memory_secretary.memory.tokens import TokenCounter, clip
from memory_secretary.nodes.brief import Newest, value_line
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.candidates import Group, ToolShape, find_groups
from memory_secretary.nodes.digest import choose, rank
from memory_secretary.nodes.discovery import closed, is_listing, is_record, noted, subject_of, with_items
from memory_secretary.nodes.fields import choose_fields, plain_field, shared_phrases
from memory_secretary.nodes.noting import candidates, clear, spelled
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.passages import passages
from memory_secretary.nodes.secretary import MAX_FIELDS, Secretary
from memory_secretary.nodes.wording import Wording

_LEAST_DIGEST = 64
"""Tokens of a digest, however small the budget."""
_RESULT_TOKENS = 60
"""Tokens of a closed item's result when no value was noted from it."""
_TITLE = 80
"""Characters at a record's beginning that say which month it is about."""
_NOTE_LINES = 6
"""Lines of a record in which a value is looked for."""
_NOTE_OPTIONS = 6
"""Values that the model may pick from."""
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
    """

    shapes: Sequence[ToolShape]
    count: TokenCounter
    secretary: Secretary
    options: Options
    words: Wording
    budget: int

    def read(self, event: Event, task: TaskState) -> tuple[TaskState, Newest]:
        """The task after an observation, and the observation's digest."""
        newest = Newest(
            call=call_text(event.action, event.arguments or {}), lines=self._digest(event, task), ref=event.event_id
        )
        task, values = self._note(event, task)
        result = "; ".join(map(value_line, values)) or self._short(newest["lines"])
        if event.phase is Phase.UNKNOWN:
            result = self.words.unknown_outcome.format(call=newest["call"])
        task = closed(task, event, result, final=event.phase is Phase.UNKNOWN and self._changes(event.action))
        if event.phase is Phase.RESULT:
            whole = is_listing(event.observation)
            task = self.discover(task, event.observation if whole else "\n".join(newest["lines"]), event.event_id)
        return task, newest

    def discover(self, task: TaskState, text: str, source: str) -> TaskState:
        """List the calls that a text makes possible and the task needs; each shape of call is judged once."""
        if not self.options.discovery:
            return task
        groups = [group for group in find_groups(text, self.shapes) if _shape(group) not in task["considered"]]
        if not groups:
            return task
        considered = [*task["considered"], *map(_shape, groups)]
        chosen = self.secretary.select(whole_goal(task), groups)
        return with_items(TaskState(**{**task, "considered": considered}), chosen, self.shapes, source)

    def _digest(self, event: Event, task: TaskState) -> list[str]:
        budget = max(_LEAST_DIGEST, self.budget // 3)
        if not self.options.digests:
            return [clip(event.observation, budget, self.count, ref=event.event_id)]
        wanted = [task["goal"], *task["amendments"], *task["fields"]]
        return [piece.text for piece in choose(event.observation, wanted, budget=budget, count=self.count)]

    def _short(self, lines: Sequence[str]) -> str:
        """A closed item's result on one line, when no value was noted."""
        return " ".join(clip(" ".join(" ".join(lines).split()), _RESULT_TOKENS, self.count).split())

    def _changes(self, action: str) -> bool:
        """Whether a call of this tool may have changed something."""
        return any(shape.name == action and not shape.read_only for shape in self.shapes)

    def _note(self, event: Event, task: TaskState) -> tuple[TaskState, list[KeyValue]]:
        """Copy the asked values out of a record; the first record decides which values those are."""
        if not self.options.noting or not is_record(event, self.shapes):
            return task, []
        if _FIELDS not in task["considered"]:
            considered = [*task["considered"], _FIELDS]
            fields = self._fields(whole_goal(task), event.observation)
            task = TaskState(**{**task, "fields": fields, "considered": considered})
        subject = subject_of(event)
        found = {name: value for name in task["fields"] if (value := self._value(event, subject, name, task))}
        after = noted(task, subject, found, event.event_id)
        return after, after["values"][len(task["values"]) :]

    def _fields(self, goal: str, record: str) -> list[str]:
        """What is to be noted from each record: by code where the goal and this one plainly share it."""
        phrases = shared_phrases(goal, record)
        plain = plain_field(phrases)
        return [plain] if plain else choose_fields(self.secretary.fields(goal), phrases, MAX_FIELDS)

    def _value(self, event: Event, subject: str, name: str, task: TaskState) -> str:
        """A field's value in a record: by code where one number plainly answers, else the model picks one."""
        goal = whole_goal(task)
        ranked = rank(passages(event.observation), [goal, name])[:_NOTE_LINES]
        lines = [(score, piece.text) for score, piece in ranked if score > 0]
        earlier = [value["value"] for value in task["values"] if value["name"] == name]
        known = {number for value in earlier for number in spelled(value)}
        label = f"{subject}\n{event.observation[:_TITLE]}"
        options = candidates(lines, name, goal, label=label, known=known)
        best = clear(options)
        if best is not None or not options:
            return best.value if best else ""
        values = list(dict.fromkeys(option.value for option in options))[:_NOTE_OPTIONS]
        choice = self.secretary.pick(goal, name, subject, [text for _, text in lines], values)
        return values[choice] if choice is not None else ""


def _shape(group: Group) -> str:
    return f"{group.tool}({group.pattern})"
