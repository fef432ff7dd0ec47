"""What the secretary may cost in one run, and what it has cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

from memory_secretary.nodes.options import Options
from memory_secretary.nodes.state import Figures

_GIVEN_UP = 2
"""Calls without an answer after which a run goes on without the secretary: each may have cost a whole timeout."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left for the secretary in this run."""

    calls: int
    tokens: int
    """Of prompts and replies together; the call that goes beyond it is the last."""


class Removed(TypedDict):
    """Words of a model that its source does not hold: what they were to be, the words, and the source."""

    what: str
    text: str
    source: str


@dataclass
class Tally:
    """What the secretary has cost in this step. Calls that failed count too."""

    calls: int = 0
    unreachable: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    reply_tokens: int = 0
    problems: list[str] = field(default_factory=list)
    """Why it could not be asked or understood."""
    notes: list[str] = field(default_factory=list)
    """What it could not find out; told to the user with this step."""
    removed: list[Removed] = field(default_factory=list)
    """What it wrote and does not count, since its source does not say so."""

    @property
    def tokens(self) -> int:
        """Tokens of prompts and replies together."""
        return self.prompt_tokens + self.reply_tokens


def allowance(options: Options, figures: Figures) -> Allowance:
    """What a run's limits leave after its figures: nothing once the server has failed to answer twice."""
    if figures["secretary_unreachable"] >= _GIVEN_UP:
        return Allowance(0, 0)
    return Allowance(
        options.secretary_calls - figures["secretary_calls"], options.secretary_tokens - figures["secretary_tokens"]
    )


def charged(figures: Figures, tally: Tally) -> Figures:
    """The run's figures with what the secretary has cost in one step."""
    return Figures(
        **{
            **figures,
            "secretary_calls": figures["secretary_calls"] + tally.calls,
            "secretary_unreachable": figures["secretary_unreachable"] + tally.unreachable,
            "secretary_tokens": figures["secretary_tokens"] + tally.tokens,
            "secretary_reply_tokens": figures["secretary_reply_tokens"] + tally.reply_tokens,
        }
    )
