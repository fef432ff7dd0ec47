"""What the secretary takes for keys of records, and what it takes the tools to say of them."""

from __future__ import annotations

import pytest
from task_samples import ORDER, READ_FILE, item, task

from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.reading import may_be_one_more, said_of_records


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
