"""How a tool of ours says no: with a sentence, in the language of the run, that names what to call instead."""

from __future__ import annotations

from langchain_core.tools import ToolException

from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.errors import MemorySecretaryError


class Refusal(MemorySecretaryError, ToolException):
    """A call cannot be served."""


def told(error: ToolException) -> str:
    """What the model reads of a refusal."""
    return error.sentence(spoken()) if isinstance(error, Refusal) else str(error)
