"""What a caller has handed in: which messages are new, what they say in words, and how long the state keeps them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.records import short_ref
from memory_secretary.memory.tokens import clip
from memory_secretary.nodes.state import State

KEPT_CHARACTERS = 4000
"""Characters of one message that the state keeps; the whole of it stands in the ledger."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The messages of one input that were not taken up yet.

    Attributes:
        messages: all of them, in order.
        request: the user's newest messages that nobody has answered in between: together they are what is wanted.
        rules: the caller's system messages; without any in this input, the newest one of the thread.
    """

    messages: Sequence[BaseMessage]
    request: Sequence[HumanMessage]
    rules: Sequence[SystemMessage]

    @property
    def text(self) -> str:
        """The user's words, one message after the other."""
        return "\n\n".join(filter(str.strip, map(text_of, self.request)))


def turn_of(state: State) -> Turn | None:
    """The user's turn that was not taken up yet, or None.

    Raises:
        InvalidRecord: something was handed in and there are no words of a user in it.
    """
    messages = state.get("messages") or []
    new = _after(messages, state.get("request", ""))
    request = _request(new)
    rules = [message for message in new if isinstance(message, SystemMessage)]
    if not request and not rules:
        return None
    if not request:
        msg = 'the input has a system message and none of the user: add what is wanted as ("user", "…")'
        raise InvalidRecord(msg, zh='输入只有系统消息，没有用户消息：请用 ("user", "…") 加上要做的事')
    if not any(words_of(message).strip() for message in request):
        msg = "the message has no words, and words are all that is understood here: say what is to be done"
        raise InvalidRecord(msg, zh="消息里没有文字，而这里只能理解文字：请说明要做什么")
    standing = [message for message in messages if isinstance(message, SystemMessage)][-1:]
    return Turn(new, request, rules or standing)


def begins(state: State) -> bool:
    """Whether a run begins here: with a turn that was not taken up yet, or after one that has ended or was stopped."""
    return turn_of(state) is not None or state.get("status", "stopped") != "running"


def step_of(state: State) -> int:
    """The number of the step that is at work or comes next; those of a run count from 0."""
    return 0 if begins(state) else state.get("step", 0)


def words_of(message: BaseMessage) -> str:
    """The text in a message's content and nothing else."""
    return "\n".join(text for block in _blocks(message) if (text := _words(block)) is not None)


def text_of(message: BaseMessage) -> str:
    """A message's content as text; a block of another kind, such as an image, is named as not understood.

    An AI message's other blocks are its tool calls and its reasoning, which are no part of what it said.
    """
    if isinstance(message, AIMessage):
        return words_of(message)
    return "\n".join(_named(block) for block in _blocks(message))


def kept(text: str, ref: str, limit: int = KEPT_CHARACTERS) -> str:
    """A text as the state keeps it: whole, or its head and tail with the way to the rest in the ledger.

    Args:
        text: what was said.
        ref: the event that holds all of it.
        limit: characters that are kept at most.
    """
    return clip(text, limit, len, ref=short_ref(ref))


def _after(messages: Sequence[BaseMessage], taken: str) -> Sequence[BaseMessage]:
    """The messages after the one that was taken up last; when that one is gone, only a user's at the end is new."""
    place = next((n for n, message in enumerate(messages) if message.id == taken), None)
    if place is not None or not taken:
        return messages[0 if place is None else place + 1 :]
    return [message for message in messages[-1:] if isinstance(message, HumanMessage)]


def _request(messages: Sequence[BaseMessage]) -> list[HumanMessage]:
    found: list[HumanMessage] = []
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            found.insert(0, message)
        elif found and not isinstance(message, SystemMessage):
            break
    return found


def _blocks(message: BaseMessage) -> Sequence[Any]:
    return [message.content] if isinstance(message.content, str) else message.content


def _words(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else None


def _named(block: Any) -> str:
    words = _words(block)
    if words is not None:
        return words
    kind = block.get("type", "data") if isinstance(block, dict) else type(block).__name__
    size = len(json.dumps(block, default=str))
    return said(
        f"[{kind}, {size} characters: not understood, only text is]", f"[{kind}，{size} 个字符：无法理解，只能读文字]"
    )
