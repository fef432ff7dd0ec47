"""Whether forgetting is an agent's problem: its errors by the kinds of the first seed's table, each with its cause.

An error is due to forgetting where the text that would have prevented it stands in the trace, but was outside the
window when the error was made. Everything is decided by code from the messages alone, and in doubt nothing is an error:
what is found can be relied on, what is not found may still be wrong. (Source of the kinds and of the advice to look
before a memory is built: the first seed, sections 1.2, 3.2 and 5.3.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_secretary.graph.evaluation.diagnosis.contradictions import contradiction
from memory_secretary.graph.evaluation.diagnosis.goal import goal_lost
from memory_secretary.graph.evaluation.diagnosis.inventions import invention
from memory_secretary.graph.evaluation.diagnosis.messages import Message
from memory_secretary.graph.evaluation.diagnosis.missing import missing_information
from memory_secretary.graph.evaluation.diagnosis.repeats import step_repeated
from memory_secretary.graph.evaluation.diagnosis.shared import Error, Finder
from memory_secretary.graph.evaluation.diagnosis.window import Window

Verdict = Literal["none", "forgetting", "partly", "not_forgetting"]
"""No error of these kinds; at least half of them are due to forgetting; fewer; none."""

Kind = Literal["goal_lost", "step_repeated", "contradiction", "missing_information", "invention"]

KINDS: Mapping[Kind, Finder] = {
    "goal_lost": goal_lost,
    "step_repeated": step_repeated,
    "contradiction": contradiction,
    "missing_information": missing_information,
    "invention": invention,
}
"""How the errors of each kind are found, in the order of the first seed's table."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One error.

    Attributes:
        kind: goal lost, step repeated, contradiction, missing information or invention.
        step: the assistant's decision in which it shows, from 1.
        quote: what was said or called there.
        needed_step: the decision after which the needed text came, 0 for before the first; None where no text of the
            trace would have prevented it.
        needed: that text.
        outside: whether the needed text was outside the window at that moment, so that forgetting is the cause.
    """

    kind: Kind
    step: int
    quote: str
    needed_step: int | None
    needed: str
    outside: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What came of looking at a trace.

    Attributes:
        window: tokens that the model reads and writes in one call.
        messages: how many messages there are.
        steps: how many decisions of the assistant.
        tokens: of all messages together.
        full_at: the first decision at which not everything before it fits the window any more; None where all fits.
        findings: the errors, in the order of their steps.
    """

    window: int
    messages: int
    steps: int
    tokens: int
    full_at: int | None
    findings: tuple[Finding, ...]

    @property
    def explained(self) -> int:
        """How many errors are due to forgetting."""
        return sum(finding.outside for finding in self.findings)

    @property
    def verdict(self) -> Verdict:
        """What the errors come to."""
        if not self.findings:
            return "none"
        if not self.explained:
            return "not_forgetting"
        return "forgetting" if 2 * self.explained >= len(self.findings) else "partly"


def diagnose(messages: Sequence[Message], window: int, *, keeps_request: bool = False) -> Diagnosis:
    """Look for errors in a trace, and at what was in the window when each was made.

    Args:
        messages: the trace; see :func:`~memory_secretary.graph.evaluation.diagnosis.messages.read_messages`.
        window: tokens that the model reads and writes in one call.
        keeps_request: whether the agent keeps the user's newest message in its prompt however long the task becomes.
    """
    sliding = Window(messages, window, keeps_request=keeps_request)
    found = [_finding(kind, error, messages, sliding) for kind, error in _errors(messages)]
    return Diagnosis(
        window=window,
        messages=len(messages),
        steps=max((message.step for message in messages), default=0),
        tokens=sliding.tokens,
        full_at=sliding.full_at(),
        findings=tuple(sorted(found, key=lambda finding: finding.step)),
    )


def _errors(messages: Sequence[Message]) -> Iterator[tuple[Kind, Error]]:
    """Every error once: a sentence that is one of two kinds counts as the first."""
    seen: list[Error] = []
    for kind, errors in KINDS.items():
        for error in errors(messages):
            if not any(error.at == other.at and _same(error.quote, other.quote) for other in seen):
                seen.append(error)
                yield kind, error


def _same(one: str, other: str) -> bool:
    return one in other or other in one


def _finding(kind: Kind, error: Error, messages: Sequence[Message], sliding: Window) -> Finding:
    needed = error.needed
    return Finding(
        kind=kind,
        step=messages[error.at].step,
        quote=error.quote,
        needed_step=None if needed is None else messages[needed].step,
        needed=error.told,
        outside=needed is not None and not sliding.holds(error.at, needed),
    )
