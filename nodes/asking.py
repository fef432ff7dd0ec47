"""The tool ``ask``: the executor puts a question to the secretary, which answers from the records and names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolRuntime

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.records import ASK, Recalled
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.memory.tokens import clip
from memory_secretary.nodes.digest import choose
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.nodes.spending import Tally
from memory_secretary.tools.effects import Effect, mark
from memory_secretary.tools.records import RecordError, ViewOf, hit_line, nothing_fits
from memory_secretary.tools.refusal import told

_RECORDS = 8
"""Passages that the secretary is shown for one question."""
_SHOWN = 3
"""Records that an answer quotes, or that are shown in its place."""
_PASSAGE, _QUOTE = 200, 60
"""Tokens of a passage as the secretary sees it, and as the executor does."""

SecretaryOf = Callable[[ToolRuntime[Any]], Secretary]
"""The secretary within what the run that a tool is called in may still spend."""


def ask_tool(view_of: ViewOf, secretary_of: SecretaryOf) -> BaseTool:
    """``ask`` over what may be seen in the run that calls it.

    Its artifact is the :class:`~memory_secretary.nodes.spending.Tally` of what the answer has cost.
    """

    def ask(question: str, runtime: ToolRuntime[Any]) -> tuple[str, Tally]:
        """Ask the secretary about anything seen or done earlier; it answers from the records."""
        if not question.strip():
            msg = "The question is empty; ask for what you want to know from the records."
            raise RecordError(msg, zh="问题是空的；请写出想从记录中知道的内容。")
        task: TaskState | None = runtime.state.get("task_state")
        request = {task["goal_ref"]} if task else set()
        head = runtime.state.get("head") or None
        hits = view_of(runtime).recall(question, k=_RECORDS, head=head, exclude=request)
        secretary = secretary_of(runtime)
        return answered(question, whole_goal(task) if task else "", hits, secretary), secretary.tally

    tool = StructuredTool.from_function(ask, name=ASK, response_format="content_and_artifact", handle_tool_error=told)
    return mark(tool, Effect.READ_ONLY)


def answered(question: str, goal: str, hits: Sequence[Recalled], secretary: Secretary) -> str:
    """The secretary's answer with the passages it rests on; where it has none, the nearest passages and why.

    Args:
        question: what the executor asks.
        goal: the user's words.
        hits: the records that fit the question best, best first.
        secretary: is asked once.
    """
    if not hits:
        return nothing_fits(question)
    records = [f"({hit.at:%Y-%m-%d}) {clip(' '.join(hit.text.split()), _PASSAGE)}" for hit in hits]
    answer, places = secretary.answer(goal, question, records)
    if answer:
        return "\n".join([answer, *(_quoted(hits[place], [question, answer]) for place in places[:_SHOWN])])
    problem = "; ".join(secretary.tally.problems)
    if problem:
        head = said(f"The secretary could not answer ({problem}). Nearest:", f"秘书无法回答（{problem}）。最接近的：")
    else:
        head = said("The records do not say it for certain. Nearest:", "记录中没有确切说明。最接近的：")
    return "\n".join([head, *(_quoted(hit, [question]) for hit in hits[:_SHOWN])])


def _quoted(hit: Recalled, wanted: Sequence[str]) -> str:
    """One record as the executor sees it: its ref, its date, and the lines that matter, word for word."""
    lines = " ".join(piece.text for piece in choose(hit.text, wanted, budget=_QUOTE)) or clip(hit.text, _QUOTE)
    return f"- {hit_line(hit, lines)}"
