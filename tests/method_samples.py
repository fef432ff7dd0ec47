"""Finished tasks and a method in few words, for the tests of methods."""

from __future__ import annotations

from typing import Any

from task_samples import done, event, task, value

from memory_secretary.memory.records import Action
from memory_secretary.nodes.methods.finished import Finished
from memory_secretary.nodes.methods.method import ANSWER, Method, SubGoal, ToolUse

GOAL = "Add up the rainfall in all the reports of the depot."
LISTING = "reports/1.md  March\nreports/2.md  April\nreports/3.md  May"


def calls(count: int = 2) -> list[tuple[str, dict[str, Any], str]]:
    """A listing and its records."""
    records = [("read_file", {"path": f"reports/{n}.md"}, f"The rainfall was {n}0 mm.") for n in range(1, count + 1)]
    return [("list_files", {}, LISTING), *records]


def finished(
    goal: str = GOAL,
    made: list[tuple[str, dict[str, Any], str]] | None = None,
    answer: str = "It is 30 mm.",
    **state: Any,
) -> Finished:
    """A task whose tools gave these observations; by default two records were read and their values noted."""
    made = calls() if made is None else made
    results = tuple(event(tool, given, text, event_id=f"evt_{n}") for n, (tool, given, text) in enumerate(made))
    items = [done(n, action=one.action, arguments=one.arguments or {}, evidence=one.event_id)
             for n, one in enumerate(results)]  # fmt: skip
    values = [value(f"reports/{n}.md", f"{n}0 mm", ref=f"evt_{n}") for n in range(1, len(made))]
    known = task(*items, **{"goal": goal, "values": values, "finished": True, **state})
    request = event(Action.REQUEST, None, goal, phase=None, event_id="evt_goal")
    return Finished(goal, known, request, results, event(Action.ANSWER, None, answer, phase=None, event_id="evt_end"))


def method(**changes: Any) -> Method:
    """How to find the month with the most rain."""
    made: dict[str, Any] = {
        "lang": "en", "asks": ("values",), "words": ("reports", "rainfall"),
        "tools": (ToolUse("list_files", (), "once"), ToolUse("read_file", ("path",), "each")),
        "sub_goals": (SubGoal("find the reports", "list_files"), SubGoal("read each of them", "read_file"),
                      SubGoal("give the month", ANSWER)),
        "notes": ("rainfall",), "computed": ("high",), "look_up": ("open each path of the listing",),
        "checks": ("every report was read",), "tasks": 3,
    }  # fmt: skip
    return Method(**{**made, **changes})
