from __future__ import annotations

from typing import Any

from task_samples import READ_FILE as READ
from task_samples import item as sample
from task_samples import shape, task

from memory_secretary.memory.task_state import Item
from memory_secretary.nodes.carry import next_sibling

WIPE = shape("wipe_file", "path", read_only=False)


def item(number: int, path: str, **changes: Any) -> Item:
    """A read of ``path``, with evidence once it is closed."""
    evidence = f"evt_{number}" if "status" in changes else None
    return sample(number, arguments={"path": path}, evidence=evidence, **changes)


def test_the_next_of_the_same_group_follows() -> None:
    state = task(item(1, "r/2025-01.md", status="done"), item(2, "notes/a.md"), item(3, "r/2025-02.md"))
    found = next_sibling(state, "i1", [READ])
    assert found is not None
    assert found["id"] == "i3"


def test_chinese_names_are_alike_but_for_their_digits() -> None:
    state = task(item(1, "月报/2025年01月.md", status="done"), item(2, "月报/2025年02月.md"))
    found = next_sibling(state, "i1", [READ])
    assert found is not None
    assert found["id"] == "i2"


def test_a_failure_is_not_carried_on() -> None:
    state = task(item(1, "r/2025-01.md", status="failed"), item(2, "r/2025-02.md"))
    assert next_sibling(state, "i1", [READ]) is None


def test_what_changes_something_is_asked_for_each_time() -> None:
    state = task(item(1, "r/1.md", status="done", action="wipe_file"), item(2, "r/2.md", action="wipe_file"))
    assert next_sibling(state, "i1", [WIPE]) is None


def test_a_result_that_opens_new_items_is_for_the_executor_to_judge() -> None:
    state = task(item(1, "r/1.md", status="done"), item(2, "r/2.md"), item(3, "s/9.md", source="evt_1"))
    assert next_sibling(state, "i1", [READ]) is None


def test_items_of_another_listing_are_no_siblings() -> None:
    state = task(item(1, "r/1.md", status="done"), item(2, "r/2.md", source="evt_other"))
    assert next_sibling(state, "i1", [READ]) is None


def test_a_free_step_has_no_siblings() -> None:
    assert next_sibling(task(item(1, "r/1.md")), "", [READ]) is None
