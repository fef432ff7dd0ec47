"""Tables of a comparison: success of every arm with its interval, by any group, and the difference of two arms."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

Row = Mapping[str, Any]
"""One run: ``arm``, ``right``, what tells its task, and its figures."""

_Z = 1.96
"""Of a 95 % interval."""
_DRAWS = 10_000


def wilson(right: int, runs: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927), in 0..1; the whole range for no runs."""
    if runs == 0:
        return 0.0, 1.0
    share, spread = right / runs, _Z**2 / runs
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / runs + spread / (4 * runs)) / (1 + spread)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def paired_difference(
    ours: Sequence[bool], theirs: Sequence[bool], *, draws: int = _DRAWS, seed: int = 1
) -> tuple[float, float, float]:
    """How much more often the first arm is right on the same tasks, and its 95 % paired bootstrap interval.

    Args:
        ours: right or wrong, task by task.
        theirs: the same tasks in the same order.
        draws: resamples of the tasks.
        seed: of the resampling.

    Raises:
        ValueError: the two differ in length, or hold nothing.
    """
    steps = [int(one) - int(other) for one, other in zip(ours, theirs, strict=True)]
    if not steps:
        msg = "no task was run in both arms"
        raise ValueError(msg)
    rng = random.Random(seed)
    drawn = sorted(mean(rng.choices(steps, k=len(steps))) for _ in range(draws))
    return mean(steps), drawn[int(0.025 * draws)], drawn[int(0.975 * draws) - 1]


def arms_table(rows: Sequence[Row], arms: Sequence[str]) -> str:
    """One line per arm: right of all with its interval, side effects done twice, and means over the runs."""
    head = (
        "| arm | right | 95 % | repeats | done twice | wrong effects | steps | prompt tokens | of them read "
        "| secretary calls | seconds |"
    )
    lines = [head, "|" + "---|" * 11]
    for arm in arms:
        group = [row for row in rows if row["arm"] == arm]
        if group:
            lines.append(_arm_line(arm, group))
    return "\n".join(lines)


def _arm_line(arm: str, group: Sequence[Row]) -> str:
    right = sum(row["right"] for row in group)
    low, high = wilson(right, len(group))
    sums = [sum(row[name] for row in group) for name in ("repeats", "done_twice", "wrong_effects")]
    names = ("steps", "prompt_tokens", "read_tokens", "secretary_calls", "seconds")
    means = [mean(row[name] for row in group) for name in names]
    cells = [f"{right} of {len(group)}", f"{low:.0%} to {high:.0%}", *map(str, sums)]
    return f"| {arm} | {' | '.join([*cells, *(f'{value:,.1f}' for value in means)])} |"


def groups_table(rows: Sequence[Row], arms: Sequence[str], name: str, groups: Sequence[str]) -> str:
    """Right of all by arm (down) and by the groups of one column (across)."""
    lines = [f"| arm | {' | '.join(groups)} |", "|" + "---|" * (len(groups) + 1)]
    for arm in arms:
        mine = [row for row in rows if row["arm"] == arm]
        if mine:
            shares = (_share([row for row in mine if row[name] == group]) for group in groups)
            lines.append(f"| {arm} | {' | '.join(shares)} |")
    return "\n".join(lines)


def _share(group: Sequence[Row]) -> str:
    return f"{sum(row['right'] for row in group)} of {len(group)}" if group else "–"


def difference_line(rows: Sequence[Row], ours: str, theirs: str, task: Sequence[str]) -> str:
    """How much more often ``ours`` is right than ``theirs``, on the tasks that both have run.

    Args:
        rows: runs of both arms.
        ours: the first arm.
        theirs: the second.
        task: the columns that tell a task.
    """

    def of(arm: str) -> dict[tuple[Any, ...], bool]:
        return {tuple(row[name] for name in task): bool(row["right"]) for row in rows if row["arm"] == arm}

    first, second = of(ours), of(theirs)
    both = sorted(first.keys() & second.keys(), key=str)
    if not both:
        return f"{ours} and {theirs} have no task in common yet."
    gain, low, high = paired_difference([first[key] for key in both], [second[key] for key in both])
    return (
        f"{ours} against {theirs} on {len(both)} tasks: {100 * gain:+.0f} points "
        f"(paired bootstrap, 95 %: {100 * low:+.0f} to {100 * high:+.0f})."
    )
