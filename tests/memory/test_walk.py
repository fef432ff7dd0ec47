"""Random public operations of many people, teams, agents and roles at once: nobody gets what is not theirs to see.

Every text that is written holds a mark of its own. Whatever an operation gives back, its error included, is searched
for marks, and each has to belong to a record that the caller may see.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from allowed import READS, may_see
from sqlalchemy import bindparam, true

from memory_secretary.memory import (
    CardDraft,
    MemoryCard,
    MemoryType,
    Role,
    Scope,
    Tier,
    TieredMemory,
)
from memory_secretary.memory.access import Caller
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.schema import cards, events
from memory_secretary.memory.views import VIEWS

SCOPES = [
    Scope(user=user, team=team, agent=agent, thread=thread)
    for user in ("ana", "ana2")
    for team in (None, "ana")
    for agent in (None, "mail", "audit")
    for thread in ("t1", "t2")
]
LEVELS: tuple[str | tuple[str, ...], ...] = ("all", "team", "private", ("mail",), ("mail", "inspector"))
WORDS = ("kiln", "harbour", "窑炉", "港口", "invoice")
MARK = re.compile(r"mark\d+z")
WORLD = 500
"""Operations in one memory; then a new one begins, so that most of the time does not go into large answers."""

Operation = Callable[["Walk", Caller, Any], Any]


class Walk:
    """One memory, and what is known of everything that was written into it."""

    def __init__(self, memory: TieredMemory, chance: random.Random, folder: Path) -> None:
        self.memory, self.chance, self.folder = memory, chance, folder
        self.cards: dict[str, MemoryCard] = {}
        self.events: dict[str, Scope] = {}
        self.mark_of: dict[str, str] = {}
        self.mark = ""
        self.before: dict[str, MemoryCard] = {}
        self.number = 0

    def step(self) -> None:
        self.number += 1
        self.mark, self.before = "", {}
        caller = Caller(self.chance.choice(list(Role)), self.chance.choice(SCOPES))
        view = self.memory.view(caller.role, caller.scope)  # type: ignore[call-overload]
        name, operation = self.chance.choice(OF_ROLE[caller.role])
        try:
            given = operation(self, caller, view)
        except MemorySecretaryError as error:
            given = error
        shown = MARK.findall(f"{given!r} {given}")
        wrong = [mark for mark in shown if not self.allowed(caller, mark)]
        assert not wrong, (name, caller, wrong)

    def allowed(self, caller: Caller, mark: str) -> bool:
        """Who writes a card for others gets it back once, and who changes a card's readers has seen it before."""
        ref = self.mark_of.get(mark, "")
        if mark == self.mark:
            return True
        if ref in self.cards:
            card = self.before.get(ref, self.cards[ref])
            return card.tier.value in READS[caller.role] and may_see(caller, card)
        where = self.events.get(ref)
        if where is None or where.owner != caller.owner or "working" not in READS[caller.role]:
            return False
        return caller.role is not Role.EXECUTOR or where.thread == caller.scope.thread

    def text(self) -> str:
        self.mark = f"mark{self.chance.randrange(10**9)}z"
        return f"the {self.chance.choice(WORDS)} {self.chance.choice(WORDS)} {self.mark}"

    def keep(self, card: MemoryCard) -> MemoryCard:
        if card.memory_id in self.cards:
            self.before[card.memory_id] = self.cards[card.memory_id]
        self.cards[card.memory_id] = card
        self.mark_of |= dict.fromkeys(MARK.findall(card.content), card.memory_id)
        return card

    def a_card(self) -> str:
        return self.chance.choice(list(self.cards) or ["mem_none"])

    def an_event(self) -> str:
        return self.chance.choice(list(self.events) or ["evt_none"])


def record(walk: Walk, caller: Caller, view: Any) -> Any:
    text = walk.text()
    actor, action = ("executor", "answer") if caller.role is Role.EXECUTOR else ("user", "request")
    event = view.record(actor, action, observation=text)
    walk.events[event.event_id] = caller.scope
    walk.mark_of[walk.mark] = event.event_id
    return event


def write(walk: Walk, caller: Caller, view: Any) -> Any:
    tier = Tier.SHORT if caller.role is Role.PRECIPITATOR else Tier.LONG
    return walk.keep(view.write(draft(walk, tier)))


def remember(walk: Walk, caller: Caller, view: Any) -> Any:
    return walk.keep(view.remember(draft(walk, walk.chance.choice([Tier.SHORT, Tier.LONG]))))


def draft(walk: Walk, tier: Tier) -> CardDraft:
    """Now and then with relations to whatever card there is, also another owner's."""
    linked = [walk.a_card()] if walk.chance.random() < 0.4 else []
    return CardDraft(
        content=walk.text(), type=walk.chance.choice([MemoryType.FACT, MemoryType.PREFERENCE]), tier=tier,
        access_level=walk.chance.choice(LEVELS), related_ids=linked,
        supersedes=linked if walk.chance.random() < 0.1 else [],
    )  # fmt: skip


