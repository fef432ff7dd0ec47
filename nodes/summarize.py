"""The ``summarize`` node: the secretary takes up the request, reads what is new, and writes the brief."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.records import Action, Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, new_task
from memory_secretary.memory.tokens import TokenCounter, clip
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.brief import Brief, Newest, fit, sections_of, value_line
from memory_secretary.nodes.calls import call_text
from memory_secretary.nodes.candidates import ToolShape, find_groups
from memory_secretary.nodes.constraints import asks_to_remember, constraints_in
from memory_secretary.nodes.digest import choose, rank
from memory_secretary.nodes.discovery import closed, is_listing, is_record, noted, subject_of, with_items
from memory_secretary.nodes.menu import make_menu, no_brakes
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.noting import candidates, clear, spelled
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.passages import passages
from memory_secretary.nodes.retrieve import is_new_turn, lines
from memory_secretary.nodes.run import Recorder, Run, RunSource, Timer, outcome_key, timed
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.nodes.state import Figures, State, no_figures
from memory_secretary.nodes.wording import Wording

_RESULTS = frozenset({Phase.RESULT, Phase.FAILED, Phase.UNKNOWN})
_RECENT = 8
"""Newest events in which the traces of a crash are looked for."""
_RESULT_TOKENS = 60
"""Tokens of a closed item's result when no value was noted from it."""
_TITLE = 80
"""Characters at a record's beginning that say which month it is about."""
_NOTE_LINES = 6
_GLANCE = 3
"""Lines of the newest result that a choice among open items is shown."""
_FIELDS = "fields"
"""Stands among the considered shapes once the task's fields were asked for."""
_NOTE_OPTIONS = 6
"""Lines of a record in which a value is looked for, and values that the model may pick from."""


