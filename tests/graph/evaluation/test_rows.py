from __future__ import annotations

import pytest

from memory_secretary.graph.evaluation.rows import append_row, read_rows
from memory_secretary.memory.errors import InvalidRecord

ROW = {"task": "小\u2028\x85任务", "right": True}


def test_rows_come_back_in_order(tmp_path):
    path = tmp_path / "new" / "runs.jsonl"
    assert read_rows(path) == []
    for number in range(3):
        append_row(path, {**ROW, "n": number})
    assert read_rows(path) == [{**ROW, "n": number} for number in range(3)]


def test_a_line_that_was_broken_off_is_left_out_and_spoils_no_other(tmp_path):
    path = tmp_path / "runs.jsonl"
    append_row(path, ROW)
    with path.open("a") as file:
        file.write('{"task": "b", "ri')
    assert read_rows(path) == [ROW]


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"a": 1}\n7\n{"a": 2}\n')
    with pytest.raises(InvalidRecord, match="line 2"):
        read_rows(path)


@pytest.mark.parametrize("whole", ["", '{"n": 1}\n', '{"n": 1}\n{"n": 2}\n'])
@pytest.mark.parametrize("last", ["", '{"task": "b", "ri', '{"n": 3}'])
def test_what_is_written_after_a_broken_line_can_be_read(tmp_path, whole, last):
    path = tmp_path / "runs.jsonl"
    path.write_text(whole + last)
    before = read_rows(path)
    append_row(path, ROW)
    assert read_rows(path) == [*before, ROW]
    assert path.read_text("utf-8").endswith("}\n")
