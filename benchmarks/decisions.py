"""How often code alone decides right in long tasks: which records are acted on and how, which record comes next.

python benchmarks/decisions.py     # a minute, no model: where one would be asked, nothing is decided
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from memory_secretary.graph.evaluation.example_truth import Lang
from memory_secretary.graph.evaluation.longtask import LENGTHS, LongTask, make_task
from memory_secretary.memory.records import Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import Item, TaskState, new_task, open_items
from memory_secretary.nodes.candidates import ToolShape, shape_of
from memory_secretary.nodes.discovery import closed
from memory_secretary.nodes.duties import with_closing_duties
from memory_secretary.nodes.following import followed
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.tools.registry import as_tools

LANGS: tuple[Lang, ...] = ("en", "zh")
SEEDS = range(6_000, 6_030)
"""Of neither set of tasks."""


class Nobody(Secretary):
    """A secretary without a model: it decides nothing, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def _choice(self, *_: Any, **__: Any) -> None:
        self.asked += 1

    def copy(self, *_: Any, **__: Any) -> str:
        """Nothing is copied."""
        return ""

    def note(self, text: str) -> None:
        """What is not decided is counted elsewhere."""


def main() -> None:
    print("| decision | language | kind | cases | right | wrong | left open | tasks | wholly right |")
    print("|---|---|---|---|---|---|---|---|---|")
    for family, count in (("act_on_condition", of_duties), ("follow_chain", of_chain)):
        for lang in LANGS:
            found: dict[str, Counter[str]] = {}
            for task in (make_task(family, seed, lang, length) for seed in SEEDS for length in LENGTHS):
                kind, one = count(task)
                whole = one["right"] == one["cases"] and not one["wrong"]
                found.setdefault(kind, Counter()).update({**one, "tasks": 1, "whole": whole})
            for kind, total in sorted(found.items()):
                left = total["cases"] - total["right"]
                names = (total["cases"], total["right"], total["wrong"], left, total["tasks"], total["whole"])
                print(f"| {family} | {lang} | {kind} | {' | '.join(map(str, names))} |")


def of_duties(task: LongTask) -> tuple[str, Counter[str]]:
    """The wanted calls of a task whose records were all read."""
    state, events, shapes = begun(task)
    for event in events.values():
        state = closed(state, event, "")
    due = open_items(with_closing_duties(state, shapes, Nobody(), events.__getitem__))
    deeds = task.outcome.deeds
    right = sum(any(is_deed(item, deed) for item in due) for deed in deeds)
    kind = "pay" if not deeds[0].mentions else "tell"
    return kind, Counter(cases=len(deeds), right=right, wrong=len(due) - right)


def is_deed(item: Item, deed: Any) -> bool:
    """Whether an open item is a wanted call; the executor words what it has to mention, about its record."""
    exact = all(item["arguments"].get(name) == value for name, value in deed.exact.items())
    return item["action"] == deed.tool and exact and all(item["subject"] == said for said in deed.mentions.values())


def of_chain(task: LongTask) -> tuple[str, Counter[str]]:
    """The steps of a chain, each from the right record on; at its end nothing comes next."""
    state, events, shapes = begun(task)
    counts: Counter[str] = Counter(cases=len(events))
    after = [*events.values()][1:]
    for place, event in enumerate(events.values()):
        state = closed(state, event, "")
        secretary = Nobody()
        state = followed(state, event, shapes, secretary)
        found = [item["arguments"] for item in open_items(state)]
        wanted = [after[place].arguments] if place < len(after) else []
        counts["right"] += found == wanted and not secretary.asked
        counts["wrong"] += bool(found) and found != wanted
    kind = "by number" if any(sign.isdigit() for sign in str(next(iter(events.values())).arguments)) else "by name"
    return kind, counts


def begun(task: LongTask) -> tuple[TaskState, dict[str, Event], Sequence[ToolShape]]:
    """The task, the events of its reads in the oracle's order, and its tools."""
    shapes = [shape_of(tool) for tool in as_tools(task.environment().tools())]
    return new_task(task_id="task", goal=task.turns[-1][1], goal_ref="evt_goal"), dict(reads(task, shapes)), shapes


def reads(task: LongTask, shapes: Sequence[ToolShape]) -> Iterator[tuple[str, Event]]:
    keyed = {shape.name for shape in shapes if shape.read_only and shape.required}
    for number, call in enumerate((call for call in task.oracle.calls if call.tool in keyed), start=1):
        text, ref = task.records[str(next(iter(call.arguments.values())))], f"evt_{number}"
        yield ref, Event(
            event_id=ref, scope=Scope(user="benchmark"), parent=None, step=number, actor="tool", action=call.tool,
            phase=Phase.RESULT, thought="", arguments=dict(call.arguments), observation=text,
            at=datetime(2026, 1, 1, tzinfo=UTC), zone="UTC", seq=number,
        )  # fmt: skip


if __name__ == "__main__":
    main()
