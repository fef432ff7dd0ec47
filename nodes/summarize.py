"""The ``summarize`` node: the secretary takes up the request, reads what is new, and writes the brief."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.masking import holds_mark
from memory_secretary.memory.records import Action, Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, new_task, open_items, whole_goal
from memory_secretary.memory.tokens import TokenCounter, clip
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.adjustments import adjusted
from memory_secretary.nodes.benefits import in_brief
from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.brief import ANSWER_ORDER, Brief, Newest, fit, folding, for_reply, sections_of
from memory_secretary.nodes.candidates import ToolShape
from memory_secretary.nodes.discovery import with_item
from memory_secretary.nodes.figures import OF
from memory_secretary.nodes.following import begun
from memory_secretary.nodes.left_out import Why, passed_over, shortened, unneeded
from memory_secretary.nodes.menu import Menu, make_menu
from memory_secretary.nodes.methods.apply import KnownMethod, fields_of, method_lines
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.nearness import kept_to_request
from memory_secretary.nodes.of_oneself import asks_of_oneself, states_a_wish, tells_of_oneself
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.reachable import listing_for, search_for
from memory_secretary.nodes.reading import Reader
from memory_secretary.nodes.retrieve import as_recalled, kept_apart, looks_back, told_of
from memory_secretary.nodes.run import Recorder, Run, RunSource, Timer, outcome_key, timed
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.nodes.smalltalk import asks_what_one_can, is_small_talk
from memory_secretary.nodes.spending import Allowance, Tally, allowance, charged
from memory_secretary.nodes.state import Figures, RecalledMemory, State, is_kept, no_figures, spent_so_far
from memory_secretary.nodes.taking_up import take_up
from memory_secretary.nodes.told import still_told, told_before
from memory_secretary.nodes.turns import Turn, begins, turn_of
from memory_secretary.nodes.wording import Wording

_RESULTS = frozenset({Phase.RESULT, Phase.FAILED, Phase.UNKNOWN})
_RECENT = 8
"""Newest events in which the traces of a crash are looked for."""
_CONVERSATION = 200
"""Newest events in which the messages of a conversation that is handed in again are looked for."""
_EARLIER_SHOWN = 6
"""Messages before the request that the brief shows, when they were handed in with it."""
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
    earlier: Sequence[Event] = ()
    """What was handed in with the request and said before it."""
    changed: list[BaseMessage] = field(default_factory=list)
    """Messages that the state keeps otherwise than they were handed in."""


class Summarize:
    """Records the request, updates the task state from the newest observation and composes the brief.

    Args:
        view: gives the secretary's view of a scope.
        run: settles options and scope.
        secretary: the secretary's model.
        shapes: the user's tools, whose calls may become items.
        budget: tokens that the brief may have, given the options.
        told: tokens that a menu's schema takes of the brief's room, where the server has to be told it in words.
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
        told: Callable[[Menu], int] = lambda _: 0,
        count: TokenCounter,
        new_id: Callable[[], str],
        timer: Timer,
    ):
        self._view = view
        self._run = run
        self._secretary = secretary
        self._shapes = list(shapes)
        self._budget = budget
        self._told = told
        self._count = count
        self._new_id = new_id
        self._timer = timer

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """One pass; the update holds the task state, the brief and what it was made of."""
        started = self._timer()
        run = self._run(runtime, config)
        view = self._view(run.scope)
        figures = spent_so_far(state)
        work = self._begin(state, run, view, figures)
        words = run.words(work.task["goal"])
        with speaking(run.lang(work.task["goal"])):
            if work.latest:
                work.task, work.newest = work.reader.read(view.event(work.latest), work.task)
            if run.options.menu:
                work.task = kept_to_request(work.task)
            if run.options.noting and not open_items(work.task):
                work.task = adjusted(work.task, view, work.reader.secretary)
                work.task = work.reader.conclude(work.task, view.event)
            brief = self._compose(state, work, run, words)
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
                "notes": [*_kept_out(work.changed, words), *tally.problems, *tally.notes],
            }
        )
        shown_before = [] if work.fresh else state.get("injected") or []
        methods = known_methods(state, run.options) if "methods" in brief.sections else []
        update: dict[str, Any] = {
            "task_state": work.task,
            "head": work.log.head,
            "step": work.step,
            "latest": "",
            "newest": work.newest,
            "brief": brief.text,
            "sections": brief.sections,
            "injected": [
                *in_brief(shown_before, state.get("recalled") or [], brief.text),
                *(known["ref"] for known in methods if known["ref"] not in shown_before),
            ],
            "request": _last_id(state),
            "status": "running",
            "figures": _spent(no_figures() if work.fresh else figures, tally, seconds),
        }
        if work.changed and _owns_messages(runtime):
            update["messages"] = work.changed
        if work.fresh:
            update |= {
                "brakes": no_brakes(),
                "reminders": [],
                "stop_reason": "",
                "answer": "",
                "next": None,
                "also": [],
            }
        return update

    # --- where the run stands ---------------------------------------------------------------------------------------

    def _begin(self, state: State, run: Run, view: SecretaryView, figures: Figures) -> _Work:
        turn = turn_of(state)
        fresh = begins(state)
        left = allowance(run.options, no_figures() if fresh else figures)
        task, step = _filled(state.get("task_state")), state.get("step", 0)
        latest, newest = state.get("latest", ""), state.get("newest")
        log = Recorder(view, run, head=state.get("head", ""), step=step)
        if task is None and not run.rewound:
            stored = view.load_task_state()
            task, log.head = (_filled(stored.state), stored.head or "") if stored else (None, "")
        if fresh and not run.rewound:
            latest = self._cut_off(view, log) or latest
        earlier: Sequence[Event] = ()
        changed: list[BaseMessage] = []
        if turn is not None:
            latest, newest = (latest if task and not task["finished"] else ""), None
            answered = _last_answer(view, log.head)
            with speaking(run.lang(turn.text)):
                taken = take_up(turn, task, log, known=_known(turn, view, log), key=run.task_id, new_id=self._new_id)
            task, changed = taken.task, list(taken.changed)
            earlier = _still_kept(view, [*answered, *taken.earlier])
            if run.options.recall:
                task = TaskState(**{**task, "told": told_before(view, task, log.head, run.options.zone)})
            view.save_task_state(task, head=log.head, step=0)  # the secretary is asked next: a crash must not lose it
        if task is None or (task["finished"] and fresh):
            msg = "there is nothing to continue in this thread: hand in a message, or name the thread of an open task"
            raise NotFound(msg, zh="这个线程没有可继续的任务：请输入一条消息，或指定有未完成任务的线程")
        task = still_told(view, task)
        reader = self._reader(task, run, left, known_methods(state, run.options))
        if fresh:
            known = state.get("recalled") or []
            task = discovered_in_request(task, turn.text if turn else "", log, reader, known)
        return _Work(task, log, 0 if fresh else step, latest, newest, reader, fresh, earlier, changed)

    def _reader(self, task: TaskState, run: Run, left: Allowance, known: Sequence[KnownMethod]) -> Reader:
        window = run.options.secretary_window
        secretary = Secretary(self._secretary, window=window, left=left, config=run.config)
        words, budget = run.words(task["goal"]), self._budget(run.options)
        proposed = fields_of(known, whole_goal(task))
        return Reader(self._shapes, self._count, secretary, run.options, words, budget, proposed)

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

    # --- the brief --------------------------------------------------------------------------------------------------

    def _compose(self, state: State, work: _Work, run: Run, words: Wording) -> Brief:
        options = run.options
        reminders = list(state.get("reminders") or []) if not work.fresh else []
        tally = work.reader.secretary.tally
        if tally.problems:
            reminders.append(words.secretary_down.format(problem=clip(tally.problems[0], 30, self._count)))
        menu = make_menu(work.task, self._shapes, no_brakes(), menu=options.menu)
        kind, budget = menu.kind, max(0, self._budget(options) - self._told(menu))
        known = state.get("recalled") or []
        before = [as_recalled(event, options.zone) for event in _unseen(work.earlier, known)]
        told = told_lines(work.task, self._shapes, kind)
        untold = _untold([*known, *before], work.task)
        useful = helpful(untold, work.task, kind)
        kept, others = kept_apart(useful)
        recalled = [*told, *others]
        newest = needed(work.newest, work.task, kind)
        methods = method_lines(known_methods(state, options), kind, whole_goal(work.task), words)
        sections = sections_of(
            work.task, words, recalled=recalled, methods=methods, kept=kept, newest=newest, reminders=reminders
        )
        whole = {section.name: section.lines for section in sections}
        if kind == "items":  # the goal is repeated where it steers; what follows the done items is read anew each time
            sections = folding([section for section in sections if section.name != "goal_again"])
        elif kind == "reply":
            sections = for_reply(sections, words)
        if not options.brief:
            sections = [s for s in sections if s.name in ("goal", "newest", "reminders", "open")]
        order = {"order": ANSWER_ORDER} if kind == "finish" else {}
        brief = fit(sections, budget, words, self._count, **order)
        if run.traced:
            unwanted: Why = "not_needed" if options.brief else "switched_off"
            gone = [
                *passed_over([*known, *before], untold, "held"),
                *passed_over(untold, useful, "not_needed"),
                *unneeded({"newest": _lines(work.newest)}, {"newest": _lines(newest)}, "not_needed"),
                *unneeded(whole, {s.name: s.lines for s in sections}, unwanted),
                *shortened(sections, brief),
            ]
            run.trace(brief_text=brief.text, budget=budget, menu=kind, left_out_why=gone, removed=tally.removed)
        return brief


