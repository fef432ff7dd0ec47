from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, event

from memory_secretary.memory import MemoryType, Recalled, Role, Scope, Tier, TieredMemory
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.errors import AccessDenied, InvalidRecord, NotFound, StorageError
from memory_secretary.memory.records import REMEMBER, Evidence

ANA = Scope(user="ana", thread="t1")


def refs(hits: list[Recalled]) -> list[str]:
    return [hit.ref for hit in hits]


def test_nonsense_recalls_nothing(memory: TieredMemory) -> None:
    for text in ("keeps bees", "hates lifts", "lives in Brno"):
        memory.remember(ANA, text)
    assert memory.recall(ANA, "zqxv 8841 flibber") == []


def test_the_stored_text_itself_ranks_first_with_a_score_near_one(memory: TieredMemory) -> None:
    for text in ("keeps bees", "hates lifts", "lives in Brno"):
        memory.remember(ANA, text)
    best = memory.recall(ANA, "lives in Brno")[0]
    assert best.text == "lives in Brno"
    assert best.score > 0.95


@pytest.mark.parametrize("query", ["", "   ", "🙂", "?!", "👩‍🚒" * 500, "\u200b\u0301"])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_a_query_without_words_recalls_nothing(memory: TieredMemory, query: str, mode: str) -> None:
    memory.remember(ANA, "keeps bees 🙂 ?!")
    view = memory.view(Role.SECRETARY, ANA)
    view.record("user", "request", observation="remember the bees 🙂", queue_for=REMEMBER)
    assert memory.recall(ANA, query, mode=mode) == []


@pytest.mark.parametrize("k", [0, -1, 2.0, "5"])
def test_a_number_of_hits_that_is_none_is_refused(memory: TieredMemory, k: Any) -> None:
    with pytest.raises(InvalidRecord, match="k must be a whole number"):
        memory.recall(ANA, "bees", k=k)


def test_a_huge_query_is_cut(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "keeps bees")
    assert refs(memory.recall(ANA, "bees " * 100_000)) == [card.memory_id]


@pytest.mark.parametrize("query", [None, 7, ["bees"]])
def test_a_query_that_is_no_text_is_refused(memory: TieredMemory, query: Any) -> None:
    with pytest.raises(InvalidRecord, match="query"):
        memory.recall(ANA, query)


@pytest.mark.parametrize(
    ("wrong", "name"), [({"mode": "magic"}, "mode"), ({"status": "gone"}, "status"), ({"types": ["joke"]}, "types")]
)
def test_an_unknown_word_is_named_with_those_that_are_known(
    memory: TieredMemory, wrong: dict[str, Any], name: str
) -> None:
    with pytest.raises(InvalidRecord, match=f"{name} is one of"):
        memory.recall(ANA, "bees", **wrong)


def test_a_head_that_does_not_exist_is_refused(memory: TieredMemory) -> None:
    with pytest.raises(NotFound, match="evt_gone"):
        memory.recall(ANA, "bees", head="evt_gone")


def test_the_recent_mode_needs_no_query(memory: TieredMemory, frozen_clock: Any) -> None:
    first = memory.record(ANA, actor="user", action="request", observation="one")
    frozen_clock.advance(minutes=1)
    card = memory.remember(ANA, "two")
    frozen_clock.advance(minutes=1)
    last = memory.record(ANA, actor="user", action="request", observation="three")
    assert refs(memory.recall(ANA, "", mode="recent", k=2)) == [last, card.memory_id]
    assert first not in refs(memory.recall(ANA, "", mode="recent", k=2))


def test_the_recent_mode_goes_by_time_alone(memory: TieredMemory, frozen_clock: Any) -> None:
    event = memory.record(ANA, actor="user", action="request", observation="one")
    frozen_clock.advance(days=40)
    fact = memory.remember(ANA, "two")
    frozen_clock.advance(days=40)
    doubtful = memory.remember(ANA, "three", valid_until=frozen_clock.now - timedelta(days=1))
    assert refs(memory.recall(ANA, "", mode="recent")) == [doubtful.memory_id, fact.memory_id, event]


