"""Taking up a turn: each of its messages is recorded, and the user's words start a task or amend the open one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from memory_secretary.memory.codec import safe_text
from memory_secretary.memory.masking import mask
from memory_secretary.memory.records import REMEMBER, Action, Event
from memory_secretary.memory.task_state import TaskState, new_task
from memory_secretary.nodes.constraints import constraints_in
from memory_secretary.nodes.corrections import corrected, told_corrections
from memory_secretary.nodes.discovery import with_item
from memory_secretary.nodes.follow_up import carried_on, completed, goes_on, tables_read
from memory_secretary.nodes.of_oneself import states_a_wish
from memory_secretary.nodes.run import Recorder
from memory_secretary.nodes.turns import KEPT_CHARACTERS, Turn, kept, text_of, words_of

_SPEAKERS = {
    "human": ("user", Action.REQUEST),
    "system": ("user", Action.INSTRUCTION),
    "ai": ("executor", Action.ANSWER),
}


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a turn.

    Attributes:
        task: the task that it started or amended.
        earlier: the events of what was said before the request, oldest first.
        changed: the messages whose copy in the state is not what was handed in: masked, shortened, or without images.
    """

    task: TaskState
    earlier: Sequence[Event]
    changed: Sequence[BaseMessage]


def take_up(
    turn: Turn, task: TaskState | None, log: Recorder, *, known: Sequence[Event], key: str, new_id: Callable[[], str]
) -> Taken:
    """Record a turn and make it a task, or a part of the one that is open.

    Several messages of the user in a row are one request. System messages must hold: they stand among the task's
    constraints. What was said before the request (a conversation that began elsewhere) is recorded as well, unless it
    is recorded already.

    Args:
        turn: what was handed in.
        task: the thread's task so far.
        log: records on the run's branch.
        known: what this branch holds already.
        key: makes the messages' idempotency keys, with their ids.
        new_id: gives task ids.
    """
    recorded = {(event.actor, event.observation): event for event in known}
    before = _taken_before(turn, known)
    events = dict(before)
    for message in turn.messages[len(before) :]:
        actor, action = _speaker(message)
        text = text_of(message)
        event = None if message in turn.request else recorded.get((actor, safe_text(text, "message")))
        if event is None and text.strip():
            wish = REMEMBER if isinstance(message, HumanMessage) and states_a_wish(text) else None
            event = log(actor, action, observation=text, queue_for=wish, key=f"{key}:{message.id}")
        if event is not None:
            events[str(message.id)] = event
    there = [message for message in turn.messages if str(message.id) in events]
    return Taken(
        task=_task_of(turn, task, events, before, new_id),
        earlier=[events[str(m.id)] for m in there if m not in turn.request and not isinstance(m, SystemMessage)],
        changed=[short for m in there if (short := _kept_message(m, events[str(m.id)])) is not m],
    )


def _taken_before(turn: Turn, known: Sequence[Event]) -> dict[str, Event]:
    """The turn's first messages and their events, where a pass that was broken off recorded them: at the branch's end.

    Nothing has come of them then but what the open task holds.
    """
    said = [(_speaker(message)[0], safe_text(text_of(message), "message")) for message in turn.messages]
    there = [(event.actor, event.observation) for event in known]
    several = range(min(len(said), len(there)), 0, -1)
    count = next((n for n in several if there[-n:] == said[:n] and there[-1][0] == "user"), 0)
    pairs = zip(turn.messages[:count], known[len(known) - count :], strict=True)
    return {str(message.id): event for message, event in pairs}


def _speaker(message: BaseMessage) -> tuple[str, str]:
    if isinstance(message, ToolMessage):
        return "tool", message.name or message.type
    return _SPEAKERS.get(message.type, ("tool", message.type))


def _kept_message(message: BaseMessage, event: Event) -> BaseMessage:
    """The message as the state keeps it, under its own id; itself when nothing has to change."""
    text = text_of(message)
    short = mask(kept(text, event.event_id))
    same = short == text == words_of(message)
    return message if same else message.model_copy(update={"content": short})


def _task_of(
    turn: Turn,
    task: TaskState | None,
    events: Mapping[str, Event],
    before: Mapping[str, Event],
    new_id: Callable[[], str],
) -> TaskState:
    held = before if task is not None and not task["finished"] else {}
    new = {name: event for name, event in events.items() if name not in held}
    parts = [(text_of(message), new[str(message.id)].event_id) for message in turn.request if message.id in new]
    if task is not None and not parts:
        return task
    text = "\n\n".join(kept(part, ref, KEPT_CHARACTERS // len(parts)) for part, ref in parts)
    ref = parts[-1][1]
    if task is None or (task["finished"] and not goes_on(text, task)):
        whole, last = (completed(text, task) if task else ""), task
        task = new_task(task_id=f"task_{new_id()}", goal=text, goal_ref=ref)
        task = TaskState(**{**task, "amendments": [whole] if whole else []})
        for action, arguments in tables_read(last) if last and whole else []:
            task = with_item(task, action, arguments, source=ref)
    elif task["finished"]:
        task = carried_on(task, text, task_id=f"task_{new_id()}", goal_ref=ref)
    elif text in (task["goal"], *task["amendments"]):
        return task
    else:
        task = TaskState(**{**task, "amendments": [*task["amendments"], text]})
    task = corrected(task, told_corrections(text, task), ref)
    demands = [*_lines(turn.rules, events), *constraints_in(text)]
    return TaskState(**{**task, "constraints": list(dict.fromkeys([*task["constraints"], *demands]))})


def _lines(rules: Sequence[BaseMessage], events: Mapping[str, Event]) -> Iterator[str]:
    """What system messages demand, line by line, so that a small window can hold a part of it."""
    for rule in rules:
        text, event = text_of(rule), events.get(str(rule.id))
        yield from filter(str.strip, (kept(text, event.event_id) if event else text).splitlines())