def known_methods(state: State, options: Options) -> list[KnownMethod]:
    """The methods that fit the task, where they are switched on."""
    return list(state.get("methods") or []) if options.methods else []


def _filled(task: TaskState | None) -> TaskState | None:
    """A task state of an older version, with what it does not have yet."""
    return task and TaskState(**{**new_task(task_id="", goal="", goal_ref=""), **task})


def _kept_out(changed: Sequence[BaseMessage], words: Wording) -> list[str]:
    """Tells the user when a secret was found in their words."""
    return [words.not_kept] if any(holds_mark(message.content) for message in changed) else []


def _known(turn: Turn, view: SecretaryView, log: Recorder) -> list[Event]:
    """Where the turn may be recorded already: by a pass that was broken off, or as a conversation handed in again."""
    if not log.head:
        return []
    alone = len(turn.messages) == len(turn.request)
    return view.events(head=log.head, limit=len(turn.request) if alone else _CONVERSATION)


def _last_answer(view: SecretaryView, head: str) -> list[Event]:
    """The answer to the thread's last turn: what the user says next may go on from it, whatever recall finds."""
    events = view.events(head=head, limit=_RECENT) if head else []
    return [event for event in events if event.action == Action.ANSWER][-1:]


def _still_kept(view: SecretaryView, earlier: Sequence[Event]) -> list[Event]:
    """What was said before, without what the user has forgotten."""
    gone = view.forgotten([event.event_id for event in earlier])
    return [event for event in earlier if event.event_id not in gone]


