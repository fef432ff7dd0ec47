from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.memory import Action, Phase, Role, Scope, TieredMemory
from memory_secretary.memory.errors import InvalidRecord, NotFound

ANA = Scope(user="ana", thread="t1")


def test_an_event_comes_back_as_it_was_recorded(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    written = view.record(
        "tool", "get_stock", observation="12 in shelf A", arguments={"shelf": "A", "n": [1, None]},
        thought="look first", phase=Phase.RESULT, step=3,
    )  # fmt: skip
    assert view.event(written.event_id) == written
    assert (written.step, written.arguments, written.phase) == (3, {"shelf": "A", "n": [1, None]}, Phase.RESULT)


def test_a_read_gives_exactly_the_characters_asked_for(memory: TieredMemory) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(500))
    event_id = memory.record(ANA, actor="tool", action="fetch", observation=text)
    assert memory.read(ANA, event_id, start=123, length=45) == text[123:168]
    assert memory.read(ANA, event_id, start=499, length=45) == text[499:]


def test_a_large_output_is_kept_whole_and_its_one_line_is_found(memory: TieredMemory) -> None:
    rows = '<div class="x">row</div>\n' * 20_000
    text = f"{rows}order_total: 417.25\n{rows}"
    event_id = memory.record(ANA, actor="tool", action="fetch", observation=text)
    hit = memory.recall(ANA, "order_total", k=1)[0]
    assert (hit.ref, "417.25" in hit.text) == (event_id, True)
    assert memory.read(ANA, event_id, hit.start, len(hit.text)) == hit.text
    assert len(hit.text) < 1000


def test_a_negative_offset_is_refused(memory: TieredMemory) -> None:
    event_id = memory.record(ANA, actor="tool", action="fetch", observation="text")
    with pytest.raises(InvalidRecord, match="start"):
        memory.read(ANA, event_id, start=-1)


