"""Days of a simulated user, from a seed: what is told, changed, said again, asked and only seems to be told.

Pure: the same seed gives the same history. Five turns of the user a day, in one session or two.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from math import ceil
from typing import TypeVar
from zoneinfo import ZoneInfo

from memory_secretary.graph.evaluation.history import wording_en, wording_zh
from memory_secretary.graph.evaluation.history.matters import Lang, Matter, Trap, Words
from memory_secretary.graph.evaluation.history.truth import History, Said, facts_of, policy_end

DEVELOPMENT_DAYS, REPORTED_DAYS = 20, 60
TURNS_A_DAY = 5
"""Of the user: 60 days in two languages are 600 turns."""
_FULL = 60
"""Days in which all matters and traps have room; shorter histories have a part of them."""
_SEEDS = {"development": 11, "reported": 47}
_BEGIN = {"development": date(2026, 1, 12), "reported": date(2026, 3, 2)}
_SAID_AGAIN, _TWO_SESSIONS = 0.5, 0.5
"""Shares of values that are said once more, and of days with a second session."""

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class _Item:
    """One thing that is to be said, before it has its place; a slip and its correction follow each other."""

    day: float
    kind: str
    matter: Matter | None = None
    place: int = 0
    trap: Trap | None = None

    @property
    def turns(self) -> int:
        """How many turns it takes."""
        return 2 if self.kind == "tell" and self.matter is not None and self.matter.slip else 1


@dataclass
class _Teller:
    """Puts items into words, remembering which sentences of a matter were used and what holds by now."""

    words: Words
    lang: Lang
    random: random.Random
    used: dict[tuple[str, str], int] = field(default_factory=dict)
    ends: dict[str, datetime] = field(default_factory=dict)
    now: dict[str, int] = field(default_factory=dict)

    def told(self, item: _Item, at: datetime) -> tuple[str, int]:
        """The words of an item, and which value of its matter they are about."""
        if item.trap is not None:
            return item.trap.text, 0
        if item.matter is None:
            pool = self.words.orders if item.kind == "order" else self.words.small_talk
            return self._next(item.kind, "", pool), 0
        matter = item.matter
        if item.kind in ("tell", "change"):
            self.now[matter.name] = item.place
        place = self.now.get(matter.name, 0)
        if item.kind == "question":
            return self._next(matter.name, "ask", matter.ask[:-1]), place
        sentences = matter.change if item.kind == "change" else matter.tell
        return self._filled(matter, place, self._next(matter.name, item.kind, sentences), at), place

    def _filled(self, matter: Matter, place: int, sentence: str, at: datetime) -> str:
        until = ""
        if matter.lasts:
            end = self.ends.setdefault(matter.name, policy_end(at, matter.lasts))
            until = written_day(end.date() - timedelta(days=1), self.lang)
        return sentence.format(value=matter.values[place], former=matter.values[max(0, place - 1)], until=until)

    def _next(self, name: str, kind: str, sentences: Sequence[str]) -> str:
        """The next wording of a kind, beginning somewhere, so that no two users begin alike."""
        first = self.used.setdefault((name, kind), self.random.randrange(len(sentences)))
        self.used[name, kind] = first + 1
        return sentences[first % len(sentences)]


def development(lang: Lang, days: int = DEVELOPMENT_DAYS) -> History:
    """The history to develop with."""
    return _made("development", lang, days)


def reported(lang: Lang, days: int = REPORTED_DAYS) -> History:
    """The history whose figures are reported: other names, values and wordings, and nothing is tuned to it."""
    return _made("reported", lang, days)


def _made(name: str, lang: Lang, days: int) -> History:
    words = (wording_en if lang == "en" else wording_zh).__dict__[name.upper()]
    return history(words, lang, days, seed=_SEEDS[name], begin=_BEGIN[name], name=f"{name}-{lang}")


def history(
    words: Words, lang: Lang, days: int, *, seed: int, begin: date, name: str, turns_a_day: int = TURNS_A_DAY
) -> History:
    """A history of so many days.

    Args:
        words: what there is to say.
        lang: the language of ``words``.
        days: at least 4.
        seed: the same one gives the same history.
        begin: the first day.
        name: what it is called.
        turns_a_day: of the user.

    Raises:
        ValueError: there are too few days for a value to change twice.
    """
    if days < 4:
        msg = f"a history of {days} days is too short for a value to change twice: give at least 4 days"
        raise ValueError(msg)
    chance = random.Random(f"{seed}:{lang}:{days}")
    plan = _placed(_planned(words, days, chance), days, turns_a_day, chance)
    turns = tuple(_said(plan, _Teller(words, lang, chance), begin, chance))
    facts = facts_of(words.matters, turns)
    said = {turn.text for turn in turns}
    return History(
        name=name, lang=lang, days=days, turns=turns, facts=facts,
        traps=tuple(trap for trap in words.traps if trap.text in said),
    )  # fmt: skip


def written_day(day: date, lang: Lang) -> str:
    """A day as it is said: ``20 March``, ``3月20日``."""
    months = "January February March April May June July August September October November December".split()
    return f"{day.day} {months[day.month - 1]}" if lang == "en" else f"{day.month}月{day.day}日"


# --- what is to be said ----------------------------------------------------------------------------------------------


def _planned(words: Words, days: int, chance: random.Random) -> list[_Item]:
    """Everything that is to be said, each with the day that it is wanted for."""
    share = min(1.0, days / _FULL)
    changing = [matter for matter in words.matters if matter.change and not matter.slip]
    policies = [matter for matter in words.matters if matter.lasts]
    single = [matter for matter in words.matters if matter not in changing and matter not in policies]
    chosen = [*_some(changing, share, 4, chance), *_some(policies, share, 2, chance), *_some(single, share, 6, chance)]
    items = [item for matter in chosen for item in _of_matter(matter, days, chance)]
    for kind in ("quoted", "hypothetical", "poison"):
        traps = [trap for trap in words.traps if trap.kind == kind]
        items += [_Item(day=chance.uniform(0, days), kind=kind, trap=trap) for trap in _some(traps, share, 2, chance)]
    return items


def _some(pool: Sequence[_T], share: float, least: int, chance: random.Random) -> list[_T]:
    return chance.sample(pool, min(len(pool), max(least, ceil(len(pool) * share))))


def _of_matter(matter: Matter, days: int, chance: random.Random) -> Iterator[_Item]:
    """A matter's values at days of their own, some said once more, and questions about each."""
    borders = _borders(matter, days, chance)
    for place, (first, last) in enumerate(borders):
        yield _Item(day=first, kind="change" if place else "tell", matter=matter, place=place)
        if last - first > 3 and chance.random() < _SAID_AGAIN and not matter.slip:
            yield _Item(day=chance.uniform(first + 2, last - 1), kind="repeat", matter=matter)
        if last - first > 1:
            yield _Item(day=chance.uniform(first + 0.5, last - 0.2), kind="question", matter=matter)


