"""An answer that is longer than the user wants it, said in fewer words by the model that gave it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
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

_CLAUSE = re.compile(r"(?:[^，,；;。.！!？?\n]|[.,;!?](?=\S))+(?:[，,；;。.！!？?\n]+\s*|$)")
_LAST_SHARE = 0.75
"""Part of the limit that the second request names: a small model writes a fifth to a third more than it is told."""


def shortened(
    answer: str,
    limits: Sequence[Limit],
    words: Wording,
    ask: Callable[[str], Mapping[str, Any] | None],
    *,
    question: str = "",
) -> str:
    """The answer as short as the user wants it, as far as the model can say it so.

    Told within the whole task that its answer is too long, a small model writes the same again; asked to shorten a
    text and nothing else, it does. What is still too long gives way to its own clauses that fit, else to what the model
    says when it is shown the question again. Asked for a headline it gives a title that answers nothing.

    Args:
        answer: the model's answer.
        limits: how long it may be.
        words: the user's language.
        ask: gives the reply to a prompt, as the object that :data:`SCHEMA` describes, or None.
        question: what the answer is to.
    """
    answer = in_one_line(answer, limits)
    for request, share in ((words.shorten, 1.0), (words.only_asked, _LAST_SHARE)):
        limit = too_long(answer, limits)
        if limit is None:
            return answer
        most = max(1, int(limit.most * share))
        prompt = request.format(most=most, unit=limit.named, text=answer, question=question)
        answer = part_of(shorter_of(answer, ask(prompt), limit, known=question), limit)
    return answer


def part_of(answer: str, limit: Limit) -> str:
    """An answer's first clauses within a limit, if they are half of what is allowed and lose no number.

    What comes first answers; what follows may say nothing of its own. A question is no part of an answer. What cannot
    be had so stays as it is: half a sentence would tell nothing.
    """
    if limit.count(answer) <= limit.most:
        return answer
    clauses = [part for part in _CLAUSE.findall(answer) if not part.rstrip().endswith(("?", "？"))]
    runs = ("".join(clauses[:end]).strip() for end in range(1, len(clauses) + 1))
    fitting = [run.rstrip("，,；;：:、") for run in runs if limit.most <= 2 * limit.count(run) <= 2 * limit.most]
    whole = [run for run in fitting if _values(run) == _values(answer)]
    return max(whole, key=limit.count, default=answer)


def _values(text: str) -> set[Decimal]:
    return {number.value for number in numbers_in(text)}


def shorter_of(answer: str, reply: Mapping[str, Any] | None, limit: Limit, *, known: str = "") -> str:
    """The reply where it says the answer in fewer words; else the answer.

    It may have no number that the answer has not, and has to have one of those that ``known``, the question, has not.
    """
    text = str((reply or {}).get("shorter") or "").strip()
    sound = bool(text) and limit.count(text) < limit.count(answer) and _values(text) <= _values(answer)
    told = _values(answer) - _values(known)
    return text if sound and (not told or _values(text) & told) else answer
