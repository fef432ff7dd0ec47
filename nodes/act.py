"""The ``act`` node: checks the step, runs its tool once, and records what came of it, word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphInterrupt
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.types import Command

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.graphemes import floor
from memory_secretary.memory.records import RECORD_TOOLS, Event, Phase
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import Item, TaskState, all_said, whole_goal
from memory_secretary.memory.tokens import clip
from memory_secretary.memory.views import ExecutorView
from memory_secretary.nodes.brakes import Brakes, no_brakes
from memory_secretary.nodes.calls import call_key, call_text
from memory_secretary.nodes.digest import choose
from memory_secretary.nodes.forbidden import broken_constraint
from memory_secretary.nodes.grounding import is_identifier
from memory_secretary.nodes.menu import speaks_of
from memory_secretary.nodes.observation import observed, tool_error
from memory_secretary.nodes.pairing import has_exact, paired
from memory_secretary.nodes.reminders import done_before, moved_on, refused, same_calls
from memory_secretary.nodes.run import Recorder, Run, RunSource, Timer, outcome_key, timed
from memory_secretary.nodes.spending import Tally, charged
from memory_secretary.nodes.state import Figures, State, Step, spent_so_far
from memory_secretary.nodes.waiting import say_waiting
from memory_secretary.nodes.wording import Wording
from memory_secretary.tools.effects import Effect, destroys, effect_of
from memory_secretary.tools.registry import args_schema

_QUOTED = 80
"""Tokens of a record that a reminder quotes."""
_UNSET = object()
_SHOWN = 200
"""Characters of a result in the stream."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What this node made of a step."""

    brakes: Brakes
    reminders: list[str]
    latest: str
    head: str
    ok: bool
    shown: str
    ran: bool = False
    repeat: bool = False
    tally: Tally = field(default_factory=Tally)
    """What the secretary has cost, when the step asked it."""


