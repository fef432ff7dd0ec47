"""The code-made brief for anyone's own agent, without the graph and without a model."""

from __future__ import annotations

from memory_secretary.memory.task_state import new_task
from memory_secretary.memory.tokens import TokenCounter, estimate_tokens
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.brief import fit, sections_of
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.retrieve import kept_apart, may_stand, refs_of, shown, standing
from memory_secretary.nodes.wording import wording


def compose_brief(
    view: SecretaryView,
    focus: str = "",
    *,
    tokens: int = 800,
    k: int = 5,
    lang: str = "auto",
    zone: str = "UTC",
    count: TokenCounter = estimate_tokens,
) -> str:
    """What a model with a small window should know now: the thread's task and the memories that matter.

    Args:
        view: ``memory.view(Role.SECRETARY, scope)``; its thread's task is shown, if it has one.
        focus: what the model is about to do; empty takes the task's goal.
        tokens: the brief's budget, by ``count``; it is never exceeded.
        k: memories to recall.
        lang: ``en``, ``zh``, or ``auto`` for the language of the goal.
        zone: IANA zone of the dates.
        count: counts tokens as the reading model does.

    Returns:
        Markdown; the empty string when there is neither a task nor a focus.
    """
    stored = view.load_task_state() if view.scope.thread else None
    task = stored.state if stored else new_task(task_id="", goal=focus, goal_ref="")
    if not task["goal"]:
        return ""
    found = view.recall(focus or task["goal"], k, exclude=refs_of(task) - {""})
    found = may_stand(found, view.scope.thread)
    memories = [shown(hit, zone) for hit in [*standing(view, {hit.ref for hit in found}), *found]]
    kept, recalled = kept_apart(memories)
    words = wording(language_of(task["goal"]) if lang == "auto" else lang)
    return fit(sections_of(task, words, recalled=recalled, kept=kept), tokens, words, count).text
