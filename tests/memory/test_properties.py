"""Rights and borders hold whatever the sequence of calls; and each property turns red over a memory that breaks it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from allowed import READS, is_own, may_see
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from sqlalchemy import ColumnElement, literal, select, true

from memory_secretary.memory import CardDraft, Evidence, MemoryCard, Role, Scope, Status, Tier, TieredMemory
from memory_secretary.memory.access import Caller, sees_card
from memory_secretary.memory.drafts import EventDraft
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.records import Event
from memory_secretary.memory.schema import card_versions, cards, events, precipitation_queue, task_states
from memory_secretary.memory.task_state import new_task

ANA = Scope(user="ana", thread="t1")

CHANGES: dict[str, set[str]] = {
    "executor": {"events"}, "secretary": {"events", "tasks", "queue"}, "retriever": set(),
    "precipitator": {"short words", "short standing", "queue"}, "consolidator": {"long words", "long standing"},
    "distiller": {"long words", "long standing"}, "inspector": {"short standing", "long standing"},
    "user": {"short words", "short standing", "long words", "long standing", "queue", "events"},
}  # fmt: skip
"""What the design lets each role change, written down a second time; the user's events come with an import only."""

OPERATIONS: list[Callable[[Any, Caller, MemoryCard, str, Tier, int], Any]] = [
    lambda ledger, who, card, ref, tier, n: ledger.events.append(
        who, EventDraft(actor="executor", action="answer", observation=f"said {n}")
    ),
    lambda ledger, who, card, ref, tier, n: ledger.events.append(
        who, EventDraft(actor="user", action="request", observation=f"asked {n}")
    ),
    lambda ledger, who, card, ref, tier, n: ledger.cards.write(who, CardDraft(content=f"fact {n}", tier=tier)),
    lambda ledger, who, card, ref, tier, n: ledger.cards.edit(who, card.memory_id, {"content": f"edit {n}"}),
    lambda ledger, who, card, ref, tier, n: ledger.cards.set_status(
        who, card.memory_id, status=Status.QUARANTINED, weight=0.3, reason="test"
    ),
    lambda ledger, who, card, ref, tier, n: ledger.cards.forget(who, card.memory_id),
    lambda ledger, who, card, ref, tier, n: ledger.cards.restore(who, card.memory_id),
    lambda ledger, who, card, ref, tier, n: ledger.cards.put_in(who, card),
    lambda ledger, who, card, ref, tier, n: ledger.tasks.save(
        who, new_task(task_id="k", goal=f"goal {n}", goal_ref=ref), head=None, step=n
    ),
    lambda ledger, who, card, ref, tier, n: ledger.queue.enqueue(who, [ref], f"reason {n}"),
    lambda ledger, who, card, ref, tier, n: ledger.queue.claim(who),
    lambda ledger, who, card, ref, tier, n: ledger.queue.retry(who),
    lambda ledger, who, card, ref, tier, n: ledger.cards.listed(who, statuses=tuple(Status)),
    lambda ledger, who, card, ref, tier, n: ledger.cards.listed(who, tiers=[tier]),
    lambda ledger, who, card, ref, tier, n: ledger.cards.get(who, card.memory_id),
    lambda ledger, who, card, ref, tier, n: [one.card for one in ledger.cards.history(who, card.memory_id)],
    lambda ledger, who, card, ref, tier, n: ledger.events.get(who, ref),
    lambda ledger, who, card, ref, tier, n: ledger.events.of_thread(who, head=None, limit=None),
    lambda ledger, who, card, ref, tier, n: list(ledger.events.everything(who)),
]
"""Straight on the ledger, as a view that lies about its role would do it."""