def _borders(matter: Matter, days: int, chance: random.Random) -> list[tuple[float, float]]:
    """From which day to which each value of a matter holds; both values of a slip are told in one go."""
    if matter.lasts:
        first = chance.uniform(0, max(1.0, days - matter.lasts - 3))
        return [(first, min(days, first + matter.lasts))]
    if matter.slip or len(matter.values) == 1:
        return [(chance.uniform(0, 0.7 * days), float(days))]
    starts = [chance.uniform(*part) for part in ((0, 0.15 * days), (0.3 * days, 0.5 * days), (0.6 * days, 0.85 * days))]
    return list(zip(starts, [*starts[1:], float(days)], strict=True))


def _placed(items: list[_Item], days: int, turns: int, chance: random.Random) -> list[list[_Item]]:
    """The items of each day, in order, filled up with orders and small talk.

    What finds no room goes to the next day that has some; what is left after the last one is not said. What is told
    takes its room first.
    """
    plan: list[list[_Item]] = [[] for _ in range(days)]
    for item in sorted(items, key=lambda item: (item.kind in ("question", "repeat"), item.day)):
        room = (day for day in range(int(item.day), days) if turns - _length(plan[day]) >= item.turns)
        for day in itertools.islice(room, 1):
            plan[day].append(item)
    for placed in plan:
        placed.sort(key=lambda item: item.day)
        while _length(placed) < turns:
            kind = chance.choice(("order", "small_talk"))
            placed.insert(chance.randrange(len(placed) + 1), _Item(day=0, kind=kind))
    return plan


def _length(day: Sequence[_Item]) -> int:
    return sum(item.turns for item in day)


# --- how it is said --------------------------------------------------------------------------------------------------


def _said(plan: Sequence[Sequence[_Item]], teller: _Teller, begin: date, chance: random.Random) -> Iterator[Said]:
    zone = teller.words.zone
    for day, items in enumerate(plan):
        two = len(items) > 2 and chance.random() < _TWO_SESSIONS
        split = chance.randrange(2, len(items)) if two else len(items)
        for part, (session, hour) in enumerate(((items[:split], 9), (items[split:], 19))):
            start = datetime.combine(begin + timedelta(days=day), time(hour), ZoneInfo(zone))
            thread = f"d{day:02}{'ab'[part]}"
            for n, (kind, text, item, place) in enumerate(_turns(session, teller, start)):
                yield Said(
                    id=f"{thread}-{n:02}", day=day, thread=thread, at=start + timedelta(minutes=2 * n), zone=zone,
                    speaker=kind if kind == "tool" else "assistant" if kind == "answer" else "user", text=text,
                    kind=kind, matter=item.matter.name if item.matter and kind not in ("answer", "tool") else "",
                    place=place,
                )  # fmt: skip


def _turns(session: Sequence[_Item], teller: _Teller, at: datetime) -> Iterator[tuple[str, str, _Item, int]]:
    """Kind, words, item and value of each turn of a session, the tool's and the assistant's too."""
    for item in session:
        for one in _parts(item):
            text, place = teller.told(one, at)
            yield one.kind, text, one, place
            if one.trap is not None and one.trap.tool:
                yield "tool", one.trap.tool, one, 0
            yield "answer", teller.random.choice(teller.words.answers), one, 0


def _parts(item: _Item) -> list[_Item]:
    """A slip and what corrects it; anything else as it is."""
    if item.turns == 1:
        return [item]
    return [item, _Item(day=item.day, kind="change", matter=item.matter, place=1)]
