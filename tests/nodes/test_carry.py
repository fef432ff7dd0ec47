from __future__ import annotations

from memory_secretary.memory.task_state import Item, TaskState, new_task
from memory_secretary.nodes.candidates import ToolShape
from memory_secretary.nodes.carry import next_sibling

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolShape("read_file", PATH, read_only=True)
WIPE = ToolShape("wipe_file", PATH, read_only=False)


def item(number: int, path: str, *, status: str = "open", source: str = "evt_list", action: str = "read_file") -> Item:
    return Item(
        id=f"i{number}", text=path, action=action, arguments={"path": path}, status=status,  # type: ignore[typeddict-item]
        source=source, evidence=f"evt_{number}" if status != "open" else None, result="", step=number, tries=0,
    )  # fmt: skip


def task(*items: Item) -> TaskState:
    return TaskState(**{**new_task(task_id="t", goal="read them", goal_ref="evt_goal"), "items": list(items)})


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