class Act:
    """Runs the decided step.

    In this order: an unusable reply, a call that was done already, and a call whose arguments do not stand together
    in one record are not run, and the coming brief says why; else the intent is recorded, the tool runs, and its
    result is recorded whole. A tool's exception is a result like any other.

    Args:
        view: gives the executor's view of a scope.
        run: settles options and scope.
        tools: the tools of the run.
        timer: the clock that the node is timed with.
    """

    def __init__(
        self, view: Callable[[Scope], ExecutorView], run: RunSource, *, tools: Sequence[BaseTool], timer: Timer
    ):
        self._view = view
        self._run = run
        self._effects = {tool.name: effect_of(tool) for tool in tools}
        self._tools = {tool.name: tool for tool in tools}
        self._node = ToolNode(tools, handle_tool_errors=tool_error) if tools else None
        self._timer = timer

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """Run or refuse the step; the update points to the newest result."""
        started = self._timer()
        run = self._run(runtime, config)
        step = state["next"]
        assert step is not None, "plan always leaves a step"
        goal = state["task_state"]["goal"]
        words = run.words(goal)
        view = self._view(run.scope)
        log = Recorder(view, run, head=state.get("head", ""), step=state.get("step", 0))
        with speaking(run.lang(goal)):
            outcome = self._refuse(state, step, view, run, words)
            outcome = outcome or self._do(state, step, view, log, run, words)
        seconds = self._timer() - started
        run.write(_chunk(state, step, outcome, seconds))
        return {
            "brakes": outcome.brakes,
            "reminders": outcome.reminders,
            "latest": outcome.latest,
            "head": outcome.head,
            "step": state.get("step", 0) + 1,
            "figures": _spent(state, outcome, seconds),
        }

    # --- steps that are not run -------------------------------------------------------------------------------------

    def _refuse(self, state: State, step: Step, view: ExecutorView, run: Run, words: Wording) -> _Outcome | None:
        options = run.options
        brakes = state.get("brakes") or no_brakes()
        if step["problem"]:
            brakes = refused(brakes, "", reason="no_usable_reply")
            return _refusal(state, brakes, words.invalid.format(problem=clip(step["problem"], _QUOTED)))
        call = call_text(step["action"], step["arguments"])
        if not run.vault.can_put_back(run.scope, step["arguments"]):
            return _refusal(state, refused(brakes, ""), words.secret_gone.format(call=call))
        task, arguments = state["task_state"], step["arguments"]
        constraint = broken_constraint(task, step["action"], arguments)
        if constraint:
            text = words.forbidden.format(call=call, constraint=clip(constraint, _QUOTED))
            return _refusal(state, refused(brakes, step["action"]), text)
        earlier = done_before(task, step["action"], arguments, self._effects) if options.reminders else None
        if earlier:
            return _refusal(state, refused(brakes, step["action"]), _repeated(words, call, earlier), repeat=True)
        if options.pairing and not step["item"]:
            hide = partial(run.vault.hide, run.scope)  # records have marks where the turn still has the secret
            hidden, request = Step(**{**step, "arguments": hide(arguments)}), hide(all_said(task))
            problem = self._unasked(task, step, words) or self._unpaired(task, hidden, view, words, request)
            if problem:
                return _refusal(state, refused(brakes, ""), problem)
        return None

    def _unasked(self, task: TaskState, step: Step, words: Wording) -> str:
        """Why a call that takes something away is not run: no argument ties it to the task, and nobody spoke of it."""
        tool = self._tools.get(step["action"])
        if tool is None or not destroys(tool) or has_exact(step["arguments"]):
            return ""
        asked = speaks_of(whole_goal(task), tool.name, tool.description)
        return "" if asked else words.not_asked.format(call=call_text(step["action"], step["arguments"]))

    def _unpaired(self, task: TaskState, step: Step, view: ExecutorView, words: Wording, request: str) -> str:
        """Why a call's arguments do not belong together; empty when they do, or when the call is harmless."""
        reads = self._effects.get(step["action"]) is Effect.READ_ONLY
        given = self._to_be_paired(step, reads=reads)
        if (reads and len(given) < 2) or step["action"] in RECORD_TOOLS:
            return ""
        records = [(task["goal_ref"], request), *_records(task, view, request)]
        result = paired(given, records)
        if result.ok or (reads and len(result.missing) == len(given)):
            return ""
        call, missing = call_text(step["action"], step["arguments"]), ", ".join(result.missing)
        if result.record in (None, task["goal_ref"]) or len(result.missing) == len(given):
            return words.not_paired_nowhere.format(call=call, missing=missing)
        text = dict(records)[result.record].removesuffix(f"\n{request}")  # what the user said is no record's word
        quote = choose(text, [request, " ".join(map(str, step["arguments"].values()))], budget=_QUOTED)
        return words.not_paired.format(call=call, missing=missing, quote=" ".join(piece.text for piece in quote))

    def _to_be_paired(self, step: Step, *, reads: bool) -> dict[str, Any]:
        """The arguments that a record must hold: not those left at their default, and of a read only identifiers."""
        tool = self._tools.get(step["action"])
        properties = args_schema(tool).get("properties", {}) if tool else {}
        return {
            name: value
            for name, value in step["arguments"].items()
            if value != properties.get(name, {}).get("default", _UNSET)
            and (not reads or (isinstance(value, str) and is_identifier(value)))
        }

    # --- steps that are run -----------------------------------------------------------------------------------------

    def _do(self, state: State, step: Step, view: ExecutorView, log: Recorder, run: Run, words: Wording) -> _Outcome:
        """Record the intent, run the tool, record its result.

        A call is known again by what it follows and what it does, since a run that goes on from an older checkpoint
        comes to it under another task id. What had finished is not run again; a read that was cut off is; of a side
        effect that was cut off nobody can know whether it happened, and so it is not repeated.
        """
        newest = max((event.seq for event in view.events(limit=1)), default=0)
        call = call_key(step["action"], step["arguments"])
        intent = _intend(step, log, f"{log.head}:{call}" if log.head else None)
        trace = view.events() if intent.seq <= newest else []
        while question := _child(trace, intent, Phase.WAITING):
            log.head = question.event_id
            intent = _intend(step, log, f"answer to {question.event_id}")
        tally = Tally()
        begun, finished = intent.seq <= newest, _child(trace, intent)
        if finished is not None:
            phase, text = finished.phase or Phase.RESULT, finished.observation
        elif begun and self._effects.get(step["action"]) is Effect.SIDE_EFFECT:
            phase, text = Phase.UNKNOWN, ""
        else:
            phase, text, tally = self._call(state, step, log, run)
        result = log(
            "tool",
            step["action"],
            arguments=step["arguments"],
            observation=text,
            phase=phase,
            key=outcome_key(intent),
        )
        brakes = state.get("brakes") or no_brakes()
        unchanged = self._unchanged(state["task_state"], step, view, text) if phase is Phase.RESULT else None
        if unchanged is not None:
            call = call_text(step["action"], step["arguments"])
            reminder = _repeated(words, call, unchanged)
            return _Outcome(
                refused(brakes, step["action"]), [reminder], "", log.head, False, reminder, True, True, tally
            )
        brakes = moved_on(brakes, item=bool(step["item"]))
        ok = phase is Phase.RESULT
        return _Outcome(brakes, [], result.event_id, log.head, ok, result.observation, ran=True, tally=tally)

    def _unchanged(self, task: TaskState, step: Step, view: ExecutorView, text: str) -> Item | None:
        """The earlier run of a read that was made again and brought the very same, or None."""
        if self._effects.get(step["action"]) is not Effect.READ_ONLY:
            return None
        before = [item for item in same_calls(task, step["action"], step["arguments"]) if item["status"] == "done"]
        if not before or not before[-1]["evidence"]:
            return None
        return before[-1] if view.event(before[-1]["evidence"]).observation == text else None

    def _call(self, state: State, step: Step, log: Recorder, run: Run) -> tuple[Phase, str, Tally]:
        """Run the tool: how it ended, what it gave, and what it cost when it asked the secretary.

        When it asks the user something, that is recorded and the run waits.

        A secret that the executor knows by its mark is put back for the tool alone; what comes of it has the mark.
        """
        config, given = run.config, run.vault.put_back(run.scope, step["arguments"])
        call = {"name": step["action"], "args": given, "id": step["call_id"], "type": "tool_call"}
        assert self._node is not None, "a step without tools can only be the answer"
        try:
            out = self._node.invoke({**state, "messages": [AIMessage("", tool_calls=[call])]}, config)
        except GraphInterrupt:
            log("tool", step["action"], arguments=step["arguments"], phase=Phase.WAITING, key=f"asked by {log.head}")
            say_waiting(config, step["action"])
            raise
        message = next(iter(_tool_messages(out)), None)
        if message is None:
            return Phase.RESULT, "", Tally()
        text = observed(message)
        run.vault.keep(run.scope, text)
        phase = Phase.FAILED if message.status == "error" else Phase.RESULT
        cost = message.artifact if isinstance(message.artifact, Tally) else Tally()
        return phase, run.vault.hide(run.scope, text), cost


