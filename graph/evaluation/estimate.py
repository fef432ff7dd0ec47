"""How long runs will take, before they are made: by what was measured, scaled by the runs already made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_secretary.graph.evaluation.trial import MORE_STEPS, STEPS_PER_NEEDED

_DECISION = 10.0
"""Seconds of one decision over a full window of 2,048 tokens (the embedded 1.5B, two idle cores: 126 s for 9.3 steps
of the example, 50 to 170 s for up to 16 steps of a short long task; benchmarks/RESULTS.md)."""
_USED = 0.8
"""Share of its limit of steps that a plain arm uses up: it seldom ends by itself."""
_SUMMARIES = 1.3
"""The rolling summary's time beside the sliding window's."""
_UNTIL_FULL = 6
"""Decisions until a window of 2,048 tokens is full."""
_OURS, _OURS_PER_STEP = 12.0, 5.0
"""Seconds of a run with the secretary, and for each needed step (20 to 45 s for 3 steps, 20 to 112 s for 4 to 10)."""


def usual_seconds(arm: str, needed: int) -> float:
    """Seconds of one run with the embedded 1.5B on two idle cores.

    Args:
        arm: ``none``, ``full``, ``summary``, ``secretary`` or ``secretary-own``.
        needed: tool calls of a worker without a mistake.
    """
    plain = (STEPS_PER_NEEDED * needed + MORE_STEPS) * _USED * _DECISION
    if arm == "full":
        return min(plain, _UNTIL_FULL * _DECISION)
    return {"none": plain, "summary": plain * _SUMMARIES}.get(arm, _OURS + _OURS_PER_STEP * needed)


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long runs take.

    Attributes:
        seconds: of all of them, or None where nothing is known yet.
        basis: runs made before, with these models, that it rests on; 0 means what is usual.
    """

    seconds: float | None
    basis: int


def estimate(runs: Sequence[tuple[str, int]], made: Sequence[Mapping[str, Any]], *, embedded: bool) -> Estimate:
    """How long ``runs`` (arm and needed steps of each) will take.

    Args:
        runs: what is still to be done.
        made: rows of runs with the same models; an arm that is not among them is scaled by the others.
        embedded: whether the executor is the embedded model, whose usual seconds are known.
    """
    factors = {arm: _factor([row for row in made if row["arm"] == arm]) for arm, _ in runs}
    overall = _factor(made) or (1.0 if embedded else None)
    if overall is None:
        return Estimate(None, 0)
    return Estimate(sum(usual_seconds(arm, needed) * (factors[arm] or overall) for arm, needed in runs), len(made))


def _factor(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """How much longer than usual these runs took; None for no runs."""
    usual = sum(usual_seconds(row["arm"], row["needed"]) for row in rows)
    return sum(float(row["seconds"]) for row in rows) / usual if usual else None