def test_filters_narrow_before_the_best_are_taken(memory: TieredMemory, frozen_clock: Any) -> None:
    wanted = memory.record(Scope(user="ana", thread="old"), actor="user", action="request", observation="kiln plan")
    old = frozen_clock.now
    frozen_clock.advance(days=1)
    for number in range(150):
        memory.record(ANA, actor="tool", action="log", observation=f"kiln kiln kiln {number}")
    assert refs(memory.recall(ANA, "kiln", k=1, thread="old")) == [wanted]
    assert refs(memory.recall(ANA, "kiln", k=1, until=old)) == [wanted]
    assert wanted not in refs(memory.recall(ANA, "kiln", k=100, since=old + timedelta(hours=1)))


def test_types_leave_events_out(memory: TieredMemory) -> None:
    memory.record(ANA, actor="user", action="request", observation="kiln rules")
    rule = memory.remember(ANA, "never open the kiln", type=MemoryType.RULE)
    memory.remember(ANA, "the kiln is blue")
    assert refs(memory.recall(ANA, "kiln", types=[MemoryType.RULE])) == [rule.memory_id]


def test_tiers_choose_where_to_look(memory: TieredMemory) -> None:
    long = memory.remember(ANA, "the kiln is blue", tier=Tier.LONG)
    memory.remember(ANA, "the kiln is hot")
    assert refs(memory.recall(ANA, "kiln", tiers=[Tier.LONG])) == [long.memory_id]


def test_what_is_known_already_can_be_left_out(memory: TieredMemory) -> None:
    card = memory.remember(ANA, "the kiln is blue")
    assert memory.recall(ANA, "kiln", exclude=[card.memory_id]) == []


def test_what_a_long_run_knows_already_hides_nothing_and_is_ranked_once(memory: TieredMemory) -> None:
    known = [memory.record(ANA, actor="tool", action="read", observation=f"kiln {n} kiln") for n in range(200)]
    new = memory.record(ANA, actor="tool", action="read", observation="of the kiln nothing more was said that day")
    asked: list[str] = []

    def note(*given: Any) -> None:
        asked.append(given[2])

    event.listen(Engine, "before_cursor_execute", note)
    try:
        hits = memory.recall(ANA, "kiln", mode="lexical", exclude=known)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert [hit.ref for hit in hits] == [new]
    assert sum("bm25" in statement for statement in asked) == 1


def test_the_neighbour_of_a_hit_comes_after_it(memory: TieredMemory) -> None:
    asked = memory.record(ANA, actor="user", action="request", observation="when is the kiln free")
    answered = memory.record(ANA, actor="executor", action="answer", observation="on thursday")
    for number in range(10):
        memory.record(Scope(user="ana", thread="x"), actor="tool", action="log", observation=f"line {number}")
    assert refs(memory.recall(ANA, "kiln free")) == [asked, answered]


def test_the_answer_two_turns_after_a_hit_comes_too(memory: TieredMemory) -> None:
    asked, between, answered = (
        memory.record(ANA, actor="user", action="request", observation=said)
        for said in ("when is the kiln free", "let me see", "on thursday")
    )
    memory.record(Scope(user="ana", thread="x"), actor="tool", action="log", observation="something else")
    assert refs(memory.recall(ANA, "kiln free", floor=0.05)) == [asked, between, answered]


@pytest.mark.parametrize("query", ["what happened on 2026-05-08", "8 May", "May 8th", "5月8日", "五月八号"])
def test_a_day_is_found_however_it_is_written(memory: TieredMemory, query: str) -> None:
    day = datetime(2026, 5, 8, 3, tzinfo=UTC)
    english = memory.record(ANA, actor="user", action="request", observation="bees swarm", at=day)
    chinese = memory.record(ANA, actor="user", action="request", observation="蜜蜂分群了", at=day)
    other = Scope(user="ana", thread="t2")
    memory.record(other, actor="user", action="request", observation="bees sleep", at=day + timedelta(days=8))
    assert set(refs(memory.recall(ANA, query, k=2))) == {english, chinese}


def test_a_day_is_the_speakers(memory: TieredMemory) -> None:
    late = datetime(2026, 5, 7, 20, tzinfo=UTC)
    event = memory.record(ANA, actor="user", action="request", observation="分群了", at=late, zone="Asia/Shanghai")
    assert refs(memory.recall(ANA, "5月8号怎么了")) == [event]
    assert memory.recall(ANA, "5月7号怎么了", floor=0.4) == []


