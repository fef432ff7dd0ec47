"""A chat model made ready: what it is called, how much it reads, how its tokens are counted, how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from langchain_core.language_models import BaseChatModel

from memory_secretary.memory.tokens import TokenCounter


class Provider(StrEnum):
    """Which client speaks to the model, and so where its options go."""

    OLLAMA = "ollama"
    OPENAI = "openai"
    LLAMA_CPP = "llama.cpp"
    """OpenAI's protocol with llama.cpp's additions (slots)."""
    OTHER = "other"
    """Any other chat model: only messages are sent, no options."""


class Structured(StrEnum):
    """The best way in which a server can be held to a JSON schema."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    """Some JSON object; the schema stands in the prompt."""
    TEXT = "text"
    """Nothing; the schema stands in the prompt and JSON is looked for in the text."""


def _nothing() -> None:
    """Nothing to release."""


@dataclass(frozen=True, slots=True)
class ModelHandle:
    """A chat model and what has to be known about it.

    Attributes:
        model: the client.
        name: the model as its server knows it.
        window: tokens it reads and writes in one call.
        count: counts a text's tokens, by the server's tokenizer where it has one, else never too few.
        server: who answers, for error sentences.
        url: where the server's protocol is spoken; empty for a model whose server is not ours to ask.
        provider: which client it is.
        structured: how it can be held to a schema; None means that one probe will find out.
        slot: the llama.cpp slot that keeps this role's prompt cache; None lets the server choose.
        slots: how many slots the server has.
        limit: the server's word for the limit of a reply.
        release: called by :meth:`close`.
    """

    model: BaseChatModel
    name: str
    window: int
    count: TokenCounter
    server: str
    provider: Provider = Provider.OTHER
    structured: Structured | None = Structured.TEXT
    slot: int | None = None
    slots: int = 1
    limit: str = "max_tokens"
    url: str = ""
    release: Callable[[], None] = _nothing

    def for_role(self, slot: int) -> ModelHandle:
        """The same model for one role, whose prompts stay in a slot of their own where the server has slots.

        Args:
            slot: the role's number from 0; taken modulo the number of slots.
        """
        return replace(self, slot=slot % self.slots) if self.provider is Provider.LLAMA_CPP else self

    def close(self) -> None:
        """Give the model's server back; needed for embedded models only, and only once for all roles."""
        self.release()