class Rights(RuleBasedStateMachine):
    """Calls by every role, each followed by a look at what changed and at what came back."""

    fault: ClassVar[Callable[[], Any]] = nullcontext

    def __init__(self) -> None:
        super().__init__()
        self.memory = TieredMemory.open(":memory:", embedder=None)
        self.ledger: Any = self.memory._ledger
        self.cards = [self.memory.remember(ANA, f"seed {tier}", tier=tier) for tier in (Tier.SHORT, Tier.LONG)]
        self.ref = self.memory.record(ANA, actor="user", action="request", observation="hello")
        self.number = 0

    @rule(
        role=st.sampled_from(Role),
        operation=st.sampled_from(OPERATIONS),
        tier=st.sampled_from(Tier),
        pick=st.integers(0, 1),
    )
    def call(self, role: Role, operation: Callable[..., Any], tier: Tier, pick: int) -> None:
        self.number += 1
        before, given = self.rows(), None
        with self.fault():
            try:
                given = operation(self.ledger, Caller(role, ANA), self.cards[pick], self.ref, tier, self.number)
            except MemorySecretaryError:
                assert self.rows() == before, "a refused call changed something"
        assert changes(before, self.rows()) <= CHANGES[role], (role, changes(before, self.rows()))
        assert tiers_in(given) <= READS[role], (role, tiers_in(given))

    def rows(self) -> dict[str, dict[Any, Any]]:
        kept = {
            "cards": select(cards.c.memory_id, cards.c.tier, cards.c.content, cards.c.status, cards.c.weight),
            "versions": select(card_versions.c.memory_id, card_versions.c.version),
            "events": select(events.c.event_id, events.c.observation),
            "tasks": select(task_states.c.thread, task_states.c.state),
            "queue": select(precipitation_queue.c.id, precipitation_queue.c.state),
        }
        with self.ledger.database.read() as connection:
            return {name: {row[0]: tuple(row) for row in connection.execute(query)} for name, query in kept.items()}

    def teardown(self) -> None:
        self.memory.close()


def changes(before: dict[str, dict[Any, Any]], after: dict[str, dict[Any, Any]]) -> set[str]:
    found = {name for name in ("events", "tasks", "queue") if before[name] != after[name]}
    for memory_id, row in after["cards"].items():
        old = before["cards"].get(memory_id)
        if old is None or old[2] != row[2]:
            found.add(f"{row[1]} words")
        elif old != row:
            found.add(f"{row[1]} standing")
    return found | ({"deleted"} if before["cards"].keys() - after["cards"].keys() else set())


def tiers_in(given: Any) -> set[str]:
    records = given if isinstance(given, list) else [given]
    return {
        record.tier.value if isinstance(record, MemoryCard) else "working"
        for record in records
        if isinstance(record, MemoryCard | Event)
    }


SETTINGS = settings(
    deadline=None, max_examples=12, stateful_step_count=25, suppress_health_check=list(HealthCheck), derandomize=True
)


def test_no_role_does_what_it_may_not_whatever_the_sequence_of_calls() -> None:
    run_state_machine_as_test(Rights, settings=SETTINGS)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("check", ["demand", "demand_actor", "demand_member", "refuse"])
def test_a_ledger_that_forgets_one_of_its_checks_is_found_out(check: str) -> None:
    class Faulty(Rights):
        fault = staticmethod(lambda: patch.object(Gate, check, lambda *args: None))

    with pytest.raises(AssertionError):
        run_state_machine_as_test(
            Faulty, settings=settings(SETTINGS, phases=[Phase.generate], report_multiple_bugs=False)
        )  # type: ignore[no-untyped-call]


# --- who sees what ---------------------------------------------------------------------------------------------------

LEVELS: tuple[str | tuple[str, ...], ...] = ("all", "team", "private", ("mail",), ("mail", "inspector"))
SCOPES = [
    Scope(user=user, team=team, agent=agent, thread=thread)
    for user in ("ana", "ana2", "ben")
    for team in (None, "ana", "x")
    for agent in (None, "mail", "audit")
    for thread in ("t1", "t2")
]
PAIRS = 100_000

Condition = Callable[[Caller], ColumnElement[bool]]


@pytest.fixture(scope="module")
def world() -> Iterator[TieredMemory]:
    """Cards of every owner, writer and access level, all with the same words."""
    with TieredMemory.open(":memory:", embedder=None) as memory:
        for scope in SCOPES[::2]:
            for level in LEVELS:
                memory.remember(scope, "the kiln is hot", access_level=level)
            memory.record(scope, actor="user", action="request", observation="is the kiln hot")
        yield memory


