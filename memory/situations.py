"""The situations that cards are for: is what is asked now one of them, though it shares no word with it?

A question and a situation ("Draft a weekly report template", "writing") are both short, so an embedder finds any two of
them rather alike. What counts is how much nearer the question is to the situation than to the usual ones. With
multilingual-e5-small, of 50 cards that a question calls for 43 come this way among the first five, without it 14; of 50
that it does not call for, 4 come (``benchmarks/situations.py``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

SHELF = "situations"
"""Where the index keeps them, beside the tiers: a situation within a card's own passage hides behind its content."""

MOST = 5
"""Cards that come along with their situations at most."""

USUAL = (
    "gardening", "car repair", "music lessons", "looking after pets", "cleaning the house", "tax returns",
    "job interviews", "history and geography", "photography", "moving to a new flat", "the weather", "buying clothes",
    "repairing a computer", "learning a language",
)  # fmt: skip
USUAL_ZH = (
    "园艺", "修车", "音乐课", "照顾宠物", "打扫房间", "报税", "求职面试", "历史和地理", "摄影", "搬家", "天气",
    "买衣服", "修电脑", "学外语",
)  # fmt: skip
"""Situations from all over; a question may be in one or two of them, so their median is what it is held against."""

_HAN = re.compile("[\u4e00-\u9fff]")


def usual(query: str) -> tuple[str, ...]:
    """The usual situations in the language of ``query``: embedders find texts of one language more alike."""
    return USUAL_ZH if _HAN.search(query) else USUAL


def fit(similarity: float, to_usual: Sequence[float], least: float) -> float:
    """How well a situation fits a question.

    Args:
        similarity: cosine between the two.
        to_usual: cosines between the question and the usual situations.
        least: how much of the way from the usual to the same it has to lie.

    Returns:
        0 below ``least``; 0.5 there, and 1 at twice as much or more.
    """
    base = median(to_usual)
    closeness = (similarity - base) / (1 - base) if base < 1 else 0.0
    return min(1.0, closeness / (2 * least)) if closeness >= least else 0.0
