"""What a chat works with between two inputs: the graph, the memory, the present thread and its last turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from memory_secretary.graph import cli_runs
from memory_secretary.graph.cli_chat_turn import Turn
from memory_secretary.graph.cli_run import StepGraph, next_of, parts_of, watched
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.cli_screen import print_result
from memory_secretary.graph.cli_start import known_task
from memory_secretary.graph.line_breaks import print_broken
from memory_secretary.graph.live import ChatView, print_notices
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.palette import QUIET, WARNING
from memory_secretary.graph.thread_lock import at_work
from memory_secretary.graph.words import Lang, colon, say, term
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState

if TYPE_CHECKING:
    from memory_secretary.memory import TieredMemory
    from memory_secretary.memory.records import StoredTask


def _nobody(_prompt: str) -> str:
    raise EOFError


@dataclass
class Session:
    """One chat.

    Attributes:
        graph: the compiled graph, the same for every thread.
        memory: what it remembers with.
        folder: the memory's folder.
        record: with what is worked, and on which thread.
        console: where everything is shown.
        lang: the language of the chat's own words.
        steps: print every node.
        as_json: print lines of JSON in place of texts.
        visited: the threads that something was said in.
        read: shows a prompt and gives the next line; raises ``EOFError`` where nobody writes any more.
        failed: whether a turn was not done.
    """

    graph: StepGraph
    memory: TieredMemory
    folder: Path
    record: RunRecord
    console: Console
    lang: Lang
    steps: bool = False
    as_json: bool = False
    visited: set[str] = field(default_factory=set)
    failed: bool = field(default=False, init=False)
    read: Callable[[str], str] = field(default=_nobody, init=False)
    _turns: dict[str, Turn] = field(default_factory=dict, init=False)  # the last of each thread
    _asked: bool = field(default=False, init=False)  # whether a turn was begun here that has not ended
    _told: int = field(default=0, init=False)
    _broken_off: set[str] = field(default_factory=set, init=False)  # threads whose turn was stopped by the user

    @property
    def scope(self) -> Scope:
        """The user in the present thread."""
        return Scope(user=self.record.user, thread=self.record.thread)

    @property
    def owner(self) -> Scope:
        """The user, whatever the thread."""
        return Scope(user=self.record.user)

    @property
    def unfinished(self) -> bool:
        """Whether the thread's last task has not ended."""
        return self._asked or self.open_task is not None

    @property
    def open_task(self) -> StoredTask | None:
        """The thread's last task, if it has not ended."""
        task = known_task(self.memory, self.record.user, self.record.thread)
        return None if task is None or task.state["finished"] else task

    @property
    def begun(self) -> bool:
        """Whether anything was asked in the present thread, now or earlier."""
        task = known_task(self.memory, self.record.user, self.record.thread)
        return task is not None or self.record.thread in self.visited

    def say(self, key: str, **values: object) -> None:
        """One of the chat's own sentences."""
        print_broken(self.console, say(self.lang, key, **values), QUIET)

    def ask(self, text: str) -> None:
        """Take one turn and show its answer.

        Args:
            text: the user's words; empty goes on with the task that has not ended.

        Raises:
            ThreadAtWork: another process works on the thread; nothing was begun.
            MemorySecretaryError: the turn could not be ended; it can be gone on with.
            KeyboardInterrupt: Ctrl-C; the turn goes on until :meth:`stop`.
        """
        self._settle()
        before, self.failed = self.failed, True
        with ExitStack() as held:
            held.enter_context(at_work(self.folder, self.record.user, self.record.thread))
            self._prepare(text)
            ended = held.pop_all().close
        turn = self._turns[self.record.thread] = Turn(
            lambda: parts_of(self.graph, self.record, fresh=bool(text)), ended
        )
        state = self._shown(turn, first="" if text else next_of(self.graph, self.record))
        self.failed, self._asked = before or state["status"] != "done", False
        self._tell()

    def values(self) -> Mapping[str, Any]:
        """The thread's state as the last step left it; empty before the first."""
        found: Mapping[str, Any] = self.graph.get_state({"configurable": {"thread_id": self.record.thread}}).values
        return found

    def move_to(self, thread: str) -> None:
        """Close the session in this thread and go on in another; where a step is still ending, it is closed later."""
        if not self._busy(self.record.thread):
            self._close_one(self.record.thread)
        self.record, self._asked = replace(self.record, thread=thread, goal=""), False

    def stop(self) -> None:
        """End the present turn: at once where it waits for a model, else with the step that is at work."""
        if self._asked:
            self._broken_off.add(self.record.thread)
        for turn in self._turns.values():
            turn.stop()

    def close(self, grace: float) -> bool:
        """Close the session in every thread that was visited.

        Args:
            grace: seconds that a step at work is given to end.

        Returns:
            Whether no step is at work any more, so that the memory may be closed.
        """
        self.stop()
        for thread in sorted(self.visited):
            self._close_one(thread)
        for turn in self._turns.values():
            turn.wait(grace)
        return not any(map(self._busy, self._turns))

    def _prepare(self, text: str) -> None:
        """Make everything ready for a turn of the present thread, which is this process's now."""
        if text and self.record.thread in self._broken_off:
            self._give_up()
        self._broken_off.discard(self.record.thread)
        if text:
            self.record = replace(self.record, goal=text)
            cli_runs.save(self.folder, self.record)
        self.visited.add(self.record.thread)
        self._asked = True

    def _give_up(self) -> None:
        """Let go of the turn that was stopped: what is said next begins a task of its own and no part of that one."""
        config, values = {"configurable": {"thread_id": self.record.thread}}, self.values()
        task, messages = values.get("task_state"), values.get("messages") or []
        update: dict[str, Any] = {"request": messages[-1].id} if messages else {}
        if task and not task["finished"]:
            ended = {**task, "finished": True}
            update |= {"task_state": ended, "latest": "", "newest": None, "next": None, "also": [], "status": "stopped"}
        if update:
            self.graph.update_state(config, update, as_node="precipitate")
        stored = known_task(self.memory, self.record.user, self.record.thread)
        if stored is not None and not stored.state["finished"]:
            view = self.memory.view(Role.SECRETARY, self.scope)
            view.save_task_state(TaskState(**{**stored.state, "finished": True}), head=stored.head, step=stored.step)

    def _close_one(self, thread: str) -> None:
        if thread in self.visited:
            self.memory.close_session(Scope(user=self.record.user, thread=thread))
            self.visited.discard(thread)

    def _settle(self) -> None:
        """Wait for a step that was told to stop: two of one thread must not work at the same time."""
        if not self._busy(self.record.thread):
            return
        with busy(self.console, say(self.lang, "chat_settling"), shown=not self.as_json):
            self._turns[self.record.thread].wait()

    def _busy(self, thread: str) -> bool:
        """Whether a step of the thread is still at work."""
        return thread in self._turns and self._turns[thread].busy

    def _shown(self, turn: Turn, first: str) -> dict[str, Any]:
        view = None if self.as_json else ChatView(self.console, self.lang, steps=self.steps, first=first)
        state = watched(turn, view, self.console)
        self._print_end(state)
        return state

    def _print_end(self, state: dict[str, Any]) -> None:
        if self.as_json:
            print_result(state, self.record, None, self.console)
        elif state["status"] != "done":
            reason = term(self.lang, "stop", state["stop_reason"])
            status = f"{say(self.lang, state['status'])}{colon(self.lang)}{reason}"
            print_broken(self.console, status, WARNING)

    def _tell(self) -> None:
        """What the memory could not do as asked, each said once."""
        notices = self.memory.notices[self._told :]
        self._told += len(notices)
        print_notices(notices, self.lang)
