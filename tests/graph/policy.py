"""Chat models that act by a rule, for runs whose length a test does not want to count in advance."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

Rule = Callable[[str], dict[str, Any] | str]
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


def select_all(prompt: str, wanted: str) -> dict[str, Any]:
    """The secretary's selection: every call whose line holds ``wanted``."""
    lines = re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE)
    return {number: "yes" if wanted in line else "no" for number, line in lines}


def worker(*, first: dict[str, Any], folder: str, field: str, answer: Callable[[str], str]) -> Rule:
    """A capable model in both roles: lists, does every open item in turn, and answers from the brief."""

    def rule(prompt: str) -> dict[str, Any] | str:
        if "What has to be looked for" in prompt:
            return {"look_for": [field]}
        if "These calls are possible now" in prompt:
            return select_all(prompt, folder)
        if "of this record itself?" in prompt:
            return {"choice": "1"}
        if labels(prompt):
            return {"thought": "the next one", "choice": labels(prompt)[0]}
        return first if "→" not in prompt else step("final_answer", answer=answer(prompt))

    return rule
