"""The ``summarize`` node: the secretary takes up the request, reads what is new, and writes the brief."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import TO_BE_REMEMBERED, Action, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, new_task
from memory_secretary.memory.tokens import TokenCounter, clip
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.brief import Brief, Newest, fit, sections_of
from memory_secretary.nodes.candidates import ToolShape
from memory_secretary.nodes.constraints import asks_to_remember, constraints_in
from memory_secretary.nodes.menu import make_menu, no_brakes
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.reading import Reader
from memory_secretary.nodes.retrieve import is_new_turn, lines
from memory_secretary.nodes.run import Recorder, Run, RunSource, Timer, outcome_key, timed
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.nodes.state import Figures, RecalledMemory, State, no_figures
from memory_secretary.nodes.wording import Wording

_RESULTS = frozenset({Phase.RESULT, Phase.FAILED, Phase.UNKNOWN})
_RECENT = 8
"""Newest events in which the traces of a crash are looked for."""
_GLANCE = 3
"""Lines of the newest result that a choice among open items is shown."""


@dataclass
class _Work:
    """What this node changes while it works."""

    task: TaskState
    log: Recorder
    step: int
    latest: str
    newest: Newest | None
    reader: Reader
    fresh: bool
    """Whether a run begins here, so that its counters start anew."""


class Summarize:
    """Records the request, updates the task state from the newest observation and composes the brief.

    Args:
        view: gives the secretary's view of a scope.
        run: settles options and scope.
        secretary: the secretary's model.
        shapes: the user's tools, whose calls may become items.
        budget: tokens that the brief may have, given the options.
        count: counts tokens as the executor's model reads them.
        new_id: gives task ids.
        timer: the clock that the node is timed with.
    """

    def __init__(
        self,
        view: Callable[[Scope], SecretaryView],
        run: RunSource,
        *,
        secretary: ModelHandle,
        shapes: Sequence[ToolShape],
        budget: Callable[[Options], int],
        count: TokenCounter,
        new_id: Callable[[], str],
        timer: Timer,
    ):
        self._view = view
        self._run = run
        self._secretary = secretary
        self._shapes = list(shapes)
        self._budget = budget
        self._count = count
        self._new_id = new_id
        self._timer = timer

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """One pass; the update holds the task state, the brief and what it was made of."""
        started = self._timer()
        run = self._run(runtime, config)
        view = self._view(run.scope)
        figures = state.get("figures") or no_figures()
        work = self._begin(state, run, view, figures)
        words = run.words(work.task["goal"])
        if work.latest:
            work.task, work.newest = work.reader.read(view.event(work.latest), work.task)
        brief = self._compose(state, work, run.options, words)
        view.save_task_state(work.task, head=work.log.head or None, step=work.step)
        tally = work.reader.secretary.tally
        seconds = self._timer() - started
        run.write(
            {
                "node": "summarize",
                "step": work.step,
                "seconds": round(seconds, 3),
                "brief": brief.sections,
                "left_out": brief.left_out,
                "secretary_calls": tally.calls,
                "notes": tally.problems,
            }
        )
        update: dict[str, Any] = {
            "task_state": work.task,
            "head": work.log.head,
            "step": work.step,
            "latest": "",
            "newest": work.newest,
            "brief": brief.text,
            "sections": brief.sections,
            "request": _last_id(state),
            "status": "running",
            "figures": _spent(
                no_figures() if work.fresh else figures, tally.calls, tally.prompt_tokens + tally.reply_tokens, seconds
            ),
        }
        if work.fresh:
            update |= {"brakes": no_brakes(), "reminders": [], "stop_reason": "", "answer": "", "next": None}
        return update

    # --- where the run stands ---------------------------------------------------------------------------------------

    def _begin(self, state: State, run: Run, view: SecretaryView, figures: Figures) -> _Work:
        fresh = is_new_turn(state) or state.get("status", "stopped") != "running"
        spent = 0 if fresh else figures["secretary_calls"]
        task, step = state.get("task_state"), state.get("step", 0)
        latest, newest = state.get("latest", ""), state.get("newest")
        log = Recorder(view, run, head=state.get("head", ""), step=step)
        if task is None:
            stored = view.load_task_state()
            task, log.head = (stored.state, stored.head or "") if stored else (None, "")
        if fresh:
            latest = self._cut_off(view, log) or latest
        if is_new_turn(state):
            latest, newest = (latest if task and not task["finished"] else ""), None
            task = self._take_up(state["messages"][-1], task, log)
            view.save_task_state(task, head=log.head, step=0)  # the secretary is asked next: a crash must not lose it
        if task is None or (task["finished"] and fresh):
            msg = "there is nothing to continue in this thread: hand in a message, or name the thread of an open task"
            raise NotFound(msg)
        reader = self._reader(task, run, calls_left=run.options.secretary_calls - spent)
        if fresh:
            task = discovered_in_request(task, log, reader)
        return _Work(task, log, 0 if fresh else step, latest, newest, reader, fresh)

    def _reader(self, task: TaskState, run: Run, *, calls_left: int) -> Reader:
        window = run.options.secretary_window
        secretary = Secretary(self._secretary, window=window, calls_left=calls_left, config=run.config)
        words, budget = run.words(task["goal"]), self._budget(run.options)
        return Reader(self._shapes, self._count, secretary, run.options, words, budget)

    def _cut_off(self, view: SecretaryView, log: Recorder) -> str:
        """The result after the log's head that a crash kept from being read, or empty; the log goes on from it.

        An intent without a result was cut off itself: its outcome is recorded as unknown.
        """
        last = None
        for event in view.events(limit=_RECENT):
            if event.parent == log.head and event.phase is not None:
                last, log.head = event, event.event_id
        if last is not None and last.phase is Phase.INTENT:
            key = outcome_key(last)
            last = log("tool", last.action, arguments=last.arguments, phase=Phase.UNKNOWN, key=key)
        return last.event_id if last is not None and last.phase in _RESULTS else ""

    def _take_up(self, message: BaseMessage, task: TaskState | None, log: Recorder) -> TaskState:
        """Record a user's message; it starts a task, or amends the one that is still open unless it is known there."""
        text = str(message.text)
        event = log("user", Action.REQUEST, observation=text, queue_for="remember" if asks_to_remember(text) else None)
        if task is None or task["finished"]:
            task = new_task(task_id=f"task_{self._new_id()}", goal=text, goal_ref=event.event_id)
        elif text in (task["goal"], *task["amendments"]):
            return task
        else:
            task = TaskState(**{**task, "amendments": [*task["amendments"], text]})
        return TaskState(**{**task, "constraints": [*task["constraints"], *constraints_in(text)]})

    # --- the brief --------------------------------------------------------------------------------------------------

    def _compose(self, state: State, work: _Work, options: Options, words: Wording) -> Brief:
        budget = self._budget(options)
        reminders = list(state.get("reminders") or []) if not work.fresh else []
        problems = work.reader.secretary.tally.problems
        if problems:
            reminders.append(words.secretary_down.format(problem=clip(problems[0], 30, self._count)))
        kind = make_menu(work.task, self._shapes, no_brakes(), menu=options.menu).kind
        recalled = lines(helpful(state.get("recalled") or [], work.task, kind))
        newest = needed(work.newest, work.task, kind)
        sections = sections_of(work.task, words, recalled=recalled, newest=newest, reminders=reminders)
        if kind == "items":  # the goal is repeated where it steers; what follows the done items is read anew each time
            sections = [section for section in sections if section.name != "goal_again"]
        if not options.brief:
            sections = [s for s in sections if s.name in ("goal", "newest", "reminders", "open")]
        return fit(sections, budget, words, self._count)


