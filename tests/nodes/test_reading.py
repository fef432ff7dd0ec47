"""What the secretary takes for keys of records, and what it takes the tools to say of them."""

from __future__ import annotations

import pytest
from task_samples import ORDER, READ_FILE, event, item, task

from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.reading import Reader, may_be_one_more, said_of_records
from memory_secretary.nodes.wording import wording


@pytest.mark.parametrize(
    ("pattern", "known", "more"),
    [
        ("ORD-#", ["ORD-17"], True),
        ("B#", ["ORD-17"], False),
        ("B#", [], True),
        ("notes/limit.md", ["reports/1.md"], True),
        ("B#", ["reports/1.md"], True),
    ],
)
def test_a_record_s_own_text_names_no_key_of_another_shape_than_those_that_are_known(pattern, known, more):
    items = [item(n, action="get_order", arguments={"order_id": key}) for n, key in enumerate(known)]
    assert may_be_one_more(Group("get_order", "order_id", pattern, ("x",)), task(*items)) is more


def test_only_tools_that_read_say_what_the_records_are_called():
    said = said_of_records([READ_FILE, ORDER])
    assert "read" in said
    assert "_" not in said


class Proposer:
    """A secretary that names the place and the day where it is asked for fields."""

    def __init__(self, *proposals):
        self.proposals = proposals
        self.asked = 0

    def fields(self, goal):
        self.asked += 1
        return list(self.proposals)

    def select(self, goal, groups):
        return []


def noted_after(goal, *records, proposals):
    """The fields and values after records were read, as pairs of path and text; and how often the model was asked."""
    secretary = Proposer(*proposals)
    options = Options(discovery=False, following=False)
    reader = Reader([READ_FILE], estimate_tokens, secretary, options, wording("zh"), 1_000)
    state = task(goal=goal, fields=[])
    for path, text in records:
        state, _ = reader.read(event("read_file", {"path": path}, text), state)
    return state["fields"], [value["value"] for value in state["values"]], secretary.asked


JUNE = (
    "报表/柳桥/2025年06月.md",
    "# 柳桥六月月报\n\n柴油用量呢，六月为13,482升，五月12,736升。青石仓六月用了31,200度电。\n",
)


@pytest.mark.parametrize(
    "first", [("发票/2025-02-28.md", "# 发票\n\n金额420元。\n"), ("r/2025-06.md", "# June\n\n9 men.\n")]
)
def test_a_record_of_another_kind_or_month_does_not_decide_what_is_noted(first):
    fields, values, asked = noted_after("柳桥2025年6月用了多少升柴油？", first, JUNE, proposals=["柳桥"])
    assert (fields, values) == (["柴油"], ["13,482升"])
    assert asked <= 1


def test_what_the_model_names_stays_once_a_record_had_a_value_of_it():
    second = ("b.md", "# B\n\nOil used: 9 litres. Water: 3.\n")
    fields, values, asked = noted_after(
        "How much oil used?", ("a.md", "# A\n\nOil used: 7 litres. Water: 3.\n"), second, proposals=["oil used"]
    )
    assert (fields, values, asked <= 1) == (["oil used"], ["7 litres", "9 litres"], True)
