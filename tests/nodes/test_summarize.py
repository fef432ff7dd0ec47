from __future__ import annotations

import pytest
from task_samples import READ_FILE, item, shape, task, value

from memory_secretary.memory.records import TO_BE_REMEMBERED
from memory_secretary.memory.task_state import Adjustment, Told
from memory_secretary.nodes.brief import Newest
from memory_secretary.nodes.state import RecalledMemory
from memory_secretary.nodes.summarize import helpful, looks_for_records, needed, told_lines

CARD = RecalledMemory(ref="mem_1", source="card", label="user", line='- "short answers"', score=1.0, parts={})
EVENT = RecalledMemory(
    ref="evt_9", source="event", label="executor answer", line='- "the answer of last week"', score=0.9, parts={}
)
ASKED = RecalledMemory(ref="evt_8", source="event", label=TO_BE_REMEMBERED, line='- "in German"', score=0.8, parts={})
NOTED = task(values=[value("notes/1.md", "61 mm", ref="evt_1")])
NEWEST = Newest(call="read_file(path=notes/1.md)", lines=["a", "b", "c", "d"], ref="evt_1")


@pytest.mark.parametrize(
    ("state", "kind", "expected"),
    [
        (task(), "free", [CARD, EVENT, ASKED]),
        (task(), "items", [CARD, ASKED]),
        (task(), "reply", [CARD, ASKED]),
        (task(), "finish", [CARD, EVENT, ASKED]),
        (NOTED, "finish", [CARD, ASKED]),
        (NOTED, "free", [CARD, EVENT, ASKED]),
    ],
)
def test_what_once_happened_stays_out_of_settled_steps(state, kind, expected):
    assert helpful([CARD, EVENT, ASKED], state, kind) == expected


def test_a_noted_result_is_not_shown_again_and_a_choice_gets_a_glance():
    assert needed(NEWEST, NOTED, "items") is None
    assert needed(NEWEST, NOTED, "finish") is None
    assert needed(NEWEST, NOTED, "free") == NEWEST
    shown = needed(NEWEST, task(), "items")
    assert shown is not None
    assert shown["lines"] == ["a", "b", "c"]
    assert needed(None, task(), "items") is None


DEPUTY = Told(text="Anna is my deputy.", ref="evt_1", line='- "Anna is my deputy."')
EXCEPT = Told(text="B-12 never counts.", ref="evt_2", line="")
SEND = shape("send", "to", "text", read_only=False)


@pytest.mark.parametrize(
    ("items", "kind", "shown"),
    [
        ([], "free", [DEPUTY["line"]]),
        ([], "finish", [DEPUTY["line"]]),
        ([item(1)], "items", []),
        ([item(1, action="send", arguments={"to": "Anna"})], "items", [DEPUTY["line"]]),
    ],
)
def test_what_was_told_earlier_is_shown_where_it_can_be_of_use(items, kind, shown):
    assert told_lines(task(*items, told=[DEPUTY, EXCEPT]), [READ_FILE, SEND], kind) == shown


def test_what_stands_beside_the_figures_is_not_said_twice():
    used = Adjustment(
        kind="plus", field="", subjects=[], number="4", relation="over", name="", said=DEPUTY["text"]
    )  # fmt: skip
    assert told_lines(task(told=[DEPUTY], adjustments=[used]), [], "finish") == []


@pytest.mark.parametrize(
    ("goal", "told", "looks"),
    [
        ("Where does the wheel stand?", "The wheel stands in the attic.", False),
        ("Where does the wheel stand?", "The barn has a new roof.", True),
        ("Where does the wheel stand?", "", True),
        ("Where do I live?", "", False),
        ("轮子放在哪里？", "轮子放在阁楼里。", False),
        ("你好吗？", "", False),
    ],
)
def test_what_the_user_told_comes_before_any_search(goal, told, looks):
    line = f'- [2026-03-01] (event, user request, evt_1) "{told}"'
    memory = RecalledMemory(ref="evt_1", source="event", label="user request", line=line, score=1.0, parts={})
    assert looks_for_records(goal, [memory] if told else []) is looks