@dataclass
class _Work:
    """What this node changes while it works."""

    task: TaskState
    log: Recorder
    step: int
    latest: str
    newest: Newest | None
    secretary: Secretary
    seen: str = ""
    """The event of the newest result."""
    fresh: bool = False
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
            self._read(view.event(work.latest), work, run.options, words)
        brief = self._compose(state, work, run.options, words)
        view.save_task_state(work.task, head=work.log.head or None, step=work.step)
        tally = work.secretary.tally
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
        secretary = Secretary(
            self._secretary,
            window=run.options.secretary_window,
            calls_left=run.options.secretary_calls - (0 if fresh else figures["secretary_calls"]),
            config=run.config,
        )
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
        if fresh:
            task = self._discover_in_request(task, log, secretary, run.options)
        return _Work(task, log, 0 if fresh else step, latest, newest, secretary, fresh=fresh)

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

    def _discover_in_request(self, task: TaskState, log: Recorder, secretary: Secretary, options: Options) -> TaskState:
        """List the calls that the user's newest words make possible; costs nothing when they were judged before."""
        text = [task["goal"], *task["amendments"]][-1]
        if asks_to_remember(text):
            return task
        source = log.head if task["amendments"] else task["goal_ref"]
        return self._discover(task, text, source, secretary, options)

    # --- what is new ------------------------------------------------------------------------------------------------

    def _read(self, event: Event, work: _Work, options: Options, words: Wording) -> None:
        """Digest an observation, close its item, note its values, list what it makes possible."""
        budget = max(64, self._budget(options) // 3)
        wanted = [work.task["goal"], *work.task["amendments"], *work.task["fields"]]
        if options.digests:
            lines = [piece.text for piece in choose(event.observation, wanted, budget=budget, count=self._count)]
        else:
            lines = [clip(event.observation, budget, self._count, ref=event.event_id)]
        work.seen = event.event_id
        work.newest = Newest(call=call_text(event.action, event.arguments or {}), lines=lines)
        notes = self._note(event, work, options)
        result = "; ".join(value_line(value) for value in notes) or self._short(lines)
        if event.phase is Phase.UNKNOWN:
            result = words.unknown_outcome.format(call=work.newest["call"])
        work.task = closed(work.task, event, result, final=event.phase is Phase.UNKNOWN and self._changes(event.action))
        found_in = event.observation if is_listing(event.observation) else "\n".join(lines)
        if event.phase is Phase.RESULT:
            work.task = self._discover(work.task, found_in, event.event_id, work.secretary, options)

    def _changes(self, action: str) -> bool:
        """Whether a call of this tool may have changed something."""
        return any(shape.name == action and not shape.read_only for shape in self._shapes)

    def _short(self, lines: Sequence[str]) -> str:
        """A closed item's result on one line, when no value was noted."""
        text = clip(" ".join(" ".join(lines).split()), _RESULT_TOKENS, self._count)
        return " ".join(text.split())

    def _note(self, event: Event, work: _Work, options: Options) -> list[Any]:
        """Copy the asked values out of a record; the first long record decides which values those are."""
        if not options.noting or not is_record(event, self._shapes):
            return []
        if _FIELDS not in work.task["considered"]:
            considered = [*work.task["considered"], _FIELDS]
            fields = work.secretary.fields(_whole_goal(work.task))
            work.task = TaskState(**{**work.task, "fields": fields, "considered": considered})
        before = len(work.task["values"])
        subject = subject_of(event)
        notes = self._values(event, subject, work)
        work.task = noted(work.task, subject, notes, event.event_id)
        return work.task["values"][before:]

    def _values(self, event: Event, subject: str, work: _Work) -> dict[str, str]:
        """The asked values of one record: by code where one number plainly answers, else the model picks one."""
        goal, found = _whole_goal(work.task), {}
        for name in work.task["fields"]:
            ranked = rank(passages(event.observation), [goal, name])[:_NOTE_LINES]
            lines = [(score, piece.text) for score, piece in ranked if score > 0]
            label = f"{subject}\n{event.observation[:_TITLE]}"
            known = {
                number for value in work.task["values"] if value["name"] == name for number in spelled(value["value"])
            }
            options = candidates(lines, name, goal, label=label, known=known)
            best = clear(options)
            if best is None and options:
                values = list(dict.fromkeys(option.value for option in options))[:_NOTE_OPTIONS]
                choice = work.secretary.pick(goal, name, subject, [text for _, text in lines], values)
                value = values[choice] if choice is not None else ""
            else:
                value = best.value if best else ""
            if value:
                found[name] = value
        return found

    def _discover(self, task: TaskState, text: str, source: str, secretary: Secretary, options: Options) -> TaskState:
        """List the calls that a text makes possible and the task needs; each shape of call is judged once."""
        if not options.discovery:
            return task
        judged = set(task["considered"])
        groups = [g for g in find_groups(text, self._shapes) if f"{g.tool}({g.pattern})" not in judged]
        if not groups:
            return task
        considered = [*task["considered"], *(f"{g.tool}({g.pattern})" for g in groups)]
        chosen = secretary.select(_whole_goal(task), groups)
        return with_items(TaskState(**{**task, "considered": considered}), chosen, self._shapes, source)

    # --- the brief --------------------------------------------------------------------------------------------------

    def _compose(self, state: State, work: _Work, options: Options, words: Wording) -> Brief:
        budget = self._budget(options)
        reminders = list(state.get("reminders") or []) if not work.fresh else []
        problems = work.secretary.tally.problems
        if problems:
            reminders.append(words.secretary_down.format(problem=clip(problems[0], 30, self._count)))
        recalled = lines(state.get("recalled") or [])
        kind = make_menu(work.task, self._shapes, no_brakes(), menu=options.menu).kind
        newest = self._newest(work, kind)
        sections = sections_of(work.task, words, recalled=recalled, newest=newest, reminders=reminders)
        if kind == "items":  # the goal is repeated where it steers; what follows the done items is read anew each time
            sections = [section for section in sections if section.name != "goal_again"]
        if not options.brief:
            sections = [s for s in sections if s.name in ("goal", "newest", "reminders", "open")]
        return fit(sections, budget, words, self._count)

    def _newest(self, work: _Work, kind: str) -> Newest | None:
        """The newest result as far as the coming step needs it.

        A choice among open items needs a glance at most, and a result whose values are noted stands in its done line:
        every line less is time that the executor does not read.
        """
        if work.newest is None or kind not in ("items", "finish"):
            return work.newest
        if any(value["ref"] == work.seen for value in work.task["values"]):
            return None
        glance = Newest(call=work.newest["call"], lines=work.newest["lines"][:_GLANCE])
        return glance if kind == "items" else work.newest


def _whole_goal(task: TaskState) -> str:
    return "\n".join([task["goal"], *task["amendments"]])


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
