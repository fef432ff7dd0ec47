"""What recalled cards were good for: counted once, after the run's answer was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.lexical import query_terms
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.run import RunSource
from memory_secretary.nodes.state import RecalledMemory, State

_SPOKEN_OF = 0.5
"""Share of what a card tells beyond the request that an answer holds when it speaks of the card."""


class Counting:
    """The node that ends a run, and after it the counting of the cards that stood in the run's briefs.

    Args:
        node: the node itself.
        view: gives the secretary's view of a scope.
        run: settles the scope, and names the node's execution, by which a run that is taken up again counts once.
    """

    def __init__(self, node: Callable[..., dict[str, Any]], view: Callable[[Scope], SecretaryView], run: RunSource):
        self._node = node
        self._view = view
        self._run = run

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """The node's update; a run that is done has succeeded, one that was stopped has failed."""
        update = self._node(state, runtime, config)
        run = self._run(runtime, config)
        view, shown = self._view(run.scope), state.get("injected") or []
        texts = {ref: text for ref in shown if (text := _content(view, ref))}
        asked, answer = update["task_state"]["goal"], update["answer"]
        cited = [ref for ref, text in texts.items() if cites(answer, ref, text, asked)]
        done = update["status"] == "done"
        view.note_uses(list(texts), cited, succeeded=done, run=run.task_id or update["head"])
        return update


def _content(view: SecretaryView, ref: str) -> str:
    try:
        return view.card(ref).content
    except NotFound:  # forgotten and erased since
        return ""


def in_brief(before: Sequence[str], recalled: Iterable[RecalledMemory], brief: str) -> list[str]:
    """The cards that have stood in the run's briefs so far, each once."""
    cards = [memory["ref"] for memory in recalled if memory["source"] == "card" and memory["ref"] in brief]
    return list(dict.fromkeys([*before, *cards]))


def cites(answer: str, ref: str, content: str, asked: str) -> bool:
    """Whether an answer speaks of a card: names its id, or holds half of what it tells beyond the request.

    A preference such as "short answers" is followed and not spoken of, so not to be cited says nothing against a card.
    """
    told = {word: weight for word, weight in query_terms(content).items() if word not in query_terms(asked)}
    held = query_terms(answer)
    spoken_of = sum(weight for word, weight in told.items() if word in held)
    return ref in answer or (bool(told) and spoken_of >= _SPOKEN_OF * sum(told.values()))
