"""The judgement of one run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a run is right.

    Attributes:
        right: nothing is missing, done twice or wrong.
        missing: what the end lacks, in words; what it should not have begins with :data:`NOT`.
        done_twice: wanted side effects beyond the first of each.
        wrong_effects: side effects that nobody wanted: wrong arguments, or forbidden.
    """

    right: bool
    missing: tuple[str, ...] = ()
    done_twice: int = 0
    wrong_effects: int = 0


NOT = "not "
"""Before a value that an answer must not have."""
