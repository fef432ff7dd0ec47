"""Nodes work on whole task states; between them, and so in checkpoints, long lists of it are folded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.run import RunSource
from memory_secretary.nodes.state import State


class Folding:
    """A node between unfolding the task state that it is given and folding the one that it returns.

    Args:
        node: what is called.
        view: gives the secretary's view of a scope.
        run: settles the scope.
    """

    def __init__(self, node: Callable[..., dict[str, Any]], view: Callable[[Scope], SecretaryView], run: RunSource):
        self._node = node
        self._view = view
        self._run = run

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """The node's update.

        Raises:
            ScopeError: a part of the thread's task is another user's or in another memory.
        """
        view = self._view(self._run(runtime, config).scope)
        task = state.get("task_state")
        update = self._node(state if not task else {**state, "task_state": view.unfold(task)}, runtime, config)
        return update if "task_state" not in update else {**update, "task_state": view.fold(update["task_state"])}
