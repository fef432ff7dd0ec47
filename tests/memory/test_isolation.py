"""No read returns another owner's record, on any path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.memory import Role, Scope, TieredMemory
from memory_secretary.memory.errors import MemorySecretaryError, ScopeError

OWNERS = (Scope(user="ana", thread="t"), Scope(user="ana2", thread="t"), Scope(team="ana", user="ana", thread="t"))


@pytest.mark.parametrize(
    "user",
    ["", None, "ana\u0000", " ana", {"$ne": ""}, "ana\u202e", "\ud83e", 7, "a\u200dna", "ana\u200d", "\u200c小王"],
)
def test_a_user_that_could_be_read_as_another_is_refused(user: Any) -> None:
    with pytest.raises(ScopeError):
        Scope(user=user)


@pytest.mark.parametrize("user", ["👩\u200d🚒", "👨\u200d👩\u200d👧", "می\u200cخواهم", "क्\u200dष"])
def test_joiners_inside_emoji_and_words_are_letters_like_others(memory: TieredMemory, user: str) -> None:
    memory.remember(Scope(user=user), "kiln")
    assert [card.content for card in memory.list(Scope(user=user))] == ["kiln"]
    assert memory.list(Scope(user=user.replace("\u200d", "").replace("\u200c", ""))) == []


def test_one_record_among_two_hundred_of_a_like_named_user(memory: TieredMemory, tmp_path: Path) -> None:
    ana, ana2 = OWNERS[:2]
    for number in range(200):
        memory.remember(ana, f"car number {number}")
    mine = memory.remember(ana2, "my car is grey")
    file = tmp_path / "out.jsonl"
    assert [hit.ref for hit in memory.recall(ana2, "car", k=5)] == [mine.memory_id]
    assert memory.list(ana2) == [mine]
    assert memory.export(ana2, file) == 1
    assert "number" not in file.read_text()


def test_a_team_and_a_user_of_one_name_are_two_owners(memory: TieredMemory) -> None:
    memory.remember(Scope(user="ana"), "car")
    assert memory.recall(Scope(team="ana"), "car") == []


def test_two_users_with_the_same_text_at_the_same_moment_have_two_records(memory: TieredMemory) -> None:
    one, two = (memory.remember(scope, "gate code changed") for scope in OWNERS[:2])
    assert one.memory_id != two.memory_id
    memory.forget(OWNERS[0], one.memory_id)
    assert [card.memory_id for card in memory.list(OWNERS[1])] == [two.memory_id]


def test_related_ids_do_not_reach_across_the_border(memory: TieredMemory) -> None:
    foreign = memory.remember(OWNERS[0], "salary list")
    memory.remember(OWNERS[1], "kiln", related_ids=[foreign.memory_id])
    assert [hit.text for hit in memory.recall(OWNERS[1], "kiln")] == ["kiln"]
    assert memory.list(OWNERS[0])[0].related_ids == ()


def test_supersedes_does_not_reach_across_the_border(memory: TieredMemory) -> None:
    foreign = memory.remember(OWNERS[0], "salary list")
    memory.remember(OWNERS[1], "kiln", supersedes=[foreign.memory_id])
    assert memory.list(OWNERS[0]) == [foreign]


def test_an_imported_copy_leaves_the_original_alone(memory: TieredMemory, tmp_path: Path) -> None:
    memory.record(OWNERS[0], actor="user", action="request", observation="kiln")
    card = memory.remember(OWNERS[0], "kiln is hot")
    memory.export(OWNERS[0], tmp_path / "a.jsonl")
    memory.import_(OWNERS[1], tmp_path / "a.jsonl")
    memory.edit(OWNERS[1], card.memory_id, content="kiln is cold")
    assert memory.list(OWNERS[0]) == [card]
    assert {hit.text for hit in memory.recall(OWNERS[0], "kiln")} == {"kiln", "kiln is hot"}


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 4)), max_size=20))
def test_no_sequence_of_calls_shows_one_owner_anothers_words(steps: list[tuple[int, int, int]]) -> None:
    """Each owner writes words with their own mark, and tries every path with the others' ids."""
    with TieredMemory.open(":memory:", embedder=None) as memory:
        written: list[list[str]] = [[], [], []]
        events: list[list[str]] = [[], [], []]
        for number, (me, other, operation) in enumerate(steps):
            scope, mark = OWNERS[me], f"mark{me}x"
            ids, foreign_events = written[other], events[other]
            match operation:
                case 0:
                    written[me].append(memory.remember(scope, f"{mark} {number}", related_ids=ids[-1:]).memory_id)
                case 1:
                    event_id = memory.record(scope, actor="user", action="request", observation=f"{mark} {number}")
                    events[me].append(event_id)
                case 2 if ids and other != me:
                    for attempt in (memory.history, memory.forget, memory.restore):
                        with pytest.raises(MemorySecretaryError):
                            attempt(scope, ids[-1])
                case 3 if foreign_events and other != me:
                    with pytest.raises(MemorySecretaryError):
                        memory.read(scope, foreign_events[-1])
                case _:
                    memory.view(Role.SECRETARY, scope).enqueue([], "remember", f"{mark} {number}")
        for index, owner in enumerate(OWNERS):
            shown = repr(
                [
                    memory.recall(owner, "mark0x mark1x mark2x", k=50, floor=0.0),
                    memory.list(owner, status="any"),
                    memory.events(owner),
                    memory.pending(owner),
                ]
            )
            assert not [f"mark{one}x" for one in range(3) if one != index and f"mark{one}x" in shown]
