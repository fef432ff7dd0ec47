"""The kinds of error that a run without memory makes (first seed, table of 3.2), read from what a run said and did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Literal, get_args

from langchain_core.messages import AIMessage, BaseMessage

from memory_secretary.graph.evaluation import answers
from memory_secretary.graph.evaluation.trace import calls_done
from memory_secretary.graph.evaluation.verdict import NOT, Verdict

Kind = Literal["goal_lost", "step_repeated", "contradiction", "missing_information", "invention"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_COUNTS = 12
"""Numbers up to this one count things or months, and are no claim of their own."""


def error_kinds(messages: Sequence[BaseMessage], *, verdict: Verdict, repeats: int = 0) -> list[Kind]:
    """The kinds of error in one run, each once.

    A right run can only have repeated a step. Of a wrong one: *goal lost* is no answer, or an answer before anything
    was done; *contradiction* is what was read, in a place of the answer where it must not be, a side effect that
    nobody wants, or two successful calls that begin alike and go on differently; *missing information* is what the
    judge misses; *invention* is a number in the answer that stands nowhere before it.

    Args:
        messages: the user's turns, calls with their results, and the answer last.
        verdict: the judge's.
        repeats: calls that the arm itself has seen to be made again, held back or not.
    """
    found = set(_of_any(messages, repeats)) | (set() if verdict.right else set(_of_wrong(messages, verdict)))
    return [kind for kind in KINDS if kind in found]


def done_twice(messages: Sequence[BaseMessage], writing: set[str]) -> int:
    """How many calls of tools that change something took effect beyond the first of each kind."""
    return sum(
        count - 1 for count in Counter(done.key for done in calls_done(messages) if done.name in writing).values()
    )


def _of_any(messages: Sequence[BaseMessage], repeats: int) -> Iterator[Kind]:
    keys = [done.key for done in calls_done(messages)]
    if repeats or len(set(keys)) < len(keys):
        yield "step_repeated"


def _of_wrong(messages: Sequence[BaseMessage], verdict: Verdict) -> Iterator[Kind]:
    answer, known = _answer(messages), answers.numbers("\n".join(_known(messages)))
    strayed = [lack for lack in verdict.missing if lack.startswith(NOT)]
    if not answer or not any(calls_done(messages)):
        yield "goal_lost"
    if verdict.wrong_effects or any(not _unknown(lack, known) for lack in strayed) or _at_odds(messages):
        yield "contradiction"
    if answer and len(strayed) < len(verdict.missing):
        yield "missing_information"
    if _unknown(answer, known):
        yield "invention"


def _unknown(text: str, known: set[Decimal]) -> set[Decimal]:
    """The numbers of a text that stand nowhere before it."""
    return {number for number in answers.numbers(text) - known if number > _COUNTS}


def _answer(messages: Sequence[BaseMessage]) -> str:
    last = messages[-1] if messages else None
    return str(last.text) if isinstance(last, AIMessage) and not last.tool_calls else ""


def _known(messages: Sequence[BaseMessage]) -> Iterator[str]:
    """All that stood somewhere before the answer; its own calls are no source."""
    return (str(message.text) for message in messages if not isinstance(message, AIMessage))


def _at_odds(messages: Sequence[BaseMessage]) -> bool:
    """Whether something was done to one thing in two ways: paid twice with differing amounts."""
    several = [done for done in calls_done(messages) if len(done.arguments) > 1]
    begun = sorted({(done.name, str(next(iter(done.arguments.values()))), done.key) for done in several})
    return any(len(list(same)) > 1 for _, same in groupby(begun, key=lambda each: each[:2]))
