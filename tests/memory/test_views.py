"""Rights: what a view offers, and what the ledger refuses whoever asks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.memory import CardDraft, MemoryType, Role, Scope, Status, Tier, TieredMemory
from memory_secretary.memory.access import Caller
from memory_secretary.memory.drafts import EventDraft
from memory_secretary.memory.errors import AccessDenied, InvalidRecord, MemorySecretaryError
from memory_secretary.memory.roles import READS, STATUS_CHANGES, WRITES
from memory_secretary.memory.task_state import new_task
from memory_secretary.memory.views import VIEWS

ANA = Scope(user="ana", thread="t1")

MAY: dict[Role, set[str]] = {
    Role.EXECUTOR: {"record", "event", "events", "read", "recall"},
    Role.RETRIEVER: {"event", "events", "read", "recall", "cards", "card", "history", "forgotten"},
    Role.SECRETARY: {
        "record", "event", "events", "read", "recall", "cards", "card", "history", "forgotten", "pending",
        "precipitated", "save_task_state", "fold", "unfold", "load_task_state", "open_tasks", "threads", "enqueue",
        "covered_by", "note_uses",
    },
    Role.PRECIPITATOR: {
        "event", "events", "read", "recall", "cards", "card", "history", "forgotten", "write", "edit", "pending",
        "claim", "settle", "fail", "put_back", "precipitated", "retry",
    },
    Role.CONSOLIDATOR: {
        "recall", "cards", "card", "history", "forgotten", "page", "write", "edit", "settle", "absorb", "lower",
    },
    Role.DISTILLER: {"recall", "cards", "card", "history", "forgotten", "write", "edit", "supersede"},
    Role.INSPECTOR: {
        "event", "events", "read", "recall", "cards", "card", "history", "forgotten", "page", "pending",
        "precipitated", "uses", "set_status",
    },
    Role.USER: {
        "event", "events", "read", "recall", "cards", "card", "history", "forgotten", "ids", "pending",
        "precipitated", "uses", "remember", "edit", "forget", "would_forget", "restore", "forget_turn",
        "would_forget_turn", "restore_turn", "why", "denied",
    },
}  # fmt: skip


@pytest.mark.parametrize("role", Role)
def test_a_view_has_the_methods_of_its_role_and_no_others(role: Role) -> None:
    offered = {name for name in dir(VIEWS[role]) if not name.startswith("_")} - {"role", "scope", "tier", "tiers"}
    assert offered == MAY[role]


@pytest.mark.parametrize("actor", ["user", "secretary"])
def test_an_executor_records_its_own_actions_only(memory: TieredMemory, actor: str) -> None:
    with pytest.raises(AccessDenied):
        memory.view(Role.EXECUTOR, ANA).record(actor, "answer", observation="x")
    assert memory.view(Role.EXECUTOR, ANA).record("executor", "answer", observation="x").actor == "executor"


def test_every_denied_attempt_is_logged(memory: TieredMemory) -> None:
    with pytest.raises(AccessDenied):
        memory.view(Role.EXECUTOR, ANA).record("user", "request", observation="x")
    (denial,) = memory.denied(ANA)
    assert (denial.role, denial.wanted, denial.tier) == ("executor", "record as 'user'", "working")
    assert memory.count_denied(Scope(user="ben")) == 0


def test_an_executor_does_not_see_other_threads(memory: TieredMemory) -> None:
    elsewhere = memory.record(Scope(user="ana", thread="t0"), actor="user", action="request", observation="x")
    with pytest.raises(MemorySecretaryError, match=elsewhere):
        memory.view(Role.EXECUTOR, ANA).read(elsewhere)


def test_an_executor_of_one_agent_does_not_see_anothers_events(memory: TieredMemory) -> None:
    a, b = (Scope(team="x", user="u", thread="t", agent=name) for name in "ab")
    of_a = memory.record(a, actor="tool", action="look", observation="kiln")
    assert memory.view(Role.EXECUTOR, b).events() == []
    assert memory.view(Role.RETRIEVER, b).event(of_a).event_id == of_a


def test_a_precipitator_edits_short_cards_only(memory: TieredMemory) -> None:
    long = memory.remember(ANA, "the kiln is blue", tier=Tier.LONG)
    with pytest.raises(AccessDenied):
        memory.view(Role.PRECIPITATOR, ANA).edit(long.memory_id, {"content": "red"}, expected_version=1)


def test_a_consolidator_does_not_see_events(memory: TieredMemory) -> None:
    memory.record(ANA, actor="user", action="request", observation="kiln")
    view = memory.view(Role.CONSOLIDATOR, ANA)
    assert view.recall("kiln") == []
    with pytest.raises(AccessDenied):
        view.recall("kiln", tiers=[Tier.WORKING])


def test_a_distiller_does_not_see_short_cards(memory: TieredMemory) -> None:
    memory.remember(ANA, "the kiln is blue")
    assert memory.view(Role.DISTILLER, ANA).cards() == []


class TestAccessLevels:
    def sees(self, memory: TieredMemory, scope: Scope, role: Role = Role.RETRIEVER) -> bool:
        recalled = bool(memory.view(role, scope).recall("kiln"))
        assert recalled == bool(memory.view(role, scope).cards())
        return recalled

    @pytest.mark.parametrize("level", ["all", "team"])
    def test_open_levels_are_for_everyone_inside_the_border(self, memory: TieredMemory, level: str) -> None:
        memory.remember(Scope(team="x", user="ana", agent="a"), "kiln", access_level=level)
        assert self.sees(memory, Scope(team="x", user="ben", agent="b"))
        assert not self.sees(memory, Scope(team="y", user="ana", agent="a"))

    def test_private_is_for_who_wrote_it(self, memory: TieredMemory) -> None:
        memory.remember(Scope(team="x", user="ana"), "kiln", access_level="private")
        assert self.sees(memory, Scope(team="x", user="ana"))
        assert not self.sees(memory, Scope(team="x", user="ben"))
        assert not self.sees(memory, Scope(team="x", user="ben"), Role.USER)

    def test_named_agents_only(self, memory: TieredMemory) -> None:
        memory.remember(ANA, "kiln", access_level=("billing", "audit"))
        assert self.sees(memory, Scope(user="ana", agent="billing"))
        assert not self.sees(memory, Scope(user="ana", agent="mail"))
        assert not self.sees(memory, Scope(user="ana"))

    def test_a_level_that_is_one_name_means_that_agent(self, memory: TieredMemory) -> None:
        assert memory.remember(ANA, "kiln", access_level="billing").access_level == ("billing",)

    def test_who_writes_for_others_only_is_given_the_card_once(self, memory: TieredMemory) -> None:
        mail = Scope(user="ana", agent="mail")
        card = memory.remember(mail, "kiln", access_level=("billing",))
        assert card.content == "kiln"
        assert not self.sees(memory, mail)

    def test_the_person_sees_all_of_their_own_memory(self, memory: TieredMemory) -> None:
        memory.remember(Scope(user="ana", agent="mail"), "kiln", access_level="private")
        assert self.sees(memory, ANA, Role.USER)

    def test_a_denied_card_is_not_found_by_its_id(self, memory: TieredMemory) -> None:
        card = memory.remember(ANA, "kiln", access_level=("billing",))
        view = memory.view(Role.RETRIEVER, Scope(user="ana", agent="mail"))
        with pytest.raises(MemorySecretaryError, match="no card"):
            view.history(card.memory_id)

    def test_a_denied_related_card_does_not_come_along(self, memory: TieredMemory) -> None:
        secret = memory.remember(ANA, "salary list", access_level=("billing",))
        memory.remember(ANA, "kiln", related_ids=[secret.memory_id])
        hits = memory.view(Role.RETRIEVER, Scope(user="ana", agent="mail")).recall("kiln")
        assert [hit.text for hit in hits] == ["kiln"]


CALLERS = st.builds(Caller, st.sampled_from(Role), st.just(ANA))
STEPS = st.lists(st.tuples(CALLERS, st.integers(0, 8), st.sampled_from(Tier)), max_size=15)


@settings(deadline=None, max_examples=15)
@given(STEPS)
def test_no_sequence_of_calls_exceeds_a_roles_rights(steps: list[tuple[Caller, int, Tier]]) -> None:
    with TieredMemory.open(":memory:", embedder=None) as memory:
        seeds = {tier: memory.remember(ANA, f"seed {tier}", tier=tier).memory_id for tier in (Tier.SHORT, Tier.LONG)}
        denied = 0
        for number, (caller, operation, tier) in enumerate(steps):
            before = snapshot(memory)
            try:
                act(memory, caller, operation, tier, seeds, number)
                allowed = True
            except AccessDenied:
                allowed, denied = False, denied + 1
            except InvalidRecord:  # who may write there, may still write no card: none lies in the working tier
                assert (operation, tier) == (1, Tier.WORKING) and has_right(caller.role, operation, tier)
                allowed = False
            assert allowed <= has_right(caller.role, operation, tier)
            if not allowed:
                assert snapshot(memory) == before
        assert memory.count_denied(ANA) == denied


def act(memory: TieredMemory, caller: Caller, operation: int, tier: Tier, seeds: dict[Tier, str], number: int) -> None:
    """One operation straight on the ledger, as a view that lies about its role would do it."""
    ledger: Any = memory._ledger
    card = seeds.get(tier, seeds[Tier.SHORT])
    match operation:
        case 0:
            ledger.events.append(caller, EventDraft(actor="executor", action="answer", observation="x"))
        case 1:
            ledger.cards.write(caller, CardDraft(content=f"fact {number}", tier=tier))
        case 2:
            ledger.cards.edit(caller, card, {"content": f"edit {number}"})
        case 3:
            ledger.cards.set_status(caller, card, status=Status.ACTIVE, weight=0.5, reason="test")
        case 4:
            ledger.cards.forget(caller, card)
            memory.restore(ANA, card)
        case 5:
            ledger.tasks.save(caller, new_task(task_id="k", goal="g", goal_ref="e"), head=None, step=number)
        case 6:
            ledger.queue.claim(caller)
        case 7:
            ledger.cards.listed(caller, tiers=[tier])
        case 8:
            ledger.events.of_thread(caller, head=None, limit=None)


def has_right(role: Role, operation: int, tier: Tier) -> bool:
    on = tier if tier is not Tier.WORKING else Tier.SHORT  # the card that stands in for a tier without cards
    reads, writes = on in READS[role], on in WRITES[role]
    return [
        role in (Role.EXECUTOR, Role.SECRETARY),
        tier in WRITES[role],
        reads and writes,
        reads and on in STATUS_CHANGES[role],
        role is Role.USER,
        role is Role.SECRETARY,
        role is Role.PRECIPITATOR,
        tier in READS[role],
        Tier.WORKING in READS[role],
    ][operation]


def snapshot(memory: TieredMemory) -> tuple[Any, ...]:
    return (
        [(card.memory_id, card.version) for card in memory.list(ANA, status="any")],
        len(memory.events(ANA)),
        len(memory.open_tasks(ANA)),
        memory.pending(ANA),
    )


def test_a_type_alias_of_the_public_format_is_understood() -> None:
    assert MemoryType("user_preference") is MemoryType.PREFERENCE
