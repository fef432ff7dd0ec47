"""What is measured of a ranked list of ids: pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2


def any_at(k: int, ranked: Sequence[str], wanted: Collection[str]) -> float:
    """1 when one of ``wanted`` is among the first ``k``."""
    return float(any(ref in wanted for ref in ranked[:k]))


def all_at(k: int, ranked: Sequence[str], wanted: Collection[str]) -> float:
    """1 when all of ``wanted`` are among the first ``k``."""
    return float(set(wanted) <= set(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], wanted: Collection[str]) -> float:
    """1 / rank of the first of ``wanted``, 0 when none came."""
    return next((1 / rank for rank, ref in enumerate(ranked, start=1) if ref in wanted), 0.0)


def ndcg_at(k: int, ranked: Sequence[str], wanted: Collection[str]) -> float:
    """Normalised discounted cumulative gain of the first ``k``; each of ``wanted`` is worth the same, once."""
    gain = sum(1 / log2(ranked.index(ref) + 2) for ref in set(wanted) if ref in ranked[:k])
    best = sum(1 / log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return gain / best


def comes_first(ranked: Sequence[str], current: Collection[str], former: Collection[str]) -> bool:
    """Whether a hit with the current value came, and none with a former value before it."""
    return next((ref in current for ref in ranked if ref in current or ref in former), False)
