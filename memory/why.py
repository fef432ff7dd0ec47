"""Why a memory did not come: the first rule on recall's path that kept it out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import select

from memory_secretary.memory.access import Caller
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.candidates import traits_of
from memory_secretary.memory.database import Database
from memory_secretary.memory.filters import Filter, bounds_of
from memory_secretary.memory.indexing import EMBEDDER_KEY
from memory_secretary.memory.recall import Mode, Question, Recaller
from memory_secretary.memory.records import Status
from memory_secretary.memory.roles import READS, Tier
from memory_secretary.memory.schema import cards, events, index_work, meta, passages


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


_SENTENCES = {
    Rule.RECALLED: ("it is among the hits", "它在召回结果中"),
    Rule.RANK: ("{k} others score higher", "另有 {k} 条得分更高"),
    Rule.FLOOR: ("too little speaks for it", "它与问题的相关度不够"),
    Rule.NO_MATCH: (
        "it shares no telling word with the query, and is not close to it in meaning",
        "它与问题没有共同的关键词，意思也不相近",
    ),
    Rule.NOT_INDEXED: ("it is in no index; memory.check() repairs that", "它不在任何索引里；memory.check() 会修复"),
    Rule.STATUS: (
        "its status is {status}; recall with status='any' shows it",
        "它的状态是 {status}；以 status='any' 召回可以看到它",
    ),
    Rule.FILTER: (
        "a filter of this recall leaves it out (tier, type, thread, time or branch)",
        "这次召回的过滤条件排除了它（层、类型、线程、时间或分支）",
    ),
    Rule.RIGHTS: (
        "the {role} may not see {ref} (role, access level or thread)",
        "角色 {role} 不能查看 {ref}（受角色、访问级别或线程所限）",
    ),
    Rule.UNKNOWN: ("{ref} is no record of this owner", "此人没有 {ref} 这条记录"),
}


_NO_VECTOR = (
    "its words do not match the query, and its meaning is not indexed yet; memory.reindex() does that",
    "它的词语与问题不符，而它的含义尚未编入索引；memory.reindex() 会补上",
)


@dataclass(frozen=True, slots=True)
class Why:
    """The answer to "why did it (not) come?".

    Attributes:
        rule: what decided.
        text: one sentence for a person, in the language spoken here.
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
        return _placed(recaller, caller, question, expect, Rule.RECALLED)
    with database.read() as connection:
        table = cards if not expect.startswith("evt_") else events
        column = cards.c.memory_id if table is cards else events.c.event_id
        known = connection.execute(select(column).where(table.c.owner == caller.owner, column == expect)).first()
        if known is None:
            return Why(Rule.UNKNOWN, _text(Rule.UNKNOWN, ref=expect))
        everything = Filter(tiers=frozenset(Tier), statuses=frozenset(Status))
        loose = traits_of(connection, bounds_of(caller, everything), [expect]).get(expect)
        if loose is None or loose.tier not in READS[caller.role]:
            return Why(Rule.RIGHTS, _text(Rule.RIGHTS, role=caller.role.value, ref=expect))
        if loose.status not in question.wanted.statuses:
            return Why(Rule.STATUS, _text(Rule.STATUS, status=loose.status.value))
        if not traits_of(connection, bounds_of(caller, question.wanted), [expect]):
            return Why(Rule.FILTER, _text(Rule.FILTER))
        indexed = connection.execute(
            select(passages.c.id).where(passages.c.owner == caller.owner, passages.c.ref == expect)
        ).first()
    if indexed is None:
        return Why(Rule.NOT_INDEXED, _text(Rule.NOT_INDEXED))
    return _not_good_enough(database, recaller, caller, question, expect)


def _not_good_enough(database: Database, recaller: Recaller, caller: Caller, question: Question, expect: str) -> Why:
    ranked = recaller.ranked(caller, replace(question, floor=0.0))
    found = next((one for one in ranked if one.traits.ref == expect), None)
    if question.mode is Mode.RECENT:
        return Why(Rule.RANK, said(f"{question.k} others are newer", f"另有 {question.k} 条更新"))
    if found is None or found.evidence == 0.0:
        if question.mode is not Mode.LEXICAL and _waits_for_a_vector(database, caller.owner, expect):
            return Why(Rule.NOT_INDEXED, said(*_NO_VECTOR))
        return Why(Rule.NO_MATCH, _text(Rule.NO_MATCH))
    if not recaller.passes(found, question):
        return _placed(recaller, caller, question, expect, Rule.FLOOR)
    return _placed(recaller, caller, question, expect, Rule.RANK)


def _waits_for_a_vector(database: Database, owner: str, ref: str) -> bool:
    """Whether there is a vector index that has not taken this record in."""
    waits = select(index_work.c.id).where(
        index_work.c.owner == owner, index_work.c.ref == ref, index_work.c.work != "remove"
    )
    has_vectors = select(meta.c.value).where(meta.c.key == EMBEDDER_KEY)
    with database.read() as connection:
        return all(connection.execute(query).first() is not None for query in (waits, has_vectors))


def _placed(recaller: Recaller, caller: Caller, question: Question, expect: str, rule: Rule) -> Why:
    text = _text(rule, k=question.k)
    ranked = recaller.ranked(caller, question)
    place = next((number for number, one in enumerate(ranked, start=1) if one.traits.ref == expect), None)
    if place is None:
        return Why(rule, text)
    one = ranked[place - 1]
    where = said(f"{text} (rank {place}, score {one.score:.2f})", f"{text}（第 {place} 名，得分 {one.score:.2f}）")
    return Why(rule, where, place, one.score, one.parts)


def _text(rule: Rule, **values: object) -> str:
    en, zh = _SENTENCES[rule]
    return said(en.format(**values), zh.format(**values))
