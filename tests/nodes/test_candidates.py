import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import LIST_FOLDER, ORDER, PAY, READ_FILE, SEARCH, shape

from memory_secretary.nodes.candidates import Group, find_groups, key_parameter, opens, values_for, words_of

TABLE = shape("read_table", "path", description="Read a CSV or TSV table.")


@pytest.mark.parametrize(
    ("parameter", "text", "found"),
    [
        ("path", "See notes/a.md, and 'b.txt'. Not e.g. or 3.5 or http://x.example/a.md", ["notes/a.md", "b.txt"]),
        ("path", "请看 报告/三月.md 和（notes/b.md）。", ["报告/三月.md", "notes/b.md"]),
        (
            "path",
            "请读取notes/limit.md，再打开reports/2025-03.md和data/a.tar.gz。",
            ["notes/limit.md", "reports/2025-03.md", "data/a.tar.gz"],
        ),
        ("path", "柳桥2025年控制线.md", ["柳桥2025年控制线.md"]),
        ("file_name", "a.md a.md b.md", ["a.md", "b.md"]),
        ("path", "in reports/harwick/2025-03.md.", ["reports/harwick/2025-03.md"]),
        ("folder", "under reports/harwick. Then notes/old/", ["reports/harwick", "notes/old"]),
        ("folder", "reports/harwick里的文件 和 reports/brackmere目录", ["reports/harwick", "reports/brackmere"]),
        ("folder", "reports/harwick/2025-03.md", []),
        ("folder", "Which invoices in notes/ are not paid yet?", ["notes"]),
        ("folder", "notes/ 里哪些发票还没有付款？", ["notes"]),
        ("email", "Write to ada@mail.example, or 林@mail.example。", ["ada@mail.example", "林@mail.example"]),
        ("order_id", "ORD-17 and INV-3, then ORD-18.", ["ORD-17", "ORD-18"]),
        ("order_id", "订单ORD-17已付", ["ORD-17"]),
        ("file_no", "DF-708  North, DF-726  South", ["DF-708", "DF-726"]),
        ("ticket", "ORD-17 and INV-3", ["ORD-17", "INV-3"]),
        ("order_id", "order_id: 17.", ["17"]),
        ("order_id", 'order_id="A-9"; order_id = 7', ["A-9", "7"]),
        ("order_id", json.dumps([{"order_id": 17}, {"in": {"order_id": "A-9", "x": True}}]), ["17", "A-9"]),
    ],
)
def test_values_that_a_parameter_could_take(parameter, text, found):
    assert values_for(parameter, text) == found


@pytest.mark.parametrize("text", ["[" * 100_000, '{"order_id":' * 50_000, "", "\ud83e", "{}"])
def test_no_text_is_too_odd(text):
    assert values_for("order_id", text) in ([], ["order_id"])


@given(st.text(st.sampled_from('ab1-./ 报告，:{}"\n'), max_size=60))
@settings(max_examples=60, deadline=None)
def test_every_value_stands_in_the_text_and_comes_once(text):
    for parameter in ("path", "folder", "order_id", "email"):
        found = values_for(parameter, text)
        assert all(value in text for value in found)
        assert len(found) == len(set(found))


def test_values_of_one_shape_are_one_group():
    text = "reports/2025-01.md reports/2025-02.md notes/limit.md"
    groups = find_groups(text, [READ_FILE, LIST_FOLDER, SEARCH, PAY, ORDER])
    assert groups == [
        Group("read_file", "path", "reports/#-#.md", ("reports/2025-01.md", "reports/2025-02.md")),
        Group("read_file", "path", "notes/limit.md", ("notes/limit.md",)),
    ]
    assert groups[0].label == "read_file(path=reports/#-#.md) (2: reports/2025-01.md … reports/2025-02.md)"
    assert groups[1].label == "read_file(path=notes/limit.md)"


def test_values_that_were_considered_are_left_out():
    text = "reports/2025-01.md reports/2025-02.md"
    [group] = find_groups(text, [READ_FILE], taken=["reports/2025-01.md"])
    assert group.values == ("reports/2025-02.md",)
    assert find_groups(text, [READ_FILE], taken=text.split()) == []


def test_one_value_may_serve_several_tools():
    other = shape("summary_of", "path", description="Sum a file up.")
    assert [group.tool for group in find_groups("notes/a.md", [READ_FILE, other])] == ["read_file", "summary_of"]


def test_a_tool_for_a_kind_of_file_takes_those_files_alone():
    groups = find_groups("data/a.csv notes/b.md", [READ_FILE, TABLE])
    assert [(group.tool, group.values) for group in groups] == [
        ("read_file", ("notes/b.md",)),
        ("read_table", ("data/a.csv",)),
    ]
    assert opens(READ_FILE, "data/a.csv", [READ_FILE]), "without a table tool any file is read as it is"


@pytest.mark.parametrize(
    ("tool", "parameter"),
    [
        (READ_FILE, "path"), (ORDER, "order_id"), (SEARCH, None), (PAY, None),
        (shape("delete", "path", read_only=False), None), (shape("flag", "on", kind="boolean"), None),
        (shape("by_number", "number", kind="integer"), "number"), (shape("clock"), None),
        (shape("convert", "from_zone"), None),
    ],
)  # fmt: skip
def test_the_argument_that_a_tool_is_called_by(tool, parameter):
    assert key_parameter(tool) == parameter


def test_words_of_a_parameters_name():
    assert words_of("customerId") == words_of("customer_id") == {"customer", "id"}


def test_a_word_for_a_kind_of_file_in_a_tool_s_description_bars_no_keys():
    logs = shape("show_log", "log_id", description="Read one class log, given its number.")
    [group] = find_groups("CL-159  Class 3\nCL-420  Class 37", [logs])
    assert group.values == ("CL-159", "CL-420")