def recall(walk: Walk, caller: Caller, view: Any) -> Any:
    chance = walk.chance
    filters: dict[str, Any] = {
        "mode": chance.choice(["hybrid", "lexical", "recent"]), "status": chance.choice(["active", "any"]),
        "floor": chance.choice([None, 0.0]), "thread": chance.choice([None, None, "t1"]),
        "types": chance.choice([None, None, [MemoryType.FACT]]), "tiers": chance.choice([None, None, [Tier.SHORT]]),
        "head": chance.choice([None, None, None, walk.an_event()]),
    }  # fmt: skip
    return view.recall(" ".join(chance.sample(WORDS, 2)), k=chance.choice([3, 10, 50]), **filters)


def edit(walk: Walk, caller: Caller, view: Any) -> Any:
    memory_id = walk.a_card()
    changes: dict[str, Any] = {"access_level": walk.chance.choice(LEVELS)}
    if walk.chance.random() < 0.5:
        changes["content"] = walk.text()
    version = walk.cards[memory_id].version if memory_id in walk.cards else 1
    return walk.keep(view.edit(memory_id, changes, expected_version=version))


def restore(walk: Walk, caller: Caller, view: Any) -> Any:
    return walk.keep(view.restore(walk.a_card(), walk.chance.choice([None, 1])))


def export(walk: Walk, caller: Caller, view: Any) -> Any:
    """What a person carries away and brings back again."""
    file = walk.folder / f"{walk.number}.jsonl"
    walk.memory.export(caller.scope, file)
    if walk.chance.random() < 0.3:
        walk.memory.import_(caller.scope, file)
    return file.read_text("utf-8")


OPERATIONS: list[tuple[str, Operation]] = [
    ("record", record), ("write", write), ("remember", remember), ("edit", edit), ("restore", restore),
    ("recall", recall), ("recall", recall), ("denied", export),
    ("cards", lambda walk, caller, view: view.cards(status="any")),
    ("card", lambda walk, caller, view: view.card(walk.a_card())),
    ("card", lambda walk, caller, view: [view.card(ref) for ref in view.card(walk.a_card()).related_ids]),
    ("history", lambda walk, caller, view: view.history(walk.a_card())),
    ("event", lambda walk, caller, view: view.event(walk.an_event())),
    ("read", lambda walk, caller, view: view.read(walk.an_event())),
    ("events", lambda walk, caller, view: view.events()),
    ("events", lambda walk, caller, view: view.events(head=walk.an_event())),
    ("forget", lambda walk, caller, view: view.forget(walk.a_card())),
    ("would_forget", lambda walk, caller, view: view.would_forget(walk.a_card())),
    ("forget_turn", lambda walk, caller, view: view.forget_turn(walk.an_event()).event),
    ("restore_turn", lambda walk, caller, view: view.restore_turn(walk.an_event())),
    ("set_status", lambda walk, caller, view: view.set_status(walk.a_card(), weight=0.5, reason="walk")),
    ("why", lambda walk, caller, view: view.why("kiln", walk.a_card())),
    ("enqueue", lambda walk, caller, view: view.enqueue([walk.an_event()], "remember")),
    ("pending", lambda walk, caller, view: view.pending()),
    ("denied", lambda walk, caller, view: view.denied()),
    ("open_tasks", lambda walk, caller, view: view.open_tasks()),
]  # fmt: skip
"""Each with the method that a view needs for it."""
OF_ROLE = {role: [one for one in OPERATIONS if hasattr(VIEWS[role], one[0])] for role in Role}


def walked(steps: int, folder: Path, *, seed: int = 14) -> int:
    """So many operations; returns how many cards and events they wrote."""
    chance, written = random.Random(seed), 0
    for _ in range(0, steps, WORLD):
        with TieredMemory.open(":memory:", embedder=None) as memory:
            walk = Walk(memory, chance, folder)
            walk.number = written * WORLD
            for _ in range(min(WORLD, steps)):
                walk.step()
            written += len(walk.cards) + len(walk.events)
    return written


def test_of_twenty_thousand_operations_none_shows_what_is_not_the_callers(tmp_path: Path) -> None:
    assert walked(20_000, tmp_path) > 1_000


@pytest.mark.slow
def test_of_eighty_thousand_more_none_does(tmp_path: Path) -> None:
    assert walked(80_000, tmp_path, seed=15) > 4_000


@pytest.mark.usefixtures("fresh_statements")
@pytest.mark.parametrize(
    ("where", "broken"),
    [
        ("card_reads.sees_card", lambda caller: true()),
        ("card_reads.sees_card", lambda caller: cards.c.owner == caller.owner),
        ("card_reads.card_rule", lambda shape: cards.c.owner == bindparam("caller_owner")),
        ("events.event_rule", lambda shape: true()),
        ("events.event_rule", lambda shape: events.c.owner == bindparam("caller_owner")),
        ("filters.card_rule", lambda shape: cards.c.owner == bindparam("caller_owner")),
        ("filters.event_rule", lambda shape: events.c.owner == bindparam("caller_owner")),
    ],
)
def test_a_border_with_a_hole_is_found_out(where: str, broken: Callable[[Any], Any], tmp_path: Path) -> None:
    with patch(f"memory_secretary.memory.{where}", broken), pytest.raises(AssertionError, match="mark"):
        walked(6_000, tmp_path)