def test_the_same_key_writes_once(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    first = view.record("user", Action.REQUEST, observation="hello", idempotency_key="task1:0")
    again = view.record("user", Action.REQUEST, observation="hello", idempotency_key="task1:0")
    assert again == first
    assert len(view.events()) == 1


def test_a_key_of_another_owner_is_another_key(memory: TieredMemory) -> None:
    for user in ("ana", "ben"):
        memory.record(Scope(user=user, thread="t"), actor="user", action="request", idempotency_key="k")
    assert len(memory.events(Scope(user="ben", thread="t"))) == 1


def test_a_branch_sees_only_its_ancestors(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    root = view.record("user", "request", observation="root about kilns")
    left = view.record("tool", "look", observation="left kiln is hot", parent=root.event_id)
    right = view.record("tool", "look", observation="right kiln is cold", parent=root.event_id)
    assert [event.event_id for event in view.events(head=left.event_id)] == [root.event_id, left.event_id]
    assert right.event_id not in {hit.ref for hit in view.recall("kiln", head=left.event_id)}
    assert right.event_id in {hit.ref for hit in view.recall("kiln", head=right.event_id)}


def test_a_branch_still_sees_other_threads(memory: TieredMemory) -> None:
    elsewhere = memory.record(Scope(user="ana", thread="t0"), actor="user", action="request", observation="kiln news")
    head = memory.record(ANA, actor="user", action="request", observation="root about kilns")
    assert elsewhere in {hit.ref for hit in memory.recall(ANA, "kiln", head=head)}


def test_a_head_of_another_thread_is_refused(memory: TieredMemory) -> None:
    head = memory.record(Scope(user="ana", thread="t0"), actor="user", action="request", observation="x")
    with pytest.raises(NotFound, match=head):
        memory.events(ANA, head=head)


def test_the_public_record_goes_on_from_the_newest_event(memory: TieredMemory) -> None:
    first = memory.record(ANA, actor="user", action="request", observation="a")
    second = memory.record(ANA, actor="executor", action="answer", observation="b")
    assert [event.parent for event in memory.events(ANA)] == [None, first]
    assert memory.events(ANA)[1].event_id == second


def test_a_parent_of_another_owner_is_unknown(memory: TieredMemory) -> None:
    foreign = memory.record(Scope(user="ben", thread="t"), actor="user", action="request", observation="a")
    with pytest.raises(NotFound, match=foreign):
        memory.record(ANA, actor="user", action="request", observation="b", parent=foreign)


def test_a_moment_keeps_its_instant_and_the_speakers_zone(memory: TieredMemory) -> None:
    at = datetime(2026, 3, 1, 0, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
    memory.record(ANA, actor="user", action="request", observation="took the pills just now", at=at)
    event = memory.events(ANA)[0]
    assert (event.at, event.at.tzinfo, event.zone) == (at, UTC, "Asia/Shanghai")


def test_the_day_that_is_searched_is_the_speakers(memory: TieredMemory) -> None:
    instant = datetime(2026, 3, 1, 0, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
    for user, zone in (("s", "Asia/Shanghai"), ("l", "America/Los_Angeles")):
        scope = Scope(user=user, thread="t")
        memory.record(scope, actor="user", action="request", observation="pills", at=instant, zone=zone)
    assert memory.recall(Scope(user="s"), "what happened on 1 March?")
    assert not memory.recall(Scope(user="l"), "what happened on 1 March?")
    assert memory.recall(Scope(user="l"), "what happened on 28 February?")


def test_a_naive_moment_is_refused(memory: TieredMemory) -> None:
    with pytest.raises(InvalidRecord, match="time zone"):
        memory.record(ANA, actor="user", action="request", observation="x", at=datetime(2026, 3, 1))


def test_an_unknown_zone_is_refused(memory: TieredMemory) -> None:
    with pytest.raises(InvalidRecord, match="Nowhere"):
        memory.record(ANA, actor="user", action="request", observation="x", zone="Nowhere/Land")


def test_arguments_that_are_not_json_are_refused_by_name(memory: TieredMemory) -> None:
    with pytest.raises(InvalidRecord, match=r"arguments\.when\[0\]"):
        memory.record(ANA, actor="tool", action="x", arguments={"when": [{1, 2}]})


def test_secrets_are_masked_before_they_are_written(memory: TieredMemory) -> None:
    key = "sk-" + "EXAMPLE" * 5
    event_id = memory.record(
        ANA, actor="user", action="request", observation=f"staging uses key {key}", arguments={"note": key}, thought=key
    )
    event = memory.events(ANA)[0]
    assert key not in f"{event.observation} {event.thought} {event.arguments}"
    assert "staging uses key" in memory.read(ANA, event_id)


@settings(deadline=None, max_examples=30)
@given(text=st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_characters_can_be_recorded_and_encoded(text: str) -> None:
    with TieredMemory.open(":memory:", embedder=None) as memory:
        event_id = memory.record(ANA, actor="tool", action="fetch", observation=text, arguments={"x": text})
        stored = memory.read(ANA, event_id)
        stored.encode()
        assert "\x00" not in stored


def test_a_brief_is_never_recalled(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    view.record("secretary", Action.BRIEF, observation="kiln is hot")
    assert view.recall("kiln") == []


def test_the_intent_of_a_call_is_not_recalled_beside_its_result(memory: TieredMemory) -> None:
    view = memory.view(Role.SECRETARY, ANA)
    view.record("executor", "look", arguments={"at": "kiln"}, phase=Phase.INTENT)
    result = view.record("tool", "look", arguments={"at": "kiln"}, observation="hot", phase=Phase.RESULT)
    assert [hit.ref for hit in view.recall("kiln")] == [result.event_id]


def test_only_the_newest_events_come_with_a_limit(memory: TieredMemory) -> None:
    ids = [memory.record(ANA, actor="user", action="request", observation=str(number)) for number in range(5)]
    assert [event.event_id for event in memory.events(ANA, limit=2)] == ids[-2:]


def test_no_secret_is_kept_in_a_key(tmp_path: Path) -> None:
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        for key in ("login password=tr0ub4dor-x9", "login password=tr0ub4dor-x9", "登录 密码=芝麻开门"):
            memory.record(ANA, actor="tool", action="login", idempotency_key=key)
            memory.remember(ANA, f"the {key[:2]} works", idempotency_key=key)
        assert len(memory.events(ANA)) == 2
        assert len(memory.list(ANA)) == 2
    stored = b"".join(path.read_bytes() for path in (tmp_path / "memory").rglob("*") if path.is_file())
    assert b"tr0ub4dor" not in stored
    assert "芝麻".encode() not in stored
