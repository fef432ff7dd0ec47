"""What the secretary's model is asked, and only for what code cannot do: which fields, which calls, which value.

Each question is a pair of pure functions, one that words it and one that reads the answer against its source; the
:class:`Secretary` between them counts calls and tokens and stays within its limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.memory.errors import ModelError, ModelUnreachable
from memory_secretary.memory.lexical import tokens
from memory_secretary.memory.periods import TIME
from memory_secretary.memory.tokens import clip
from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.grounding import stands_in, ungrounded
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.structured import Reply, ask_json
from memory_secretary.nodes.spending import Allowance, Removed, Tally
from memory_secretary.nodes.tracing import named

MAX_FIELDS = 2
_GROUPS_AT_ONCE = 24
_FIELD_LENGTH = 60
_ANSWER_LENGTH = 300
_REPLY_TOKENS = 400
_SOURCE_TOKENS = 30
_TEMPLATE_TOKENS = 64
"""Kept for what chat templates put around messages, and for the sentence that introduces a schema in the prompt."""

_AGGREGATE = re.compile(
    r"\b(?:the|a|an|of|in|for|with|each|every|all|per|total|sum|overall|highest|lowest|largest|smallest|most|least|"
    r"fewest|maximum|minimum|average|mean|difference|between|and|number of|how many|how much|months?|years?|records?|"
    r"reports?)\b|总共|一共|合计|总计|总|最高|最低|最多|最少|最大|最小|平均|相差|差额|多少|哪个月|月份|全年|每月|各月|每个月",
    re.IGNORECASE,
)
"""Words that say what becomes of the values, not which values they are."""

_BRACKETS = re.compile(r"[(（][^)）]*[)）]")
"""A unit in brackets is no part of a field's name."""


SYSTEM = (
    "You are the secretary of an assistant that carries out a task with tools. You keep its notes. "
    "You answer only from what you are shown, in JSON."
)

FIELDS_PROMPT = """Task of the assistant:
{goal}

The assistant opens the records of this task one after another. What has to be looked for in every record?
Name it as the task does, e.g. "rainfall" for a task about the wettest month."""

SELECT_PROMPT = """Task of the assistant:
{goal}

These calls are possible now:
{calls}

For each number say whether the task needs it: "yes" if the task names it or cannot be done without it, else "no"."""

NEXT_PROMPT = """Task of the assistant:
{goal}

The record {record} has just been read. It says:
{lines}

Going by these lines, which record does the task have to open next?
{options}"""

COPY_PROMPT = """Task of the assistant:
{goal}

The assistant calls {call} for the record {record}, which says:
{lines}

Copy the {name} for this call from these lines, without changing a letter."""

ANSWER_PROMPT = """The assistant works on this task:
{goal}

It asks you: {question}

These records may tell:
{records}

Choose the records that answer what it asks, none if no record does, and answer from them in one sentence, in the
language of the question. Copy names and numbers without changing a letter."""

CHANGES_PROMPT = """Task of the assistant:
{goal}

The user said these sentences:
{sentences}

Which of them changes what has to be computed for this task, and how? "nothing" where none of the readings is meant.
{readings}"""