def said_and_carded(memory: TieredMemory, text: str, value: str, *former: str) -> tuple[str, str]:
    """A turn and the card that the precipitator makes of it."""
    event = memory.record(ANA, actor="user", action="request", observation=text)
    draft = CardDraft(
        content=value, evidence=[Evidence(event_id=event, quote=text)], supersedes=former, attribute="childminder"
    )
    return event, memory.view(Role.PRECIPITATOR, ANA).write(draft).memory_id


def test_turns_with_former_values_come_after_the_card_that_replaced_them(
    memory: TieredMemory, frozen_clock: Any
) -> None:
    first, jo = said_and_carded(memory, "our childminder is Jo", "Jo minds the child")
    frozen_clock.advance(days=1)
    second, priya = said_and_carded(memory, "our childminder is Priya", "Priya minds the child", jo)
    frozen_clock.advance(days=1)
    third, owen = said_and_carded(memory, "Owen has him now", "the childminder: Owen", priya)
    found = refs(memory.recall(ANA, "who is our childminder", floor=0.05))
    assert found.index(owen) < min(found.index(first), found.index(second))
    assert {jo, priya}.isdisjoint(found)
    hits = {hit.ref: hit for hit in memory.recall(ANA, "our childminder is Jo", floor=0.05)}
    assert hits[owen].score > hits[first].score > 0.99 * hits[owen].score
    assert hits[first].parts["standing"] < 1 == hits[third].parts["standing"]


def test_turns_of_a_value_that_a_newer_one_outweighs_come_after_it_too(memory: TieredMemory, frozen_clock: Any) -> None:
    """Nobody named the older card, which may lie in a tier that the writer does not see."""
    made = {}
    for who in ("Jo", "Owen"):
        text = f"our childminder is {who}" if who == "Jo" else "Owen has him now"
        event = memory.record(ANA, actor="user", action="request", observation=text)
        draft = CardDraft(
            content=f"the childminder: {who}", evidence=[Evidence(event_id=event, quote=text)], subject="child",
            attribute="childminder", value=who,
        )  # fmt: skip
        made[who] = (event, memory.view(Role.PRECIPITATOR, ANA).write(draft).memory_id)
        frozen_clock.advance(days=1)
    hits = {hit.ref: hit for hit in memory.recall(ANA, "our childminder is Jo", floor=0.05)}
    (jo_said, jo), (owen_said, owen) = made.values()
    assert hits[owen].score > hits[jo_said].score
    assert hits[jo_said].parts["standing"] < 1 == hits[owen_said].parts["standing"]
    assert hits[jo].parts["standing"] == 0.5


def test_a_turn_that_the_current_card_rests_on_too_keeps_its_place(memory: TieredMemory) -> None:
    text = "our childminder is no longer Jo but Owen"
    event, jo = said_and_carded(memory, text, "Jo minds the child")
    draft = CardDraft(content="childminder Owen", evidence=[Evidence(event_id=event, quote=text)], supersedes=[jo])
    memory.view(Role.PRECIPITATOR, ANA).write(draft)
    (hit,) = [hit for hit in memory.recall(ANA, "who is our childminder") if hit.ref == event]
    assert hit.parts["standing"] == 1


def test_other_statuses_come_after_the_current_ones(memory: TieredMemory) -> None:
    old = memory.remember(ANA, "keeps two hives of bees")
    new = memory.remember(ANA, "keeps nine hives of bees", supersedes=[old.memory_id])
    assert refs(memory.recall(ANA, "hives of bees")) == [new.memory_id]
    assert refs(memory.recall(ANA, "two hives of bees", status="any")) == [new.memory_id, old.memory_id]


def test_a_constraint_is_not_buried_by_newer_facts(memory: TieredMemory, frozen_clock: Any) -> None:
    rule = memory.remember(ANA, "never send the invoice by mail", type=MemoryType.CONSTRAINT)
    frozen_clock.advance(days=700)
    for number in range(8):
        memory.remember(ANA, f"invoice mail {number} arrived")
    assert rule.memory_id in refs(memory.recall(ANA, "send invoice by mail", k=3))


def test_an_expired_card_comes_after_a_valid_one(memory: TieredMemory, frozen_clock: Any) -> None:
    ended = frozen_clock.now - timedelta(days=1)
    old = memory.remember(ANA, "refunds take 7 days", valid_until=ended)
    new = memory.remember(ANA, "refunds take 3 days")
    assert refs(memory.recall(ANA, "refunds take days")) == [new.memory_id, old.memory_id]


