"""What must be true at the end of a task, and the judge of it: the environment's state and the answer's values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from memory_secretary.graph.evaluation import answers
from memory_secretary.graph.evaluation.longtask.environment import Call, Environment
from memory_secretary.graph.evaluation.verdict import NOT, Verdict

_NAME = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,4}-\d{3,}(?![A-Za-z0-9])")
"""The name of a record, whose digits are no figure of an answer."""
_MONEY = re.compile(r"[$€£¥￥元]|EUR|GBP|CNY|RMB|[Ee]uros?|[Pp]ounds?|人民币")


@dataclass(frozen=True, slots=True)
class Deed:
    """A side effect that is wanted once: exact arguments, and what a free text must mention."""

    tool: str
    exact: Mapping[str, Any]
    mentions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The one right end of a task.

    Attributes:
        says: figures and names that the answer must have.
        pairs: names with the figure that the answer must give for each.
        never: figures and names that the answer must not have.
        one_line: the answer must be one line without a currency sign.
        deeds: the side effects wanted, each exactly once, and no other.
        closed: records that must not be opened.
    """

    says: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    never: tuple[str, ...] = ()
    one_line: bool = False
    deeds: tuple[Deed, ...] = ()
    closed: tuple[str, ...] = ()


class End(NamedTuple):
    """The one right end, and an answer that is right."""

    outcome: Outcome
    answer: str


def judge(outcome: Outcome, answer: str, environment: Environment) -> Verdict:
    """Judge a run by its answer and by what was done in its environment."""
    times = [sum(_is(deed, call) for call in environment.deeds) for deed in outcome.deeds]
    undone = [f"the call {_shown(deed)}" for deed, count in zip(outcome.deeds, times, strict=True) if not count]
    missing = (*undone, *_broken(outcome, environment), *_lacking(outcome, answer))
    twice = sum(count - 1 for count in times if count)
    wrong = len(environment.deeds) - sum(times)
    return Verdict(not missing and not twice and not wrong, missing, twice, wrong)


def _is(deed: Deed, call: Call) -> bool:
    exact = all(_same(value, call.arguments.get(name)) for name, value in deed.exact.items())
    mentions = deed.mentions.items()
    return call.tool == deed.tool and exact and all(_says(str(call.arguments.get(n, "")), said) for n, said in mentions)


def _same(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, str):
        return isinstance(given, str) and wanted.casefold() == given.strip().casefold()
    return isinstance(given, int | float) and Decimal(str(given)) == wanted


def _shown(deed: Deed) -> str:
    return f"{deed.tool}({', '.join(str(value) for value in (*deed.exact.values(), *deed.mentions.values()))})"


def _broken(outcome: Outcome, environment: Environment) -> Iterable[str]:
    opened = {str(value) for call in environment.calls for value in call.arguments.values()}
    return (f"{name} left closed" for name in outcome.closed if name in opened)


def _lacking(outcome: Outcome, answer: str) -> Iterable[str]:
    yield from (said for said in outcome.says if not _says(answer, said))
    yield from (f"{NOT}{said}" for said in outcome.never if _says(answer, said))
    parts = _by_name(answer, [name for name, _ in outcome.pairs])
    for name, value in outcome.pairs:
        if not (_says(parts.get(name, ""), value) or _says(_before(answer, name), value)):
            yield f"{name}: {value}"
    if not answer.strip():
        yield "an answer"
    if outcome.one_line and (len(answer.strip().splitlines()) > 1 or _MONEY.search(answer)):
        yield "one line without a currency sign"


def _says(text: str, said: str) -> bool:
    if said.isdigit():
        return Decimal(said) in answers.numbers(_NAME.sub(" ", text))
    border = "[A-Za-z0-9]"
    words = re.escape(answers.plain(said))
    return re.search(rf"(?<!{border}){words}(?!{border})", answers.plain(text), re.IGNORECASE) is not None


def _before(answer: str, name: str) -> str:
    """The figures that the answer gives before a name: ``552 pallets (WS-432)``, ``552 in WS-432``."""
    return "\n".join(
        re.findall(rf"(\d[\d,.]*)[^\d.;。；]{{0,20}}?(?:[(（]|\b(?:in|for|of|from|by)\s){re.escape(name)}", answer)
    )


def _by_name(answer: str, names: Iterable[str]) -> dict[str, str]:
    """What the answer says after each name, up to the next one."""
    pieces = re.split("(" + "|".join(map(re.escape, names)) + ")", answer) if names else [answer]
    found: dict[str, str] = {}
    for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
        found[name] = found.get(name, "") + text + "\n"
    return found
