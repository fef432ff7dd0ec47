"""What of a long observation goes into the brief: passages chosen by code, never rewritten."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memory_secretary.memory.lexical import tokens
from memory_secretary.memory.tokens import TokenCounter, clip, estimate_tokens
from memory_secretary.nodes.passages import Passage, passages

_NAME = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b[A-Z][\w-]+")
_NUMBER_BONUS = 0.5
_NAME_BONUS = 0.2
_SECTION = re.compile(r"#{2,6} ")
_AWAY = 0.5
"""Where one section's heading names what is wanted, passages of sections about other things count half."""
_HEADING_SHARE = 0.3
"""A passage inherits this share of its heading's score: figures often stand under the words that name them."""


def rank(pieces: Sequence[Passage], wanted: Iterable[str], known: Iterable[str] = ()) -> list[tuple[float, Passage]]:
    """Score passages by nearness to what is wanted; best first, equal ones in document order.

    Args:
        pieces: the passages of one observation.
        wanted: texts that say what matters (goal, fields, open item); each counts twice as much as the one before.
        known: texts of other records of this task; a passage that stands there word for word says nothing new.

    Returns:
        Pairs of score and passage; a score of 0 or less means that nothing ties the passage to what is wanted.
    """
    words = [set(tokens(piece.text)) for piece in pieces]
    rarity = _rarity(words)
    weights: Counter[str] = Counter()
    for power, text in enumerate(wanted):
        for token in set(tokens(text)):
            weights[token] += 2**power
    near = [sum(weights[token] * rarity[token] for token in own if token in weights) for own in words]
    named = any(score > 0 for piece, score in zip(pieces, near, strict=True) if _SECTION.match(piece.text))
    seen = set(known)
    scored: list[tuple[float, Passage]] = []
    heading, away = 0.0, False
    for piece, score in zip(pieces, near, strict=True):
        if piece.text.startswith("#"):
            heading, away = score, named and score <= 0 and _SECTION.match(piece.text) is not None
            scored.append((0.0 if piece.text in seen else score, piece))
        else:
            worth = _worth(piece.text, score, heading) * (_AWAY if away else 1.0)
            scored.append((0.0 if piece.text in seen else worth, piece))
    return sorted(scored, key=lambda pair: -pair[0])


def _worth(text: str, score: float, heading: float) -> float:
    """A passage's nearness with what its heading, its numbers and its names add."""
    if score > 0 or heading > 0:
        score += _HEADING_SHARE * heading
    if score > 0 and re.search(r"\d", text):
        score *= 1 + _NUMBER_BONUS
    if score > 0 and _NAME.search(text):
        score *= 1 + _NAME_BONUS
    return score


def _rarity(words: Sequence[set[str]]) -> dict[str, float]:
    frequency: Counter[str] = Counter(token for own in words for token in own)
    return {token: math.log(1 + len(words) / count) for token, count in frequency.items()}


def choose(
    text: str,
    wanted: Sequence[str],
    *,
    budget: int,
    count: TokenCounter = estimate_tokens,
    known: Iterable[str] = (),
    most: int = 8,
) -> list[Passage]:
    """The passages of an observation that matter, each once, in document order, within ``budget`` tokens.

    A text that fits is returned whole, as one passage.
    """
    if count(text) <= budget:
        body = text.strip()
        return [Passage(text.index(body), body)] if body else []
    pieces = passages(text)
    chosen: list[Passage] = []
    left = budget
    for score, piece in rank(pieces, wanted, known):
        cost = count(piece.text) + 1
        if score <= 0 or len(chosen) == most:
            break
        if cost <= left and all(piece.text != other.text for other in chosen):
            chosen.append(piece)
            left -= cost
    if not chosen:
        return [Passage(0, clip(text, budget, count))]
    order = {id(piece): position for position, piece in enumerate(pieces)}
    return sorted(chosen, key=lambda piece: order[id(piece)])
