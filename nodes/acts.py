"""What was done to the world in a task, computed from the record: how often, for which records, what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from memory_secretary.memory.task_state import Item, TaskState, closed_items
from memory_secretary.nodes.figures import shown
from memory_secretary.nodes.wording import Wording


@dataclass(frozen=True, slots=True)
class Acts:
    """The calls of one tool that changed something.

    Attributes:
        tool: its name.
        done: the records that it was done for, in order.
        failed: those for which it failed for good.
        totals: the sum of each numeric argument over the calls that were done.
    """

    tool: str
    done: tuple[str, ...]
    failed: tuple[str, ...]
    totals: Mapping[str, Decimal]


def acts_of(task: TaskState) -> list[Acts]:
    """One entry for each tool with which the task's duties were carried out, in the order of their first call."""
    duties = [item for item in closed_items(task) if item["subject"]]
    tools = dict.fromkeys(item["action"] or "" for item in duties)
    return [_acts(tool, [item for item in duties if item["action"] == tool]) for tool in tools]


def act_lines(acts: Sequence[Acts], words: Wording) -> tuple[str, ...]:
    """What the executor is told of them, one line a tool."""
    return tuple(_line(each, words) for each in acts)


def _acts(tool: str, items: Sequence[Item]) -> Acts:
    done = [item for item in items if item["status"] == "done"]
    totals: dict[str, Decimal] = {}
    for item in done:
        for name, value in item["arguments"].items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                totals[name] = totals.get(name, Decimal(0)) + Decimal(str(value))
    failed = tuple(item["subject"] for item in items if item["status"] == "failed")
    return Acts(tool, tuple(item["subject"] for item in done), failed, totals)


def _line(acts: Acts, words: Wording) -> str:
    return "- " + "; ".join(_parts(acts, words))


def _parts(acts: Acts, words: Wording) -> Iterator[str]:
    yield words.acts_done.format(tool=acts.tool, n=len(acts.done), records=", ".join(acts.done) or "–")
    yield from (words.acts_total.format(name=name, total=shown(total)) for name, total in acts.totals.items())
    if acts.failed:
        yield words.acts_failed.format(records=", ".join(acts.failed))
