"""What is true when: each value of a matter with the time for which it holds, and the turns that say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_secretary.graph.evaluation.history.matters import Lang, Matter, Trap
from memory_secretary.nodes.consolidation import STABLE_AFTER


@dataclass(frozen=True, kw_only=True)
class Said:
    """One turn of the history.

    Attributes:
        id: unique within the history.
        day: from 0.
        thread: the session it belongs to.
        at: when it was said, aware.
        zone: the user's, as an IANA name.
        speaker: ``user``, ``assistant`` or ``tool``.
        text: word for word.
        kind: what it is: ``tell``, ``repeat``, ``change``, ``question``, ``small_talk``, ``order``, ``answer``,
            ``tool``, or a trap's kind.
        matter: the name of the matter it tells of or asks about; empty for all else.
        place: which of the matter's values it tells.
    """

    id: str
    day: int
    thread: str
    at: datetime
    zone: str
    speaker: str
    text: str
    kind: str
    matter: str = ""
    place: int = 0


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One value of a matter.

    Attributes:
        matter: what it is a value of.
        value: as it stands in the turns.
        since: when it was first said.
        until: from when it holds no longer, or None.
        turns: the ids of the turns that say it.
        told: when it was said, in that order.
    """

    matter: Matter
    value: str
    since: datetime
    until: datetime | None
    turns: tuple[str, ...]
    told: tuple[datetime, ...]

    def holds(self, at: datetime) -> bool:
        """Whether it is said and true at a moment."""
        return self.since <= at and (self.until is None or at < self.until)

    def is_settled(self, at: datetime) -> bool:
        """Whether a consolidator must have it by then: said twice, or for as long as its type asks for."""
        said = [moment for moment in self.told if moment <= at]
        wait = STABLE_AFTER[self.matter.type]
        return len(said) > 1 or (bool(said) and wait is not None and at - said[0] >= wait)


@dataclass(frozen=True, kw_only=True)
class History:
    """The days of one simulated user.

    Attributes:
        name: set and language.
        lang: of everything that is said.
        days: how many.
        turns: everything that was said, in order.
        facts: everything that was told, in the order of its first saying.
        traps: what must stand in no card.
    """

    name: str
    lang: Lang
    days: int
    turns: tuple[Said, ...]
    facts: tuple[Fact, ...]
    traps: tuple[Trap, ...]

    def sessions(self, day: int) -> list[list[Said]]:
        """The turns of one day, session by session."""
        turns = [turn for turn in self.turns if turn.day == day]
        threads = dict.fromkeys(turn.thread for turn in turns)
        return [[turn for turn in turns if turn.thread == thread] for thread in threads]

    def holding(self, at: datetime) -> list[Fact]:
        """What is true at a moment."""
        return [fact for fact in self.facts if fact.holds(at)]

    def of(self, turn: Said) -> Fact | None:
        """What a turn tells."""
        return next((fact for fact in self.facts if turn.id in fact.turns), None)

    def rivals(self, fact: Fact) -> list[Fact]:
        """The other values of its matter."""
        return [other for other in self.facts if other.matter is fact.matter and other is not fact]


def facts_of(matters: Sequence[Matter], turns: Sequence[Said]) -> tuple[Fact, ...]:
    """What the turns tell, each value until the next one is told or, of a policy, until its own end."""
    found = [fact for matter in matters for fact in _values(matter, turns)]
    return tuple(sorted(found, key=lambda fact: fact.since))


def _values(matter: Matter, turns: Sequence[Said]) -> Iterator[Fact]:
    said = [turn for turn in turns if turn.matter == matter.name and turn.kind in ("tell", "change", "repeat")]
    for place, value in enumerate(matter.values):
        mine = [turn for turn in said if turn.place == place]
        later = [turn.at for turn in said if turn.place > place]
        if mine:
            end = policy_end(mine[0].at, matter.lasts) if matter.lasts else None
            yield Fact(
                matter=matter, value=value, since=mine[0].at, until=min(later) if later else end,
                turns=tuple(turn.id for turn in mine), told=tuple(turn.at for turn in mine),
            )  # fmt: skip


def policy_end(told: datetime, lasts: int) -> datetime:
    """The end of the last day of a policy that is told now: midnight where the user lives."""
    return told.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=lasts + 1)
