"""The ``precipitate`` node: records the answer and the completion, and queues the turns that are to become cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.masking import mask, mask_data
from memory_secretary.memory.records import Action, Event
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, closed_items, open_items
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.brakes import Brakes, no_brakes
from memory_secretary.nodes.brief import done_line
from memory_secretary.nodes.menu import FINAL
from memory_secretary.nodes.run import Recorder, Run, RunSource, Timer, timed
from memory_secretary.nodes.settling import Settled
from memory_secretary.nodes.state import State, Step, spent_so_far
from memory_secretary.nodes.triggers import due
from memory_secretary.nodes.wording import Wording

_RECENT = 200
"""Newest events among which turns are looked for; what lies before them is queued when the session is closed."""


class Precipitate:
    """Ends a run: with the executor's answer, or with an honest partial one made by code.

    Args:
        view: gives the secretary's view of a scope.
        run: settles options and scope.
        new_id: gives message ids.
        timer: the clock that the node is timed with.
        settle: works off the queue where the run's settings say so.
    """

    def __init__(
        self,
        view: Callable[[Scope], SecretaryView],
        run: RunSource,
        *,
        new_id: Callable[[], str],
        timer: Timer,
        settle: Callable[[Run], Settled | None] = lambda _: None,
    ):
        self._view = view
        self._run = run
        self._new_id = new_id
        self._timer = timer
        self._settle = settle

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """Record and answer; the update's last message is the answer.

        With the run, what the user gave for it ends: no secret stays in the state.
        """
        started = self._timer()
        run = self._run(runtime, config)
        view = self._view(run.scope)
        step, brakes = state.get("next"), state.get("brakes") or no_brakes()
        task = state["task_state"]
        given = bool(step and step["action"] == FINAL)
        reason = stop_reason(task, brakes, given=given)
        answer = mask(
            str(step["arguments"]["answer"])
            if step and given
            else partial_answer(task, reason, run.words(task["goal"]))
        )
        status = "stopped" if reason else "done"
        task = cast("TaskState", mask_data({**task, "finished": status == "done"}))
        log = Recorder(view, run, head=state.get("head", ""), step=state.get("step", 0))
        log(
            "executor" if given else "secretary",
            Action.ANSWER,
            observation=answer,
            thought=step["thought"] if step else "",
        )
        log("secretary", Action.COMPLETION, observation=reason or status)
        view.save_task_state(task, head=log.head, step=state.get("step", 0))
        for refs, why in due(_unqueued(view, task["goal_ref"], log.head), run.options.precipitation_turns):
            view.enqueue(refs, why)
        figures = spent_so_far(state)
        message = AIMessage(answer, id=self._message_id(step if given else None))
        if not given:
            run.write({"node": "precipitate", "step": state.get("step", 0), "answer": answer})
        settled = self._settle(run)
        if settled and settled.calls:
            run.write({"node": "precipitate", "step": state.get("step", 0), "settled": settled.figures()})
        run.trace(answer=answer, figures=figures)
        seconds = self._timer() - started
        run.write(
            {
                "node": "precipitate",
                "step": state.get("step", 0),
                "seconds": round(seconds, 3),
                "status": status,
                "stop_reason": reason,
            }
        )
        return {
            "messages": [message],
            "request": message.id,
            "answer": answer,
            "brief": mask(state.get("brief", "")),
            "status": status,
            "stop_reason": reason,
            "task_state": task,
            "head": log.head,
            "next": None,
            "figures": {**figures, "seconds": timed(figures["seconds"], "precipitate", seconds)},
        }

    def _message_id(self, given: Step | None) -> str:
        """The id under which the answer was streamed, or a new one."""
        return (given["call_id"] if given else "") or f"msg_{self._new_id()}"


def _unqueued(view: SecretaryView, goal_ref: str, head: str) -> list[Event]:
    """The user's turns that stand on the queue for no reason yet: the task's own, and the newest of the branch."""
    recent = [event for event in view.events(head=head, limit=_RECENT) if event.actor == "user"]
    asked = [] if any(event.event_id == goal_ref for event in recent) else [view.event(goal_ref)]
    queued = view.covered_by(None)
    return [event for event in (*asked, *recent) if event.event_id not in queued]


def stop_reason(task: TaskState, brakes: Brakes, *, given: bool) -> str:
    """Why the run ends before its time: ``step_limit``, ``no_progress``, ``no_usable_reply``; empty when it is done.

    An answer that was given with nothing left open is done, also when it came with the last step.
    """
    if given and not (brakes["last"] and open_items(task)):
        return ""
    return brakes["reason"] or "no_usable_reply"


def partial_answer(task: TaskState, reason: str, words: Wording) -> str:
    """What is certain so far, by code alone: how much is done, and each result."""
    closed, why = closed_items(task), getattr(words, reason)
    if not closed:
        return words.partial_none.format(reason=why)
    total, done = len(closed) + len(open_items(task)), sum(item["status"] == "done" for item in closed)
    lines = [words.partial.format(reason=why, done=done, all=total)]
    return "\n".join(lines + [done_line(item, words) for item in closed])
