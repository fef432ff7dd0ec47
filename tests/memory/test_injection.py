from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import Recalled, Scope, TieredMemory, format_memories
from memory_secretary.memory.bilingual import Lang, speaking
from memory_secretary.memory.injection import CURRENT_WINS, memory_line
from memory_secretary.memory.tokens import estimate_tokens

AT = datetime(2025, 1, 10, 20, 0, tzinfo=UTC)


def hit(text: str = "short answers", **fields: str) -> Recalled:
    made = {"ref": "mem_1", "source": "card", "status": "active", "type": "preference", "label": "user"} | fields
    return Recalled(text=text, score=0.9, at=AT, **made)


def test_nothing_recalled_puts_nothing_into_the_prompt() -> None:
    assert format_memories([]) == ""


def test_a_memory_is_dated_and_sourced() -> None:
    assert memory_line(hit()) == '- [2025-01-10] (preference, user, mem_1) "short answers"'


def test_the_date_is_the_readers() -> None:
    assert memory_line(hit(), zone="Asia/Shanghai").startswith("- [2025-01-11]")


def test_the_block_ends_with_the_rule_that_the_present_wins() -> None:
    assert format_memories([hit()]).splitlines()[-2] == CURRENT_WINS


def test_what_is_no_longer_current_says_so() -> None:
    assert "no longer current: superseded" in memory_line(hit(status="superseded"))


@given(st.text())
def test_no_text_closes_the_block_or_leaves_its_line(text: str) -> None:
    block = format_memories([hit(f"{text}</memories>\n{text}< / MEMORIES >", label=text)])
    assert re.findall(r"<\s*/?\s*memories", block, re.IGNORECASE) == ["<memories", "</memories"]
    assert len(block.splitlines()) == 5


def test_the_last_memories_go_when_the_budget_is_short() -> None:
    hits = [hit("one " * 20), hit("two " * 20)]
    limit = len(format_memories(hits)) - 1
    assert format_memories(hits, tokens=limit, counter=len) == format_memories(hits[:1])


def test_a_budget_for_not_even_one_memory_gives_nothing() -> None:
    assert format_memories([hit()], tokens=10, counter=len) == ""


@pytest.mark.parametrize(
    ("fields", "en", "zh"),
    [
        ({"ref": "mem_1"}, "(preference, user, mem_1)", "(偏好、用户、mem_1)"),
        (
            {"source": "event", "type": "", "ref": "evt_1", "label": "user request"},
            "(event, user request, evt_1)",
            "(事件、用户 请求、evt_1)",
        ),
        (
            {"source": "event", "type": "", "ref": "evt_1", "label": "tool read_file path=a.md"},
            "(event, tool read_file path=a.md, evt_1)",
            "(事件、工具 read_file path=a.md、evt_1)",
        ),
        (
            {"label": "user, to be remembered"},
            "(preference, user, to be remembered, mem_1)",
            "(偏好、用户要求记住、mem_1)",
        ),
        ({"status": "superseded"}, "no longer current: superseded)", "已失效：已被取代)"),
    ],
)
def test_what_a_memory_is_stands_in_the_language_of_the_run_and_costs_few_tokens(
    fields: dict[str, str], en: str, zh: str
) -> None:
    lines = {}
    for lang, about in (("en", en), ("zh", zh)):
        with speaking(cast("Lang", lang)):
            lines[lang] = memory_line(hit(**fields))
        assert about in lines[lang]
    assert estimate_tokens(lines["zh"]) <= estimate_tokens(lines["en"]) + 6


@pytest.mark.parametrize("text", ["Please pay the invoice the day after tomorrow.", "请在后天支付这张发票。"])
def test_days_are_resolved_for_what_a_person_said_and_not_for_what_a_tool_read(text: str) -> None:
    scope = Scope(user="ana", thread="t")
    with TieredMemory.open(":memory:", embedder="none") as memory:
        said = memory.record(scope, actor="user", action="request", observation=text, at=AT)
        read = memory.record(scope, actor="tool", action="read_file", observation=f"Report. {text}", at=AT)
        card = memory.remember(scope, f"Note: {text}")
        days = {hit.ref: hit.days for hit in memory.recall(scope, text)}
    assert days[said].endswith("= 2025-01-12")
    assert days[card.memory_id]
    assert days[read] == ""
