"""An answer that is longer than the user wants it, said in fewer words by the model that gave it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory_secretary.nodes.answer_form import Limit, in_one_line, too_long
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.wording import Wording

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"shorter": {"type": "string"}},
    "required": ["shorter"],
}
"""Of a reply that says a text in fewer words."""

_HEADLINE_SHARE = 0.75
"""Part of the limit that the second request names: a small model writes a fifth to a third more than it is told."""


def shortened(
    answer: str, limits: Sequence[Limit], words: Wording, ask: Callable[[str], Mapping[str, Any] | None]
) -> str:
    """The answer as short as the user wants it, as far as the model can say it so.

    Told within the whole task that its answer is too long, a small model writes the same again; asked to shorten a
    text and nothing else, it does, and what it gave it can shorten further to a headline.

    Args:
        answer: the model's answer.
        limits: how long it may be.
        words: the user's language.
        ask: gives the reply to a prompt, as the object that :data:`SCHEMA` describes, or None.
    """
    answer = in_one_line(answer, limits)
    for request, share in ((words.shorten, 1.0), (words.headline, _HEADLINE_SHARE)):
        limit = too_long(answer, limits)
        if limit is None:
            break
        most = max(1, int(limit.most * share))
        answer = shorter_of(answer, ask(request.format(most=most, unit=limit.named, text=answer)), limit)
    return answer


def shorter_of(answer: str, reply: Mapping[str, Any] | None, limit: Limit) -> str:
    """The reply where it says the answer in fewer words, with no number that the answer has not; else the answer."""
    text = str((reply or {}).get("shorter") or "").strip()
    known = {number.value for number in numbers_in(answer)}
    sound = bool(text) and limit.count(text) < limit.count(answer)
    return text if sound and all(number.value in known for number in numbers_in(text)) else answer