def discovered_in_request(task: TaskState, log: Recorder, reader: Reader) -> TaskState:
    """The task with the calls that the user's newest words make possible; what was judged before costs nothing."""
    text = [task["goal"], *task["amendments"]][-1]
    if asks_to_remember(text):
        return task
    return reader.discover(task, text, log.head if task["amendments"] else task["goal_ref"])


def helpful(recalled: Sequence[RecalledMemory], task: TaskState, kind: str) -> list[RecalledMemory]:
    """The recalled memories that the coming step is better off with.

    A choice among open items, and an answer from noted values, need what the user wants (cards, and what is to become
    one) and nothing of what once happened: a small model takes an old answer or a passage for the newest result.
    """
    if kind == "items" or (kind == "finish" and task["values"]):
        return [memory for memory in recalled if memory["source"] == "card" or memory["label"] == TO_BE_REMEMBERED]
    return list(recalled)


def needed(newest: Newest | None, task: TaskState, kind: str) -> Newest | None:
    """The newest result as far as the coming step needs it.

    A choice among open items needs a glance at most, and a result whose values are noted stands in its done line:
    every line less is time that the executor does not read.
    """
    if newest is None or kind not in ("items", "finish"):
        return newest
    if any(value["ref"] == newest["ref"] for value in task["values"]):
        return None
    return Newest(**{**newest, "lines": newest["lines"][:_GLANCE]}) if kind == "items" else newest


def _last_id(state: State) -> str:
    """The id of the newest user message, which is now taken up."""
    messages = [m for m in state.get("messages") or [] if isinstance(m, HumanMessage)]
    return str(messages[-1].id) if messages else ""


def _spent(figures: Figures, calls: int, tokens: int, seconds: float) -> Figures:
    return Figures(
        **{
            **figures,
            "secretary_calls": figures["secretary_calls"] + calls,
            "secretary_tokens": figures["secretary_tokens"] + tokens,
            "seconds": timed(figures["seconds"], "summarize", seconds),
        }
    )
