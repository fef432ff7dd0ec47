"""A finding of the doctor: what is so, how bad it is, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from memory_secretary.graph.doctor.words import word
from memory_secretary.graph.words import Lang
from memory_secretary.memory.errors import MemorySecretaryError


class Severity(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOTE = "note"
    """Good to know; nothing has to be done."""
    WARNING = "warning"
    """It works, but worse than it could, or not before something is done."""
    FAULT = "fault"
    """It does not work."""


EXIT_STATUS = {Severity.OK: 0, Severity.NOTE: 0, Severity.WARNING: 1, Severity.FAULT: 2}
"""The doctor's exit status is that of its worst finding."""

_ORDER = tuple(EXIT_STATUS)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's screen.

    Attributes:
        name: what was looked at; the same in every language and release.
        severity: how much it matters.
        sentence: what is so.
        cure: what to do about it; empty where nothing is to be done or the sentence says it.
        role: ``executor`` or ``secretary`` where the two have different models, else empty.
        facts: the figures behind the sentence, for programs.
    """

    name: str
    severity: Severity
    sentence: str
    cure: str = ""
    role: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


Check = Callable[[], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Notes:
    """Makes findings in one language.

    Attributes:
        lang: the language of sentences and cures.
        role: whose model is looked at; empty when both roles have the same.
    """

    lang: Lang
    role: str = ""

    def make(self, name: str, severity: Severity, key: str, /, *, cure: str = "", **facts: Any) -> Finding:
        """A finding from the phrases ``key`` and, where given, ``cure``; both may use the facts."""
        said = word(self.lang, key, **facts)
        return Finding(name, severity, said, word(self.lang, cure, **facts) if cure else "", self.role, facts)

    def refused(self, name: str, error: BaseException) -> Finding:
        """The fault that an error means; ours name their cure, others are named with a cure of last resort."""
        if isinstance(error, MemorySecretaryError):
            return Finding(name, Severity.FAULT, error.sentence(self.lang), role=self.role)
        return self.make(name, Severity.FAULT, "broke", cure="broke_cure", error=f"{type(error).__name__}: {error}")


def examined(name: str, check: Check, notes: Notes) -> Iterator[Finding]:
    """What a check finds; where it breaks off, that is a fault of its own, and the next check has its turn."""
    try:
        yield from check()
    except (MemorySecretaryError, OSError, ImportError, ValueError, TypeError, RuntimeError, LookupError) as error:
        yield notes.refused(name, error)


def worst(findings: Iterable[Finding]) -> Severity:
    """The highest severity; OK where nothing was found."""
    return max((finding.severity for finding in findings), key=_ORDER.index, default=Severity.OK)


def first_finding(findings: Sequence[Finding]) -> Finding | None:
    """What to begin with: the first of the worst findings; None when nothing is wrong."""
    found = worst(findings)
    return next((finding for finding in findings if finding.severity is found and EXIT_STATUS[found]), None)


def slow_finding(findings: Sequence[Finding]) -> Finding | None:
    """What says that a step takes long here; None where none does."""
    return next((each for each in findings if each.name == "speed" and each.severity is Severity.WARNING), None)


def first_cure(findings: Sequence[Finding]) -> str:
    """What to do first; empty when nothing is wrong."""
    chosen = first_finding(findings)
    return (chosen.cure or chosen.sentence) if chosen else ""
