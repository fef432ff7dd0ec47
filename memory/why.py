"""Why a memory did not come: the first rule on recall's path that kept it out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import select

from memory_secretary.memory.access import Caller
from memory_secretary.memory.candidates import Filter, traits_of
from memory_secretary.memory.database import Database
from memory_secretary.memory.recall import Question, Recaller
from memory_secretary.memory.records import Status
from memory_secretary.memory.roles import READS, Tier
from memory_secretary.memory.schema import cards, events, passages


class Rule(StrEnum):
    """What decided."""

    RECALLED = "recalled"
    RANK = "rank"
    FLOOR = "floor"
    NO_MATCH = "no_match"
    NOT_INDEXED = "not_indexed"
    STATUS = "status"
    FILTER = "filter"
    RIGHTS = "rights"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Why:
    """The answer to "why did it (not) come?".

    Attributes:
        rule: what decided.
        text: one sentence for a person.
        rank: its place among all candidates, from 1; None when it was none.
        score: its score, or None.
        parts: what the score is made of.
    """

    rule: Rule
    text: str
    rank: int | None = None
    score: float | None = None
    parts: dict[str, float] | None = None


def explain(database: Database, recaller: Recaller, caller: Caller, question: Question, expect: str) -> Why:
    """Say why ``expect`` is or is not among the hits of ``question``."""
    if any(hit.ref == expect for hit in recaller.recall(caller, question)):
        return _placed(recaller, caller, question, expect, Rule.RECALLED, "it is among the hits")
    with database.read() as connection:
        table = cards if not expect.startswith("evt_") else events
        column = cards.c.memory_id if table is cards else events.c.event_id
        known = connection.execute(select(column).where(table.c.owner == caller.owner, column == expect)).first()
        if known is None:
            return Why(Rule.UNKNOWN, f"{expect} is no record of this owner")
        everything = Filter(tiers=frozenset(Tier), statuses=frozenset(Status))
        loose = traits_of(connection, caller, everything, [expect]).get(expect)
        if loose is None or loose.tier not in READS[caller.role]:
            return Why(Rule.RIGHTS, f"the {caller.role.value} may not see {expect} (role, access level or thread)")
        if loose.status not in question.wanted.statuses:
            return Why(Rule.STATUS, f"its status is {loose.status.value}; recall with status='any' shows it")
        if not traits_of(connection, caller, question.wanted, [expect]):
            return Why(Rule.FILTER, "a filter of this recall leaves it out (tier, type, thread, time or branch)")
        indexed = connection.execute(
            select(passages.c.id).where(passages.c.owner == caller.owner, passages.c.ref == expect)
        ).first()
    if indexed is None:
        return Why(Rule.NOT_INDEXED, "it is in no index; memory.check() repairs that")
    return _not_good_enough(recaller, caller, question, expect)


def _not_good_enough(recaller: Recaller, caller: Caller, question: Question, expect: str) -> Why:
    ranked = recaller.ranked(caller, replace(question, floor=0.0))
    found = next((one for one in ranked if one.traits.ref == expect), None)
    if found is None or found.evidence == 0.0:
        return Why(Rule.NO_MATCH, "it shares no telling word with the query, and is not close to it in meaning")
    if not recaller.passes(found, question):
        return _placed(recaller, caller, question, expect, Rule.FLOOR, "too little speaks for it")
    return _placed(recaller, caller, question, expect, Rule.RANK, f"{question.k} others score higher")


def _placed(recaller: Recaller, caller: Caller, question: Question, expect: str, rule: Rule, text: str) -> Why:
    ranked = recaller.ranked(caller, question)
    place = next((number for number, one in enumerate(ranked, start=1) if one.traits.ref == expect), None)
    if place is None:
        return Why(rule, text)
    one = ranked[place - 1]
    return Why(rule, f"{text} (rank {place}, score {one.score:.2f})", place, one.score, one.parts)
