"""Why a memory did not come: the first rule on recall's path that kept it out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import Connection, select

from memory_secretary.memory.access import Caller, sees_card, sees_event
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.candidates import traits_of
from memory_secretary.memory.codec import from_micros
from memory_secretary.memory.database import Database
from memory_secretary.memory.filters import Filter, bounds_of
from memory_secretary.memory.forgetting import ERASED
from memory_secretary.memory.indexing import EMBEDDER_KEY
from memory_secretary.memory.program import as_typed
from memory_secretary.memory.recall import Mode, Question, Recaller
from memory_secretary.memory.records import Status
from memory_secretary.memory.roles import READS, Tier
from memory_secretary.memory.schema import cards, events, index_work, meta, passages, tombstones


class Rule(StrEnum):
    """What decided."""

    RECALLED = "recalled"
    RANK = "rank"
    FLOOR = "floor"
    NO_MATCH = "no_match"
    NOT_INDEXED = "not_indexed"
    FORGOTTEN = "forgotten"
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
    Rule.NOT_INDEXED: (
        "it is in no index; `memory-secretary memory check` repairs that",
        "它不在任何索引里；`memory-secretary memory check` 会修复",
    ),
    Rule.FORGOTTEN: (
        "it was forgotten on {day}, and no search finds what was forgotten; until the next vacuum "
        "`memory-secretary memory restore` brings it back, with the turns that went with it",
        "它已在 {day} 被遗忘，遗忘的内容任何检索都找不到；彻底抹去之前，"
        "可用 `memory-secretary memory restore` 恢复它以及随它移出的对话",
    ),
    Rule.STATUS: (
        "its status is {status}; a search for any status (`--status any`) shows it",
        "它的状态是“{status_zh}”；检索任何状态（`--status any`）时可以看到它",
    ),
    Rule.FILTER: (
        "a filter of this recall leaves it out (tier, type, thread, time or branch)",
        "这次召回的过滤条件排除了它（层、类型、线程、时间或分支）",
    ),
    Rule.RIGHTS: (
        "{ref} may not be seen here: its access level, agent or thread keeps it out",
        "这里不能查看 {ref}：受访问级别、智能体或线程所限",
    ),
    Rule.UNKNOWN: (
        "there is no {ref} in this scope: take an id that `memory-secretary memory list` or `search` shows",
        "此范围内没有 {ref}：请用 `memory-secretary memory list` 或 `search` 所显示的编号",
    ),
}
_ERASED = ("it was forgotten on {day}, and its words have been erased since", "它已在 {day} 被遗忘，文字也已抹去")
_ARCHIVED = (
    "it is archived, and so in no index; `memory-secretary memory restore` makes it current again",
    "它已归档，因此不在任何索引里；`memory-secretary memory restore` 可使它重新有效",
)
_NEVER_SEARCHED = (
    "recall never brings briefs, the ends of tasks, calls that were only announced, looks into the memory itself, or "
    "passages that their document no longer holds",
    "召回从不给出简报、任务结束的记录、尚未执行的调用、对记忆本身的查阅，以及文档已不再含有的段落",
)
_NO_VECTOR = (
    "its words do not match the query, and its meaning is not indexed yet; `memory-secretary memory reindex` does that",
    "它的词语与问题不符，而它的含义尚未编入索引；`memory-secretary memory reindex` 会补上",
)
_STATUS_ZH = {
    Status.ACTIVE: "有效", Status.SUPERSEDED: "已被取代", Status.ARCHIVED: "已归档", Status.QUARANTINED: "已隔离",
}  # fmt: skip


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
    kept_out = _kept_out(database, caller, question, expect)
    return kept_out or _not_good_enough(database, recaller, caller, question, expect)


def _kept_out(database: Database, caller: Caller, question: Question, expect: str) -> Why | None:
    """What keeps a record from being a candidate, whatever is asked; None when nothing does."""
    with database.read() as connection:
        owner, visible = caller.owner, _is_visible(connection, caller, expect)
        if visible is False:
            return Why(Rule.RIGHTS, _text(Rule.RIGHTS, ref=expect))
        buried = select(tombstones.c.at).where(tombstones.c.owner == owner, tombstones.c.memory_id == expect)
        at = connection.execute(buried).scalar()
        if at is not None:
            return Why(Rule.FORGOTTEN, _forgotten(connection, owner, expect, at))
        if visible is None:
            return Why(Rule.UNKNOWN, _text(Rule.UNKNOWN, ref=expect))
        everything = Filter(tiers=frozenset(Tier), statuses=frozenset(Status))
        loose = traits_of(connection, bounds_of(caller, everything), [expect]).get(expect)
        if loose is None:
            return Why(Rule.FILTER, _sentence(_NEVER_SEARCHED))
        if loose.tier not in READS[caller.role]:
            return Why(Rule.RIGHTS, _text(Rule.RIGHTS, ref=expect))
        indexed = select(passages.c.id).where(passages.c.owner == owner, passages.c.ref == expect)
        is_indexed = connection.execute(indexed).first() is not None
        if loose.status is Status.ARCHIVED and not is_indexed:
            return Why(Rule.STATUS, _sentence(_ARCHIVED))
        if loose.status not in question.wanted.statuses:
            words = {"status": loose.status.value, "status_zh": _STATUS_ZH[loose.status]}
            return Why(Rule.STATUS, _text(Rule.STATUS, **words))
        if not traits_of(connection, bounds_of(caller, question.wanted), [expect]):
            return Why(Rule.FILTER, _text(Rule.FILTER))
        return None if is_indexed else Why(Rule.NOT_INDEXED, _text(Rule.NOT_INDEXED))


def _is_visible(connection: Connection, caller: Caller, ref: str) -> bool | None:
    """Whether the caller's rights let a record through; None when there is no such record."""
    of_event = ref.startswith("evt_")
    table, column = (events, events.c.event_id) if of_event else (cards, cards.c.memory_id)
    allowed = sees_event(caller) if of_event else sees_card(caller)
    found = connection.execute(select(allowed).where(table.c.owner == caller.owner, column == ref)).scalar()
    return None if found is None else bool(found)


def _forgotten(connection: Connection, owner: str, ref: str, at: int) -> str:
    """When it was forgotten, and whether it can still be brought back."""
    left = select(events.c.event_id).where(
        events.c.owner == owner, events.c.event_id == ref, events.c.observation != ERASED
    )
    if not ref.startswith("evt_"):
        left = select(cards.c.memory_id).where(cards.c.owner == owner, cards.c.memory_id == ref)
    there = connection.execute(left).first() is not None
    return _sentence(_SENTENCES[Rule.FORGOTTEN] if there else _ERASED, day=f"{from_micros(at):%Y-%m-%d}")


def _not_good_enough(database: Database, recaller: Recaller, caller: Caller, question: Question, expect: str) -> Why:
    ranked = recaller.ranked(caller, replace(question, floor=0.0))
    found = next((one for one in ranked if one.traits.ref == expect), None)
    if question.mode is Mode.RECENT:
        return Why(Rule.RANK, said(f"{question.k} others are newer", f"另有 {question.k} 条更新"))
    if found is None or found.evidence == 0.0:
        if question.mode is not Mode.LEXICAL and _waits_for_a_vector(database, caller.owner, expect):
            return Why(Rule.NOT_INDEXED, _sentence(_NO_VECTOR))
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
    return _sentence(_SENTENCES[rule], **values)


def _sentence(pair: tuple[str, str], **values: object) -> str:
    en, zh = pair
    return as_typed(said(en.format(**values), zh.format(**values)))
