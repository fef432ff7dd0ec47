"""The ``precipitate`` node: records the answer and the completion, and queues the turn for later distillation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.records import Action
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, closed_items, open_items
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.brief import done_line
from memory_secretary.nodes.menu import FINAL, Brakes, no_brakes
from memory_secretary.nodes.run import Recorder, RunSource, Timer, timed
from memory_secretary.nodes.state import State, no_figures
from memory_secretary.nodes.wording import Wording


class Precipitate:
    """Ends a run: with the executor's answer, or with an honest partial one made by code.

    Args:
        view: gives the secretary's view of a scope.
        run: settles options and scope.
        new_id: gives message ids.
        timer: the clock that the node is timed with.
    """

    def __init__(
        self,
        view: Callable[[Scope], SecretaryView],
        run: RunSource,
        *,
        new_id: Callable[[], str],
        timer: Timer,
    ):
        self._view = view
        self._run = run
        self._new_id = new_id
        self._timer = timer

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """Record and answer; the update's last message is the answer."""
        started = self._timer()
        run = self._run(runtime, config)
        view = self._view(run.scope)
        step, brakes = state.get("next"), state.get("brakes") or no_brakes()
        task = state["task_state"]
        given = bool(step and step["action"] == FINAL)
        reason = stop_reason(task, brakes, given=given)
        answer = (
            str(step["arguments"]["answer"])
            if step and given
            else partial_answer(task, reason, run.words(task["goal"]))
        )
        status = "stopped" if reason else "done"
        task = TaskState(**{**task, "finished": status == "done"})
        log = Recorder(view, run, head=state.get("head", ""), step=state.get("step", 0))
        event = log(
            "executor" if given else "secretary",
            Action.ANSWER,
            observation=answer,
            thought=step["thought"] if step else "",
        )
        log("secretary", Action.COMPLETION, observation=reason or status)
        view.save_task_state(task, head=log.head, step=state.get("step", 0))
        view.enqueue([task["goal_ref"], event.event_id], "turn ended")
        figures = state.get("figures") or no_figures()
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
            "messages": [AIMessage(answer, id=f"msg_{self._new_id()}")],
            "answer": answer,
            "status": status,
            "stop_reason": reason,
            "task_state": task,
            "head": log.head,
            "next": None,
            "figures": {**figures, "seconds": timed(figures["seconds"], "precipitate", seconds)},
        }


def stop_reason(task: TaskState, brakes: Brakes, *, given: bool) -> str:
    """Why the run ends before its time: ``step_limit``, ``no_progress``, ``no_usable_reply``; empty when it is done.

    An answer that was given with nothing left open is done, also when it came with the last step.
    """
    if given and not (brakes["last"] and open_items(task)):
        return ""
    return brakes["reason"] or "no_usable_reply"


def partial_answer(task: TaskState, reason: str, words: Wording) -> str:
    """What is certain so far, by code alone: how much is done, and each result."""
    closed = closed_items(task)
    if not closed:
        return words.partial_none.format(reason=reason)
    total = len(closed) + len(open_items(task))
    lines = [words.partial.format(reason=reason, done=len(closed), all=total)]
    return "\n".join(lines + [done_line(item, words) for item in closed])
