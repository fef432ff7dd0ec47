"""Folding a task state and back: nothing is lost, parts are named by their content, and what is left is short."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from task_samples import done, item, task, value

from memory_secretary.memory.errors import AccessDenied, ScopeError
from memory_secretary.memory.folding import PartNames, folded, refs_of, unfolded
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA, BEN = Scope(user="ana", thread="t1"), Scope(user="ben", thread="t1")


def long_task(closed: int, waiting: int, values: int):
    items = [done(n) if n < closed else item(n) for n in range(closed + waiting)]
    return task(*items, values=[value(f"notes/{n}.md", f"{n} mm") for n in range(values)])


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 60))
def test_unfolding_gives_back_what_was_folded(settled, values):
    whole = task(
        *(done(n) if is_done else item(n) for n, is_done in enumerate(settled)),
        values=[value(f"notes/{n}.md", f"{n} mm") for n in range(values)],
    )
    short, parts = folded(whole)
    assert unfolded(short, parts) == whole
    assert refs_of(short) == parts.keys()
    assert folded(unfolded(short, parts)) == (short, parts)


@pytest.mark.parametrize(("closed", "waiting"), [(300, 0), (0, 300), (150, 150), (7, 293)])
def test_a_folded_state_is_short_however_many_items_and_values_there_are(closed, waiting):
    short, _ = folded(long_task(closed, waiting, closed))
    assert len(json.dumps(short)) < 10_000


def test_a_short_task_stays_as_it_is():
    whole = long_task(6, 6, 6)
    assert folded(whole) == (whole, {})


def test_what_stays_as_it_was_keeps_its_name_while_the_task_goes_on():
    before, after = refs_of(folded(long_task(40, 40, 40))[0]), refs_of(folded(long_task(41, 39, 41))[0])
    assert len(before - after) <= 2


def test_another_process_unfolds_what_was_saved_and_another_user_cannot(tmp_path):
    whole = long_task(50, 50, 50)
    with TieredMemory.open(tmp_path, embedder=None) as memory:
        view = memory.view(Role.SECRETARY, ANA)
        view.save_task_state(whole, head=None, step=3)
        short = view.fold(whole)
    with TieredMemory.open(tmp_path, embedder=None) as memory:
        view = memory.view(Role.SECRETARY, ANA)
        assert view.unfold(short) == whole
        assert view.load_task_state().state == whole
        assert view.unfold(whole) == whole
        with pytest.raises(ScopeError, match="the user that the thread was begun"):
            memory.view(Role.SECRETARY, BEN).unfold(short)


def test_only_the_secretary_folds(tmp_path):
    with TieredMemory.open(tmp_path, embedder=None) as memory, pytest.raises(AccessDenied):
        ledger = memory._ledger
        ledger.tasks.fold(memory.view(Role.EXECUTOR, ANA)._caller, long_task(50, 0, 0))


def test_a_part_that_somebody_changed_in_place_gets_another_name() -> None:
    names, place = PartNames(), ("t1", "items", 0)
    part = [{"id": f"i{n}", "arguments": {"path": f"{n}.md"}} for n in range(8)]
    first = names.name(part, place)
    assert names.name(copy.deepcopy(part), place) == first
    part[3]["arguments"]["path"] = "other.md"
    assert names.name(part, place) != first
