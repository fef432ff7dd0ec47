"""What the user said is forgotten by the turn itself: wishes that are no cards yet, and any other words of theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_secretary.memory import MemoryType, TieredMemory
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.errors import AccessDenied, InvalidRecord, NotFound
from memory_secretary.memory.records import Evidence
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.task_state import TaskState, new_task
from memory_secretary.memory.why import Rule

ANA = Scope(user="ana", thread="t1")
WISHES = {"en": "Please remember: I want answers in at most ten words", "zh": "请记住：回答不要超过十个字"}
ASKED = {"en": "answers words", "zh": "回答几个字"}


def say(memory: TieredMemory, text: str, answer: str = "Noted.", scope: Scope = ANA, **more: Any) -> tuple[str, str]:
    """A turn and its answer, as a run records them."""
    view = memory.view(Role.SECRETARY, scope)
    said = view.record("user", "request", observation=text, **more)
    answered = view.record("executor", "answer", observation=answer, parent=said.event_id)
    view.enqueue([said.event_id, answered.event_id], "turn ended")
    return said.event_id, answered.event_id


def wish(memory: TieredMemory, lang: str = "en", scope: Scope = ANA) -> str:
    return say(memory, WISHES[lang], f"OK: {WISHES[lang]}", scope, queue_for="remember")[0]


def wished(memory: TieredMemory, query: str = "anything at all") -> list[str]:
    return [hit.text for hit in memory.recall(ANA, query, types=[MemoryType.PREFERENCE])]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_wish_that_waits_leaves_every_search_and_the_queue_and_comes_back_until_the_vacuum(
    tmp_path: Path, lang: str
) -> None:
    with TieredMemory.open(tmp_path / "m", embedder=None) as memory:
        ref = wish(memory, lang)
        task = new_task(task_id="k", goal=WISHES[lang], goal_ref=ref)
        memory.view(Role.SECRETARY, ANA).save_task_state(TaskState(**{**task, "finished": True}), head=ref, step=0)
        assert wished(memory) == [WISHES[lang]]
        would = memory.would_forget_turn(ANA, ref)
        done = memory.forget_turn(ANA, ref)
        assert (would, done.queued, len(done.events)) == (done, 2, 2)
        assert (wished(memory), memory.pending(ANA)) == ([], [])
        for mode in ("hybrid", "lexical", "recent"):
            assert memory.recall(ANA, ASKED[lang], mode=mode, floor=0.0, status="any") == []
        why = memory.why(ANA, ASKED[lang], expect=ref)
        assert (why.rule, "memory restore" in why.text) == (Rule.FORGOTTEN, True)
        assert memory.close_session(ANA) is None
        assert memory.check().repaired == 0
        memory.export(ANA, tmp_path / "out.jsonl")
        assert WISHES[lang] not in (tmp_path / "out.jsonl").read_text("utf-8")
        assert memory.restore_turn(ANA, ref).observation == WISHES[lang]
        assert wished(memory) == [WISHES[lang]]
        assert ref in [hit.ref for hit in memory.recall(ANA, ASKED[lang])]
        memory.forget_turn(ANA, ref)
        memory.vacuum()
        with pytest.raises(NotFound, match="say them again"):
            memory.restore_turn(ANA, ref)
        assert "erased" in memory.why(ANA, ASKED[lang], expect=ref).text
    for file in (tmp_path / "m").rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        assert WISHES[lang].encode() not in data and json.dumps(WISHES[lang])[1:-1].encode() not in data


def test_what_is_forgotten_is_told_in_one_sentence_in_the_language_spoken(memory: TieredMemory) -> None:
    ref = wish(memory)
    with speaking("zh"):
        assert memory.would_forget_turn(ANA, ref).outlook == (
            "遗忘会把这些移出所有检索和简报：这句话（不再等待整理成卡片）、回答或重复它的记录 1 条。"
            "彻底抹去之前，可用 `memory restore` 恢复对话。"
        )
    assert memory.forget_turn(ANA, ref).sentence == (
        "Taken out of every search and brief: the turn (it no longer waits to become a card), "
        "1 record answering or repeating it. The turns stay on the disk for restore until a vacuum."
    )
    again = memory.forget_turn(ANA, ref)
    assert (again.already, again.events, again.sentence) == (
        True, (), "It was forgotten already; nothing was changed.",
    )  # fmt: skip


def test_only_this_turn_goes_and_the_rest_of_its_session_goes_on_waiting(memory: TieredMemory) -> None:
    before, after = say(memory, "I keep bees.", "Nice."), ("", "")
    ref = wish(memory)
    after = say(memory, "And two goats.", "Fine.")
    memory.close_session(ANA)
    memory.forget_turn(ANA, ref)
    waiting = {entry.reason: entry.event_ids for entry in memory.pending(ANA) if entry.reason == "session_closed"}
    assert waiting == {"session_closed": (*before, *after)}
    assert memory.close_session(ANA) is None
    assert [hit.ref for hit in memory.recall(ANA, "bees goats")] != []


def waiting(memory: TieredMemory) -> set[tuple[str, str, str]]:
    """Reason, text and each event of what waits."""
    return {(entry.reason, entry.text, ref) for entry in memory.pending(ANA) for ref in entry.event_ids}


def test_what_is_restored_waits_again_for_everything_that_it_waited_for(memory: TieredMemory) -> None:
    say(memory, "I keep bees.", "Nice.")
    ref = wish(memory)
    memory.close_session(ANA)
    before = waiting(memory)
    memory.forget_turn(ANA, ref)
    assert not any(ref == left or WISHES["en"] in text for _, text, left in waiting(memory))
    memory.restore_turn(ANA, ref)
    assert waiting(memory) == before
    assert {reason for reason, _, named in before if named == ref} == {"remember", "turn ended", "session_closed"}
    memory.restore_turn(ANA, ref)
    assert waiting(memory) == before


def test_of_two_turns_that_were_forgotten_only_the_restored_one_waits_again(memory: TieredMemory) -> None:
    first, _ = say(memory, "I keep bees.", "Nice.")
    second, _ = say(memory, "And two goats.", "Fine.")
    memory.close_session(ANA)
    before = waiting(memory)
    memory.forget_turn(ANA, first)
    memory.forget_turn(ANA, second)
    assert waiting(memory) == set()
    memory.restore_turn(ANA, second)
    assert {named for _, _, named in waiting(memory)}.isdisjoint({first})
    memory.restore_turn(ANA, first)
    assert waiting(memory) == before


def test_a_card_made_of_the_turn_alone_goes_with_it_and_is_not_made_of_it_again(memory: TieredMemory) -> None:
    ref, other = wish(memory), say(memory, "Short answers, ten words!")[0]
    proof = [Evidence(event_id=ref, quote="answers in at most ten words")]
    both = [*proof, Evidence(event_id=other, quote="Short answers")]
    view = memory.view(Role.PRECIPITATOR, ANA)
    alone = view.write(CardDraft(content="Wants ten words at most", evidence=proof))
    kept = view.write(CardDraft(content="Wants short answers", evidence=both))
    done = memory.forget_turn(ANA, ref)
    assert (done.cards, "1 card made of it" in done.sentence) == ((alone.memory_id,), True)
    assert [card.memory_id for card in memory.list(ANA)] == [kept.memory_id]
    with pytest.raises(InvalidRecord, match="forgotten"):
        view.write(CardDraft(content="At most ten words, please", evidence=proof))


def test_the_same_words_said_anew_are_a_new_wish(memory: TieredMemory) -> None:
    memory.forget_turn(ANA, wish(memory))
    wish(memory)
    assert wished(memory) == [WISHES["en"]]


def test_only_the_person_who_said_it_may_forget_it(memory: TieredMemory) -> None:
    ref, answer = say(memory, "I keep bees.")
    with pytest.raises(NotFound):
        memory.forget_turn(Scope(user="ben"), ref)
    found = memory.view(Role.SECRETARY, ANA).record("tool", "read_file", observation="Bees: 40").event_id
    with pytest.raises(InvalidRecord, match="nothing that you said"):
        memory.forget_turn(ANA, found)
    with pytest.raises(NotFound, match="forget_turn"):
        memory.forget(ANA, ref)
    team_ref = wish(memory, scope=Scope(user="ana", team="mill", thread="t1"))
    ben = Scope(user="ben", team="mill")
    for attempt in (memory.forget_turn, memory.would_forget_turn, memory.restore_turn):
        with pytest.raises(AccessDenied, match="another person"):
            attempt(ben, team_ref)
    assert memory.count_denied(ben) == 3
    assert memory.view(Role.RETRIEVER, ANA).forgotten([ref, answer]) == set()


@pytest.mark.parametrize(
    ("told", "again", "other"),
    [
        (
            "My name is Marta Ilves and I live in Tartu.",
            "You are Marta Ilves, and you live in Tartu.",
            "The lake road is closed.",
        ),
        ("我叫林舟，是麦田面包坊的店长。", "你是林舟，是麦田面包坊的店长。", "东湖店五月一共320工时。"),
    ],
)
def test_an_answer_in_another_session_that_says_it_again_goes_with_it(
    memory: TieredMemory, told: str, again: str, other: str
) -> None:
    ref, _ = say(memory, told)
    elsewhere = Scope(user="ana", thread="t2")
    asked, answered = say(memory, "Who am I?", again, elsewhere)
    _, kept = say(memory, "What else is there?", other, elsewhere)
    done = memory.forget_turn(ANA, ref)
    gone = memory.view(Role.RETRIEVER, ANA).forgotten([ref, asked, answered, kept])
    assert (gone, set(done.events) >= gone) == ({ref, answered}, True)


def test_an_answer_can_be_forgotten_alone_and_restored(memory: TieredMemory) -> None:
    ref, answer = say(memory, "Which road is closed?", "The mill road, since May.")
    assert memory.forget_turn(ANA, answer).events == (answer,)
    assert all(hit.ref != answer for hit in memory.recall(ANA, "mill road since May", floor=0.0))
    assert memory.view(Role.RETRIEVER, ANA).forgotten([ref, answer]) == {answer}
    memory.restore_turn(ANA, answer)
    assert memory.view(Role.RETRIEVER, ANA).forgotten([ref, answer]) == set()
