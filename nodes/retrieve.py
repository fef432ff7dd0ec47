"""The ``retrieve`` node: what memory holds for the coming step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.injection import memory_line
from memory_secretary.memory.records import MemoryType, Recalled, short_ref
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, open_items
from memory_secretary.memory.tokens import clip
from memory_secretary.memory.views import RetrieverView, SecretaryView
from memory_secretary.nodes.run import RunSource, Timer, timed
from memory_secretary.nodes.state import RecalledMemory, State, no_figures

_STANDING = (MemoryType.PREFERENCE, MemoryType.RULE, MemoryType.CONSTRAINT)
_STANDING_SHOWN = 5
_LINE_TOKENS = 80
"""Tokens of one recalled memory in a brief."""
_LEAST_STEPS = 4
"""Supersteps from here to an answer at least: retrieve, summarize, plan, precipitate."""
_NEWEST = 400
"""Characters of the newest observation that join the query."""


class Retrieve:
    """Recalls with a query made of the goal, the first open item and the newest observation.

    A turn's first step searches by meaning and by words; later steps search by words alone, which costs no embedding:
    what this run has seen is in its task state already, and the executor can ask with the ``recall`` tool.
    """

    def __init__(self, view: Callable[[Scope], RetrieverView], run: RunSource, timer: Timer):
        self._view = view
        self._run = run
        self._timer = timer

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """Search, and report how much was found.

        Raises:
            SettingsError: the caller's recursion limit is too small for any answer.
        """
        started = self._timer()
        _check_limit(state)
        run = self._run(runtime, config)
        hits = self._search(state, run.scope, run.options.recall_k) if run.options.recall else []
        recalled = [shown(hit, run.options.zone) for hit in hits]
        figures = state.get("figures") or no_figures()
        seconds = self._timer() - started
        run.write(
            {"node": "retrieve", "step": state.get("step", 0), "seconds": round(seconds, 3), "recalled": len(recalled)}
        )
        return {"recalled": recalled, "figures": {**figures, "seconds": timed(figures["seconds"], "retrieve", seconds)}}

    def _search(self, state: State, scope: Scope, k: int) -> list[Recalled]:
        view = self._view(scope)
        task = state.get("task_state")
        first = is_new_turn(state)
        newest = view.read(state["latest"], 0, _NEWEST) if state.get("latest") and not first else ""
        query = query_of(state, task, newest)
        if not query:
            return []
        known = refs_of(task) | ({state["latest"]} if state.get("latest") else set())
        if first and not view.recall(query, 1, mode="recent", exclude=known):
            return []  # an empty memory costs no embedding
        mode = "hybrid" if first else "lexical"
        found = view.recall(query, k, head=state.get("head") or None, mode=mode, exclude=known)
        return [*standing(view, {hit.ref for hit in found}), *found]


def _check_limit(state: State) -> None:
    if state.get("remaining_steps", _LEAST_STEPS) < _LEAST_STEPS:
        msg = "recursion_limit is too small for a single step: set it to 5 at least, 4 for each step and 1 for the end"
        raise SettingsError(msg)


def is_new_turn(state: State) -> bool:
    """Whether the newest message is a user's that was not taken up yet."""
    messages = state.get("messages") or []
    return bool(messages) and isinstance(messages[-1], HumanMessage) and messages[-1].id != state.get("request")


def query_of(state: State, task: TaskState | None, newest: str) -> str:
    """What to search for: the user's words, then the first open item, then the newest observation's beginning."""
    if is_new_turn(state):
        return str(state["messages"][-1].text)
    waiting = open_items(task) if task else []
    parts = [task["goal"] if task else "", waiting[0]["text"] if waiting else "", newest]
    return "\n".join(part for part in parts if part)


def refs_of(task: TaskState | None) -> set[str]:
    """The events that the task state shows already."""
    if task is None:
        return set()
    return {task["goal_ref"]} | {item["evidence"] for item in task["items"] if item["evidence"]}


def standing(view: RetrieverView | SecretaryView, found: Collection[str]) -> list[Recalled]:
    """The newest preferences, rules and constraints that were not found already: they hold whatever is asked."""
    cards = view.cards(types=_STANDING, limit=_STANDING_SHOWN)
    return [
        Recalled(
            ref=card.memory_id, source="card", text=card.content, score=1.0, at=card.at, status=card.status,
            type=card.type, label=card.source_agent, thread=card.scope.thread,
        )
        for card in cards
        if card.memory_id not in found
    ]  # fmt: skip


def shown(hit: Recalled, zone: str) -> RecalledMemory:
    """A hit as plain data for the state, its text clipped to what a brief has room for."""
    line = memory_line(replace(hit, text=clip(hit.text, _LINE_TOKENS, ref=short_ref(hit.ref))), zone=zone)
    return RecalledMemory(
        ref=hit.ref, source=hit.source, label=hit.label, line=line, score=hit.score, parts=dict(hit.parts)
    )


def lines(recalled: Sequence[RecalledMemory]) -> list[str]:
    """How the brief shows them, best first."""
    return [memory["line"] for memory in recalled]