def _unseen(earlier: Sequence[Event], known: Sequence[RecalledMemory]) -> list[Event]:
    """The newest of what was said before the request, without what was recalled anyway."""
    shown = {memory["ref"] for memory in known}
    return [event for event in earlier if event.event_id not in shown][-_EARLIER_SHOWN:]


def _owns_messages(runtime: Runtime[Any]) -> bool:
    """Whether the messages are this graph's own; inside another graph they are shared, and stay as they are."""
    return runtime.execution_info is None or "|" not in runtime.execution_info.checkpoint_ns


def discovered_in_request(
    task: TaskState, said: str, log: Recorder, reader: Reader, known: Sequence[RecalledMemory]
) -> TaskState:
    """The task with the calls that the user's newest words make possible; what was judged before costs nothing.

    ``said`` is the whole of them when they were handed in just now; the task may hold them shortened. What the user
    told of the question is ``known``, and comes before any search.
    """
    text = said or [task["goal"], *task["amendments"]][-1]
    if states_a_wish(text) or tells_of_oneself(text):
        return task
    source = log.head if task["amendments"] else task["goal_ref"]
    task = reader.discover(task, text, source)
    task = begun(task, reader.shapes, source) if reader.options.following else task
    if task["items"] or not reader.options.discovery:
        return task
    goal = whole_goal(task)
    listing = listing_for(goal, reader.shapes)
    first = (listing, {}) if listing else search_for(goal, reader.shapes) if looks_for_records(goal, known) else None
    return with_item(task, *first, source=source) if first else task


