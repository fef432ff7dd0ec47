"""The files that hold most of a search's words, where none holds it word for word."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import TIME, months_in

_LEAST = 0.5
"""Share of the search, by weight, that a file must hold; less is chance."""
_BESIDE = 0.6
"""Share of the best file's score that others must reach to be named beside it."""
_TITLE = 200
"""Characters at a file's beginning that, with its name, say what and when it is about."""

Held = tuple[set[str], set[str]]
"""The terms of a search that a file's title has, and those that its text has."""


def nearest_files(wanted: str, files: Iterable[tuple[str, str]], most: int) -> list[str]:
    """The names of the files that hold most of a search's words, best first.

    A word weighs by its rarity among the files (as idf does), one that none has as one that all have. It counts once in
    a file's text and once more in its title. A month counts in the title alone, however it is written, since every
    report speaks of the month before, too; and where a file of that month is found, those of others are not meant.

    Args:
        wanted: what is searched for.
        files: names and texts; no text is held.
        most: at most so many.
    """
    terms = set(_terms(wanted))
    held = {name: _held(terms, name, text) for name, text in files}
    counts = {term: sum(term in title | text for title, text in held.values()) for term in terms}
    weights = {term: math.log(1 + len(held) / max(1, count or len(held))) for term, count in counts.items()}
    least = _LEAST * sum(weights.values())
    scores = {
        name: sum(weights[term] for term in title) + sum(weights[term] for term in text)
        for name, (title, text) in held.items()
        if title | text and sum(weights[term] for term in title | text) >= least
    }
    asked = months_in(wanted)
    of_month = {name: score for name, score in scores.items() if asked & months_in(name)}
    scores = of_month or scores
    best = max(scores.values(), default=0.0)
    near = [name for name, score in scores.items() if score >= _BESIDE * best]
    return sorted(near, key=lambda name: -scores[name])[:most]


def _terms(text: str) -> Iterator[str]:
    """Words, pairs of Chinese signs, and months; single Chinese signs stand in any text."""
    yield from (f"month {month}" for month in months_in(text))
    bare = TIME.sub(" ", text)
    yield from (t for t in tokens(bare) if t not in STOPWORDS and (len(t) > 1 or t < "\u2e80") and t[:4] != "date")


def _held(terms: set[str], name: str, text: str) -> Held:
    title, whole = f"{name}\n{text[:_TITLE]}", f"{name}\n{text}".casefold()
    first = title.casefold()
    months = {f"month {month}" for month in months_in(name) or months_in(title)}
    return {t for t in terms if t in first} | (terms & months), {t for t in terms if t in whole}