class Secretary:
    """The secretary's model within its limits.

    Args:
        handle: the model.
        window: tokens of prompt and reply together.
        left: what this run may still spend. No call is made any more in this step once the server was not reached: a
            server that hangs costs a whole timeout each time.
        config: the node's own, handed on so that callbacks see the calls.
    """

    def __init__(self, handle: ModelHandle, *, window: int, left: Allowance, config: RunnableConfig | None = None):
        self._handle = handle
        self._window = window
        self._left = left
        self._config = named(config, "secretary")
        self.tally = Tally()

    def fields(self, goal: str) -> list[str]:
        """The values that each record must be searched for, in the task's own words; at most two."""
        data = self._ask(FIELDS_PROMPT, fields_schema(), {"goal": goal})
        if not data:
            return []
        kept = read_fields(data, goal)
        if not kept:
            self._remove("field", str(data.get("look_for", "")), goal)
        return kept

    def select(self, goal: str, groups: Sequence[Group]) -> list[Group]:
        """The groups of calls that the task needs; with a failing model those whose place the goal names."""
        chosen: list[Group] = []
        for start in range(0, len(groups), _GROUPS_AT_ONCE):
            part = groups[start : start + _GROUPS_AT_ONCE]
            calls = "\n".join(f"{n}. {group.label}" for n, group in enumerate(part, 1))
            data = self._ask(SELECT_PROMPT, select_schema(len(part)), {"goal": goal, "calls": calls})
            chosen += [
                group
                for n, group in enumerate(part, 1)
                if (data.get(str(n)) == "yes" if data else _named_in(goal, group))
            ]
        return chosen

    def next(self, goal: str, record: str, lines: Sequence[str], options: Sequence[str]) -> int | None:
        """Which of several records the task has to open after one: its position, or None for none of them."""
        return self._choice(NEXT_PROMPT, options, {"goal": goal, "lines": _listed(lines)}, record=record)

    def copy(self, goal: str, call: str, name: str, record: str, lines: Sequence[str]) -> str:
        """The value of one argument as it stands in a record's lines; empty when none of them holds the answer."""
        data = self._ask(
            COPY_PROMPT,
            _object({name: {"type": "string", "maxLength": _FIELD_LENGTH}}),
            {"goal": goal, "lines": _listed(lines)},
            call=call,
            record=record,
            name=name,
        )
        found = str(data.get(name, "")).strip() if data else ""
        if any(stands_in(found, line) for line in lines):
            return found
        self._remove(name, found, record)
        return ""

    def answer(self, goal: str, question: str, records: Sequence[str]) -> tuple[str, list[int]]:
        """What records say to a question of the executor, and the positions of those that say it.

        Both are empty when none does, when the model failed, or when its answer has a name or number of its own.
        """
        listed = "\n".join(f"{n}. {record}" for n, record in enumerate(records, 1))
        data = self._ask(
            ANSWER_PROMPT, answer_schema(len(records)), {"records": listed, "goal": goal, "question": question}
        )
        if not data:
            return "", []
        text, places = read_answer(data, [question, goal], records)
        if not text:
            self._remove("answer", str(data.get("answer", "")), question)
        return text, places

    def changes(self, goal: str, doubts: Sequence[tuple[str, Sequence[str]]]) -> list[int | None]:
        """What sentences of the user change in a calculation: for each the position of its reading, or None.

        Args:
            goal: the user's words.
            doubts: each sentence with what it may mean.
        """
        shown = {"goal": goal, "sentences": "\n".join(f"{n}. {sentence}" for n, (sentence, _) in enumerate(doubts, 1))}
        readings = "\n".join(f"{n}: {', or '.join(options)}, or nothing" for n, (_, options) in enumerate(doubts, 1))
        data = self._ask(CHANGES_PROMPT, changes_schema(doubts), shown, readings=readings) or {}
        return [
            list(options).index(data[str(n)]) if data.get(str(n)) in options else None
            for n, (_, options) in enumerate(doubts, 1)
        ]

    def _choice(self, question: str, options: Sequence[str], long: Mapping[str, str], **short: str) -> int | None:
        """The position of the option that is chosen; None for none of them."""
        labels = [*(f"{n}: {option}" for n, option in enumerate(options, 1)), "0: none of them"]
        schema = _object({"choice": {"enum": [str(n) for n in range(len(options) + 1)]}})
        data = self._ask(question, schema, long, options="\n".join(labels), **short)
        choice = int(data["choice"]) if data and str(data.get("choice", "")).isdecimal() else 0
        return choice - 1 if 1 <= choice <= len(options) else None

    def _prompt(self, question: str, schema: dict[str, Any], long: Mapping[str, str], short: Mapping[str, str]) -> str:
        """The question with its long parts clipped to even shares of what it, its schema and the reply leave."""
        count = self._handle.count
        bare = question.format(**dict.fromkeys(long, ""), **short)
        fixed = count(f"{SYSTEM}\n{bare}\n{json.dumps(schema)}") + self._reply_room + _TEMPLATE_TOKENS
        share = max(0, self._window - fixed) // len(long)
        return question.format(**{name: clip(text, share, count) for name, text in long.items()}, **short)

    @property
    def _reply_room(self) -> int:
        return min(_REPLY_TOKENS, self._window // 4)

    def _ask(
        self, question: str, schema: dict[str, Any], long: Mapping[str, str], **short: str
    ) -> dict[str, Any] | None:
        if self.tally.unreachable:
            return None
        if self.tally.calls >= self._left.calls or self.tally.tokens >= self._left.tokens:
            self._trouble(said("it is not asked any more in this run", "本次运行不再询问它"))
            return None
        self.tally.calls += 1
        try:
            prompt = self._prompt(question, schema, long, short)
            messages: list[BaseMessage] = [SystemMessage(SYSTEM), HumanMessage(prompt)]
            reply = ask_json(self._handle, messages, schema, max_tokens=self._reply_room, config=self._config)
        except ModelError as error:
            self._failed(error)
            return None
        self._count(reply)
        if reply.data is None:
            self._trouble(reply.problem)
        return reply.data

    def _failed(self, error: ModelError) -> None:
        if isinstance(error, ModelUnreachable):
            self.tally.unreachable += 1
        self._trouble(error.sentence(spoken()))

    def note(self, text: str) -> None:
        """Tell the user, with this step, what could not be found out."""
        self.tally.notes.append(text)

    def _remove(self, what: str, text: str, source: str) -> None:
        """Keep for a trace what was written and does not count."""
        if text:
            self.tally.removed.append(Removed(what=what, text=text, source=clip(source, _SOURCE_TOKENS)))

    def _trouble(self, problem: str) -> None:
        if problem not in self.tally.problems:
            self.tally.problems.append(problem)

    def _count(self, reply: Reply) -> None:
        self.tally.prompt_tokens += reply.prompt_tokens or 0
        self.tally.cached_tokens += reply.cached_tokens or 0
        self.tally.reply_tokens += reply.completion_tokens or 0


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def fields_schema() -> dict[str, Any]:
    """An object with the list of fields; one at least, since a small model that may say none says none."""
    entry = {"type": "string", "maxLength": _FIELD_LENGTH}
    return _object({"look_for": {"type": "array", "items": entry, "minItems": 1, "maxItems": MAX_FIELDS}})


def read_fields(data: Mapping[str, Any], goal: str) -> list[str]:
    """Keep the fields that stand in the goal's own words (at least half of a field's words must); two at most.

    Words like total or highest are taken off, and what then holds only numbers, dates or names is dropped.
    """
    known = set(tokens(goal))
    kept: list[str] = []
    found = data.get("look_for")
    for value in found if isinstance(found, list) else [found] if isinstance(found, str) else []:
        name = _AGGREGATE.sub(" ", _BRACKETS.sub(" ", str(value)))
        name = " ".join(name.split()).strip(" .,:;。，：；")
        words = set(tokens(name))
        fresh = not any(words <= set(tokens(other)) or words >= set(tokens(other)) for other in kept)
        if words and fresh and len(words & known) * 2 >= len(words) and not _is_name(name, goal):
            kept.append(name)
    return kept[:MAX_FIELDS]


def _is_name(name: str, goal: str) -> bool:
    """Whether a field is no more than a number, a date, a path or a capitalised name of the goal."""
    if not re.search(r"[^\W\d_]", TIME.sub("", name)):
        return True
    if not re.search(r"[^\W\d_]{2}|[\u3400-\u9fff]", name) or re.search(r"[/@_]|\.\w", name):
        return True
    return name[:1].isupper() and " " not in name and re.search(rf"[a-z,;] {re.escape(name)}\b", goal) is not None


def _named_in(goal: str, group: Group) -> bool:
    """Whether the goal names a group's value, or the folder that its values lie in."""
    value = group.values[0]
    return value in goal or ("/" in value and value.rsplit("/", 1)[0] in goal)


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def select_schema(count: int) -> dict[str, Any]:
    """A decision for each number, so that none is passed over."""
    return _object({str(n): {"enum": ["yes", "no"]} for n in range(1, count + 1)})


def answer_schema(count: int) -> dict[str, Any]:
    """The numbers of the records that answer, then the answer."""
    numbers = {"type": "array", "items": {"enum": [str(n) for n in range(1, count + 1)]}, "maxItems": count}
    return _object({"records": numbers, "answer": {"type": "string", "maxLength": _ANSWER_LENGTH}})


def read_answer(data: Mapping[str, Any], said: Sequence[str], records: Sequence[str]) -> tuple[str, list[int]]:
    """An answer whose names and numbers all stand in the chosen records or in ``said``, and their positions."""
    found = data.get("records")
    numbers = {str(number) for number in found} if isinstance(found, list) else set()
    places = [place for place in range(len(records)) if str(place + 1) in numbers]
    text = " ".join(str(data.get("answer", "")).split())
    if not text or not places or ungrounded(text, [*said, *(records[place] for place in places)]):
        return "", []
    return text, places


def changes_schema(doubts: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Any]:
    """For each sentence one of its readings, or ``nothing``."""
    return _object({str(n): {"enum": ["nothing", *options]} for n, (_, options) in enumerate(doubts, 1)})