def looks_for_records(goal: str, known: Sequence[RecalledMemory]) -> bool:
    """Whether a question is neither of those that one's own words answer nor of those that need no answer."""
    elsewhere = (asks_of_oneself, is_small_talk, asks_what_one_can, looks_back)
    return not any(asks(goal) for asks in elsewhere) and not told_of(goal, known)


def helpful(recalled: Sequence[RecalledMemory], task: TaskState, kind: str) -> list[RecalledMemory]:
    """The recalled memories that the coming step is better off with.

    A choice among open items, an answer from noted values and a reply to a greeting or a wish need what the user wants
    (cards, and what is to become one) and nothing of what once happened: a small model takes an old answer or a passage
    for the newest result, and an old request for the present one.
    """
    if kind in ("items", "reply") or (kind == "finish" and task["values"]):
        return [memory for memory in recalled if is_kept(memory)]
    return list(recalled)


def told_lines(task: TaskState, shapes: Sequence[ToolShape], kind: str) -> list[str]:
    """What the user told of the task's matter in earlier sessions.

    A choice among mere reads does without it, and what stands beside the figures is not said twice.
    """
    reads = {shape.name for shape in shapes if shape.read_only}
    if kind == "items" and all(item["action"] in reads for item in open_items(task)):
        return []
    quoted = " ".join(change["said"] for change in task["adjustments"]) if not open_items(task) else ""
    return [told["line"] for told in task["told"] if told["line"] and told["text"] not in quoted]


def _untold(recalled: Sequence[RecalledMemory], task: TaskState) -> list[RecalledMemory]:
    """The recalled memories without those that the task holds anyway."""
    held = {told["ref"] for told in task["told"] if told["line"]}
    return [memory for memory in recalled if memory["ref"] not in held]


def needed(newest: Newest | None, task: TaskState, kind: str) -> Newest | None:
    """The newest result as far as the coming step needs it.

    A choice among open items needs a glance at most, and a result whose values are noted stands in its done line:
    every line less is time that the executor does not read. A table whose rows are noted would only mislead it.
    """
    noted = [value for value in task["values"] if newest and value["ref"] == newest["ref"]]
    if noted and (kind in ("items", "finish") or any(OF in value["subject"] for value in noted)):
        return None
    if newest is None or kind not in ("items", "finish"):
        return newest
    return Newest(**{**newest, "lines": newest["lines"][:_GLANCE]}) if kind == "items" else newest


def _lines(newest: Newest | None) -> list[str]:
    return newest["lines"] if newest else []


def _last_id(state: State) -> str:
    """The id of the newest message: up to there, all is taken up."""
    return next((str(message.id) for message in reversed(state.get("messages") or [])), "")


def _spent(figures: Figures, tally: Tally, seconds: float) -> Figures:
    return Figures(**{**charged(figures, tally), "seconds": timed(figures["seconds"], "summarize", seconds)})
