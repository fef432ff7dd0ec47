"""The ``precipitate`` node: records the answer and the completion, and queues the turn for later distillation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.masking import mask, mask_data
from memory_secretary.memory.records import Action
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, closed_items, open_items
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.brief import done_line
from memory_secretary.nodes.menu import FINAL, Brakes, no_brakes
from memory_secretary.nodes.run import Recorder, RunSource, Timer, timed
from memory_secretary.nodes.state import State, Step, spent_so_far
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
        event = log(
            "executor" if given else "secretary",
            Action.ANSWER,
            observation=answer,
            thought=step["thought"] if step else "",
        )
        log("secretary", Action.COMPLETION, observation=reason or status)
        view.save_task_state(task, head=log.head, step=state.get("step", 0))
        view.enqueue([task["goal_ref"], event.event_id], "turn ended")
        figures = spent_so_far(state)
        message = AIMessage(answer, id=self._message_id(step if given else None))
        if not given:
            run.write({"node": "precipitate", "step": state.get("step", 0), "answer": answer})
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
