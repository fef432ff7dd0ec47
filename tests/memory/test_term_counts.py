"""How often words stand in an owner's passages: what was counted before is counted on, and never wrongly."""

from __future__ import annotations

import random

from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.term_counts import TermCounts

ANA, BEN = Scope(user="ana", thread="t1"), Scope(user="ben", thread="t1")
WORDS = ("kiln", "loam", "mast", "nave", "oar")
CAP = 2000


def counted(memory: TieredMemory, counts: TermCounts, cap: int = CAP) -> dict[str, int]:
    with memory._ledger.database.read() as connection:
        size = connection.exec_driver_sql("SELECT passages FROM lexical_stats WHERE owner = ?", (ANA.owner,)).scalar()
        return counts.of(connection, ANA.owner, WORDS, size=size or 0, cap=cap)


def test_counts_are_those_of_the_texts_whatever_came_and_went(memory: TieredMemory) -> None:
    chance, counts = random.Random(7), TermCounts()
    turns: list[str] = []
    for _ in range(120):
        if turns and chance.random() < 0.25:
            memory.forget_turn(ANA, turns.pop(chance.randrange(len(turns))))
        else:
            text = " ".join(chance.choices(WORDS, k=chance.randrange(1, 4)) + ["x"] * chance.randrange(30))
            turns.append(memory.record(ANA, actor="user", action="request", observation=text))
        memory.record(BEN, actor="user", action="request", observation="kiln of another")
        if chance.random() < 0.5:
            assert counted(memory, counts) == counted(memory, TermCounts())


def test_what_was_counted_is_not_counted_again(memory: TieredMemory) -> None:
    for _ in range(3):
        memory.record(ANA, actor="user", action="request", observation="kiln and loam")
    counts = TermCounts()
    counted(memory, counts)
    kept = counts._owners[ANA.owner].terms
    assert kept == {"kiln": 3, "loam": 3}
    memory.record(ANA, actor="user", action="request", observation="kiln and mast")
    assert counted(memory, counts) == {"kiln": 4, "loam": 3, "mast": 1, "nave": 0, "oar": 0}
    assert counted(memory, counts, cap=2) == {"kiln": 3, "loam": 3, "mast": 1, "nave": 0, "oar": 0}


def test_a_word_that_stood_nowhere_is_found_where_its_turn_took_another_ones_place(memory: TieredMemory) -> None:
    gone = memory.record(ANA, actor="user", action="request", observation="the kiln is hot")
    assert memory.recall(ANA, "mast", mode="lexical") == []
    memory.forget_turn(ANA, gone)
    new = memory.record(ANA, actor="user", action="request", observation="the mast is high")
    assert [hit.ref for hit in memory.recall(ANA, "mast", mode="lexical")] == [new]
