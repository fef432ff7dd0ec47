"""Goal lost: the assistant asks what the task is, or its last steps have nothing to do with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_secretary.graph.evaluation.diagnosis.messages import Message
from memory_secretary.graph.evaluation.diagnosis.shared import Error, Trace, calls, cut, shown, terms, turns
from memory_secretary.nodes.grounding import stands_in
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.smalltalk import is_small_talk

_ASKS_FOR_TASK = re.compile(
    r"\bwhat (?:would you like|do you want|do you need|should i|shall i|can i (?:do|help))|"
    r"\bhow (?:can|may) i (?:help|assist)|\bwhat (?:is|was) (?:the|your) (?:task|goal|request|question)\b|"
    r"\bplease (?:tell|provide|give|let) me (?:know )?(?:the|your|what|a) (?:task|goal|request|question|you)|"
    r"有什么(?:可以|能)帮|需要我(?:做|帮)[^。？]{0,6}(?:什么|吗)|(?:任务|目标|要求|问题|请求)是什么|"
    r"请(?:告诉我|提供)(?:您|你)?的?(?:具体)?(?:任务|目标|要求|问题|请求|需求)",
    re.IGNORECASE,
)
_FURTHER = re.compile(r"\b(?:else|further|more|next|other|again)\b|另外|还有|其他|别的|还需要|更多", re.IGNORECASE)
_LAST_STEPS = 4
"""So many decisions in a row without a word of the goal, in call, thought, result or answer, have lost it."""


def goal_lost(trace: Trace) -> Iterator[Error]:
    """The assistant asks what the task is, or its last steps have nothing to do with it."""
    for request, turn in turns(trace):
        goal = trace[request].text
        decisions = [n for n in turn if trace[n].role == "assistant"]
        if is_small_talk(goal) or not decisions:
            continue
        asking = next((n for n in decisions[1:] if _asks_for_task(trace[n], goal)), None)
        if asking is not None:
            yield Error(asking, cut(trace[asking].text), request, cut(goal))
        elif len(decisions) > _LAST_STEPS and _astray(trace, turn, decisions[-_LAST_STEPS], goal):
            first = decisions[-_LAST_STEPS]
            yield Error(first, shown(trace[first]), request, cut(goal))


def _asks_for_task(message: Message, goal: str) -> bool:
    text = message.text
    asks = not message.calls and _ASKS_FOR_TASK.search(text) and not _FURTHER.search(text)
    return bool(asks) and not numbers_in(text) and not terms(text) & (terms(goal) - terms("task goal help 帮 任务"))


def _astray(trace: Trace, turn: Sequence[int], first: int, goal: str) -> bool:
    """Whether nothing since a decision speaks of the goal, or is about what was found before, though that did."""
    wanted = terms(goal)
    found = "\n".join(trace[n].text for n in turn if n < first and trace[n].role == "tool")
    values = [str(value) for _, call in calls(trace, turn, first) for value in call.arguments.values()]
    if any(len(value) > 1 and stands_in(value, f"{goal}\n{found}") for value in values):
        return False
    late = set().union(*(_all_terms(trace[n]) for n in turn if n >= first))
    early = set().union(*(_all_terms(trace[n]) for n in turn if n < first), set())
    return bool(wanted & early) and not wanted & late


def _all_terms(message: Message) -> set[str]:
    """The words of a message and of its calls, a tool's name by its parts."""
    words = " ".join(f"{call.name} {' '.join(map(str, call.arguments.values()))}" for call in message.calls)
    return terms(message.size) | terms(re.sub(r"[_\W]+", " ", words))
