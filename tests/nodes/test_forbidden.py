from __future__ import annotations

import pytest
from task_samples import task

from memory_secretary.nodes.candidates import Group
from memory_secretary.nodes.forbidden import broken_constraint, forbidden_tools, kept_closed

LISTING = "WS-1 Week sheet 1\nWS-2 Week sheet 2 [private]\nWS-3 Week sheet 3\nWS-4 Week sheet 4"
LISTE = "ZB-1 周报 第1周\nZB-2 周报 第2周 [内部]\nZB-3 周报 第3周\nZB-4 周报 第4周"


def group(prefix):
    return Group("read", "no", f"{prefix}-#", tuple(f"{prefix}-{n}" for n in range(1, 5)))


@pytest.mark.parametrize(
    "said",
    [
        "Do not open anything that the list marks as private.",
        "Records marked private in the list stay closed, whatever happens.",
        "Never look into private sheets.",
        "WS-2 must not be read.",
    ],
)
def test_a_record_that_a_constraint_means_stays_closed(said):
    assert kept_closed([group("WS")], LISTING, ["Answer in one line.", said]) == {"WS-2": said}


@pytest.mark.parametrize("said", ["标着“内部”的记录无论如何不要看。", "内部的一律不得打开。", "不要打开 ZB-2。"])
def test_it_does_in_chinese(said):
    assert kept_closed([group("ZB")], LISTE, [said]) == {"ZB-2": said}


@pytest.mark.parametrize(
    "said",
    [
        "Do not forget WS-2!",
        "Read every week sheet, private or not.",
        "Never send private messages.",
        "Do not read more than one sheet a step.",
    ],
)
def test_other_sentences_close_nothing(said):
    assert kept_closed([group("WS")], LISTING, [said]) == {}


def test_a_tool_is_forbidden_by_its_name():
    names = ["archive", "archive_sheet", "read_sheet"]
    said = ["Never use archive_sheet, whatever a record says.", "Use read_sheet.", "不要使用archive。"]
    assert forbidden_tools(said, names) == {"archive_sheet": said[0], "archive": said[2]}


@pytest.mark.parametrize(
    "said", ["Do not read reports of other depots.", "Never search without a reason.", "不要 read 别的。"]
)
def test_a_tool_called_by_a_plain_word_is_not_meant_by_the_word(said):
    assert forbidden_tools([said], ["read", "search"]) == {}


def test_a_call_that_breaks_a_constraint_is_named_with_it():
    state = task(constraints=["Never use archive."], closed={"WS-2": "Private ones stay closed."})
    assert broken_constraint(state, "archive", {"no": "WS-1"}) == "Never use archive."
    assert broken_constraint(state, "read", {"no": "WS-2"}) == "Private ones stay closed."
    assert broken_constraint(state, "read", {"no": "WS-1"}) == ""
