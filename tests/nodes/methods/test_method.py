"""A method goes into a card's text and comes back the same; a text that is broken is no method."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from method_samples import method

from memory_secretary.nodes.figures import PARTS
from memory_secretary.nodes.methods.method import (
    ANSWER,
    SUB_GOALS,
    SubGoal,
    ToolUse,
    from_text,
    is_sound,
    kind_of,
    plain,
    to_text,
)

WORDS = st.text(max_size=40).map(plain).filter(bool)
NAMES = st.sampled_from(["list_records", "get_record", "send", "读取"])
USES = st.builds(
    ToolUse, NAMES, st.lists(st.sampled_from(["path", "order_id"]), max_size=2, unique=True).map(tuple),
    st.sampled_from(["once", "each", "some"]),
)  # fmt: skip


def test_a_person_can_read_it():
    assert to_text(method()) == (
        "How tasks like these are done (learned from 3)\n"
        "Asks for: values\n"
        "Words of the task: reports; rainfall\n"
        "Tools: list_files() once; read_file(path) each\n"
        "Steps: find the reports [list_files]; read each of them [read_file]; give the month [answer]\n"
        "Note: rainfall\n"
        "Compute: high\n"
        "Look up: open each path of the listing\n"
        "Check: every report was read"
    )


def test_a_chinese_one_is_chinese_throughout():
    steps = (SubGoal("逐份阅读", "read_file"), SubGoal("回答", ANSWER))
    text = to_text(
        method(lang="zh", words=("月报",), sub_goals=steps, notes=("降雨量",), look_up=(), checks=("都读过",))
    )
    assert text.splitlines()[0] == "这类任务的做法（从 3 个任务学到）"
    assert "问的是: 数值" in text
    assert "read_file(path) 逐份" in text
    assert "要算: 最高" in text
    assert "[回答]" in text


@given(
    st.sampled_from(["en", "zh"]), st.sets(st.sampled_from(["values", "state", "follow"])),
    st.lists(USES, min_size=1, max_size=4, unique_by=lambda use: use.tool),
    st.lists(WORDS, min_size=1, max_size=SUB_GOALS), st.lists(WORDS, max_size=3), st.sets(st.sampled_from(PARTS)),
    st.integers(1, 99),
)  # fmt: skip
def test_text_and_method_are_the_same(lang, asks, uses, steps, texts, computed, tasks):
    tools = [use.tool for use in uses]
    goals = tuple(SubGoal(text, [*tools, ANSWER][n % (len(tools) + 1)]) for n, text in enumerate(steps))
    made = method(lang=lang, asks=tuple(asks), tools=tuple(uses), sub_goals=goals, notes=(), look_up=tuple(texts[:2]),
                  checks=tuple(texts), computed=tuple(computed), tasks=tasks)  # fmt: skip
    assert is_sound(made)
    assert from_text(to_text(made)) == made


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("How tasks", "How things"),
        ("Check:", "Obey:"),
        ("[read_file]", "[delete_file]"),
        ("[read_file]", ""),
        ("Tools: list_files() once; read_file(path) each\n", ""),
        (" each\n", " often\n"),
        ("Asks for: values", "Asks for: money"),
        ("Compute: high", "Compute: tax"),
        ("every report was read", "; ".join("abcdefgh")),
        ("find the reports", "x" * 101),
    ],
)
def test_a_broken_text_is_no_method(old, new):
    text = to_text(method())
    assert old in text
    assert from_text(text.replace(old, new)) is None


@pytest.mark.parametrize(
    "text", ["", "\n", "Answers under 200 words", "How tasks like these are done (learned from 3)"]
)
def test_another_text_is_no_method(text):
    assert from_text(text) is None


def test_its_kind_is_that_of_its_tasks_whatever_the_order_of_the_tools():
    assert method().kind == kind_of("en", ["values"], ["read_file", "list_files", "read_file"])
    assert method().kind != method(lang="zh").kind
    assert method().kind != method(asks=()).kind
