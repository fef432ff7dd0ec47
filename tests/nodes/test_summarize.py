from __future__ import annotations

import pytest
from task_samples import task, value

from memory_secretary.memory.records import TO_BE_REMEMBERED
from memory_secretary.nodes.brief import Newest
from memory_secretary.nodes.state import RecalledMemory
from memory_secretary.nodes.summarize import helpful, needed

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