def test_scores_lie_in_0_to_1_and_fall(memory: TieredMemory) -> None:
    for number in range(12):
        memory.remember(ANA, f"kiln number {number} " + "hot " * number)
    scores = [hit.score for hit in memory.recall(ANA, "hot kiln", k=10)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_every_part_of_the_score_is_on_the_hit(memory: TieredMemory) -> None:
    memory.remember(ANA, "keeps bees")
    (hit,) = memory.recall(ANA, "bees")
    assert hit.parts.keys() >= {
        "similarity", "recency", "type", "related", "standing", "lexical", "dense", "neighbours", "evidence",
    }  # fmt: skip


def test_a_repeated_query_sees_a_new_card_and_a_new_event(memory: TieredMemory) -> None:
    memory.remember(ANA, "keeps bees")
    assert len(memory.recall(ANA, "bees")) == 1
    memory.record(ANA, actor="user", action="request", observation="the bees swarm")
    assert len(memory.recall(ANA, "bees")) == 2
    memory.remember(ANA, "bees like thyme")
    assert len(memory.recall(ANA, "bees")) == 3


def test_only_what_can_change_an_answer_empties_it_from_the_cache(
    memory: TieredMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    search = memory._recaller._legs
    monkeypatch.setattr(
        memory._recaller,
        "_legs",
        lambda bounds, question: searched.append(question.query) or search(bounds, question),
    )

    def times(**filters: Any) -> int:
        before = len(searched)
        memory.recall(ANA, "bees", **filters)
        return len(searched) - before

    rules = {"types": [MemoryType.RULE]}
    assert (times(), times(**rules), times(), times(**rules)) == (1, 1, 0, 0)
    memory.record(ANA, actor="user", action="request", observation="the bees swarm")
    assert (times(), times(**rules)) == (1, 0)
    memory.remember(ANA, "bees like thyme")
    assert (times(), times(**rules)) == (1, 1)
    memory.record(Scope(user="ben", thread="t"), actor="user", action="request", observation="bees")
    assert (times(), times(**rules)) == (0, 0)


def test_embedding_goes_on_while_the_words_are_looked_up(memory: TieredMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember(ANA, "keeps bees")
    looked_up, embedded = threading.Event(), threading.Event()
    near, by_words = memory._recaller._near, memory._recaller._by_words

    def slow_near(*args: Any) -> Any:
        embedded.set()
        assert looked_up.wait(10)
        return near(*args)

    def words(*args: Any) -> None:
        assert embedded.wait(10)
        by_words(*args)
        looked_up.set()

    monkeypatch.setattr(memory._recaller, "_near", slow_near)
    monkeypatch.setattr(memory._recaller, "_by_words", words)
    assert [hit.text for hit in memory.recall(ANA, "bees")] == ["keeps bees"]


def test_a_memory_that_is_closed_meanwhile_says_so(memory: TieredMemory) -> None:
    memory._recaller.close()
    assert memory.recall(ANA, "bees") == [], "the dense leg is asked in this thread then"
    memory.close()
    with pytest.raises(StorageError, match="closed"):
        memory.recall(ANA, "bees")


def test_a_cached_answer_cannot_be_spoiled_by_its_reader(memory: TieredMemory) -> None:
    memory.remember(ANA, "keeps bees")
    memory.recall(ANA, "bees")[0].parts.clear()
    assert memory.recall(ANA, "bees")[0].parts


def test_a_role_may_not_search_a_tier_it_may_not_read(memory: TieredMemory) -> None:
    with pytest.raises(AccessDenied):
        memory.view(Role.EXECUTOR, ANA).recall("bees", tiers=[Tier.LONG])
    assert memory.count_denied(ANA) == 1


def test_an_executor_recalls_its_own_thread_only(memory: TieredMemory) -> None:
    memory.remember(ANA, "bees are kept")
    memory.record(Scope(user="ana", thread="t0"), actor="user", action="request", observation="bees elsewhere")
    own = memory.record(ANA, actor="user", action="request", observation="bees here")
    assert refs(memory.view(Role.EXECUTOR, ANA).recall("bees")) == [own]