def _intend(step: Step, log: Recorder, key: str | None) -> Event:
    """Record what is about to be done; once more after each question of the tool that was answered."""
    thought, arguments = step["thought"], step["arguments"]
    return log("executor", step["action"], arguments=arguments, thought=thought, phase=Phase.INTENT, key=key)


def _child(events: Iterable[Event], parent: Event, phase: Phase | None = None) -> Event | None:
    """The first event that follows ``parent``, of this phase when one is given."""
    return next((e for e in events if e.parent == parent.event_id and phase in (None, e.phase)), None)


def _repeated(words: Wording, call: str, earlier: Item) -> str:
    return words.repeated.format(call=call, step=earlier["step"], result=earlier["result"])


def _records(task: TaskState, view: ExecutorView, request: str) -> Iterable[tuple[str, str]]:
    """Every record of the task with the request joined to it: the request may complete any record."""
    for item in reversed(task["items"]):
        if item["evidence"] and item["status"] == "done":
            yield item["evidence"], f"{view.event(item['evidence']).observation}\n{request}"


def _tool_messages(out: Any) -> Iterable[ToolMessage]:
    """The tool messages in what ToolNode gives back: a state update, or a list with commands in it."""
    for part in out if isinstance(out, list) else [out]:
        update: Any = part.update if isinstance(part, Command) else part
        messages = update.get("messages", []) if isinstance(update, Mapping) else []
        yield from (message for message in messages if isinstance(message, ToolMessage))


def _refusal(state: State, brakes: Brakes, text: str, *, repeat: bool = False) -> _Outcome:
    return _Outcome(brakes, [text], "", state.get("head", ""), False, text, repeat=repeat)


def _spent(state: State, outcome: _Outcome, seconds: float) -> Figures:
    figures = charged(spent_so_far(state), outcome.tally)
    return Figures(
        **{
            **figures,
            "tool_calls": figures["tool_calls"] + outcome.ran,
            "repeats": figures["repeats"] + outcome.repeat,
            "seconds": timed(figures["seconds"], "act", seconds),
        }
    )


def _excerpt(text: str) -> str:
    """What of a result goes into the stream; a cut is seen as one."""
    return text if len(text) <= _SHOWN else f"{text[: floor(text, _SHOWN)]}…"


def _chunk(state: State, step: Step, outcome: _Outcome, seconds: float) -> dict[str, Any]:
    return {
        "node": "act",
        "step": state.get("step", 0),
        "seconds": round(seconds, 3),
        "action": step["action"],
        "ok": outcome.ok,
        "ran": outcome.ran,
        "result": _excerpt(outcome.shown) if outcome.ran else "",
        "ref": outcome.latest,
        "secretary_calls": outcome.tally.calls,
        "reminder": outcome.reminders[0] if outcome.reminders else "",
    }