def wrong_answers(memory: TieredMemory, sees: Condition, pairs: int) -> int:
    """How often the ledger's condition, on which every read rests, says otherwise than ``may_see``."""
    everything = {}
    for scope in {scope.owner: scope for scope in SCOPES}.values():
        in_person = Caller(Role.USER, Scope(user=scope.user) if scope.team is None else Scope(team=scope.team))
        with patch("memory_secretary.memory.card_reads.sees_card", lambda who: cards.c.owner == who.owner):
            everything |= {(scope.owner, card.memory_id): card for card in memory._ledger.cards.listed(in_person)}
    chance, held, wrong = random.Random(4), list(everything.items()), 0
    callers = [Caller(role, scope) for role in Role for scope in SCOPES]
    with memory._ledger.database.read() as connection:
        for _ in range(pairs // len(held)):
            caller = chance.choice(callers)
            rows = connection.execute(select(cards.c.owner, cards.c.memory_id).where(sees(caller))).all()
            seen = {(row.owner, row.memory_id) for row in rows}
            wrong += sum((key in seen) != may_see(caller, card) for key, card in held)
    return wrong


def test_of_a_hundred_thousand_looks_none_sees_what_it_may_not(world: TieredMemory) -> None:
    assert wrong_answers(world, sees_card, PAIRS) == 0


@pytest.mark.parametrize(
    "broken",
    [
        lambda caller: true(),
        lambda caller: cards.c.owner == caller.owner,
        lambda caller: sees_card(caller) | (cards.c.access == "private"),
        lambda caller: sees_card(caller) | (literal(caller.scope.agent) == "audit"),
        lambda caller: sees_card(Caller(caller.role, Scope(user=caller.scope.user, team=caller.scope.team))),
    ],
)
def test_a_condition_that_lets_too_much_through_is_found_out(world: TieredMemory, broken: Condition) -> None:
    assert wrong_answers(world, broken, PAIRS // 10) > 0


def leaks(memory: TieredMemory, looks: int) -> set[str]:
    """The public ways, at random, on which a caller got a record that is not theirs to see."""
    chance, found = random.Random(4), set[str]()
    ids = {card.memory_id for scope in SCOPES for card in memory.list(scope, status="any")}
    refs = {event.event_id for scope in SCOPES for event in memory.events(scope)}
    for number in range(looks):
        caller = Caller(chance.choice([Role.RETRIEVER, Role.USER, Role.INSPECTOR]), chance.choice(SCOPES))
        view: Any = memory.view(caller.role, caller.scope)
        for name, given in ways(memory, view, caller, chance.choice(sorted(ids)), chance.choice(sorted(refs)), number):
            if not all(is_own(caller, record) for record in given):
                found.add(name)
    return found


def ways(
    memory: TieredMemory, view: Any, caller: Caller, memory_id: str, ref: str, number: int
) -> Iterator[tuple[str, list[Any]]]:
    calls: dict[str, Callable[[], Any]] = {
        "recall": lambda: [view.card(hit.ref) for hit in view.recall("kiln hot", k=50) if hit.source == "card"],
        "cards": lambda: view.cards(status="any"),
        "card": lambda: [view.card(memory_id)],
        "history": lambda: [entry.card for entry in view.history(memory_id)],
        "event": lambda: [view.event(ref)],
        "events": lambda: view.events(),
    }
    name = sorted(calls)[number % len(calls)]
    try:
        yield name, calls[name]()
    except MemorySecretaryError as error:
        yield "error", [] if "kiln" not in str(error) else [error]


def test_no_public_way_shows_what_is_not_the_callers(world: TieredMemory) -> None:
    assert leaks(world, 240) == set()


@pytest.mark.usefixtures("fresh_statements")
@pytest.mark.parametrize(
    ("where", "broken", "way"),
    [
        ("card_reads.card_rule", lambda shape: true(), "cards"),
        ("card_reads.sees_card", lambda caller: cards.c.owner == caller.owner, "card"),
        ("events.event_rule", lambda shape: true(), "event"),
    ],
)
def test_a_leak_on_a_public_way_is_found_out(world: TieredMemory, where: str, broken: Condition, way: str) -> None:
    with patch(f"memory_secretary.memory.{where}", broken):
        assert way in leaks(world, 360)


def test_evidence_of_another_owner_makes_no_card(world: TieredMemory) -> None:
    theirs = world.events(Scope(user="ben", thread="t1"))[0]
    draft = CardDraft(content="x", evidence=[Evidence(event_id=theirs.event_id, quote="kiln")])
    with pytest.raises(MemorySecretaryError, match="no event of this owner"):
        world.view(Role.PRECIPITATOR, ANA).write(draft)
