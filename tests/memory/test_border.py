"""What the border refuses, each time with a sentence that names the field, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from memory_secretary.memory import CardDraft, Role, Scope, Tier, TieredMemory
from memory_secretary.memory.errors import InvalidRecord, NotFound, ScopeError
from memory_secretary.memory.injection import format_memories
from memory_secretary.memory.schema import cards, events

ANA = Scope(user="ana", thread="t1")
KIRITIMATI = "Pacific/Kiritimati"
FAR = [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]


def nested(levels: int) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for _ in range(levels):
        whole = {"in": whole}
    return whole


def cyclic() -> dict[str, Any]:
    whole: dict[str, Any] = {}
    whole["again"] = [whole, whole]
    return whole


def call(memory: TieredMemory, **fields: Any) -> str:
    return memory.record(ANA, **({"actor": "tool", "action": "look", "observation": "a walrus swam by"} | fields))


BAD_EVENTS: list[tuple[str, Any]] = [
    ("arguments", ["walrus"]), ("arguments", "walrus"), ("arguments", 0), ("arguments", cyclic()),
    ("arguments", nested(500)), ("arguments", {"n": 10**4000}), ("step", "a"), ("step", 2**80), ("step", -1),
    ("step", True), ("actor", None), ("zone", 5), ("zone", "a\0b"), ("idempotency_key", 5), ("parent", 5), ("at", "x"),
    ("at", datetime(2026, 3, 1)), ("at", FAR[0]), ("at", FAR[1]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_EVENTS, ids=lambda value: type(value).__name__)
def test_an_event_with_a_field_that_cannot_be_stored_is_refused_by_name(
    memory: TieredMemory, name: str, value: Any
) -> None:
    with pytest.raises(InvalidRecord, match=name) as refusal:
        call(memory, **{name: value})
    assert any("\u4e00" <= letter <= "\u9fff" for letter in refusal.value.sentence("zh"))
    assert memory.events(ANA) == []


BAD_CARDS: list[tuple[str, Any]] = [
    ("related_ids", [1]), ("related_ids", 5), ("applies_to", [None]), ("supersedes", {"a": 1}), ("access_level", None),
    ("access_level", 5), ("valid_from", "today"), ("valid_until", FAR[1]), ("at", FAR[0]), ("idempotency_key", 5),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_CARDS, ids=lambda value: type(value).__name__)
def test_a_card_with_a_field_that_cannot_be_stored_is_refused_by_name(
    memory: TieredMemory, name: str, value: Any
) -> None:
    with pytest.raises(InvalidRecord, match=name):
        memory.remember(ANA, "one", **{name: value})
    assert memory.list(ANA) == []


@pytest.mark.parametrize("weight", [float("nan"), "a", -0.1, True, None])
def test_a_weight_that_is_no_share_is_refused(memory: TieredMemory, weight: Any) -> None:
    with pytest.raises(InvalidRecord, match="weight"):
        memory.view(Role.USER, ANA).remember(CardDraft(content="one", weight=weight))
    card = memory.remember(ANA, "two")
    if weight is not None:
        with pytest.raises(InvalidRecord, match="weight"):
            memory.view(Role.INSPECTOR, ANA).set_status(card.memory_id, weight=weight, reason="too old")


def test_evidence_is_a_list_of_evidence(memory: TieredMemory) -> None:
    for evidence in ("evt_1", [1], 5):
        with pytest.raises(InvalidRecord, match="evidence"):
            memory.view(Role.USER, ANA).remember(CardDraft(content="one", evidence=evidence))  # type: ignore[arg-type]


def test_a_card_cannot_end_before_it_begins(memory: TieredMemory) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    with pytest.raises(InvalidRecord, match="valid_from"):
        memory.remember(ANA, "one", valid_from=now, valid_until=now - timedelta(days=1))
    card = memory.remember(ANA, "one", valid_from=now)
    with pytest.raises(InvalidRecord, match="valid_until"):
        memory.edit(ANA, card.memory_id, valid_until=now - timedelta(days=1))


BAD_FILTERS: list[tuple[str, Any]] = [
    ("head", 5), ("floor", "a"), ("floor", float("nan")), ("tiers", "short"), ("tiers", Tier.SHORT), ("types", "fact"),
    ("exclude", "mem_1"), ("thread", 5), ("k", 10**20), ("k", True), ("since", 5), ("mode", 5), ("status", 5),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_FILTERS, ids=lambda value: type(value).__name__)
def test_a_recall_with_an_unusable_filter_is_refused_by_name(memory: TieredMemory, name: str, value: Any) -> None:
    call(memory)
    with pytest.raises(InvalidRecord, match=name):
        memory.recall(ANA, "walrus", **{name: value})


def test_a_listing_with_an_unusable_filter_is_refused(memory: TieredMemory) -> None:
    for name, value in (("tiers", "short"), ("types", "fact"), ("limit", "a"), ("limit", -1)):
        with pytest.raises(InvalidRecord, match=name):
            memory.list(ANA, **{name: value})


def test_reading_from_where_no_text_can_be_is_refused(memory: TieredMemory) -> None:
    ref = call(memory)
    for start in (10**20, -1, "a", None):
        with pytest.raises(InvalidRecord, match="start"):
            memory.read(ANA, ref, start=start)  # type: ignore[arg-type]
    with pytest.raises(InvalidRecord, match="event_id"):
        memory.read(ANA, 5)  # type: ignore[arg-type]
    with pytest.raises(InvalidRecord, match="memory_id"):
        memory.history(ANA, 5)  # type: ignore[arg-type]


ASKED: list[Callable[[TieredMemory, Any], Any]] = [
    lambda memory, scope: memory.record(scope, actor="user", action="request"),
    lambda memory, scope: memory.recall(scope, "one"),
    lambda memory, scope: memory.remember(scope, "one"),
    lambda memory, scope: memory.count_denied(scope),
    lambda memory, scope: memory.export(scope, "nowhere"),
]


@pytest.mark.parametrize("ask", ASKED)
def test_a_name_is_no_scope(memory: TieredMemory, ask: Callable[[TieredMemory, Any], Any]) -> None:
    with pytest.raises(ScopeError, match="must be a Scope"):
        ask(memory, "ana")


@pytest.mark.parametrize("name", ["u\u2060", "u\ufeff", "u\u00ad", "u\u180e", "u\u3164", "u\u200b", "\u2800u", "u\x9f"])
def test_an_id_with_a_character_that_nobody_sees_is_refused(name: str) -> None:
    for part in ("user", "team", "agent", "thread"):
        with pytest.raises(ScopeError, match="invisible"):
            Scope(**({"user": "u"} | {part: name}))


@pytest.mark.parametrize("name", ["❤️", "👩‍👩‍👧", "می‌خواهم", "葛\U000e0100城", "안녕", "u-1"])
def test_an_id_in_any_writing_is_taken(name: str) -> None:
    assert Scope(user=name).owner == f"user:{name}"


def test_one_text_is_a_list_of_one_where_cards_and_situations_are_named(memory: TieredMemory) -> None:
    other = memory.remember(ANA, "The weekly report goes to Mia")
    card = memory.remember(ANA, "Prefers short answers", applies_to="weekly report", related_ids=other.memory_id)
    assert (card.applies_to, card.related_ids) == (("weekly report",), (other.memory_id,))
    assert memory.edit(ANA, card.memory_id, applies_to="周报").applies_to == ("周报",)


def test_arguments_that_an_earlier_release_took_are_read_under_a_name(memory: TieredMemory) -> None:
    ref = call(memory, arguments={"$date": "2026-03-01"})
    assert memory.events(ANA)[0].arguments == {"$date": "2026-03-01"}
    with memory._ledger.database.write() as connection:
        connection.execute(update(events).values(arguments='["walrus"]'))
    assert memory.events(ANA)[0].arguments == {"value": ["walrus"]}
    assert "walrus" in memory.recall(ANA, "walrus")[0].label
    assert memory.why(ANA, "walrus", expect=ref).rank == 1


def test_days_and_moments_in_arguments_stay_what_they_are(memory: TieredMemory) -> None:
    call(memory, arguments={"day": date(2026, 3, 1)})
    assert memory.events(ANA)[0].arguments == {"day": date(2026, 3, 1)}


@pytest.mark.parametrize("far", FAR)
def test_a_card_of_an_earlier_release_from_an_end_of_the_calendar_is_shown(memory: TieredMemory, far: datetime) -> None:
    card = memory.remember(ANA, "the end comes tomorrow")
    micros = (far - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    with memory._ledger.database.write() as connection:
        connection.execute(update(cards).values(at=micros, valid_until=micros))
    hits = memory.recall(ANA, "the end", status="any")
    for zone in (KIRITIMATI, "Pacific/Niue"):
        assert far.date().isoformat() in format_memories(hits, zone=zone)
    memory.view(Role.INSPECTOR, ANA).set_status(card.memory_id, weight=0.5, reason="too old")
    assert len(memory.history(ANA, card.memory_id)) == 2
    assert card.memory_id in memory.forget(ANA, card.memory_id).cards


def test_the_first_and_last_years_that_are_taken_are_shown_in_every_zone(memory: TieredMemory) -> None:
    for year in (2, 9998):
        memory.remember(ANA, f"in {year}, tomorrow", at=datetime(year, 1, 1, tzinfo=UTC), zone="Pacific/Niue")
    assert len(format_memories(memory.recall(ANA, "tomorrow"), zone=KIRITIMATI).splitlines()) == 6


def test_a_read_that_the_access_level_or_the_thread_denies_is_counted_and_tells_nothing(memory: TieredMemory) -> None:
    card = memory.remember(Scope(user="ana", agent="planner"), "Budget is 900", access_level="private")
    ref = call(memory)
    other = memory.view(Role.RETRIEVER, Scope(user="ana", agent="writer"))
    elsewhere = memory.view(Role.EXECUTOR, Scope(user="ana", thread="t2"))
    for read in (
        lambda: other.card(card.memory_id),
        lambda: other.history(card.memory_id),
        lambda: elsewhere.read(ref),
    ):
        with pytest.raises(NotFound):
            read()
    assert memory.count_denied(ANA) == 3
    assert {one.role for one in memory.denied(ANA)} == {"retriever", "executor"}
    with pytest.raises(NotFound) as hidden:
        other.card(card.memory_id)
    with pytest.raises(NotFound) as absent:
        other.card("mem_none")
    assert str(hidden.value).replace(card.memory_id, "mem_none") == str(absent.value)
    assert memory.count_denied(ANA) == 4
    assert memory.count_denied(Scope(user="ben")) == 0


def test_half_a_character_in_an_id_is_no_reason_to_fail(memory: TieredMemory) -> None:
    assert memory.remember(ANA, "one", related_ids=["mem_\ud83e"], applies_to="a\ud83e").related_ids != ()
    with pytest.raises(InvalidRecord, match="event_id"):
        memory.read(ANA, "evt_\ud83e")


ODD_CALLS: list[tuple[str, Callable[[TieredMemory, str], Any]]] = [
    ("older_than", lambda memory, card: memory.trim_outputs(older_than="a")),  # type: ignore[arg-type]
    ("larger_than", lambda memory, card: memory.trim_outputs(older_than=timedelta(), larger_than="a")),  # type: ignore[arg-type]
    ("version", lambda memory, card: memory.restore(ANA, card, version=2**80)),
    ("expected_version", lambda memory, card: memory.edit(ANA, card, expected_version="1", content="two")),  # type: ignore[arg-type]
    ("expect", lambda memory, card: memory.why(ANA, "one", expect=5)),  # type: ignore[arg-type]
    ("limit", lambda memory, card: memory.denied(ANA, limit="a")),  # type: ignore[arg-type]
    ("limit", lambda memory, card: memory.open_tasks(ANA, limit=-1)),
    ("limit", lambda memory, card: memory.events(ANA, limit="a")),  # type: ignore[arg-type]
    ("event_ids", lambda memory, card: memory.view(Role.SECRETARY, ANA).enqueue("evt_1", "remember")),
    ("role", lambda memory, card: memory.view("boss", ANA)),  # type: ignore[call-overload]
]


@pytest.mark.parametrize(("name", "use"), ODD_CALLS, ids=lambda value: str(value)[:16])
def test_a_call_with_something_else_than_it_takes_is_refused_by_name(
    memory: TieredMemory, name: str, use: Callable[[TieredMemory, str], Any]
) -> None:
    card = memory.remember(ANA, "one")
    with pytest.raises(InvalidRecord, match=name):
        use(memory, card.memory_id)
    assert memory.list(ANA) == [card]


def test_no_output_is_older_than_the_longest_time(memory: TieredMemory) -> None:
    call(memory)
    assert memory.trim_outputs(older_than=timedelta.max).events == 0


def test_a_filter_that_there_is_not_is_refused_with_those_that_there_are(memory: TieredMemory) -> None:
    asks: list[Callable[[], Any]] = [
        lambda: memory.recall(ANA, "kiln", statuss="any"),
        lambda: memory.why(ANA, "kiln", expect="mem_1", statuss="any"),
        lambda: memory.list(ANA, statuss="any"),
    ]
    for ask in asks:
        with pytest.raises(InvalidRecord, match=r"no filter statuss, only .*\bstatus\b") as refusal:
            ask()
        assert "过滤条件" in refusal.value.sentence("zh")
        assert "query" not in str(refusal.value)
    assert memory.list(ANA, types=None, limit=1) == []
