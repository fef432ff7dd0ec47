from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_secretary.memory import MemoryType, Role, Scope, TieredMemory
from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes import compose_brief


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[TieredMemory]:
    with TieredMemory.open(tmp_path / "memory", embedder=None) as opened:
        yield opened


def test_a_brief_holds_the_focus_what_fits_it_and_the_standing_preferences(memory: TieredMemory) -> None:
    scope = Scope(user="u1", thread="t1")
    memory.remember(scope, "Answers under 200 words", type=MemoryType.PREFERENCE)
    memory.record(scope, actor="tool", action="get_refund", observation="Refunds take 3 working days.")
    text = compose_brief(memory.view(Role.SECRETARY, scope), "how long do refunds take", tokens=400)
    assert text.startswith("## Goal\nhow long do refunds take")
    assert "Refunds take 3 working days." in text
    assert "Answers under 200 words" in text


def test_the_headings_follow_the_language_of_the_focus(memory: TieredMemory) -> None:
    assert compose_brief(memory.view(Role.SECRETARY, Scope(user="u1")), "退款要多久").startswith("## 目标")


def test_nothing_to_say_gives_an_empty_brief(memory: TieredMemory) -> None:
    assert compose_brief(memory.view(Role.SECRETARY, Scope(user="u1", thread="t1"))) == ""


def test_another_users_memories_never_come(memory: TieredMemory) -> None:
    memory.remember(Scope(user="u2"), "Answers under 200 words", type=MemoryType.PREFERENCE)
    assert "200" not in compose_brief(memory.view(Role.SECRETARY, Scope(user="u1")), "answers", tokens=400)


@given(tokens=st.integers(0, 300), facts=st.lists(st.text(min_size=1, max_size=80), max_size=5))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_budget_is_never_exceeded(memory: TieredMemory, tokens: int, facts: list[str]) -> None:
    scope = Scope(user="u1", thread="t1")
    for fact in facts:
        memory.record(scope, actor="tool", action="note", observation=f"refund {fact}")
    brief = compose_brief(memory.view(Role.SECRETARY, scope), "refund", tokens=tokens)
    assert estimate_tokens(brief) <= tokens
