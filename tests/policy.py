"""Chat models that act by a rule, for runs whose length a test does not want to count in advance."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from memory_secretary.graph.evaluation import answers
from memory_secretary.graph.evaluation.example_task import TaskVariant, perfect_answer
from memory_secretary.graph.evaluation.example_wording import Kind

Reply = dict[str, Any] | str
Rule = Callable[[str], Reply]
"""From the last message's text to the reply, as data or as raw text."""


class PolicyModel(BaseChatModel):
    """Answers each prompt by its rule and remembers the prompts."""

    rule: Rule
    prompts: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "policy"

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self.prompts.append(list(messages))
        reply = self.rule(str(messages[-1].content))
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def step(action: str, **arguments: Any) -> dict[str, Any]:
    """One step as the executor writes it."""
    return {"step": {"thought": "next", "action": action, "input": arguments}}


def labels(prompt: str) -> list[str]:
    """The labels of the open items on offer, empty when the step is free."""
    offered = re.search(r'"choice": ((?:i\d+, )+)something_else', prompt)
    return re.findall(r"i\d+", offered.group(1)) if offered else []


def select_all(prompt: str, wanted: Sequence[str]) -> dict[str, Any]:
    """The secretary's selection: every call whose line holds one of ``wanted``."""
    lines = re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE)
    return {number: "yes" if any(word in line for word in wanted) else "no" for number, line in lines}


def worker(*, first: dict[str, Any], wanted: Sequence[str], field: str, answer: Callable[[str], Reply]) -> Rule:
    """A capable model in both roles: lists, does every open item in turn, and ends with what ``answer`` says.

    ``answer`` is given the brief; it returns the final answer's text, or one more step.
    """

    def rule(prompt: str) -> Reply:
        if "What has to be looked for" in prompt:
            return {"look_for": [field]}
        if "These calls are possible now" in prompt:
            return select_all(prompt, wanted)
        if "of this record itself?" in prompt:
            return {"choice": "1"}
        if labels(prompt):
            return {"thought": "the next one", "choice": labels(prompt)[0]}
        if f"- {first['step']['action']}(" not in prompt:
            return first
        reply = answer(prompt)
        return step("final_answer", answer=reply) if isinstance(reply, str) else reply

    return rule


def example_worker(task: TaskVariant) -> Rule:
    """Does a task of the example workspace; it can answer only if the brief holds every month's value at the end."""

    def answer(prompt: str) -> str:
        lacking = set(task.measure.months) - answers.numbers(prompt)
        return f"the brief lacks {lacking}" if lacking else perfect_answer(task)

    return worker(
        first=step("list_files", folder=task.depot.folder),
        wanted=(task.depot.folder, *([task.depot.note] if task.kind is Kind.MONTHS_ABOVE else [])),
        field=task.measure.name,
        answer=answer,
    )
